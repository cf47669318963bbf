/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/attempts.h"

#include "base/num.h"
#include "codec/stat_rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STATUS_MIN 400
#define STATUS_MAX 599
#define WORD_MAX   16

/* Longer than any delay that is allowed, so that no sum overflows. */
#define AFTER_MAX_NS (INT64_C(1) << 55)

bool
tape_attempts_cancels(const struct tape_attempts *a, uint64_t seq)
{
	struct tape_rng rng;

	if (a->cancel_ratio <= 0)
		return false;
	tape_rng_init(&rng, a->seed, TAPE_RNG_CANCEL, (uint32_t)seq,
	    (uint32_t)(seq >> 32));
	return tape_rng_double(&rng) < a->cancel_ratio;
}

static void
add_status(struct tape_attempts_on *on, unsigned status)
{
	on->statuses[(status - STATUS_MIN) / 64] |=
	    UINT64_C(1) << (status - STATUS_MIN) % 64;
}

static bool
add_class(struct tape_attempts_on *on, const char *word)
{
	for (int c = TAPE_HTTP_DNS; c <= TAPE_HTTP_TRUNCATED; c++) {
		if (strcmp(word,
			tape_http_class_text((enum tape_http_class)c)) != 0)
			continue;
		on->classes |= UINT32_C(1) << c;
		return true;
	}
	return false;
}

static enum tape_status
add_word(struct tape_attempts_on *on, const char *word, struct tape_err *err)
{
	unsigned hundred = word[0] == '4' ? 400 : 500;
	uint64_t status;

	if (strcmp(word, "4xx") == 0 || strcmp(word, "5xx") == 0) {
		for (unsigned s = hundred; s < hundred + 100; s++)
			add_status(on, s);
		return TAPE_OK;
	}
	if (add_class(on, word))
		return TAPE_OK;
	if (tape_num_u64(word, STATUS_MIN, STATUS_MAX, &status, NULL) !=
	    TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%s' is no class of failures (dns, connect, tls, send, "
		    "timeout, reset, http, truncated) and no status from 400 "
		    "to 599",
		    word);
	add_status(on, (unsigned)status);
	return TAPE_OK;
}

enum tape_status
tape_attempts_parse_on(const char *arg, void *field, struct tape_err *err)
{
	struct tape_attempts_on on = { 0 };
	enum tape_status st = TAPE_OK;

	for (const char *p = arg; p != NULL && st == TAPE_OK;) {
		size_t len = strcspn(p, ",");
		char word[WORD_MAX];

		/* What is too long is no word of ours. */
		if (len >= sizeof(word))
			len = sizeof(word) - 1;
		memcpy(word, p, len);
		word[len] = '\0';
		st = add_word(&on, word, err);
		p = strchr(p, ',');
		p = p == NULL ? NULL : p + 1;
	}
	if (st == TAPE_OK)
		*(struct tape_attempts_on *)field = on;
	return st;
}

bool
tape_attempts_retries(
    const struct tape_attempts *a, enum tape_http_class class, int64_t status)
{
	const struct tape_attempts_on *on = &a->on;

	if (class == TAPE_HTTP_NONE || a->retries == 0)
		return false;
	if ((on->classes >> class & 1) != 0)
		return true;
	return class == TAPE_HTTP_HTTP && status >= STATUS_MIN &&
	       status <= STATUS_MAX &&
	       (on->statuses[(status - STATUS_MIN) / 64] >>
		       (status - STATUS_MIN) % 64 &
		   1) != 0;
}

/* A number of the unit, which is not negative; -1: it is none. */
static int64_t
read_after(const char *value, size_t len, double unit_ns)
{
	char text[WORD_MAX];
	double v = 0;

	if (len == 0 || len >= sizeof(text))
		return -1;
	memcpy(text, value, len);
	text[len] = '\0';
	if (tape_num_double(text, 0, 1e12, &v, NULL) != TAPE_OK)
		return -1;
	v *= unit_ns;
	return v < (double)AFTER_MAX_NS ? (int64_t)ceil(v) : AFTER_MAX_NS;
}

static bool
is_named(const char *p, size_t len, const char *name)
{
	return len == strlen(name) && strncasecmp(p, name, len) == 0;
}

int64_t
tape_attempts_retry_after_ns(const struct tape_buf *headers)
{
	const char *p = headers->data;
	const char *end = headers->len == 0 ? p : p + headers->len;
	int64_t after = -1;

	while (p < end) {
		const char *mid = memchr(p, '\n', (size_t)(end - p));
		const char *stop =
		    memchr(mid + 1, '\n', (size_t)(end - mid - 1));
		size_t name = (size_t)(mid - p);
		size_t len = (size_t)(stop - mid - 1);
		int64_t ms = -1;

		if (is_named(p, name, "retry-after-ms"))
			ms = read_after(mid + 1, len, 1e6);
		if (ms >= 0)
			return ms;
		if (is_named(p, name, "retry-after"))
			after = read_after(mid + 1, len, 1e9);
		p = stop + 1;
	}
	return after;
}

int64_t
tape_attempts_delay_ns(
    const struct tape_attempts *a, int64_t attempt, int64_t retry_after_ns)
{
	int64_t delay = a->delay_ns;

	while (attempt-- > 1 && delay < a->delay_max_ns)
		delay = delay > INT64_MAX / 2 ? INT64_MAX : 2 * delay;
	if (retry_after_ns > delay)
		delay = retry_after_ns;
	return delay < a->delay_max_ns ? delay : a->delay_max_ns;
}
