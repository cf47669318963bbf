/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text format of Prometheus: name{label="value",...} number [time]. */
#include "base/num.h"
#include "engine/reading_impl.h"

#include <fnmatch.h>

#define NUMBER 64

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '.';
}

/* How long the name is, and the name with its labels; false: neither. */
static bool
measure(struct tape_str line, size_t *name, size_t *whole)
{
	size_t n = 0;
	bool quoted = false;

	while (n < line.len && is_name(line.p[n]))
		n++;
	*name = *whole = n;
	if (n == 0)
		return false;
	if (n == line.len || line.p[n] != '{')
		return true;
	for (n++; n < line.len; n++) {
		if (quoted && line.p[n] == '\\')
			n++;
		else if (line.p[n] == '"')
			quoted = !quoted;
		else if (!quoted && line.p[n] == '}')
			break;
	}
	*whole = n + 1;
	return n < line.len;
}

static bool
is_wanted(struct tape_str name, const char *const *patterns, size_t n)
{
	char text[TAPE_READING_NAME];

	if (n == 0)
		return true;
	if (name.len >= sizeof(text))
		return false;
	memcpy(text, name.p, name.len);
	text[name.len] = '\0';
	for (size_t i = 0; i < n; i++)
		if (fnmatch(patterns[i], text, 0) == 0)
			return true;
	return false;
}

/* A value behind the name; NaN and infinities are none. */
static bool
read_value(struct tape_str s, double *v)
{
	char text[NUMBER];
	size_t n = 0;

	s = tape_reading_trim(s);
	while (n < s.len && n < sizeof(text) - 1 && s.p[n] != ' ' &&
	       s.p[n] != '\t') {
		text[n] = s.p[n];
		n++;
	}
	text[n] = '\0';
	return tape_num_double(text[0] == '+' ? text + 1 : text, -1e300, 1e300,
		   v, NULL) == TAPE_OK;
}

enum tape_status
tape_reading_prometheus(struct tape_reading *r, struct tape_str page,
    const char *const *patterns, size_t n, struct tape_err *err)
{
	struct tape_json_writer w;

	tape_reading_begin(r, &w);
	for (const char *p = page.p, *end = page.p + page.len; p < end;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		const char *stop = lf == NULL ? end : lf;
		struct tape_str line =
		    tape_reading_trim(tape_str_make(p, (size_t)(stop - p)));
		size_t name, whole;
		double v;

		p = stop + 1;
		if (line.len == 0 || line.p[0] == '#' ||
		    !measure(line, &name, &whole) ||
		    !is_wanted(tape_str_make(line.p, name), patterns, n) ||
		    !read_value(
			tape_str_make(line.p + whole, line.len - whole), &v))
			continue;
		tape_reading_put(r, &w, tape_str_make(line.p, whole), v);
	}
	return tape_reading_end(r, &w, "a Prometheus exporter", err);
}
