/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples: the telemetry that goes with runs, all of it, by quantity.
 *
 * Samples come as records, of files of their own or of the input between other
 * records; each belongs to the segment that was begun last.  Times are kept on
 * CLOCK_MONOTONIC, so that those of other segments can be set beside a run:
 * but only where it is the same clock, which is one boot of one host.  The
 * headers name it; where one does not, two segments have the same clock when
 * their epochs say so (wall clock minus monotonic is the same within
 * TAPE_SAMPLES_SLACK_NS) and the hosts of their provenance, where both are
 * known, have one name.
 *
 * A track is what one source says of one device by one clock: a column of times
 * and one of values for each name, NaN where a sample lacks it.
 *
 * Memory: eight bytes a value, up to twice that while it grows;
 * TAPE_SAMPLES_VALUES at most.
 */
#ifndef TAPE_ENGINE_SAMPLES_H
#define TAPE_ENGINE_SAMPLES_H

#include "base/boot.h"
#include "codec/json.h"
#include "engine/idmap.h"
#include "record/record.h"

#define TAPE_SAMPLES_VALUES   ((size_t)1 << 25)
#define TAPE_SAMPLES_TRACKS   256
#define TAPE_SAMPLES_CLOCKS   64
#define TAPE_SAMPLES_HOST     256
#define TAPE_SAMPLES_SLACK_NS INT64_C(2000000000)

struct tape_samples_clock {
	int64_t offset_ns;            /* wall minus monotonic */
	char boot[TAPE_BOOT_TEXT];    /* "": unknown; so is a longer one */
	char host[TAPE_SAMPLES_HOST]; /* "": unknown */
	const char *file; /* with samples of it; NULL: none; borrowed */
	bool met;         /* the input has a segment of it */
};

struct tape_samples_series {
	char *name;
	double *v;
	size_t n; /* of the track's times; those behind are absent */
	size_t cap;
};

struct tape_samples_track {
	size_t clock;
	char *source;
	char *device;  /* NULL: absent */
	int64_t *t_ns; /* never falling */
	size_t n;
	size_t cap;
	struct tape_samples_series *series;
	size_t series_n;
	size_t series_cap;
	struct tape_idmap names; /* digest of the name to the index */
	uint64_t last;           /* digest of the last sample's values */
};

struct tape_samples {
	struct tape_samples_clock clocks[TAPE_SAMPLES_CLOCKS];
	size_t clock_n;
	struct tape_samples_track *tracks;
	size_t track_n;
	size_t track_cap;
	size_t values;
	/* The segment in hand. */
	size_t clock;
	int64_t epoch_ns; /* on the monotonic clock */
	struct tape_json json;
};

void tape_samples_init(struct tape_samples *s);
void tape_samples_release(struct tape_samples *s);

/*
 * A segment begins.  file: that of --telemetry, for messages, borrowed for good;
 * NULL: it is the input itself, and then TAPE_E_FORMAT says that files were
 * given and none is of this clock, nor of any of the input before.
 */
enum tape_status tape_samples_begin(struct tape_samples *s,
    const struct tape_header *h, const char *file,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * A sample of the segment in hand.  One that is there already, as of shards that
 * all carry them, is left out.  TAPE_E_FORMAT: its values are no object of
 * numbers, or it is older than one before of the same device; TAPE_E_LIMIT,
 * TAPE_E_NOMEM.
 */
enum tape_status tape_samples_add(struct tape_samples *s,
    const struct tape_sample *sample, struct tape_err *err) TAPE_NODISCARD;

/* All was read: TAPE_E_FORMAT when a file is of a clock that the input never
   had. */
enum tape_status tape_samples_end(
    const struct tape_samples *s, struct tape_err *err) TAPE_NODISCARD;

/* NaN: absent. */
static inline double
tape_samples_value(const struct tape_samples_series *s, size_t i)
{
	return i < s->n ? s->v[i] : TAPE_ABSENT_F64;
}

/* The first sample at or behind that time; track->n: none. */
size_t tape_samples_from(const struct tape_samples_track *track, int64_t t_ns);

#endif
