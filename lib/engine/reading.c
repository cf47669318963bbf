/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reading.h"

#include "base/num.h"
#include "base/utf8.h"
#include "engine/reading_impl.h"

#include <ctype.h>
#include <math.h>

#define BYTES  ((size_t)2 << 20)
#define DIGITS 40

void
tape_reading_init(struct tape_reading *r)
{
	memset(r, 0, sizeof(*r));
	tape_buf_init(&r->values, BYTES);
}

void
tape_reading_release(struct tape_reading *r)
{
	tape_buf_release(&r->values);
}

void
tape_reading_begin(struct tape_reading *r, struct tape_json_writer *w)
{
	tape_buf_clear(&r->values);
	r->device[0] = '\0';
	r->n = r->dropped = 0;
	tape_json_write_init(w, &r->values);
	tape_json_write_object(w, NULL);
}

enum tape_status
tape_reading_end(struct tape_reading *r, struct tape_json_writer *w,
    const char *what, struct tape_err *err)
{
	tape_json_write_object_end(w);
	if (r->n == 0)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "no number of %s stands in it", what);
	return tape_json_write_finish(w, err);
}

void
tape_reading_put(struct tape_reading *r, struct tape_json_writer *w,
    struct tape_str name, double v)
{
	char key[TAPE_READING_NAME];

	if (!isfinite(v))
		return;
	if (r->n == TAPE_READING_VALUES || name.len >= sizeof(key) ||
	    !tape_utf8_valid(name.p, name.len) ||
	    memchr(name.p, '\0', name.len) != NULL) {
		r->dropped++;
		return;
	}
	memcpy(key, name.p, name.len);
	key[name.len] = '\0';
	tape_json_write_double(w, key, v);
	r->n++;
}

void
tape_reading_put_of(struct tape_reading *r, struct tape_json_writer *w,
    struct tape_str whose, const char *what, double v)
{
	char name[TAPE_READING_NAME];
	size_t n = 0;

	while (n < whose.len && n < sizeof(name) / 2) {
		name[n] = (char)tolower((unsigned char)whose.p[n]);
		n++;
	}
	while (*what != '\0' && n < sizeof(name))
		name[n++] = *what++;
	tape_reading_put(r, w, tape_str_make(name, n), v);
}

bool
tape_reading_take(struct tape_str *s, double *v)
{
	char text[DIGITS];
	size_t n = 0;

	while (n < s->len && n < sizeof(text) - 1 &&
	       (isdigit((unsigned char)s->p[n]) || s->p[n] == '.' ||
		   (n == 0 && s->p[n] == '-'))) {
		text[n] = s->p[n];
		n++;
	}
	text[n] = '\0';
	if (n == 0 || tape_num_double(text, -1e15, 1e15, v, NULL) != TAPE_OK)
		return false;
	s->p += n;
	s->len -= n;
	return true;
}

bool
tape_reading_skip(struct tape_str *s, const char *text)
{
	const size_t n = strlen(text);

	if (s->len < n || memcmp(s->p, text, n) != 0)
		return false;
	s->p += n;
	s->len -= n;
	return true;
}

struct tape_str
tape_reading_trim(struct tape_str s)
{
	while (s.len > 0 && isspace((unsigned char)s.p[0])) {
		s.p++;
		s.len--;
	}
	while (s.len > 0 && isspace((unsigned char)s.p[s.len - 1]))
		s.len--;
	return s;
}
