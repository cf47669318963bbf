/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_out: the sinks of reduce: a metrics stream, a table, one JSON
 * document, CSV.
 *
 * Each is a struct that the caller sets up and that must outlive the sink; the
 * outputs are borrowed.  Text of the input that goes into a table loses its
 * control characters.
 */
#ifndef TAPE_ENGINE_REDUCE_OUT_H
#define TAPE_ENGINE_REDUCE_OUT_H

#include "codec/stream_out.h"
#include "engine/reduce.h"
#include "engine/reduce_points.h"
#include "record/writer.h"

/*
 * Stream: results, then checks and summaries, behind the records that are
 * passed on.  The caller writes the header of each segment, before it hands
 * the header to reduce; the end record is written here.
 */
struct tape_reduce_sink tape_reduce_to_stream(struct tape_writer *w);

struct tape_reduce_text {
	struct tape_out *out;
	bool wide;            /* table: all quantiles, all metrics */
	bool peers;           /* table: theirs for ours; CSV: a column more */
	struct tape_str prov; /* JSON: the chain, set before each header */
	const char *worst_by; /* name of that metric */
	struct tape_points points; /* table, Markdown: initialised with --by */
	/* The rest is private, zero at first. */
	enum tape_status (*finish)(
	    struct tape_reduce_text *t, struct tape_err *err);
	struct tape_openmetrics *openmetrics;
	struct tape_buf buf;  /* to be written */
	struct tape_buf note; /* of the table's rows */
	struct tape_buf id;   /* run_id of the segment */
	struct tape_str run_id;
	uint64_t segments;
	const struct tape_slo *slo;
	bool begun;      /* something was written */
	bool listed;     /* an element of the innermost list was written */
	bool in_segment; /* inside of these: */
	bool in_run;
	bool in_between;
	bool in_worst;
	bool accepted; /* table: the run's head speaks of acceptance */
};

void tape_reduce_text_init(struct tape_reduce_text *t, struct tape_out *out);
void tape_reduce_text_release(struct tape_reduce_text *t);

struct tape_reduce_sink tape_reduce_to_table(struct tape_reduce_text *t);
struct tape_reduce_sink tape_reduce_to_csv(struct tape_reduce_text *t);

/* Tables of GitHub's Markdown. */
struct tape_reduce_sink tape_reduce_to_markdown(struct tape_reduce_text *t);

/* OpenMetrics: a family a metric, so that all is written at the end.  With
   groups they take the place of their runs. */
struct tape_reduce_sink tape_reduce_to_openmetrics(struct tape_reduce_text *t);

/* Writes what can be written at the end only, whatever happened before.  To be
   called once. */
enum tape_status tape_reduce_text_finish(
    struct tape_reduce_text *t, struct tape_err *err) TAPE_NODISCARD;

/*
 * {"tool":..., "segments":[{"run_id":...,"runs":[{"run":RECORD,...}],
 * "between":[RECORD,...]}]}: the records as in a stream.  finish closes the
 * document, whatever happened before; it is to be called once, also when no
 * segment came.
 */
struct tape_reduce_sink tape_reduce_to_json(struct tape_reduce_text *t);
enum tape_status tape_reduce_json_finish(
    struct tape_reduce_text *t, struct tape_err *err) TAPE_NODISCARD;

/* Writes what stands in buf, and empties it. */
enum tape_status tape_reduce_text_flush(
    struct tape_reduce_text *t, struct tape_err *err) TAPE_NODISCARD;

#endif
