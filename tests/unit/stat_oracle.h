/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_oracle: reads tests/fixtures/stats/NAME.json and counts comparisons.
 *
 *	struct oracle o;
 *	const cJSON *c;
 *
 *	c = oracle_open(&o, "p_adjust.json");
 *	for (; c != NULL; c = c->next)
 *		oracle_near(&o, c, "holm", got, 1e-14);
 *	oracle_close(&o, 25);
 *
 * A comparison prints a line only when it fails; oracle_close makes one test
 * of the file, which fails too when fewer values than expected were compared,
 * so that an empty or shortened file cannot pass.
 */
#ifndef TAPE_UNIT_STAT_ORACLE_H
#define TAPE_UNIT_STAT_ORACLE_H

#include "base/num.h"
#include "unit/tap.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

struct oracle {
	const char *name;
	cJSON *root;
	size_t compared;
	size_t wrong;
};

#define ORACLE_DIR         "tests/fixtures/stats/"
#define oracle_get(j, key) cJSON_GetObjectItemCaseSensitive((j), (key))

/* The whole file with a NUL behind it, or NULL; the caller frees it. */
__attribute__((unused)) static char *
oracle_read(const char *name)
{
	char path[160];
	char *text = NULL;
	FILE *f;
	long size;

	(void)snprintf(path, sizeof(path), ORACLE_DIR "%s", name);
	f = fopen(path, "rb");
	if (f == NULL)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 &&
	    fseek(f, 0, SEEK_SET) == 0 &&
	    (text = calloc(1, (size_t)size + 1)) != NULL &&
	    fread(text, 1, (size_t)size, f) != (size_t)size) {
		free(text);
		text = NULL;
	}
	(void)fclose(f);
	return text;
}

/* The numbers, one a line, of nist/NAME.csv; returns how many. */
__attribute__((unused)) static size_t
oracle_csv(const char *name, double *x, size_t max)
{
	char path[64], *text;
	size_t n = 0;

	(void)snprintf(path, sizeof(path), "nist/%s.csv", name);
	text = oracle_read(path);
	for (char *p = text, *next; p != NULL && n < max; p = next) {
		next = strchr(p, '\n');
		if (next != NULL)
			*next++ = '\0';
		n += tape_num_double(p, -1e9, 1e9, &x[n], NULL) == TAPE_OK;
	}
	free(text);
	return n;
}

/* Returns the first case, or NULL. */
__attribute__((unused)) static const cJSON *
oracle_open(struct oracle *o, const char *name)
{
	char *text = oracle_read(name);

	memset(o, 0, sizeof(*o));
	o->name = name;
	if (text != NULL)
		o->root = cJSON_Parse(text);
	free(text);
	if (o->root == NULL)
		ok(false, "%s can be read (run this in the top folder)", name);
	return cJSON_GetArrayItem(oracle_get(o->root, "cases"), 0);
}

__attribute__((unused)) static void
oracle_close(struct oracle *o, size_t expected)
{
	ok(o->wrong == 0 && o->compared >= expected,
	    "%s: %zu comparisons, %zu wrong (at least %zu expected)", o->name,
	    o->compared, o->wrong, expected);
	cJSON_Delete(o->root);
	o->root = NULL;
}

/* One value against another: relative, or absolute where want is 0. */
__attribute__((unused)) static void
oracle_value(
    struct oracle *o, const char *what, double got, double want, double rel)
{
	const double room = rel * (want == 0 ? 1 : fabs(want));

	o->compared++;
	if (fabs(got - want) <= room || (isinf(want) && got == want))
		return;
	o->wrong++;
	printf("# %s %s: got %.17g want %.17g\n", o->name, what, got, want);
}

__attribute__((unused)) static double
oracle_number(const cJSON *j)
{
	if (cJSON_IsString(j))
		return j->valuestring[0] == '-' ? -HUGE_VAL : HUGE_VAL;
	return cJSON_IsNumber(j) ? j->valuedouble : (double)NAN;
}

__attribute__((unused)) static const char *
oracle_id(const cJSON *c)
{
	const cJSON *id = oracle_get(c, "id");

	return cJSON_IsString(id) ? id->valuestring : "?";
}

/* Number of c's input; NaN when it is missing. */
__attribute__((unused)) static double
oracle_input(const cJSON *c, const char *key)
{
	return oracle_number(oracle_get(oracle_get(c, "input"), key));
}

/* Array from JSON into dst of room max; returns its length. */
__attribute__((unused)) static size_t
oracle_array(const cJSON *j, double *dst, size_t max)
{
	const cJSON *e;
	size_t n = 0;

	cJSON_ArrayForEach(e, j) if (n < max) dst[n++] = oracle_number(e);
	return n;
}

__attribute__((unused)) static size_t
oracle_inputs(const cJSON *c, const char *key, double *dst, size_t max)
{
	return oracle_array(oracle_get(oracle_get(c, "input"), key), dst, max);
}

__attribute__((unused)) static bool
oracle_has(const cJSON *c, const char *key)
{
	return oracle_get(oracle_get(c, "expected"), key) != NULL;
}

/* got against c's expected number key. */
__attribute__((unused)) static void
oracle_near(
    struct oracle *o, const cJSON *c, const char *key, double got, double rel)
{
	char what[128];

	(void)snprintf(what, sizeof(what), "%s %s", oracle_id(c), key);
	oracle_value(o, what, got,
	    oracle_number(oracle_get(oracle_get(c, "expected"), key)), rel);
}

/* got[0 .. n) against c's expected array key, whose length must be n. */
__attribute__((unused)) static void
oracle_nears(struct oracle *o, const cJSON *c, const char *key,
    const double *got, size_t n, double rel)
{
	const cJSON *want = oracle_get(oracle_get(c, "expected"), key);
	char what[128];

	if ((size_t)cJSON_GetArraySize(want) != n) {
		o->wrong++;
		printf("# %s %s: %d values, not %zu\n", oracle_id(c), key,
		    cJSON_GetArraySize(want), n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(
		    what, sizeof(what), "%s %s[%zu]", oracle_id(c), key, i);
		oracle_value(o, what, got[i],
		    oracle_number(cJSON_GetArrayItem(want, (int)i)), rel);
	}
}

#endif
