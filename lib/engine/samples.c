/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/samples.h"

#include "base/mem.h"
#include "engine/samples_clock.h"

void
tape_samples_init(struct tape_samples *s)
{
	memset(s, 0, sizeof(*s));
	tape_json_init(&s->json);
}

static void
release_track(struct tape_samples_track *t)
{
	for (size_t i = 0; i < t->series_n; i++) {
		tape_mem_free(t->series[i].name);
		tape_mem_free(t->series[i].v);
	}
	tape_mem_free(t->series);
	tape_mem_free(t->source);
	tape_mem_free(t->device);
	tape_mem_free(t->t_ns);
	tape_idmap_release(&t->names);
}

void
tape_samples_release(struct tape_samples *s)
{
	for (size_t i = 0; i < s->track_n; i++)
		release_track(&s->tracks[i]);
	tape_mem_free(s->tracks);
	tape_json_release(&s->json);
	memset(s, 0, sizeof(*s));
}

/* The index of the clock, which is added where it is new. */
static enum tape_status
find_clock(struct tape_samples *s, const struct tape_samples_clock *clock,
    struct tape_err *err)
{
	for (size_t i = 0; i < s->clock_n; i++)
		if (tape_samples_same_clock(&s->clocks[i], clock)) {
			s->clock = i;
			if (s->clocks[i].host[0] == '\0')
				memcpy(s->clocks[i].host, clock->host,
				    sizeof(clock->host));
			if (s->clocks[i].boot[0] == '\0')
				memcpy(s->clocks[i].boot, clock->boot,
				    sizeof(clock->boot));
			return TAPE_OK;
		}
	if (s->clock_n == TAPE_SAMPLES_CLOCKS)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "segments of more than %d boots or hosts",
		    TAPE_SAMPLES_CLOCKS);
	s->clock = s->clock_n;
	s->clocks[s->clock_n++] = *clock;
	return TAPE_OK;
}

/* A file, if there are some and the input has met none of theirs. */
static const struct tape_samples_clock *
strange(const struct tape_samples *s)
{
	const struct tape_samples_clock *found = NULL;

	for (size_t i = 0; i < s->clock_n; i++) {
		if (s->clocks[i].file == NULL)
			continue;
		if (s->clocks[i].met)
			return NULL;
		found = &s->clocks[i];
	}
	return found;
}

enum tape_status
tape_samples_begin(struct tape_samples *s, const struct tape_header *h,
    const char *file, struct tape_err *err)
{
	struct tape_samples_clock clock;
	const struct tape_samples_clock *other;
	enum tape_status st =
	    tape_samples_read_clock(&clock, h, &s->epoch_ns, err);

	if (st == TAPE_OK)
		st = find_clock(s, &clock, err);
	if (st != TAPE_OK)
		return st;
	if (file != NULL) {
		if (s->clocks[s->clock].file == NULL)
			s->clocks[s->clock].file = file;
		return TAPE_OK;
	}
	s->clocks[s->clock].met = true;
	other = strange(s);
	return other == NULL
		   ? TAPE_OK
		   : tape_samples_refuse(other, &s->clocks[s->clock], err);
}

enum tape_status
tape_samples_end(const struct tape_samples *s, struct tape_err *err)
{
	for (size_t i = 0; i < s->clock_n; i++)
		if (s->clocks[i].file != NULL && !s->clocks[i].met)
			return tape_samples_refuse(&s->clocks[i], NULL, err);
	return TAPE_OK;
}

static bool
same_device(
    const struct tape_samples_track *t, const struct tape_sample *sample)
{
	return t->device == NULL ? sample->device.p == NULL
				 : tape_str_is(sample->device, t->device);
}

static enum tape_status
new_track(struct tape_samples *s, const struct tape_sample *sample,
    struct tape_err *err)
{
	struct tape_samples_track *t;

	if (s->track_n == TAPE_SAMPLES_TRACKS)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "samples of more than %d devices", TAPE_SAMPLES_TRACKS);
	if (tape_mem_grow((void **)&s->tracks, &s->track_cap, s->track_n + 1,
		sizeof(*t)) != 0)
		return tape_err_nomem(err);
	t = &s->tracks[s->track_n];
	memset(t, 0, sizeof(*t));
	t->clock = s->clock;
	t->source = tape_mem_dup(sample->source.p, sample->source.len);
	if (sample->device.p != NULL)
		t->device = tape_mem_dup(sample->device.p, sample->device.len);
	if (t->source == NULL ||
	    (sample->device.p != NULL && t->device == NULL)) {
		release_track(t);
		return tape_err_nomem(err);
	}
	s->track_n++;
	return TAPE_OK;
}

static enum tape_status
find_track(struct tape_samples *s, const struct tape_sample *sample,
    struct tape_samples_track **out, struct tape_err *err)
{
	size_t i = 0;
	enum tape_status st = TAPE_OK;

	while (i < s->track_n &&
	       !(s->tracks[i].clock == s->clock &&
		   tape_str_is(sample->source, s->tracks[i].source) &&
		   same_device(&s->tracks[i], sample)))
		i++;
	if (i == s->track_n)
		st = new_track(s, sample, err);
	*out = st == TAPE_OK ? &s->tracks[i] : NULL;
	return st;
}

static enum tape_status
new_series(struct tape_samples_track *t, struct tape_str name, uint64_t digest,
    struct tape_err *err)
{
	struct tape_samples_series *v;

	if (tape_mem_grow((void **)&t->series, &t->series_cap, t->series_n + 1,
		sizeof(*v)) != 0)
		return tape_err_nomem(err);
	v = &t->series[t->series_n];
	memset(v, 0, sizeof(*v));
	v->name = tape_mem_dup(name.p, name.len);
	if (v->name == NULL)
		return tape_err_nomem(err);
	if (tape_idmap_add(&t->names, digest, t->series_n, err) != TAPE_OK) {
		tape_mem_free(v->name);
		return TAPE_E_NOMEM;
	}
	t->series_n++;
	return TAPE_OK;
}

static enum tape_status
find_series(struct tape_samples_track *t, struct tape_str name,
    struct tape_samples_series **out, struct tape_err *err)
{
	uint64_t digest = tape_idmap_key(name.p, name.len), i;
	enum tape_status st;

	while (tape_idmap_get(&t->names, digest, &i)) {
		*out = &t->series[i];
		if (tape_str_is(name, (*out)->name))
			return TAPE_OK;
		digest = tape_idmap_mix(digest, 1);
	}
	st = new_series(t, name, digest, err);
	if (st == TAPE_OK)
		*out = &t->series[t->series_n - 1];
	return st;
}

/* The value of the sample that comes next in the track. */
static enum tape_status
put(struct tape_samples *s, struct tape_samples_track *t, struct tape_str name,
    double value, struct tape_err *err)
{
	struct tape_samples_series *v = NULL;
	enum tape_status st = find_series(t, name, &v, err);

	if (st != TAPE_OK)
		return st;
	if (s->values + (t->n + 1 - v->n) > TAPE_SAMPLES_VALUES)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "over %zu values of telemetry: let telemetry-sample take "
		    "fewer, with --match",
		    TAPE_SAMPLES_VALUES);
	if (tape_mem_grow((void **)&v->v, &v->cap, t->n + 1, sizeof(*v->v)) !=
	    0)
		return tape_err_nomem(err);
	s->values += t->n + 1 - v->n;
	while (v->n < t->n)
		v->v[v->n++] = TAPE_ABSENT_F64;
	v->v[v->n++] = value;
	return TAPE_OK;
}

static enum tape_status
put_values(struct tape_samples *s, struct tape_samples_track *t,
    struct tape_str values, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&s->json, values.p, values.len, TAPE_JSON_OURS);
	st = tape_json_expect(&s->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		if (tok.type != TAPE_JSON_INT && tok.type != TAPE_JSON_DOUBLE)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "the value of \"%.*s\" is no number",
			    tape_str_shown(
				tape_str_make(tok.key, tok.key_len), 64),
			    tok.key);
		st = put(
		    s, t, tape_str_make(tok.key, tok.key_len), tok.num, err);
	}
	return st;
}

/* The same device had one at that time, and what came last is no other. */
static bool
is_there(const struct tape_samples_track *t, int64_t t_ns, uint64_t digest)
{
	size_t i;

	if (t->n == 0 || t_ns > t->t_ns[t->n - 1])
		return false;
	if (t_ns == t->t_ns[t->n - 1])
		return digest == t->last;
	i = tape_samples_from(t, t_ns);
	return t->t_ns[i] == t_ns;
}

enum tape_status
tape_samples_add(struct tape_samples *s, const struct tape_sample *sample,
    struct tape_err *err)
{
	const int64_t t_ns = s->epoch_ns + sample->t_ns;
	const uint64_t digest =
	    tape_idmap_key(sample->values.p, sample->values.len);
	struct tape_samples_track *t;
	enum tape_status st = find_track(s, sample, &t, err);

	if (st != TAPE_OK || is_there(t, t_ns, digest))
		return st;
	if (t->n > 0 && t_ns < t->t_ns[t->n - 1])
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a sample that is older than one before of the same "
		    "device: give telemetry in the order of its time");
	if (tape_mem_grow(
		(void **)&t->t_ns, &t->cap, t->n + 1, sizeof(*t->t_ns)) != 0)
		return tape_err_nomem(err);
	st = put_values(s, t, sample->values, err);
	if (st == TAPE_OK)
		t->t_ns[t->n++] = t_ns;
	t->last = digest;
	return st;
}

size_t
tape_samples_from(const struct tape_samples_track *track, int64_t t_ns)
{
	size_t lo = 0, hi = track->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (track->t_ns[mid] < t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
