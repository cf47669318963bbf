/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tool: what every main does around its engine: options, streams, signals,
 * provenance, exit code.
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		struct options o = defaults;
 *		struct tape_tool t;
 *		struct tape_err err = { 0 };
 *
 *		if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
 *			return t.exit_code;
 *		return tape_tool_finish(&t, run(&t, &o, &err), &err);
 *	}
 *
 * Pipe manners: descriptors 0 to 2 are open; compressed bytes
 * never go to a terminal and input is never awaited from one without --force;
 * standard output is closed and checked; data goes to standard output, all else
 * to standard error; SIGPIPE ends a tool quietly.
 *
 * Ctrl-C reaches a whole pipeline: a tool that reads a pipe, from standard input
 * or by name, ignores the first SIGINT and runs to the end of its input; a second
 * kills.  See signals.h.
 *
 * -o - and -o /dev/stdout are standard output.  What a tool that failed has
 * written to -o FILE is dropped, unless its input was to blame: then FILE has
 * what came before, and its end record says so.  See outfile.h.
 */
#ifndef TAPE_CLI_TOOL_H
#define TAPE_CLI_TOOL_H

#include "cli/opt.h"
#include "cli/outfile.h"
#include "record/prov.h"
#include "record/reader.h"
#include "record/writer.h"

enum tape_tool_flags {
	TAPE_TOOL_SOCKETS = 1 << 0, /* SIGPIPE ignored, EPIPE handled; SIGINT
	                               and SIGTERM are counted, the third kills */
	TAPE_TOOL_PARTIAL = 1 << 1  /* -o writes FILE.partial, renamed at the
	                               end, also when interrupted; an existing
	                               one is refused without --force; a pipe
	                               on standard output gets the same */
};

/* The usual patience with the reader of a pipe. */
#define TAPE_TOOL_STALL_NS INT64_C(60000000000)

struct tape_tool {
	const struct tape_opt_spec *spec;
	unsigned flags;
	const struct tape_opt_common *common;
	struct tape_opt_result opt;
	int exit_code; /* a finding is set here by the tool */
	bool allow_truncated;
	struct tape_reader *reader; /* closed by finish, as are these: */
	struct tape_writer *writer;
	struct tape_out *text;
	struct tape_outfile file;
	enum tape_ending ended; /* the worst of readers before reader */
	/* With the reader of a pipe that is written to; set by the tool. */
	struct tape_fdio_patience patience;
	char input[64];          /* format and version read, for provenance */
	struct tape_strs chains; /* of the inputs, for begin; set by the tool */
};

/*
 * Parses; --help, --version and misuse are handled here: false then, with
 * exit_code set.  options begins with struct tape_opt_common.
 */
bool tape_tool_start(struct tape_tool *t, const struct tape_opt_spec *spec,
    unsigned flags, int argc, char **argv, void *options) TAPE_NODISCARD;

/*
 * Opens the operands (none: standard input) as t->reader.  Warnings of the
 * reader go to diag; before it blocks, t->writer is flushed.
 */
enum tape_status tape_tool_input(struct tape_tool *t, unsigned formats,
    bool allow_truncated, struct tape_err *err) TAPE_NODISCARD;

/* The same for given paths, as --a FILE.  Called again when the inputs before
   are read, it closes these; their ending counts with that of the next. */
enum tape_status tape_tool_input_paths(struct tape_tool *t,
    const char *const *paths, size_t n, unsigned formats, bool allow_truncated,
    struct tape_err *err) TAPE_NODISCARD;

/* The operands (none: standard input) as bytes, all open; close in any case. */
struct tape_tool_inputs {
	struct tape_in **in;
	size_t n;
};

enum tape_status tape_tool_open_inputs(struct tape_tool *t,
    struct tape_tool_inputs *inputs, struct tape_err *err) TAPE_NODISCARD;
void tape_tool_close_inputs(struct tape_tool_inputs *inputs);

/*
 * For a tool that looks at its one input first: opens the first operand, or
 * standard input, as bytes, which are the caller's; and reads records from
 * there, owning it from then on, also on failure.
 */
enum tape_status tape_tool_open_in(struct tape_tool *t, struct tape_in **in,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_tool_input_in(struct tape_tool *t, struct tape_in *in,
    unsigned formats, bool allow_truncated,
    struct tape_err *err) TAPE_NODISCARD;

/* Opens one operand ("-": standard input) as a descriptor, the caller's; close it
   but for 0. */
enum tape_status tape_tool_open_fd(struct tape_tool *t, const char *path,
    int *fd, struct tape_err *err) TAPE_NODISCARD;

/* Opens -o or standard output as t->writer.  Call it after all inputs. */
enum tape_status tape_tool_output(struct tape_tool *t, enum tape_format format,
    struct tape_err *err) TAPE_NODISCARD;

/* Opens -o or standard output as t->text, for tables and the like. */
enum tape_status tape_tool_text(
    struct tape_tool *t, struct tape_err *err) TAPE_NODISCARD;

/* True when results go to a terminal (no -o, standard output is one). */
bool tape_tool_on_terminal(const struct tape_tool *t);

/*
 * Writes the header of a first segment: now as epoch, a fresh run_id, meta (a
 * JSON object or NULL), and a chain that starts here, or goes on from
 * t->chains.  *epoch_mono_ns (may be
 * NULL) is the zero of the segment's times.
 *
 * live: the times are real.  Otherwise SOURCE_DATE_EPOCH, where it is set, is
 * the epoch, epoch_mono is 0, and run_id depends on argv only.
 */
enum tape_status tape_tool_begin(struct tape_tool *t, const char *meta,
    bool live, int64_t *epoch_mono_ns, struct tape_err *err) TAPE_NODISCARD;

/* The same, live, with a time on the monotonic clock that has passed as epoch. */
enum tape_status tape_tool_begin_at(struct tape_tool *t, const char *meta,
    int64_t mono_ns, struct tape_err *err) TAPE_NODISCARD;

/* Writes the header of a derived segment: epoch, run_id, shard and meta of the
   input's, its chain and this tool. */
enum tape_status tape_tool_derive(struct tape_tool *t,
    const struct tape_header *from, struct tape_err *err) TAPE_NODISCARD;

/* The chain of from (NULL: none) and this tool, as JSON text. */
enum tape_status tape_tool_chain(struct tape_tool *t,
    const struct tape_header *from, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * The same for what is made from several segments at once: chains are those of
 * all, which are joined (record/prov.h); epoch, run_id and meta are from's.
 */
enum tape_status tape_tool_join(struct tape_tool *t,
    const struct tape_header *from, struct tape_strs chains,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_tool_join_chains(struct tape_tool *t,
    const struct tape_header *from, struct tape_strs chains,
    struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Reports a failure, ends a segment left open (failed after an error, else as
 * its input ended), closes everything and checks it, renames the output into
 * place, and gives the exit code: the worst of that of the status, of the
 * input's ending, and of t->exit_code.
 */
int tape_tool_finish(
    struct tape_tool *t, enum tape_status st, struct tape_err *err);

#endif
