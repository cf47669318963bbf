/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opt: one table per tool, from which come parsing, help, the list that a lint
 * script compares with help and man page, and the argv of provenance.
 *
 *	struct options {
 *		struct tape_opt_common common;  must be first
 *		double rate_per_s;
 *		bool has_rate;
 *		int arrivals;
 *	};
 *
 *	static const char *const arrivals[] = { "constant", "poisson", NULL };
 *	static const struct tape_opt table[] = {
 *		TAPE_OPT_HEADING("Arrivals"),
 *		{ .name = "rate", .arg = "R", .type = TAPE_OPT_RATE,
 *		    .at = offsetof(struct options, rate_per_s),
 *		    .seen_at = offsetof(struct options, has_rate),
 *		    .help = "requests per second" },
 *		{ .name = "arrivals", .arg = "NAME", .type = TAPE_OPT_ENUM,
 *		    .at = offsetof(struct options, arrivals),
 *		    .names = arrivals, .help = "constant or poisson" },
 *	};
 *	static const struct tape_opt_rule rules[] = {
 *		{ TAPE_OPT_REQUIRES, "arrivals rate" },
 *	};
 *
 * Every tool also has the common options, always with the same letters:
 * -h --help, --help-all, -V --version, -o --output FILE, -q --quiet,
 * -v --verbose, -z --compress LEVEL, --force, --no-host, and the hidden
 * --list-options.
 *
 * Options and operands mix; "--" ends options; a long name may be abbreviated
 * where that is unambiguous.  An option given again replaces its value, but for
 * lists and calls.  Defaults are what the options struct holds before parsing,
 * but for the common ones, which parsing sets.
 */
#ifndef TAPE_CLI_OPT_H
#define TAPE_CLI_OPT_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

/* The options that all tools share; first member of a tool's option struct. */
struct tape_opt_common {
	const char *output; /* -o, NULL standard output */
	bool quiet;
	bool verbose;
	bool force;
	bool no_host;
	bool level_given;
	uint64_t level; /* -z, 0 to 19, default 1; 0 is plain text */
};

/* Type, and the C type of the field at .at. */
enum tape_opt_type {
	TAPE_OPT_FLAG,     /* bool, set to true; no argument */
	TAPE_OPT_U64,      /* uint64_t */
	TAPE_OPT_I64,      /* int64_t */
	TAPE_OPT_DOUBLE,   /* double */
	TAPE_OPT_DURATION, /* int64_t, nanoseconds */
	TAPE_OPT_SIZE,     /* uint64_t, bytes */
	TAPE_OPT_RATE,     /* double, per second */
	TAPE_OPT_SHARE,    /* double, 0 to 1 */
	TAPE_OPT_ENUM,     /* int or enum, an index of .names */
	TAPE_OPT_STRING,   /* const char *, into argv */
	TAPE_OPT_PATH,     /* const char *, into argv, not empty */
	TAPE_OPT_LIST,     /* struct tape_opt_list; repeatable */
	TAPE_OPT_MAYBE,    /* const char *; --name=ARG, or --name alone: "" */
	TAPE_OPT_CALL      /* whatever .parse makes of it; repeatable */
};

/* How a value may stand in provenance (base/redact.h, base/url.h). */
enum tape_opt_secrecy {
	TAPE_OPT_PLAIN,
	TAPE_OPT_URL,    /* without user, password, query; also NAME=URL */
	TAPE_OPT_HEADER, /* "Name: value", kept for an allow list of names */
	TAPE_OPT_TEXT,   /* command or K=V: secrets by name are cut */
	TAPE_OPT_SECRET  /* (redacted) */
};

struct tape_opt_list {
	const char **items; /* into argv; the array is freed by release */
	size_t count;
	size_t size;
};

struct tape_opt {
	const char *name; /* long, without dashes; NULL makes a heading */
	char letter;      /* or 0 */
	const char *arg;  /* the argument's name in help, or NULL */
	enum tape_opt_type type;
	size_t at;      /* of the field in the options struct */
	size_t seen_at; /* of a bool that is set when given, or 0 */
	const char *help;
	bool rare; /* of a heading: only --help-all shows what is under it */
	enum tape_opt_secrecy secrecy;
	const char *const *names; /* TAPE_OPT_ENUM: up to NULL */
	/* U64, I64, DOUBLE, DURATION, SIZE: bounds, unless both are 0; a max
	   of 0 with a min is no upper bound. */
	int64_t min;
	int64_t max;
	/* TAPE_OPT_CALL: sets the field from arg; says why not in err
	   (TAPE_E_USAGE), to which the option's name is added. */
	enum tape_status (*parse)(
	    const char *arg, void *field, struct tape_err *err);
};

#define TAPE_OPT_HEADING(text)                                                 \
 {                                                                             \
  .help = (text)                                                               \
 }
#define TAPE_OPT_RARE(text)                                                    \
 {                                                                             \
  .help = (text), .rare = true                                                 \
 }

enum tape_opt_rule_type {
	TAPE_OPT_REQUIRES, /* the first needs all others */
	TAPE_OPT_EXCLUDES, /* at most one of them */
	TAPE_OPT_ONE_OF,   /* exactly one of them */
	TAPE_OPT_ANY_OF    /* at least one of them */
};

struct tape_opt_rule {
	enum tape_opt_rule_type type;
	const char *options; /* long names, separated by one space */
};

/*
 * A table of its own for options that belong together, with a struct of its own
 * for their values, to which its offsets and rules refer: tools that share them
 * share the table, and the table of a tool stays readable.  No bool of .seen_at
 * may be that struct's first member.
 */
struct tape_opt_part {
	const struct tape_opt *options;
	size_t option_count;
	const struct tape_opt_rule *rules; /* may name options of others, too */
	size_t rule_count;
};

/* Where a tool has it. */
struct tape_opt_join {
	const struct tape_opt_part *part;
	size_t at; /* of its struct in the options struct */
};

struct tape_opt_spec {
	const char *tool;
	const char *summary; /* one clause: "play a trace against a server" */
	const char *usage;   /* behind the name: "[option ...] [file ...]" */
	const struct tape_opt *options;
	size_t option_count;
	const struct tape_opt_rule *rules;
	size_t rule_count;
	/* Behind the tool's own options, in this order; the first begins with a
	   heading. */
	const struct tape_opt_join *joins;
	size_t join_count;
	size_t min_operands;
	size_t max_operands; /* SIZE_MAX: any number */
	enum tape_opt_secrecy operand_secrecy;
	const char *examples; /* two or three lines, each with its newline */
	/* Appends "libcurl 7.88.1, zstd 1.5.4", for --version and provenance;
	   NULL when a tool uses none. */
	void (*libs)(struct tape_buf *out);
};

enum tape_opt_action {
	TAPE_OPT_RUN,
	TAPE_OPT_HELP,
	TAPE_OPT_HELP_ALL,
	TAPE_OPT_VERSION,
	TAPE_OPT_NAMES /* --list-options */
};

/* What was given, in order.  Pointers are into argv and spec. */
struct tape_opt_given {
	const struct tape_opt *option;
	const char *value; /* NULL: none */
};

struct tape_opt_result {
	enum tape_opt_action action;
	char **operands;
	size_t operand_count;
	struct tape_opt_given *given;
	size_t given_count;
	size_t given_size;
	const struct tape_opt_spec *spec;
	void *options;
};

/*
 * Parses into options and *r; argv is reordered, operands last.  Only
 * --help, --version and --list-options, where they come first, stop it early:
 * rules and operands are then not looked at.
 *
 * TAPE_E_USAGE says what is wrong, TAPE_E_BUG that the table is (a name or
 * letter twice, an unknown name in a rule, ...).  Call release in every case.
 */
enum tape_status tape_opt_parse(const struct tape_opt_spec *spec, int argc,
    char **argv, void *options, struct tape_opt_result *r,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Shells expand --a base-*: gives an argv in which every operand behind one of
 * these long options (no dashes; up to NULL), up to the next option, has that
 * option before it, and sets *argc to its length.  It holds pointers into argv,
 * and is the caller's (tape_mem_free); NULL when memory is out.
 */
char **tape_opt_spread(int *argc, char **argv, const char *const *names);

/* Frees what parse made, the lists of the options struct included.  A zeroed
   struct is fine. */
void tape_opt_release(struct tape_opt_result *r);

/* Whether the option of that long name was given. */
bool tape_opt_seen(const struct tape_opt_result *r, const char *name);

/*
 * Parses, and does all that has to do with options only: sets name and level of
 * diag, prints help and the like on standard output, and misuse on standard
 * error.  False when the tool has nothing more to do: *exit_code is set then,
 * and r released.
 */
bool tape_opt_start(const struct tape_opt_spec *spec, int argc, char **argv,
    void *options, struct tape_opt_result *r, int *exit_code) TAPE_NODISCARD;

/* The texts, appended to out; its sticky status tells of failures.  all: with
   the options that are rare. */
void tape_opt_print_help(
    const struct tape_opt_spec *s, bool all, struct tape_buf *out);
void tape_opt_print_version(
    const struct tape_opt_spec *s, struct tape_buf *out);
void tape_opt_print_names(const struct tape_opt_spec *s, struct tape_buf *out);

/* Appends a value as its class allows. */
enum tape_status tape_opt_redact(
    const char *value, enum tape_opt_secrecy secrecy, struct tape_buf *out);

/* argv for provenance: the tool's name, options by their long names with
   redacted values, operands. */
struct tape_opt_argv {
	const char **v;
	size_t n;
	char *text; /* what v points into */
};

/* On failure *a is empty. */
enum tape_status tape_opt_provenance(const struct tape_opt_result *r,
    struct tape_opt_argv *a, struct tape_err *err) TAPE_NODISCARD;
void tape_opt_argv_release(struct tape_opt_argv *a);

#endif
