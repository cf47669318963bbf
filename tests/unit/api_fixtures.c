/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every recorded answer of a dialect that is there, in every cutting, against
 * the answer keys: manifest.tsv that came with the recordings, and others.tsv
 * for those that it has no columns of.
 */
#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"
#include "unit/recorded.h"
#include "unit/tap.h"

#include <stdlib.h>

#define DIR    "tests/fixtures/sse/"
#define SHARED "../shared/data/sse/" /* where those too large may be */
#define SEEDS  12                    /* random cuttings of each */

/* Which dialect reads what the key calls that; of a server that none is for,
   one that must find nothing. */
static const struct kind {
	const char *kind;
	const char *api;
	bool ends; /* with an event of its own that says so */
} kinds[] = {
	{ "chat", "chat", false },
	{ "completions", "completions", false },
	{ "responses", "responses", true },
	{ "anthropic", "messages", true },
	{ "error", "messages", false },
	{ "gemini", "gemini", false },
	{ "json", "gemini", false },
	{ "cohere", "cohere", true },
	{ "tgi", "huggingface_generate", true },
	{ "triton", "triton_generate", false },
	{ "ndjson", "ollama", true },
	{ "http", "ollama_generate", true },
	{ "eventstream", "bedrock", false },
	{ "transcription", "audio_transcription", false },
	{ "?", "chat", false },
	{ "mcp", "chat", false },
	{ "replicate", "replicate", true },
};

/* Where the key is wrong. */
static const struct {
	const char *file;
	enum column column;
	const char *right;
	const char *why;
} wrong[] = {
	{ "anthropic-error-overloaded.sse", STREAM_ERROR, "1",
	    "its one event is an error, by type and by content" },
	{ "replicate-multiline-data-id-comment.sse", JSON_BAD, "0",
	    "plain text need not be JSON" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct tape_err err;
static struct recorded rec;
static struct tape_buf whole; /* row and log of one piece */
static int held, absent;

static char *
slurp(const char *file, const char *suffix, size_t *len)
{
	static const char *const dirs[] = { DIR, SHARED };
	char path[512], *text = NULL;

	for (size_t i = 0; i < COUNT(dirs); i++) {
		tape_err_clear(&err);
		(void)snprintf(
		    path, sizeof(path), "%s%s%s", dirs[i], file, suffix);
		if (access(path, R_OK) == 0 &&
		    tape_fdio_slurp(path, TAPE_CAP_LINE, &text, len, &err) ==
			TAPE_OK)
			return text;
	}
	return NULL;
}

/*
 * The body of a recorded HTTP message: the chunks of a chunked one put together
 * in the place of the message.  Returns its length, 0 when it is none.
 */
static size_t
take_body(char *text, size_t len)
{
	char *head = memmem(text, len, "\r\n\r\n", 4), *p, *end = text + len;
	size_t to = 0, n;

	for (p = head != NULL ? head + 4 : end; p < end; p += n + 2) {
		n = strtoul(p, &p, 16);
		if (n == 0)
			return to;
		p += 2;
		if (n > (size_t)(end - p))
			return 0;
		memmove(text + to, p, n);
		to += n;
	}
	return 0;
}

static const char *
right_value(const char *file, int column, const char *key)
{
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (strcmp(wrong[i].file, file) == 0 &&
		    (int)wrong[i].column == column) {
			printf("# the key is wrong: %s\n", wrong[i].why);
			return wrong[i].right;
		}
	return key;
}

/* Each column of the row against the key's, - where that has none. */
static void
compare(char *const col[COLUMNS], const char *const name[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++)
		if (c != FILE_NAME && c != KIND)
			is_str(rec.col[c],
			    right_value(col[FILE_NAME], c, col[c]), "%s: %s",
			    col[FILE_NAME], name[c]);
}

/* Row and log together. */
static void
show(struct tape_buf *out)
{
	tape_buf_clear(out);
	for (int c = EVENTS; c < COLUMNS; c++)
		(void)tape_buf_add_fmt(out, "%s\t", rec.col[c]);
	(void)tape_buf_add(out, rec.log.data, rec.log.len);
}

static bool
same_as_whole(void)
{
	struct tape_buf now;
	bool same;

	recorded_end(&rec);
	tape_buf_init(&now, TAPE_CAP_LINE);
	show(&now);
	same = rec.st == TAPE_OK && now.len == whole.len &&
	       memcmp(now.data, whole.data, now.len) == 0;
	tape_buf_release(&now);
	return same;
}

static bool
cut_at_random(
    const struct tape_api *api, const char *text, size_t len, uint32_t seed)
{
	const size_t most = (size_t)1 << (seed % 11);
	size_t n;

	recorded_begin(&rec, api, text[0]);
	for (size_t at = 0; at < len; at += n) {
		seed = seed * 1664525 + 1013904223;
		n = (seed >> 8) % most + 1;
		if (n > len - at)
			n = len - at;
		recorded_feed(&rec, text + at, n);
	}
	return same_as_whole();
}

static bool
cut_as_recorded(
    const struct tape_api *api, const char *text, size_t len, char *reads)
{
	uint64_t n;
	size_t at = 0;
	char *line;

	recorded_begin(&rec, api, text[0]);
	while ((line = strsep(&reads, "\n")) != NULL && *line != '\0') {
		if (tape_num_u64(line, 1, len - at, &n, NULL) != TAPE_OK)
			return false;
		recorded_feed(&rec, text + at, n);
		at += n;
	}
	return at == len && same_as_whole();
}

static void
try_cuttings(
    const struct tape_api *api, const char *file, const char *text, size_t len)
{
	size_t reads_len;
	char *reads = slurp(file, ".reads", &reads_len);
	bool good = true;

	show(&whole);
	recorded_begin(&rec, api, text[0]);
	for (size_t at = 0; at < len; at++)
		recorded_feed(&rec, text + at, 1);
	ok(same_as_whole(), "%s: the same byte by byte", file);
	for (uint32_t seed = 1; seed <= SEEDS; seed++)
		good = good && cut_at_random(api, text, len, seed);
	ok(good, "%s: the same cut at random", file);
	if (reads != NULL)
		ok(cut_as_recorded(api, text, len, reads),
		    "%s: the same as recorded", file);
	tape_mem_free(reads);
}

static void
check_end(const struct kind *kind, char *const col[COLUMNS])
{
	ok(rec.d.done == (kind->ends || strcmp(col[DONE], "1") == 0),
	    "%s: its end mark", col[FILE_NAME]);
	ok(rec.d.failed == (rec.errors + rec.field_errors > 0),
	    "%s: failed if there was an error", col[FILE_NAME]);
}

static void
try_file(const struct tape_api *api, const struct kind *kind,
    char *const col[COLUMNS], const char *const name[COLUMNS])
{
	size_t len = 0;
	char *text = slurp(col[FILE_NAME], "", &len);

	if (text == NULL || len == 0) {
		printf("# left out: %s is not there\n", col[FILE_NAME]);
		absent++;
		tape_mem_free(text);
		return;
	}
	recorded_put_file(&rec, text, len);
	if (strcmp(col[KIND], "http") == 0)
		len = take_body(text, len);
	recorded_begin(&rec, api, text[0]);
	recorded_feed(&rec, text, len);
	recorded_end(&rec);
	is_int(rec.st, TAPE_OK, "%s by %s", col[FILE_NAME], api->name);
	compare(col, name);
	check_end(kind, col);
	try_cuttings(api, col[FILE_NAME], text, len);
	tape_mem_free(text);
	held++;
}

static void
try_row(char *const col[COLUMNS], const char *const name[COLUMNS])
{
	const struct tape_api *api;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].kind, col[KIND]) != 0)
			continue;
		api = tape_api_find(tape_str_of(kinds[i].api));
		if (api == NULL)
			break;
		try_file(api, &kinds[i], col, name);
		return;
	}
	printf(
	    "# left out: %s: no dialect for %s\n", col[FILE_NAME], col[KIND]);
}

static int
split(char *line, char *col[COLUMNS])
{
	int n = 0;

	while (n < COLUMNS && line != NULL)
		col[n++] = strsep(&line, "\t");
	return n;
}

/* Whether the other key has a row for a file of this one. */
static bool
is_in(const char *key, const char *file)
{
	const char *p = strstr(key, file);

	return p != NULL && p[strlen(file)] == '\t';
}

/* Rows of a key, less those that another one has, too; returns how many rows
   there were. */
static int
try_key(char *key, const char *but)
{
	char *rest = key, *line, *col[COLUMNS], *name[COLUMNS];
	int rows = 0;

	is_int(split(strsep(&rest, "\n"), name), COLUMNS, "names of columns");
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		if (!is_int(split(line, col), COLUMNS, "columns of a row"))
			break;
		rows++;
		if (but == NULL || !is_in(but, col[FILE_NAME]))
			try_row(col, (const char *const *)name);
	}
	return rows;
}

int
main(void)
{
	size_t len = 0;
	char *key = slurp("manifest.tsv", "", &len);
	char *others = slurp("others.tsv", "", &len);
	int rows;

	if (!ok(key != NULL && others != NULL, "the answer keys are there"))
		return done_testing();
	recorded_init(&rec, tape_api_at(0));
	tape_buf_init(&whole, TAPE_CAP_LINE);
	rows = try_key(key, others);
	(void)try_key(others, NULL);
	is_int(rows, 64, "rows of the key");
	printf("# %d of %d answers are held; %d of them are not there\n", held,
	    rows, absent);
	is_int(held + absent, rows, "each has a dialect");
	tape_buf_release(&whole);
	recorded_release(&rec);
	tape_mem_free(key);
	tape_mem_free(others);
	return done_testing();
}
