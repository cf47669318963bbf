/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/preamble.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define SHOWN 32 /* bytes of a line that is not ours */

/* Takes word from the front of s. */
static bool
take(struct tape_str *s, const char *word)
{
	size_t n = strlen(word);

	if (s->len < n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	s->len -= n;
	return true;
}

/* Takes what stands before the next quote, and the quote. */
static bool
take_word(struct tape_str *s, struct tape_str *word)
{
	const char *q = s->len > 0 ? memchr(s->p, '"', s->len) : NULL;

	if (q == NULL)
		return false;
	*word = tape_str_make(s->p, (size_t)(q - s->p));
	s->len -= word->len + 1;
	s->p = q + 1;
	return true;
}

static bool
take_number(struct tape_str *s, uint64_t *n)
{
	size_t i;

	for (i = 0, *n = 0; i < s->len && i < 9; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			break;
		*n = *n * 10 + (uint64_t)(s->p[i] - '0');
	}
	if (i == 0 || (i > 1 && s->p[0] == '0'))
		return false;
	s->p += i;
	s->len -= i;
	return true;
}

static enum tape_status
not_ours(struct tape_str line, struct tape_err *err)
{
	char shown[4 * SHOWN + 1], *q = shown;

	for (size_t i = 0; i < line.len && i < SHOWN; i++) {
		unsigned char c = (unsigned char)line.p[i];

		if (c < 0x20 || c >= 0x7f)
			q += snprintf(q, 5, "\\x%02x", c);
		else
			*q++ = (char)c;
	}
	*q = '\0';
	if (line.len == 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "not a llmtape stream: an empty line where a header "
		    "should be");
	return tape_err_set(err, TAPE_E_FORMAT,
	    "not a llmtape stream: \"%s%s\" where a header should be", shown,
	    line.len > SHOWN ? "..." : "");
}

/* The tools between a format and the next one that is accepted. */
static enum tape_status
wrong_format(enum tape_format got, unsigned accepted, struct tape_err *err)
{
	unsigned above = accepted & ~(((unsigned)got << 1) - 1);
	unsigned want = above != 0 ? above : accepted;
	char path[128] = "";
	size_t n = 0;

	want &= ~want + 1; /* the lowest of them */
	if (above == 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "this is a %s stream, not the %s stream that %s makes%s",
		    tape_format_name(got),
		    tape_format_name((enum tape_format)want),
		    tape_format_maker((enum tape_format)want),
		    got == TAPE_FORMAT_EVENTS && want == TAPE_FORMAT_WIRE
			? ": it is decoded already"
			: "");
	for (unsigned f = (unsigned)got << 1; f <= want; f <<= 1)
		n += (size_t)snprintf(path + n, sizeof(path) - n, "%s%s",
		    n > 0 ? " | " : "", tape_format_maker((enum tape_format)f));
	return tape_err_set(err, TAPE_E_FORMAT,
	    "this is a %s stream; pipe it through %s first",
	    tape_format_name(got), path);
}

enum tape_status
tape_preamble_read(struct tape_preamble *p, struct tape_str line,
    unsigned accepted, struct tape_err *err)
{
	struct tape_str rest = line, format, version;
	uint64_t major;

	if (!take(&rest, "{\"kind\":\"header\",\"format\":\"") ||
	    !take_word(&rest, &format) || !take(&rest, ",\"version\":\"") ||
	    !take_word(&rest, &version))
		return not_ours(line, err);
	rest = version;
	if (!take_number(&rest, &major) || !take(&rest, ".") ||
	    !take_number(&rest, &p->minor) || rest.len > 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "header has version \"%.*s\", which is none",
		    tape_str_shown(version, SHOWN), version.p);
	if (major != TAPE_STREAM_MAJOR)
		return tape_err_set(err, TAPE_E_VERSION,
		    "stream has version %" PRIu64 ".%" PRIu64
		    "; this build reads %d.x",
		    major, p->minor, TAPE_STREAM_MAJOR);
	p->format = tape_format_find(format);
	if ((unsigned)p->format == 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "unknown stream format \"%.*s\"",
		    tape_str_shown(format, SHOWN), format.p);
	if (((unsigned)p->format & accepted) == 0)
		return wrong_format(p->format, accepted, err);
	return TAPE_OK;
}

enum tape_status
tape_preamble_check_epochs(const struct tape_header *h, struct tape_err *err)
{
	char iso[TAPE_CLOCK_ISO + 1], mono[TAPE_CLOCK_MONO + 1];
	int64_t ns;

	(void)snprintf(iso, sizeof(iso), "%.*s", (int)h->epoch.len, h->epoch.p);
	(void)snprintf(mono, sizeof(mono), "%.*s", (int)h->epoch_mono.len,
	    h->epoch_mono.p);
	if (h->epoch.len >= sizeof(iso) ||
	    tape_clock_parse_iso(iso, &ns, NULL) != TAPE_OK)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "\"epoch\" is not a time of the form "
		    "2026-03-01T12:00:00.000000000Z");
	if (h->epoch_mono.len >= sizeof(mono) ||
	    tape_clock_parse_mono(mono, &ns, NULL) != TAPE_OK)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "\"epoch_mono\" is not a time of the form "
		    "12345.000000000");
	return TAPE_OK;
}
