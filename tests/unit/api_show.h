/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_show: one decoder, what it is fed, and what it should say; for the tests
 * of dialects.
 */
#ifndef TAPE_UNIT_API_SHOW_H
#define TAPE_UNIT_API_SHOW_H

#include "api/api.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

static struct tape_err err;
static struct tape_api_decoder d;
static struct tape_api_event ev;

static void
start(const char *api, const char *name)
{
	printf("# %s\n", name);
	tape_err_clear(&err);
	tape_api_decoder_clear(&d, tape_api_find(tape_str_of(api)));
}

static void
is_event(char class, int64_t bytes)
{
	char got[2] = { ev.class, '\0' }, want[2] = { class, '\0' };

	is_str(got, want, "its class");
	is_int(ev.text_bytes, bytes, "its bytes of text");
}

/* Decodes an event and looks at its class and bytes. */
static void
gives(const char *data, char class, int64_t bytes)
{
	is_int(
	    tape_api_decode(&d, tape_str_of(""), tape_str_of(data), &ev, &err),
	    TAPE_OK, "decoded: %.60s", data);
	is_event(class, bytes);
}

/* The same of a body that was not streamed. */
static void
gives_body(const char *data, char class, int64_t bytes)
{
	is_int(tape_api_decode_body(&d, tape_str_of(data), &ev, &err), TAPE_OK,
	    "body: %.60s", data);
	is_event(class, bytes);
}

__attribute__((unused)) static void
malformed(const char *data)
{
	const int64_t before = d.malformed, tokens = d.token_events;

	gives(data, 'o', 0);
	ok(ev.malformed, "is malformed");
	is_int(d.malformed, before + 1, "and counted");
	is_int(d.token_events, tokens, "and is no token");
}

static bool
same(struct tape_str got, const char *want)
{
	if (want == NULL || got.p == NULL)
		return got.p == NULL && want == NULL;
	if (tape_str_is(got, want))
		return true;
	printf("#  got '%.*s'\n# want '%s'\n", (int)got.len, got.p, want);
	return false;
}

static void
text_is(const char *want)
{
	ok(same(tape_str_make(d.text.data, d.text.len), want),
	    "the text is right");
}

/* What tape_api_usage and tape_api_timing give. */
__attribute__((unused)) static void
keeps(void (*what)(const struct tape_api_decoder *, struct tape_buf *),
    const char *want, const char *name)
{
	struct tape_buf out;

	tape_buf_init(&out, TAPE_CAP_LINE);
	what(&d, &out);
	is_str(out.data, want, "%s", name);
	tape_buf_release(&out);
}

#endif
