/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/samples_clock.h"

#include "base/clock.h"

/* The tools that read a clock: the host of one of them is the clock's. */
static bool
is_recorder(struct tape_str tool)
{
	return tape_str_is(tool, "trace-replay") ||
	       tape_str_is(tool, "trace-record") ||
	       tape_str_is(tool, "telemetry-sample");
}

/* One entry of a chain, from behind its brace. */
static enum tape_status
read_entry(struct tape_json *r, char *host, struct tape_err *err)
{
	char name[TAPE_SAMPLES_HOST] = "";
	bool recorder = false;
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tape_json_key_is(&tok, "tool") &&
		    tok.type == TAPE_JSON_STRING)
			recorder = is_recorder(tape_str_make(tok.str, tok.len));
		else if (tape_json_key_is(&tok, "host") &&
			 tok.type == TAPE_JSON_STRING && tok.len < sizeof(name))
			memcpy(name, tok.str, tok.len);
		else
			st = tape_json_skip(r, NULL, NULL, err);
		if (st != TAPE_OK)
			break;
	}
	if (st == TAPE_OK && recorder)
		memcpy(host, name, sizeof(name));
	return st;
}

/* The host of the last recorder of a chain; "" unknown. */
static enum tape_status
read_host(struct tape_str prov, char *host, struct tape_err *err)
{
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	memset(host, 0, TAPE_SAMPLES_HOST);
	tape_json_init(&r);
	tape_json_open(&r, prov.p, prov.len, TAPE_JSON_OURS);
	st = tape_json_expect(&r, TAPE_JSON_ARRAY, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (tok.type == TAPE_JSON_OBJECT)
			st = read_entry(&r, host, err);
	}
	tape_json_release(&r);
	return st;
}

enum tape_status
tape_samples_read_clock(struct tape_samples_clock *clock,
    const struct tape_header *h, int64_t *epoch_ns, struct tape_err *err)
{
	char mono[TAPE_CLOCK_MONO] = "", wall[TAPE_CLOCK_ISO] = "";
	int64_t wall_ns = 0;
	enum tape_status st;

	memset(clock, 0, sizeof(*clock));
	if (h->epoch_mono.len >= sizeof(mono) || h->epoch.len >= sizeof(wall))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "the epoch of the header is no time");
	if (h->boot.len < sizeof(clock->boot) && h->boot.p != NULL)
		memcpy(clock->boot, h->boot.p, h->boot.len);
	memcpy(mono, h->epoch_mono.p, h->epoch_mono.len);
	memcpy(wall, h->epoch.p, h->epoch.len);
	st = tape_clock_parse_mono(mono, epoch_ns, err);
	if (st == TAPE_OK)
		st = tape_clock_parse_iso(wall, &wall_ns, err);
	clock->offset_ns = wall_ns - *epoch_ns;
	return st == TAPE_OK ? read_host(h->prov, clock->host, err) : st;
}

/* Both name their boot. */
static bool
are_named(
    const struct tape_samples_clock *a, const struct tape_samples_clock *b)
{
	return a->boot[0] != '\0' && b->boot[0] != '\0';
}

bool
tape_samples_same_clock(
    const struct tape_samples_clock *a, const struct tape_samples_clock *b)
{
	const int64_t apart = a->offset_ns - b->offset_ns;

	if (are_named(a, b))
		return strcmp(a->boot, b->boot) == 0;
	if (apart > TAPE_SAMPLES_SLACK_NS || apart < -TAPE_SAMPLES_SLACK_NS)
		return false;
	return a->host[0] == '\0' || b->host[0] == '\0' ||
	       strcmp(a->host, b->host) == 0;
}

enum tape_status
tape_samples_refuse(const struct tape_samples_clock *samples,
    const struct tape_samples_clock *input, struct tape_err *err)
{
	if (input == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s: its samples are of a clock (a boot of a host) that no "
		    "segment of the input has",
		    samples->file);
	if (samples->host[0] != '\0' && input->host[0] != '\0' &&
	    strcmp(samples->host, input->host) != 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s: its samples are by the clock of %.60s, the run is by "
		    "that of %.60s: sample where trace-replay runs",
		    samples->file, samples->host, input->host);
	if (are_named(samples, input))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s: its samples are of another boot than the run",
		    samples->file);
	return tape_err_set(err, TAPE_E_FORMAT,
	    "%s: its samples are of another boot than the run: wall clock minus "
	    "monotonic differs by %.3f s",
	    samples->file,
	    (double)(samples->offset_ns - input->offset_ns) /
		(double)TAPE_NS_PER_S);
}
