/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The headers of a tool's segments: epoch, run_id, chain. */
#include "base/boot.h"
#include "base/clock.h"
#include "base/num.h"
#include "cli/tool.h"
#include "tape_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stamp {
	int64_t wall_ns;
	int64_t mono_ns;
	bool fixed; /* by SOURCE_DATE_EPOCH */
	bool live;  /* times to come are of this clock */
};

static enum tape_status
read_fixed_epoch(struct stamp *now, struct tape_err *err)
{
	const char *s = getenv("SOURCE_DATE_EPOCH");
	int64_t seconds;
	enum tape_status st;

	if (s == NULL || *s == '\0')
		return TAPE_OK;
	st = tape_num_i64(s, 0, INT64_MAX / TAPE_NS_PER_S, &seconds, NULL);
	if (st != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "SOURCE_DATE_EPOCH is not a number of seconds");
	now->wall_ns = seconds * TAPE_NS_PER_S;
	now->fixed = true;
	return TAPE_OK;
}

static enum tape_status
take_stamp(bool live, struct stamp *now, struct tape_err *err)
{
	const struct tape_clock *c = &tape_clock_system;

	memset(now, 0, sizeof(*now));
	now->mono_ns = tape_clock_now_ns(c);
	now->wall_ns = now->mono_ns + tape_clock_offset_ns(c, NULL);
	now->live = live;
	if (live)
		return TAPE_OK;
	now->mono_ns = 0;
	return read_fixed_epoch(now, err);
}

static const char *
host_name(const struct tape_tool *t, char *room, size_t size)
{
	if (t->common->no_host || gethostname(room, size) != 0)
		return NULL;
	room[size - 1] = '\0';
	return room;
}

/* FNV-1a of the chain, which holds argv, and of what else tells runs apart. */
static void
make_run_id(const struct stamp *now, const struct tape_buf *chain, char *id,
    size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	char more[64];

	for (size_t i = 0; i < chain->len; i++)
		h = (h ^ (unsigned char)chain->data[i]) *
		    UINT64_C(0x100000001b3);
	more[0] = '\0';
	if (!now->fixed)
		(void)snprintf(more, sizeof(more), "%" PRId64 ".%ld",
		    now->wall_ns, (long)getpid());
	for (size_t i = 0; more[i] != '\0'; i++)
		h = (h ^ (unsigned char)more[i]) * UINT64_C(0x100000001b3);
	(void)snprintf(id, size, "%016" PRIx64, h);
}

static enum tape_status
append_entry(struct tape_tool *t, struct tape_strs chains, const char *started,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_opt_argv argv;
	struct tape_buf libs;
	char host[256];
	struct tape_prov e = { .tool = t->spec->tool, .version = TAPE_VERSION };
	enum tape_status st;

	st = tape_opt_provenance(&t->opt, &argv, err);
	if (st != TAPE_OK)
		return st;
	tape_buf_init(&libs, 1024);
	if (t->spec->libs != NULL)
		t->spec->libs(&libs);
	e.argv = argv.v;
	e.argc = argv.n;
	e.host = host_name(t, host, sizeof(host));
	e.started = started;
	/* As the host's name: what it has installed. */
	e.libs = libs.len > 0 && !t->common->no_host ? libs.data : NULL;
	e.input = t->input[0] != '\0' ? t->input : NULL;
	st = tape_prov_join(out, chains, &e, err);
	tape_buf_release(&libs);
	tape_opt_argv_release(&argv);
	return st;
}

enum tape_status
tape_tool_join_chains(struct tape_tool *t, const struct tape_header *from,
    struct tape_strs chains, struct tape_buf *out, struct tape_err *err)
{
	char iso[TAPE_CLOCK_ISO];
	struct stamp now;
	enum tape_status st;

	st = take_stamp(false, &now, err);
	if (st != TAPE_OK)
		return st;
	if (from != NULL)
		(void)snprintf(t->input, sizeof(t->input), "%.*s %.*s",
		    (int)from->format.len, from->format.p,
		    (int)from->version.len, from->version.p);
	return append_entry(
	    t, chains, tape_clock_print_iso(now.wall_ns, iso), out, err);
}

enum tape_status
tape_tool_chain(struct tape_tool *t, const struct tape_header *from,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_strs chains = { from ? &from->prov : NULL, from ? 1 : 0 };

	return tape_tool_join_chains(t, from, chains, out, err);
}

static enum tape_status
begin(struct tape_tool *t, const char *meta, const struct stamp *now,
    struct tape_err *err)
{
	char iso[TAPE_CLOCK_ISO], mono[TAPE_CLOCK_MONO], id[24];
	char boot[TAPE_BOOT_TEXT];
	struct tape_header h;
	struct tape_buf chain;
	enum tape_status st;

	tape_buf_init(&chain, TAPE_CAP_LINE);
	st = append_entry(
	    t, t->chains, tape_clock_print_iso(now->wall_ns, iso), &chain, err);
	if (st != TAPE_OK)
		goto out;
	make_run_id(now, &chain, id, sizeof(id));
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of(iso);
	h.epoch_mono = tape_str_of(tape_clock_print_mono(now->mono_ns, mono));
	h.run_id = tape_str_of(id);
	if (now->live && !t->common->no_host && tape_boot_name(boot))
		h.boot = tape_str_of(boot);
	h.meta = tape_str_of(meta);
	h.prov = tape_str_make(chain.data, chain.len);
	st = tape_writer_header(t->writer, &h, err);
out:
	tape_buf_release(&chain);
	return st;
}

enum tape_status
tape_tool_begin(struct tape_tool *t, const char *meta, bool live,
    int64_t *epoch_mono_ns, struct tape_err *err)
{
	struct stamp now;
	enum tape_status st = take_stamp(live, &now, err);

	if (st == TAPE_OK && epoch_mono_ns != NULL)
		*epoch_mono_ns = now.mono_ns;
	return st == TAPE_OK ? begin(t, meta, &now, err) : st;
}

enum tape_status
tape_tool_begin_at(struct tape_tool *t, const char *meta, int64_t mono_ns,
    struct tape_err *err)
{
	struct stamp then;
	enum tape_status st = take_stamp(true, &then, err);

	then.wall_ns -= then.mono_ns - mono_ns;
	then.mono_ns = mono_ns;
	return st == TAPE_OK ? begin(t, meta, &then, err) : st;
}

enum tape_status
tape_tool_join(struct tape_tool *t, const struct tape_header *from,
    struct tape_strs chains, struct tape_err *err)
{
	struct tape_header h = *from;
	struct tape_buf chain;
	enum tape_status st;

	tape_buf_init(&chain, TAPE_CAP_LINE);
	st = tape_tool_join_chains(t, from, chains, &chain, err);
	if (st == TAPE_OK) {
		h.prov = tape_str_make(chain.data, chain.len);
		st = tape_writer_header(t->writer, &h, err);
	}
	tape_buf_release(&chain);
	return st;
}

enum tape_status
tape_tool_derive(
    struct tape_tool *t, const struct tape_header *from, struct tape_err *err)
{
	struct tape_strs one = { &from->prov, 1 };

	return tape_tool_join(t, from, one, err);
}
