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
 * Pipe manners (style rules 6.7): descriptors 0 to 2 are open; compressed bytes
 * never go to a terminal and input is never awaited from one without --force;
 * standard output is closed and checked; data goes to standard output, all else
 * to standard error; SIGPIPE ends a tool quietly.
 *
 * Ctrl-C reaches a whole pipeline: a tool that reads a pipe ignores the first
 * SIGINT and runs to the end of its input; a second kills.
 */
#ifndef TAPE_CLI_TOOL_H
#define TAPE_CLI_TOOL_H

#include "cli/opt.h"
#include "record/prov.h"
#include "record/reader.h"
#include "record/writer.h"

enum tape_tool_flags {
	TAPE_TOOL_READS = 1 << 0,   /* operands are input streams: ignore the
	                               first SIGINT */
	TAPE_TOOL_SOCKETS = 1 << 1, /* SIGPIPE ignored, EPIPE handled */
	TAPE_TOOL_PARTIAL = 1 << 2  /* -o writes FILE.partial, renamed at the
	                               end, also when interrupted; an existing
	                               FILE is refused without --force */
};

struct tape_tool {
	const struct tape_opt_spec *spec;
	unsigned flags;
	const struct tape_opt_common *common;
	char **operands; /* into argv */
	size_t operand_count;
	int exit_code;
	struct tape_reader *reader; /* closed by finish */
	struct tape_writer *writer; /* likewise */
	struct tape_tool_state *state;
};

/*
 * Parses; --help, --version and misuse are handled here: false then, with
 * exit_code set.  options begins with struct tape_opt_common.
 */
bool tape_tool_start(struct tape_tool *t, const struct tape_opt_spec *spec,
    unsigned flags, int argc, char **argv, void *options) TAPE_NODISCARD;

/* Opens the operands (none: standard input) as t->reader. */
enum tape_status tape_tool_input(struct tape_tool *t, unsigned formats,
    bool allow_truncated, struct tape_err *err) TAPE_NODISCARD;

/* Opens -o or standard output as t->writer.  Call it after all inputs. */
enum tape_status tape_tool_output(struct tape_tool *t, enum tape_format format,
    struct tape_err *err) TAPE_NODISCARD;

/* True when results go to a terminal (no -o, standard output is one). */
bool tape_tool_on_terminal(const struct tape_tool *t);

/*
 * The header of a first segment: now as epoch (SOURCE_DATE_EPOCH is honoured
 * when clock is NULL), a fresh run_id (a hash of argv, epoch and host; constant
 * under --no-host and SOURCE_DATE_EPOCH), meta (JSON object text or NULL), and
 * a chain that starts here.
 */
enum tape_status tape_tool_begin(struct tape_tool *t, const char *meta,
    int64_t *epoch_mono_ns, struct tape_err *err) TAPE_NODISCARD;

/* The header of a derived segment: epoch, run_id, shard and meta of the
   input's, its chain and this tool. */
enum tape_status tape_tool_derive(struct tape_tool *t,
    const struct tape_header *from, struct tape_err *err) TAPE_NODISCARD;

/* For engines that write in their own way: the chain of from (NULL: none) and
   this tool, as JSON text. */
enum tape_status tape_tool_chain(struct tape_tool *t,
    const struct tape_header *from, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

/* How many SIGINT or SIGTERM have come; an engine's loop asks. */
int tape_tool_interrupts(void);

/* Called (async-signal-safe) at each of them, as to wake a loop; may be NULL. */
void tape_tool_on_interrupt(void (*wake)(void *arg), void *arg);

/*
 * Reports a failure, ends an open segment with the right status (failed on
 * TAPE_E_*, the input's own ending otherwise), closes everything and checks it,
 * renames the output into place, and gives the exit code: that of the status,
 * or exit_code when it was set before (a finding), by the precedence of
 * llmtape(7).  An interrupted tool re-raises nothing: its status says it.
 */
int tape_tool_finish(
    struct tape_tool *t, enum tape_status st, struct tape_err *err);

#endif
