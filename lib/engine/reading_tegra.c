/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tegrastats: words in a row, of which those count that are known by their form:
 *
 *	RAM 2467/7471MB  SWAP 0/994MB		memory
 *	CPU [2%@729,off,...]			load and clock of each core
 *	EMC_FREQ 0%@2133  GR3D_FREQ 12%@[305,0]	load and clock of an engine
 *	cpu@47.5C				temperature
 *	VDD_IN 4462mW/4462mW  POM_5V_IN 1812/1812	power now, and its mean
 */
#include "engine/reading_impl.h"

#define NO_SENSOR (-250.0) /* what is switched off is at -256 C */

struct line {
	struct tape_reading *r;
	struct tape_json_writer w;
	struct tape_str rest;
};

/* The next word, with what stands in brackets behind it. */
static bool
next(struct tape_str *rest, struct tape_str *word)
{
	size_t n = 0;

	*rest = tape_reading_trim(*rest);
	if (rest->len == 0)
		return false;
	while (n < rest->len && rest->p[n] != ' ' && rest->p[n] != '\t')
		n++;
	*word = tape_str_make(rest->p, n);
	rest->p += n;
	rest->len -= n;
	return true;
}

/* 2467/7471MB */
static void
read_memory(struct line *l, const char *used, const char *total)
{
	struct tape_str word;
	double a, b;

	if (next(&l->rest, &word) && tape_reading_take(&word, &a) &&
	    tape_reading_skip(&word, "/") && tape_reading_take(&word, &b) &&
	    tape_str_is(word, "MB")) {
		tape_reading_put(l->r, &l->w, tape_str_of(used), a);
		tape_reading_put(l->r, &l->w, tape_str_of(total), b);
	}
}

/* The greatest of 305, or of [305,0]. */
static bool
read_clock(struct tape_str s, double *mhz)
{
	const bool many = tape_reading_skip(&s, "[");
	double v;

	if (!tape_reading_take(&s, mhz))
		return false;
	while (many && tape_reading_skip(&s, ",") && tape_reading_take(&s, &v))
		if (v > *mhz)
			*mhz = v;
	return true;
}

/* [2%@729,1%@729,off] */
static void
read_cores(struct line *l)
{
	struct tape_str word;
	double load, mhz, sum = 0, most = 0;
	size_t cores = 0;

	if (!next(&l->rest, &word) || !tape_reading_skip(&word, "["))
		return;
	while (word.len > 0 && word.p[0] != ']') {
		if (tape_reading_take(&word, &load) &&
		    tape_reading_skip(&word, "%@") &&
		    tape_reading_take(&word, &mhz)) {
			sum += load;
			most = mhz > most ? mhz : most;
			cores++;
		} else if (!tape_reading_skip(&word, "off"))
			break;
		if (!tape_reading_skip(&word, ","))
			break;
	}
	if (cores == 0)
		return;
	tape_reading_put(l->r, &l->w, tape_str_of("cpu_utilization_percent"),
	    sum / (double)cores);
	tape_reading_put(l->r, &l->w, tape_str_of("cpu_clock_mhz"), most);
	tape_reading_put(
	    l->r, &l->w, tape_str_of("cpu_cores_online"), (double)cores);
}

/* 12%, 12%@1300 or 12%@[1300,0]; without a load, as 174, it is the clock. */
static void
read_engine(struct line *l, struct tape_str name)
{
	struct tape_str word;
	double v, mhz;

	if (!next(&l->rest, &word) || !tape_reading_take(&word, &v))
		return;
	if (!tape_reading_skip(&word, "%")) {
		tape_reading_put_of(l->r, &l->w, name, "_clock_mhz", v);
		return;
	}
	tape_reading_put_of(l->r, &l->w, name, "_utilization_percent", v);
	if (tape_reading_skip(&word, "@") && read_clock(word, &mhz))
		tape_reading_put_of(l->r, &l->w, name, "_clock_mhz", mhz);
}

/* cpu@47.5C; false: it is none. */
static bool
read_temperature(struct line *l, struct tape_str word)
{
	const char *at = memchr(word.p, '@', word.len);
	struct tape_str name, rest;
	double v;

	if (at == NULL)
		return false;
	name = tape_str_make(word.p, (size_t)(at - word.p));
	rest = tape_str_make(at + 1, word.len - name.len - 1);
	if (!tape_reading_take(&rest, &v) || !tape_str_is(rest, "C"))
		return false;
	if (v > NO_SENSOR)
		tape_reading_put_of(l->r, &l->w, name, "_temperature_c", v);
	return true;
}

/* 4462mW/4462mW or 1812/1812 behind a rail's name. */
static void
read_rail(struct line *l, struct tape_str name)
{
	struct tape_str rest = l->rest, word;
	double now, mean;

	if (!next(&rest, &word) || !tape_reading_take(&word, &now))
		return;
	(void)tape_reading_skip(&word, "mW");
	if (!tape_reading_skip(&word, "/") || !tape_reading_take(&word, &mean))
		return;
	(void)tape_reading_skip(&word, "mW");
	if (word.len > 0)
		return;
	l->rest = rest;
	tape_reading_put_of(l->r, &l->w, name, "_power_mw", now);
}

static bool
ends_in(struct tape_str s, const char *tail)
{
	const size_t n = strlen(tail);

	return s.len > n && memcmp(s.p + s.len - n, tail, n) == 0;
}

static void
read_word(struct line *l, struct tape_str word)
{
	static const char freq[] = "_FREQ";

	if (tape_str_is(word, "RAM"))
		read_memory(l, "ram_used_mib", "ram_total_mib");
	else if (tape_str_is(word, "SWAP"))
		read_memory(l, "swap_used_mib", "swap_total_mib");
	else if (tape_str_is(word, "CPU"))
		read_cores(l);
	else if (ends_in(word, freq))
		read_engine(
		    l, tape_str_make(word.p, word.len - sizeof(freq) + 1));
	else if (!read_temperature(l, word))
		read_rail(l, word);
}

enum tape_status
tape_reading_tegra(
    struct tape_reading *r, struct tape_str line, struct tape_err *err)
{
	struct line l = { .r = r, .rest = line };
	struct tape_str word;

	tape_reading_begin(r, &l.w);
	while (next(&l.rest, &word))
		read_word(&l, word);
	return tape_reading_end(r, &l.w, "tegrastats", err);
}
