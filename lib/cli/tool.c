/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/tool.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "cli/diag.h"
#include "cli/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME_BYTES ((size_t)4 << 20)
#define KILL_AT     3 /* interrupts of a tool with connections */

bool
tape_tool_start(struct tape_tool *t, const struct tape_opt_spec *spec,
    unsigned flags, int argc, char **argv, void *options)
{
	struct tape_err err = { 0 };

	memset(t, 0, sizeof(*t));
	t->spec = spec;
	t->flags = flags;
	t->common = options;
	if (tape_fdio_guard(&err) != TAPE_OK) {
		t->exit_code = (int)tape_diag_failure(&err);
		return false;
	}
	tape_signals_pipe((flags & TAPE_TOOL_SOCKETS) != 0);
	if (!tape_opt_start(spec, argc, argv, options, &t->opt, &t->exit_code))
		return false;
	if (flags & TAPE_TOOL_SOCKETS)
		tape_signals_count(KILL_AT);
	return true;
}

static void
flush_output(void *arg)
{
	struct tape_tool *t = arg;
	struct tape_err err = { 0 };
	enum tape_status st;

	/* A failure stays in the writer and is met at its next call. */
	if (t->writer != NULL) {
		st = tape_writer_flush(t->writer, &err);
		(void)st;
	}
}

static void
warn_input(void *arg, const char *text)
{
	(void)arg;
	tape_diag_warn("%s", text);
}

static bool
is_pipe(int fd)
{
	struct stat sb;

	return fstat(fd, &sb) == 0 && S_ISFIFO(sb.st_mode);
}

/* The file of -o, or NULL for standard output, which also has names. */
static const char *
out_path(const struct tape_tool *t)
{
	const char *path = t->common->output;

	if (path == NULL || strcmp(path, "-") == 0 ||
	    strcmp(path, "/dev/stdout") == 0)
		return NULL;
	return path;
}

static struct tape_reader_opts
reader_opts(struct tape_tool *t, unsigned formats, bool allow_truncated)
{
	const struct tape_reader_opts opts = {
		.formats = formats,
		.allow_truncated = allow_truncated,
		.idle = flush_output,
		.warn = warn_input,
		.arg = t,
	};

	t->allow_truncated = allow_truncated;
	return opts;
}

/* An input that is to be read, which may be standard input, or a pipe by
   another name. */
static enum tape_status
meet_input(struct tape_tool *t, const char *path, struct tape_err *err)
{
	bool from_stdin = strcmp(path, "-") == 0;
	struct stat sb;
	int rc = from_stdin ? fstat(STDIN_FILENO, &sb) : stat(path, &sb);

	if (from_stdin && isatty(STDIN_FILENO) && !t->common->force)
		return tape_err_set(err, TAPE_E_USAGE,
		    "standard input is a terminal: name a file or pipe one in");
	if (rc == 0 && S_ISFIFO(sb.st_mode) && !(t->flags & TAPE_TOOL_SOCKETS))
		tape_signals_pass_one();
	return TAPE_OK;
}

/* How everything that was read has ended, the worst of it. */
static enum tape_ending
input_ending(const struct tape_tool *t)
{
	enum tape_ending now = TAPE_ENDING_COMPLETE;

	if (t->reader != NULL)
		now = tape_reader_ending(t->reader);
	return now > t->ended ? now : t->ended;
}

static bool
is_fifo(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISFIFO(sb.st_mode);
}

/* The system opens a FIFO when somebody opens its other end, which may be never:
   until then there is nothing that outliving a signal could save. */
static enum tape_status
open_reader(struct tape_tool *t, const char *const *paths, size_t n,
    const struct tape_reader_opts *opts, struct tape_err *err)
{
	bool may_wait = false;
	enum tape_status st;

	for (size_t i = 0; i < n && t->flags & TAPE_TOOL_SOCKETS; i++)
		may_wait = may_wait || is_fifo(paths[i]);
	if (may_wait)
		tape_signals_count(1);
	st = tape_reader_open(&t->reader, paths, n, opts, err);
	if (may_wait)
		tape_signals_count(KILL_AT);
	return st;
}

enum tape_status
tape_tool_input_paths(struct tape_tool *t, const char *const *paths, size_t n,
    unsigned formats, bool allow_truncated, struct tape_err *err)
{
	const struct tape_reader_opts opts =
	    reader_opts(t, formats, allow_truncated);
	enum tape_status st = n == 0 ? meet_input(t, "-", err) : TAPE_OK;

	t->ended = input_ending(t);
	tape_reader_free(t->reader);
	t->reader = NULL;
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = meet_input(t, paths[i], err);
	if (st != TAPE_OK)
		return st;
	return open_reader(t, paths, n, &opts, err);
}

static enum tape_status
open_path(struct tape_tool *t, const char *path, struct tape_in **in,
    struct tape_err *err)
{
	enum tape_status st = meet_input(t, path, err);

	return st == TAPE_OK ? tape_in_open_path(in, path, err) : st;
}

enum tape_status
tape_tool_open_fd(
    struct tape_tool *t, const char *path, int *fd, struct tape_err *err)
{
	enum tape_status st = meet_input(t, path, err);

	*fd = STDIN_FILENO;
	if (st != TAPE_OK || strcmp(path, "-") == 0)
		return st;
	return tape_fdio_open_read(path, fd, err);
}

enum tape_status
tape_tool_open_in(
    struct tape_tool *t, struct tape_in **in, struct tape_err *err)
{
	const char *path = t->opt.operand_count > 0 ? t->opt.operands[0] : "-";

	return open_path(t, path, in, err);
}

enum tape_status
tape_tool_open_inputs(
    struct tape_tool *t, struct tape_tool_inputs *inputs, struct tape_err *err)
{
	static const char *const standard[] = { "-" };
	const char *const *paths = (const char *const *)t->opt.operands;
	size_t n = t->opt.operand_count;
	enum tape_status st = TAPE_OK;

	if (n == 0) {
		paths = standard;
		n = 1;
	}
	inputs->n = 0;
	inputs->in = tape_mem_calloc(n, sizeof(struct tape_in *));
	if (inputs->in == NULL)
		return tape_err_nomem(err);
	while (inputs->n < n && st == TAPE_OK) {
		st =
		    open_path(t, paths[inputs->n], &inputs->in[inputs->n], err);
		inputs->n += st == TAPE_OK;
	}
	return st;
}

void
tape_tool_close_inputs(struct tape_tool_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++)
		tape_in_free(inputs->in[i]);
	tape_mem_free(inputs->in);
	*inputs = (struct tape_tool_inputs){ NULL, 0 };
}

enum tape_status
tape_tool_input_in(struct tape_tool *t, struct tape_in *in, unsigned formats,
    bool allow_truncated, struct tape_err *err)
{
	const struct tape_reader_opts opts =
	    reader_opts(t, formats, allow_truncated);

	return tape_reader_open_in(&t->reader, in, &opts, err);
}

enum tape_status
tape_tool_input(struct tape_tool *t, unsigned formats, bool allow_truncated,
    struct tape_err *err)
{
	return tape_tool_input_paths(t, (const char *const *)t->opt.operands,
	    t->opt.operand_count, formats, allow_truncated, err);
}

bool
tape_tool_on_terminal(const struct tape_tool *t)
{
	return out_path(t) == NULL && isatty(STDOUT_FILENO);
}

/* Files are cut into frames, with indices; what is read at once is flushed. */
static struct tape_out_opts
stream_opts(const struct tape_tool *t, int fd, int level)
{
	struct tape_out_opts opts = { .level = level };
	struct stat sb;

	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode)) {
		opts.frame_bytes = FRAME_BYTES;
		opts.index = true;
	} else {
		opts.flush_bytes = TAPE_OUT_CHUNK;
	}
	if (is_pipe(fd))
		opts.patience = t->patience;
	return opts;
}

/* Opens the output, for a stream of that level, or plainly for text. */
static enum tape_status
open_out(struct tape_tool *t, const int *level, struct tape_out **out,
    struct tape_err *err)
{
	const char *path = out_path(t);
	struct tape_out_opts opts = { 0 };
	enum tape_status st;
	int fd;

	st = tape_outfile_open(&t->file, path,
	    (t->flags & TAPE_TOOL_PARTIAL) != 0, t->common->force, &fd, err);
	if (st != TAPE_OK)
		return st;
	if (level != NULL)
		opts = stream_opts(t, fd, *level);
	st = tape_out_open_fd(
	    out, fd, path ? path : "standard output", &opts, err);
	if (st != TAPE_OK && fd > STDERR_FILENO)
		(void)close(fd);
	return st;
}

/* trace-replay's archive also feeds the next tool of a pipeline. */
static enum tape_status
add_tee(struct tape_tool *t, struct tape_err *err)
{
	struct tape_out_opts opts = { .level = 1,
		.flush_bytes = TAPE_OUT_CHUNK,
		.patience = t->patience };
	struct tape_out *second;
	enum tape_status st;

	if (out_path(t) == NULL || !(t->flags & TAPE_TOOL_PARTIAL) ||
	    !is_pipe(STDOUT_FILENO))
		return TAPE_OK;
	if (t->common->level_given)
		opts.level = (int)t->common->level;
	st = tape_out_open_fd(
	    &second, STDOUT_FILENO, "standard output", &opts, err);
	if (st == TAPE_OK)
		tape_writer_tee(t->writer, second);
	return st;
}

enum tape_status
tape_tool_output(
    struct tape_tool *t, enum tape_format format, struct tape_err *err)
{
	struct tape_out *out;
	bool terminal = tape_tool_on_terminal(t);
	int level = (int)t->common->level;
	enum tape_status st;

	if (terminal && t->common->level_given && level != 0 &&
	    !t->common->force)
		return tape_err_set(err, TAPE_E_USAGE,
		    "compressed data is not written to a terminal (use -o, "
		    "-z 0 or --force)");
	if (terminal && !t->common->level_given)
		level = 0;
	st = open_out(t, &level, &out, err);
	if (st == TAPE_OK)
		st = tape_writer_open(&t->writer, out, format, err);
	return st == TAPE_OK ? add_tee(t, err) : st;
}

enum tape_status
tape_tool_text(struct tape_tool *t, struct tape_err *err)
{
	return open_out(t, NULL, &t->text, err);
}

/* Ends what is open, as far as that can be done after a failure. */
static enum tape_status
end_segment(struct tape_tool *t, bool failed, struct tape_err *err)
{
	if (t->writer == NULL || !tape_writer_open_segment(t->writer))
		return TAPE_OK;
	return tape_writer_end(
	    t->writer, failed ? TAPE_ENDING_FAILED : input_ending(t), err);
}

/* The pipe beside the archive was given up at the very end. */
static void
warn_tee(struct tape_tool *t)
{
	struct tape_err why = { 0 };

	if (t->writer != NULL && tape_writer_tee_news(t->writer, &why))
		tape_diag_warn("%s: %s: it is given up, the archive is whole",
		    why.name, why.text);
}

/* keep: what was written is worth its name. */
static enum tape_status
close_output(struct tape_tool *t, bool keep, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (t->writer != NULL)
		st = tape_writer_close(t->writer, err);
	t->writer = NULL;
	if (t->text != NULL && st == TAPE_OK)
		st = tape_out_close(t->text, err);
	else
		tape_out_abort(t->text);
	t->text = NULL;
	if (st == TAPE_OK && keep)
		return tape_outfile_finish(&t->file, err);
	tape_outfile_drop(&t->file);
	return st;
}

/* What the ending of the input means for the exit code; the reader has warned of
   it. */
static int
judge_input(const struct tape_tool *t)
{
	if (t->allow_truncated || input_ending(t) != TAPE_ENDING_FAILED)
		return TAPE_EXIT_DONE;
	tape_diag_error(
	    "the input is not whole: --allow-truncated makes this a "
	    "warning");
	return TAPE_EXIT_INPUT;
}

/* The reader of standard output left: nothing more to say to anybody. */
static void
die_if_left(struct tape_tool *t, const struct tape_err *err)
{
	if (err->sys == EPIPE && out_path(t) == NULL)
		tape_signals_die_of_pipe();
}

/* The input was to blame, and what came before is in the output. */
static bool
has_what_came(const struct tape_tool *t, enum tape_status st)
{
	return tape_diag_exit_code(st) == TAPE_EXIT_INPUT &&
	       t->writer != NULL && tape_writer_segments(t->writer) > 0;
}

int
tape_tool_finish(struct tape_tool *t, enum tape_status st, struct tape_err *err)
{
	struct tape_err late = { 0 };
	int code = t->exit_code;
	bool failed = st != TAPE_OK && st != TAPE_EOF;
	bool keep = !failed || has_what_came(t, st);

	if (failed) {
		die_if_left(t, err);
		code = tape_diag_worse(code, tape_diag_failure(err));
	} else {
		code = tape_diag_worse(code, judge_input(t));
	}
	st = end_segment(t, failed, &late);
	warn_tee(t);
	if (st == TAPE_OK)
		st = close_output(t, keep, &late);
	else
		(void)close_output(t, false, &late);
	if (st != TAPE_OK && !(failed && late.sys == err->sys && late.sys)) {
		die_if_left(t, &late);
		code = tape_diag_worse(code, tape_diag_failure(&late));
	}
	tape_reader_free(t->reader);
	tape_opt_release(&t->opt);
	return code;
}
