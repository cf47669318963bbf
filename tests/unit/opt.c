/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt.h"

#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

enum colour { RED, GREEN, BLUE };

struct options {
	struct tape_opt_common common;
	bool flag;
	uint64_t u;
	int64_t i;
	double d;
	int64_t duration_ns;
	uint64_t size_bytes;
	double rate_per_s;
	double share_ratio;
	enum colour colour;
	const char *text;
	const char *path;
	const char *maybe;
	struct tape_opt_list list;
	int calls;
	bool has_rate;
};

static enum tape_status
parse_call(const char *arg, void *field, struct tape_err *err)
{
	int *n = field;

	if (strcmp(arg, "bad") == 0)
		return tape_err_set(err, TAPE_E_USAGE, "'%s' it is", arg);
	*n += 1;
	return TAPE_OK;
}

static void
libs(struct tape_buf *out)
{
	(void)tape_buf_add_str(out, "libfoo 1.2, libbar 3");
}

#define AT(field) .at = offsetof(struct options, field)

static const char *const colours[] = { "red", "green", "blue", NULL };
static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Numbers"),
	{ .name = "flag", .letter = 'f', AT(flag), .help = "a flag" },
	{ .name = "up",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    AT(u),
	    .min = 1,
	    .max = 10,
	    .help = "from 1 to 10" },
	{ .name = "int", .arg = "N", .type = TAPE_OPT_I64, AT(i), .help = "i" },
	{ .name = "double",
	    .arg = "X",
	    .type = TAPE_OPT_DOUBLE,
	    AT(d),
	    .min = 1,
	    .help = "x" },
	{ .name = "duration",
	    .letter = 'd',
	    .arg = "D",
	    .type = TAPE_OPT_DURATION,
	    AT(duration_ns),
	    .min = 1000000,
	    .max = 60000000000,
	    .help = "1ms to 1m" },
	{ .name = "size",
	    .arg = "S",
	    .type = TAPE_OPT_SIZE,
	    AT(size_bytes),
	    .min = 1024,
	    .help = "bytes" },
	{ .name = "rate",
	    .letter = 'r',
	    .arg = "R",
	    .type = TAPE_OPT_RATE,
	    AT(rate_per_s),
	    .seen_at = offsetof(struct options, has_rate),
	    .help = "per second" },
	{ .name = "share",
	    .arg = "P",
	    .type = TAPE_OPT_SHARE,
	    AT(share_ratio),
	    .help = "of all" },
	TAPE_OPT_HEADING("Texts"),
	{ .name = "colour",
	    .letter = 'c',
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    AT(colour),
	    .names = colours,
	    .help = "red, green or blue" },
	{ .name = "url",
	    .arg = "URL",
	    .type = TAPE_OPT_STRING,
	    AT(text),
	    .secrecy = TAPE_OPT_URL,
	    .help = "where" },
	{ .name = "secret",
	    .letter = 's',
	    .arg = "TEXT",
	    .type = TAPE_OPT_STRING,
	    AT(text),
	    .secrecy = TAPE_OPT_SECRET,
	    .help = "hush" },
	{ .name = "server-cmd",
	    .arg = "TEXT",
	    .type = TAPE_OPT_STRING,
	    AT(text),
	    .secrecy = TAPE_OPT_TEXT,
	    .help = "command" },
	{ .name = "path",
	    .arg = "FILE",
	    .type = TAPE_OPT_PATH,
	    AT(path),
	    .help = "file" },
	{ .name = "wait-ready",
	    .letter = 'w',
	    .arg = "PATH",
	    .type = TAPE_OPT_MAYBE,
	    AT(maybe),
	    .help = "wait" },
	{ .name = "header",
	    .letter = 'H',
	    .arg = "LINE",
	    .type = TAPE_OPT_LIST,
	    AT(list),
	    .secrecy = TAPE_OPT_HEADER,
	    .help = "more" },
	{ .name = "a-name-that-is-wider-than-others",
	    .arg = "X",
	    .type = TAPE_OPT_CALL,
	    AT(calls),
	    .parse = parse_call,
	    .help = "any number of times" },
};
static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "colour rate duration" },
	{ TAPE_OPT_EXCLUDES, "up int double" },
};
static const struct tape_opt_spec spec = {
	.tool = "test-tool",
	.summary = "test a table",
	.usage = "[option ...] [file ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = 2,
	.max_operands = 3,
	.operand_secrecy = TAPE_OPT_URL,
	.examples = "  test-tool --flag\n",
	.libs = libs,
};

static struct options o;
static struct tape_opt_result r;
static struct tape_err err;

/* Parses a line of words separated by blanks. */
static enum tape_status
parse(const struct tape_opt_spec *s, const char *line)
{
	static char text[1000];
	static char *argv[64];
	int argc = 0;
	char *rest = text;
	char *w;

	(void)snprintf(text, sizeof(text), "test-tool %s", line);
	while ((w = strsep(&rest, " ")) != NULL)
		if (*w != '\0')
			argv[argc++] = w;
	argv[argc] = NULL;
	tape_opt_release(&r);
	tape_err_clear(&err);
	memset(&o, 0, sizeof(o));
	return tape_opt_parse(s, argc, argv, &o, &r, &err);
}

static void
good(const char *line)
{
	is_int(parse(&spec, line), TAPE_OK, "takes '%s'", line);
	is_str(err.text, "", "without words");
}

static void
bad(const char *line, const char *text)
{
	is_int(parse(&spec, line), TAPE_E_USAGE, "refuses '%s'", line);
	is_str(err.text, text, "%s", text);
}

static void
test_values(void)
{
	good("--flag --up 10 --duration 1.5s --size 4KiB --rate 600/m "
	     "--share 5% --colour blue --secret x --path - --wait-ready "
	     "--header a --header=b");
	ok(o.flag, "flag");
	is_int((int64_t)o.u, 10, "u64");
	is_int(o.duration_ns, 1500000000, "duration");
	is_int((int64_t)o.size_bytes, 4096, "size");
	is_near(o.rate_per_s, 10, 0, "rate");
	ok(o.has_rate, "its presence");
	is_near(o.share_ratio, 0.05, 0, "share");
	is_int((int)o.colour, BLUE, "enum");
	is_str(o.text, "x", "string");
	is_str(o.path, "-", "path");
	is_str(o.maybe, "", "optional argument, absent");
	ok(o.list.count == 2 && strcmp(o.list.items[0], "a") == 0 &&
		strcmp(o.list.items[1], "b") == 0,
	    "list");
	ok(tape_opt_seen(&r, "rate") && !tape_opt_seen(&r, "int"), "seen");
	good("--int -5");
	is_int(o.i, -5, "i64, negative");
	ok(!o.has_rate, "absence is known");
	good("--double 1.5 --double 2.5");
	is_near(o.d, 2.5, 0, "the last one counts");
	good("--wait-ready=/health x");
	is_str(o.maybe, "/health", "optional argument, present");
	good("--a-name-that-is-wider-than-others 1 --a-name 2 --a-n=3");
	is_int(o.calls, 3, "calls, abbreviated");
}

static void
test_common(void)
{
	good("");
	ok(o.common.output == NULL && !o.common.quiet && !o.common.verbose &&
		!o.common.force && !o.common.no_host && !o.common.level_given,
	    "nothing is given");
	is_int((int64_t)o.common.level, 1, "the level is 1");
	good("-qv -o out -z0 --force --no-host");
	is_str(o.common.output, "out", "output");
	ok(o.common.quiet && o.common.verbose && o.common.force &&
		o.common.no_host && o.common.level_given,
	    "all are given");
	is_int((int64_t)o.common.level, 0, "plain");
	bad("-z 20", "--compress: '20' is not within 0 to 19");
	bad("-z fast", "--compress: 'fast' is not a whole number");
}

static void
test_operands(void)
{
	good("a --flag b -- --up");
	is_int((int)r.operand_count, 3, "operands mix with options");
	ok(strcmp(r.operands[0], "a") == 0 && strcmp(r.operands[1], "b") == 0 &&
		strcmp(r.operands[2], "--up") == 0,
	    "in their order");
	good("-");
	is_str(r.operands[0], "-", "a dash is one");
	bad("1 2 3 http://u:p@h/?q 5", "operand 'http://h/' is one too many");
	struct tape_opt_spec s = spec;
	s.min_operands = 1;
	is_int(parse(&s, "--flag"), TAPE_E_USAGE, "one is missing");
	is_str(err.text,
	    "an operand is missing; usage: test-tool [option ...] [file ...]",
	    "in words");
	is_int(parse(&s, "--flag x"), TAPE_OK, "one is there");
}

static void
test_misuse(void)
{
	bad("--bogus=SECRET", "unknown option --bogus");
	bad("--flg", "unknown option --flg; did you mean --flag?");
	bad("--colours red",
	    "unknown option --colours; did you mean --colour?");
	bad("--x", "unknown option --x");
	bad("-x", "unknown option -x");
	bad("-fx", "unknown option -x");
	bad("--s 1", "option --s could be --size or --share");
	bad("--flag=1", "--flag takes no argument");
	bad("--rate", "--rate needs an argument: R");
	bad("-r", "--rate needs an argument: R");
	bad("-r 0", "--rate: rate '0' is not positive");
	bad("--up 0", "--up: '0' is not within 1 to 10");
	bad("--up 11", "--up: '11' is not within 1 to 10");
	bad("--up x", "--up: 'x' is not a whole number");
	bad("--int 1.5", "--int: '1.5' is not a whole number");
	bad("--double .5", "--double: '.5' is not within 1 to 1.79769e+308");
	bad("--duration 5",
	    "--duration: '5' is not a duration (like 250ms, 1.5s, 2m)");
	bad("-d 1us", "--duration: '1us' is less than 1.00 ms");
	bad("-d 2m", "--duration: '2m' is more than 60.0 s");
	bad("--size 1",
	    "--size: '1' is not within 1024 to 9223372036854775807 bytes");
	bad("--share 2", "--share: share '2' is not within 0 to 1");
	bad("--colour pink", "--colour: 'pink' is not one of red, green, blue");
	bad("--path=", "--path: the name is empty");
	bad("--a-name bad", "--a-name-that-is-wider-than-others: 'bad' it is");
}

static void
test_rules(void)
{
	static const struct tape_opt_rule one[] = {
		{ TAPE_OPT_ONE_OF, "flag path url" },
	};
	static const struct tape_opt_rule any[] = {
		{ TAPE_OPT_ANY_OF, "flag path" },
	};
	static const struct tape_opt_rule needed[] = {
		{ TAPE_OPT_ANY_OF, "rate" },
	};
	struct tape_opt_spec s = spec;

	bad("--colour red", "--colour needs --rate");
	bad("--colour red --rate 1", "--colour needs --duration");
	good("--colour red --rate 1 -d 1s");
	bad("--up 1 --double 2", "--up and --double exclude each other");
	s.rule_count = 1;
	s.rules = one;
	is_int(parse(&s, ""), TAPE_E_USAGE, "none of one-of");
	is_str(err.text, "one of --flag, --path, --url is needed", "in words");
	is_int(parse(&s, "--flag --url x"), TAPE_E_USAGE, "two of one-of");
	is_str(err.text, "--flag and --url exclude each other", "in words");
	is_int(parse(&s, "--url x"), TAPE_OK, "one of one-of");
	s.rules = any;
	is_int(parse(&s, ""), TAPE_E_USAGE, "none of any-of");
	is_str(err.text, "one of --flag, --path is needed", "in words");
	is_int(parse(&s, "--flag --path x"), TAPE_OK, "two of any-of");
	s.rules = needed;
	is_int(parse(&s, ""), TAPE_E_USAGE, "a needed option");
	is_str(err.text, "--rate is needed", "in words");
}

static void
test_actions(void)
{
	struct tape_opt_spec s = spec;

	s.min_operands = 1;
	is_int(parse(&s, "--up 5 --help --bogus"), TAPE_OK, "help");
	is_int((int)r.action, TAPE_OPT_HELP, "stops there, without rules");
	is_int(parse(&s, "--help-all"), TAPE_OK, "help with all");
	is_int((int)r.action, TAPE_OPT_HELP_ALL, "is another text");
	is_int(parse(&s, "-V"), TAPE_OK, "version");
	is_int((int)r.action, TAPE_OPT_VERSION, "too");
	is_int(parse(&s, "--list-options"), TAPE_OK, "the list");
	is_int((int)r.action, TAPE_OPT_NAMES, "too");
	is_int(parse(&s, "--bogus --help"), TAPE_E_USAGE,
	    "misuse before help is misuse");
}

static void
test_texts(void)
{
	struct tape_buf b;

	tape_buf_init(&b, 10000);
	tape_opt_print_names(&spec, &b);
	is_str(b.data,
	    "-f, --flag\n--up N\n--int N\n--double X\n-d, --duration D\n"
	    "--size S\n-r, --rate R\n--share P\n-c, --colour NAME\n"
	    "--url URL\n-s, --secret TEXT\n--server-cmd TEXT\n--path FILE\n"
	    "-w, --wait-ready[=PATH]\n-H, --header LINE\n"
	    "--a-name-that-is-wider-than-others X\n"
	    "-o, --output FILE\n-z, --compress LEVEL\n--force\n--no-host\n"
	    "-q, --quiet\n-v, --verbose\n-h, --help\n--help-all\n-V, --version\n",
	    "the list of options");
	tape_buf_clear(&b);
	tape_opt_print_help(&spec, false, &b);
	b.data[149] = '\0';
	is_str(b.data,
	    "test-tool: test a table\n"
	    "usage: test-tool [option ...] [file ...]\n\n"
	    "Numbers:\n"
	    "  -f, --flag               a flag\n"
	    "      --up N               from 1 to 10\n",
	    "help begins with what it is");
	b.data[149] = ' ';
	ok(strstr(b.data, "      --a-name-that-is-wider-than-others X  any") !=
		NULL,
	    "a wide name pushes its text");
	ok(strstr(b.data, "  -w, --wait-ready[=PATH]  wait\n") != NULL,
	    "the widest that fits");
	ok(strstr(b.data, "\nExamples:\n  test-tool --flag\n") != NULL,
	    "examples");
	ok(strstr(b.data, "list-options") == NULL, "hidden is hidden");
	tape_buf_clear(&b);
	tape_opt_print_version(&spec, &b);
	ok(strncmp(b.data, "test-tool (llmtape) ", 20) == 0 &&
		strstr(b.data, "\nlibfoo 1.2, libbar 3\nLicence GPL-3.0") !=
		    NULL,
	    "versions and licence");
	tape_buf_release(&b);
}

static void
test_rare(void)
{
	static const struct tape_opt rare_table[] = {
		TAPE_OPT_HEADING("Daily"),
		{ .name = "usual", .help = "often" },
		TAPE_OPT_RARE("Seldom"),
		{ .name = "odd", .help = "seldom" },
	};
	const struct tape_opt_spec s = { .tool = "t",
		.summary = "s",
		.usage = "u",
		.options = rare_table,
		.option_count = sizeof(rare_table) / sizeof(rare_table[0]) };
	struct tape_buf b;

	tape_buf_init(&b, 10000);
	tape_opt_print_help(&s, false, &b);
	ok(strstr(b.data, "--usual  ") != NULL, "a usual option is shown");
	ok(strstr(b.data, "--odd") == NULL, "a rare one is not");
	ok(strstr(b.data, "Seldom") == NULL, "nor its heading");
	ok(strstr(b.data, "Common:\n") != NULL, "what comes after it is");
	ok(strstr(b.data, "more options: see --help-all\n") != NULL,
	    "but it is said");
	tape_buf_clear(&b);
	tape_opt_print_help(&s, true, &b);
	ok(strstr(b.data, "Daily:\n      --usual") != NULL &&
		strstr(b.data, "Seldom:\n      --odd  ") != NULL,
	    "all are there when asked for");
	ok(strstr(b.data, "more options") == NULL, "and nothing is left out");
	tape_buf_clear(&b);
	tape_opt_print_names(&s, &b);
	ok(strstr(b.data, "--odd\n") != NULL, "the list has all");
	tape_buf_release(&b);
}

/* A tool with options of its own, and two parts with structs of theirs. */
struct part_values {
	uint64_t count;
	struct tape_opt_list names;
	bool many, seen;
};

struct joined {
	struct tape_opt_common common;
	bool own;
	struct part_values first, second;
};

#define IN_PART(f) .at = offsetof(struct part_values, f)

static const struct tape_opt part_table[] = {
	TAPE_OPT_RARE("Part"),
	{ .name = "count",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    IN_PART(count),
	    .seen_at = offsetof(struct part_values, seen),
	    .help = "how many" },
	{ .name = "name",
	    .arg = "TEXT",
	    .type = TAPE_OPT_LIST,
	    IN_PART(names),
	    .help = "any number of times" },
};
static const struct tape_opt other_table[] = {
	TAPE_OPT_HEADING("Other"),
	{ .name = "many", IN_PART(many), .help = "so" },
};
static const struct tape_opt own_table[] = {
	TAPE_OPT_HEADING("Own"),
	{ .name = "own", .at = offsetof(struct joined, own), .help = "so" },
};
static const struct tape_opt_rule part_rules[] = {
	{ TAPE_OPT_REQUIRES, "many count" },
};
static const struct tape_opt_part part = { part_table, 3, NULL, 0 };
static const struct tape_opt_part other = { other_table, 2, part_rules, 1 };
static const struct tape_opt_join joins[] = {
	{ &part, offsetof(struct joined, first) },
	{ &other, offsetof(struct joined, second) },
};

static void
test_joined(void)
{
	char w_0[] = "t", w_1[] = "--own", w_2[] = "--count=3",
	     w_3[] = "--many", w_4[] = "--name=a", w_5[] = "--name=b",
	     w_6[] = "-q";
	char *argv[] = { w_0, w_1, w_2, w_3, w_4, w_5, w_6, NULL };
	char *lone[] = { w_0, w_3, NULL };
	struct tape_opt_spec s = { .tool = "t",
		.summary = "s",
		.usage = "u",
		.options = own_table,
		.option_count = 2,
		.joins = joins,
		.join_count = 2 };
	struct joined v = { .own = false };
	struct tape_buf b;

	tape_opt_release(&r);
	tape_err_clear(&err);
	is_int(tape_opt_parse(&s, 7, argv, &v, &r, &err), TAPE_OK,
	    "parts are taken");
	ok(v.own && v.common.quiet, "besides a tool's own options");
	is_int((int64_t)v.first.count, 3, "a value is in the part's struct");
	ok(v.first.seen && !v.second.seen, "as is that it was given");
	ok(v.second.many && !v.first.many, "that of the second in its own");
	is_int((int64_t)v.first.names.count, 2, "a list, too");
	tape_opt_release(&r);
	ok(v.first.names.items == NULL, "which is freed");
	is_int(tape_opt_parse(&s, 2, lone, &v, &r, &err), TAPE_E_USAGE,
	    "a part's rule holds");
	is_str(err.text, "--many needs --count", "in words");
	tape_opt_release(&r);
	tape_buf_init(&b, 10000);
	tape_opt_print_help(&s, false, &b);
	ok(strstr(b.data, "Own:\n") < strstr(b.data, "Other:\n") &&
		strstr(b.data, "Other:\n") < strstr(b.data, "Common:\n") &&
		strstr(b.data, "--count") == NULL,
	    "help has them between own and common ones");
	tape_buf_release(&b);
	s.options = other_table;
	tape_err_clear(&err);
	is_int(tape_opt_parse(&s, 1, lone, &v, &r, &err), TAPE_E_BUG,
	    "a name in two tables is a fault");
	tape_opt_release(&r);
}

static void
is_argv(const char *line, const char *want)
{
	struct tape_opt_argv a;
	char text[500] = "";

	is_int(parse(&spec, line), TAPE_OK, "parse '%s'", line);
	is_int(tape_opt_provenance(&r, &a, &err), TAPE_OK, "provenance");
	for (size_t i = 0; i < a.n; i++) {
		size_t n = strlen(text);

		(void)snprintf(text + n, sizeof(text) - n, "|%s", a.v[i]);
	}
	is_str(text, want, "%s", want);
	tape_opt_argv_release(&a);
	tape_opt_argv_release(&a);
}

static void
test_provenance(void)
{
	is_argv("", "|test-tool");
	is_argv("x -fr5 --up=3", "|test-tool|--flag|--rate|5|--up|3|x");
	is_argv("--url http://u:p@h/p?k --secret SECRET -sSECRET",
	    "|test-tool|--url|http://h/p|--secret|(redacted)|--secret|"
	    "(redacted)");
	is_argv("--url A=http://u:p@h/p?k --url h:80?x=1",
	    "|test-tool|--url|A=http://h/p|--url|h:80");
	is_argv("--url a=u:p@h", "|test-tool|--url|a=h");
	is_argv("-H X-Api-Key:SECRET -H Accept:x",
	    "|test-tool|--header|X-Api-Key: (redacted)|--header|Accept:x");
	is_argv("--server-cmd --api-key=SECRET",
	    "|test-tool|--server-cmd|--api-key=(redacted)");
	is_argv("--wait-ready --wait-ready=/x",
	    "|test-tool|--wait-ready|--wait-ready=/x");
	is_argv("https://u:p@h/v1?k b", "|test-tool|https://h/v1|b");
	is_argv("-- -x b", "|test-tool|--|-x|b");
	is_argv("- b", "|test-tool|-|b");
}

static void
test_bad_tables(void)
{
	static const struct {
		struct tape_opt option;
		const char *text;
	} cases[] = {
		{ { .name = "x" }, "--x has no help" },
		{ { .help = NULL }, "option 1 is empty" },
		{ { .name = "A", .help = "" }, "--A has a bad name" },
		{ { .name = "-a", .help = "" }, "---a has a bad name" },
		{ { .name = "", .help = "" }, "-- has a bad name" },
		{ { .name = "a", .help = "", .arg = "X" },
		    "--a has an argument's name too many or too few" },
		{ { .name = "a", .help = "", .type = TAPE_OPT_U64 },
		    "--a has an argument's name too many or too few" },
		{ { .name = "a",
		      .help = "",
		      .arg = "X",
		      .type = TAPE_OPT_ENUM },
		    "--a has a list of names too many or too few" },
		{ { .name = "a",
		      .help = "",
		      .arg = "X",
		      .type = TAPE_OPT_CALL },
		    "--a has a parser too many or too few" },
		{ { .name = "fine", .help = "" },
		    "--fine stands in the table twice" },
		{ { .name = "other", .letter = 'x', .help = "" },
		    "--other stands in the table twice" },
		{ { .name = "quiet", .help = "" },
		    "--quiet stands in the table twice" },
		{ { .name = "a", .letter = 'o', .help = "" },
		    "--output stands in the table twice" },
	};
	static const struct tape_opt_rule no_such[] = {
		{ TAPE_OPT_EXCLUDES, "fine nonsense" },
	};
	struct tape_opt pair[2] = {
		{ .name = "fine", .letter = 'x', .help = "" },
	};
	struct tape_opt_spec s = {
		.tool = "t",
		.usage = "",
		.options = pair,
		.option_count = 2,
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair[1] = cases[i].option;
		is_int(parse(&s, ""), TAPE_E_BUG, "bad table");
		is_str(err.text, cases[i].text, "%s", cases[i].text);
	}
	s.option_count = 1;
	s.rules = no_such;
	s.rule_count = 1;
	is_int(parse(&s, ""), TAPE_E_BUG, "bad rule");
	is_str(err.text, "a rule names 'nonsense', which is no option", "so");
}

static void
test_no_memory(void)
{
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_opt_argv a;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 50) {
		(void)tape_mem_fail_at(++n);
		st = parse(&spec, "-f -Ha -Hb x");
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "parses when there is memory");
	ok(n > 3, "after failing at each of %d allocations", (int)n - 1);
	n = 0;
	st = TAPE_E_NOMEM;
	while (st == TAPE_E_NOMEM && n < 50) {
		(void)tape_mem_fail_at(++n);
		st = tape_opt_provenance(&r, &a, NULL);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			ok(a.v == NULL && a.text == NULL, "empty on failure");
	}
	is_int(st, TAPE_OK, "provenance, too");
	ok(n > 2, "after each");
	tape_opt_argv_release(&a);
}

/* Runs start with standard output and error in a file, and gives its text. */
static const char *
started(char **argv, bool *goes_on, int *code)
{
	static char text[4096];
	FILE *f = tmpfile();
	int out = dup(1);
	int errs = dup(2);
	size_t n;

	if (f == NULL)
		return "";
	(void)fflush(stdout);
	(void)dup2(fileno(f), 1);
	(void)dup2(fileno(f), 2);
	int argc = 0;
	while (argv[argc] != NULL)
		argc++;
	*goes_on = tape_opt_start(&spec, argc, argv, &o, &r, code);
	(void)dup2(out, 1);
	(void)dup2(errs, 2);
	(void)close(out);
	(void)close(errs);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

static char w0[] = "/usr/bin/test-tool", w_version[] = "--version";
static char w_bad[] = "--bogus", w_flag[] = "--flag", w_help[] = "-h";
static char w_names[] = "--list-options";

static void
test_start(void)
{
	bool on = true;
	int code = 77;
	const char *text;

	tape_opt_release(&r);
	text = started((char *[]){ w0, w_version, NULL }, &on, &code);
	ok(!on && code == 0, "version ends well");
	ok(strncmp(text, "test-tool (llmtape) ", 20) == 0, "and is printed");
	text = started((char *[]){ w0, w_help, NULL }, &on, &code);
	ok(!on && code == 0, "help ends well");
	ok(strstr(text, "usage: test-tool [") != NULL, "and is printed");
	text = started((char *[]){ w0, w_names, NULL }, &on, &code);
	ok(!on && code == 0 && strncmp(text, "-f, --flag\n", 11) == 0, "list");
	text = started((char *[]){ w0, w_bad, NULL }, &on, &code);
	ok(!on && code == 2, "misuse ends badly");
	is_str(text,
	    "test-tool: unknown option --bogus; try 'test-tool --help'\n",
	    "in one line");
	text = started((char *[]){ w0, w_flag, NULL }, &on, &code);
	ok(on && o.flag, "all else goes on");
	is_str(text, "", "in silence");
	tape_opt_release(&r);
}

/* Words separated by spaces into an argv, spread, and joined again. */
static void
spreads(const char *from, const char *to)
{
	static const char *const names[] = { "a", "bb", NULL };
	char text[200], *argv[20], joined[400] = "";
	char **v;
	int argc = 0;

	(void)snprintf(text, sizeof(text), "%s", from);
	for (char *p = text; p != NULL; argc++) {
		argv[argc] = p;
		p = strchr(p, ' ');
		if (p != NULL)
			*p++ = '\0';
	}
	v = tape_opt_spread(&argc, argv, names);
	for (int i = 0; i < argc; i++) {
		(void)strncat(joined, i > 0 ? " " : "", 2);
		(void)strncat(joined, v[i], 100);
	}
	is_str(joined, to, "%s", from);
	ok(v[argc] == NULL, "ends with NULL");
	tape_mem_free(v);
}

static void
test_spread(void)
{
	static const char *const names[] = { "a", NULL };
	char *argv[] = { NULL };
	int argc = 0;

	spreads("t x y", "t x y");
	spreads("t --a x y --bb z - u", "t --a x --a y --bb z --bb - --bb u");
	spreads("t --a x --other y z", "t --a x --other y z");
	spreads("t --a x -q y", "t --a x -q y");
	spreads("t --a x y -- z", "t --a x --a y -- z");
	spreads("t --a --bb x", "t --a --bb --a x");
	spreads("t --a x -- --a y z", "t --a x -- --a y z");
	spreads("t --a=x y", "t --a=x y");
	(void)tape_mem_fail_at(1);
	ok(tape_opt_spread(&argc, argv, names) == NULL, "without memory NULL");
	(void)tape_mem_fail_at(0);
}

int
main(void)
{
	test_values();
	test_common();
	test_operands();
	test_misuse();
	test_rules();
	test_actions();
	test_texts();
	test_rare();
	test_joined();
	test_provenance();
	test_bad_tables();
	test_no_memory();
	test_start();
	test_spread();
	return done_testing();
}
