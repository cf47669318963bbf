/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/replay_text.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/spin.h"
#include "codec/json.h"

#include <inttypes.h>
#include <stdio.h>

enum tape_status
tape_replay_parse_tolerance(const char *arg, void *field, struct tape_err *err)
{
	struct tape_replay_tolerance *t = field;

	t->is_share = arg[0] != '\0' && arg[strlen(arg) - 1] == '%';
	if (t->is_share)
		return tape_num_share_ratio(arg, &t->share_ratio, err);
	return tape_num_u64(arg, 0, INT64_MAX, &t->n, err);
}

enum tape_status
tape_replay_parse_salt(const char *arg, void *field, struct tape_err *err)
{
	struct tape_replay_salting *s = field;
	uint64_t v = 0;
	enum tape_status st = TAPE_OK;

	s->given = true;
	s->how = TAPE_REPLAY_SALT_NONE;
	if (strcmp(arg, "round") == 0) {
		s->how = TAPE_REPLAY_SALT_ROUND;
	} else if (strcmp(arg, "none") != 0) {
		s->how = TAPE_REPLAY_SALT_FIXED;
		st = tape_num_u64(arg, 0, UINT32_MAX, &v, err);
		s->value = (uint32_t)v;
	}
	return st;
}

enum tape_status
tape_replay_parse_spin(const char *arg, void *field, struct tape_err *err)
{
	return tape_spin_parse(arg, TAPE_REPLAY_SPIN_MAX_NS, field, err);
}

enum tape_status
tape_replay_read_extra(
    const char *arg, struct tape_buf *out, struct tape_err *err)
{
	char *text = NULL;
	size_t len = strlen(arg);
	struct tape_json r;
	struct tape_json_token t;
	struct tape_err why = { 0 };
	enum tape_status st = TAPE_OK;

	if (arg[0] == '@')
		st = tape_fdio_slurp(
		    arg + 1, TAPE_CAP_REQUEST, &text, &len, err);
	if (st != TAPE_OK)
		return st;
	tape_json_init(&r);
	tape_json_open(&r, text == NULL ? arg : text, len, TAPE_JSON_OURS);
	st = tape_json_expect(&r, TAPE_JSON_OBJECT, &t, &why);
	if (st == TAPE_OK) {
		const char *raw = NULL;
		size_t raw_len = 0;

		st = tape_json_skip(&r, &raw, &raw_len, &why);
		if (st == TAPE_OK)
			(void)tape_buf_add(out, raw, raw_len);
	}
	if (st == TAPE_OK)
		st = tape_json_end(&r, &why);
	tape_json_release(&r);
	tape_mem_free(text);
	if (st != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--extra is no JSON object: %s", why.text);
	/* A record is one line. */
	for (size_t i = 0; i < out->len; i++)
		if (out->data[i] == '\n' || out->data[i] == '\r')
			out->data[i] = ' ';
	return tape_buf_status(out, err);
}

bool
tape_replay_tolerates(
    const struct tape_replay_tolerance *t, const struct tape_replay_result *r)
{
	if (!t->is_share)
		return (uint64_t)r->failed <= t->n;
	return (double)r->failed <=
	       t->share_ratio * (double)(r->done + r->failed);
}

enum tape_replay_finding
tape_replay_find(const struct tape_replay_standard *standard,
    const struct tape_replay_opts *o, const struct tape_replay_result *r,
    void (*say)(void *arg, const char *text), void *arg)
{
	enum tape_replay_finding found = TAPE_REPLAY_FINE;
	char text[TAPE_REPLAY_TEXT];

	if (r->aborted) {
		(void)snprintf(text, sizeof(text),
		    "stopped after %" PRIu64 " failures in a row",
		    o->abort_after);
		say(arg, text);
	}
	/* Who interrupts does not wait for an answer. */
	if (r->answered == 0 &&
	    (r->failed > 0 || (r->cancelled > 0 && !r->interrupted))) {
		say(arg, "no server ever answered");
		return TAPE_REPLAY_UNANSWERED;
	}
	if (!tape_replay_tolerates(&standard->max_failed, r) || r->aborted) {
		(void)snprintf(text, sizeof(text),
		    "%" PRId64 " of %" PRId64 " requests failed", r->failed,
		    r->done + r->failed);
		say(arg, text);
		found = TAPE_REPLAY_NOT_FINE;
	}
	if (standard->strict && r->limited > 0) {
		(void)snprintf(text, sizeof(text),
		    "the client was the limit of %zu of %zu runs", r->limited,
		    r->runs);
		say(arg, text);
		found = TAPE_REPLAY_NOT_FINE;
	}
	return found;
}

char *
tape_replay_progress_text(
    const struct tape_replay_progress *p, char dst[TAPE_REPLAY_TEXT])
{
	char late[TAPE_NUM_TEXT];
	char where[96] = "";
	double s = (double)p->elapsed_ns / 1e9;

	if (p->arm != NULL)
		(void)snprintf(where, sizeof(where), "%s %zu/%zu ", p->arm,
		    p->run, p->runs);
	(void)snprintf(dst, TAPE_REPLAY_TEXT,
	    "%s%ssent %" PRId64 ", open %" PRId64 ", done %" PRId64
	    ", failed %" PRId64 ", %.0f reads/s, late p99 %s",
	    where, p->warmup ? "warm-up, " : "", p->sent, p->open, p->done,
	    p->failed, s > 0 ? (double)p->reads / s : 0,
	    tape_num_print_duration((double)p->late_p99_ns, late));
	return dst;
}

char *
tape_replay_verdict_text(const struct tape_replay_progress *p,
    const struct tape_fidelity_text *f, char dst[TAPE_REPLAY_VERDICT])
{
	size_t len;

	(void)snprintf(dst, TAPE_REPLAY_VERDICT, "%s%srun %zu is %s",
	    p->arm == NULL ? "" : p->arm, p->arm == NULL ? "" : ", ", p->run,
	    tape_fidelity_name(f->verdict));
	for (size_t i = 0; i < f->reasons_n; i++) {
		len = strlen(dst);
		(void)snprintf(dst + len, TAPE_REPLAY_VERDICT - len, "%s%s",
		    i == 0 ? ": " : "; ", f->reasons[i]);
	}
	return dst;
}

char *
tape_replay_summary_text(
    const struct tape_replay_result *r, char dst[TAPE_REPLAY_TEXT])
{
	char archive[96] = "", more[96] = "";

	if (r->planned > 0)
		(void)snprintf(more, sizeof(more),
		    ", %" PRId64 " cancelled on purpose", r->planned);
	if (r->retried > 0)
		(void)snprintf(more + strlen(more), sizeof(more) - strlen(more),
		    ", %" PRId64 " sent again", r->retried);
	if (r->archive_bytes > 0 && r->reads > 0)
		(void)snprintf(archive, sizeof(archive),
		    "; %" PRId64 " bytes kept, %.1f a read", r->archive_bytes,
		    (double)r->archive_bytes / (double)r->reads);
	(void)snprintf(dst, TAPE_REPLAY_TEXT,
	    "%zu run%s, %" PRId64 " sent, %" PRId64 " done, %" PRId64
	    " failed, %" PRId64 " cancelled%s; the client was %s%s%s",
	    r->runs, r->runs == 1 ? "" : "s", r->sent, r->done, r->failed,
	    r->cancelled, more, tape_fidelity_name(r->verdict),
	    r->interrupted ? "; interrupted" : "", archive);
	return dst;
}
