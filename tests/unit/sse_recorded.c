/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parser over recorded bodies, against an answer key that another reader
 * made, in every cutting: whole, byte by byte, at random, as recorded.
 */
#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sha256.h"
#include "codec/sse.h"
#include "unit/sse_show.h"
#include "unit/tap.h"

#include <dirent.h>
#include <unistd.h>

#define FIXTURES "tests/fixtures/sse"
#define SHARED   "../shared/data/sse"
#define BIG      "gpustack-llamabox-error-field-midstream.sse"
#define FILES    58 /* in the fixtures; elsewhere with the big one */
#define RECORDED 6  /* of them with the sizes of the reads */

/* One row of the key. */
struct answer {
	char file[128];
	char sha256[17];
	char unknown[64];
	uint64_t bytes, events, data_lines, comments, id_lines, tail_bytes;
};

struct folder {
	const char *path;
	int files, recorded;
	struct sse_show s;
	struct tape_buf whole; /* the log of one piece */
};

static char *
slurp(const char *folder, const char *file, const char *suffix, size_t *len)
{
	char path[512], *text = NULL;
	struct tape_err err = { 0 };

	(void)snprintf(path, sizeof(path), "%s/%s%s", folder, file, suffix);
	if (access(path, R_OK) != 0)
		return NULL;
	if (tape_fdio_slurp(path, 16 << 20, &text, len, &err) != TAPE_OK)
		return NULL;
	return text;
}

static uint64_t
number(const char *s)
{
	uint64_t v = UINT64_MAX;

	if (tape_num_u64(s, 0, UINT64_MAX - 1, &v, NULL) != TAPE_OK)
		return UINT64_MAX;
	return v;
}

/* Takes the row apart; false for a file that is no event stream. */
static bool
read_row(char *row, struct answer *a)
{
	char *col[13];
	size_t n = 0;

	while (n < 13 && row != NULL)
		col[n++] = strsep(&row, "\t");
	if (n < 13 || strlen(col[0]) < 4 ||
	    strcmp(col[0] + strlen(col[0]) - 4, ".sse") != 0)
		return false;
	(void)snprintf(a->file, sizeof(a->file), "%s", col[0]);
	(void)snprintf(a->sha256, sizeof(a->sha256), "%s", col[2]);
	(void)snprintf(a->unknown, sizeof(a->unknown), "%s", col[12]);
	a->bytes = number(col[1]);
	a->events = number(col[5]);
	a->data_lines = number(col[6]);
	a->comments = number(col[7]);
	a->id_lines = number(col[8]);
	a->tail_bytes = number(col[11]);
	return true;
}

/* Unknown fields as the key has them: name, x, count; one name at most. */
static void
show_unknown(const struct sse_show *s, char *dst, size_t size)
{
	const char *comma = strchr(s->names.data, ',');
	int len =
	    comma != NULL ? (int)(comma - s->names.data) : (int)s->names.len;

	if (s->p.counts.unknown_fields == 0)
		(void)snprintf(dst, size, "-");
	else
		(void)snprintf(dst, size, "%.*sx%" PRIu64, len, s->names.data,
		    s->p.counts.unknown_fields);
}

static bool
is_answer(const struct sse_show *s, const struct answer *a)
{
	const struct tape_sse_counts *c = &s->p.counts;
	char unknown[64];

	show_unknown(s, unknown, sizeof(unknown));
	return s->status == TAPE_OK && c->events == a->events &&
	       c->data_lines == a->data_lines && c->comments == a->comments &&
	       c->id_lines == a->id_lines &&
	       tape_sse_finish(&s->p) == a->tail_bytes &&
	       strcmp(unknown, a->unknown) == 0;
}

/* The counts are the key's, and all that was handed out is what one piece
   gives. */
static bool
agrees(struct folder *f, const struct answer *a)
{
	bool good = is_answer(&f->s, a);

	sse_show_end(&f->s);
	return good && f->s.log.len == f->whole.len &&
	       memcmp(f->s.log.data, f->whole.data, f->whole.len) == 0;
}

static bool
try_random(struct folder *f, const struct answer *a, const char *text,
    size_t len, uint32_t seed)
{
	size_t at, n, most = (size_t)1 << (seed % 11);

	sse_show_clear(&f->s);
	for (at = 0; at < len; at += n) {
		seed = seed * 1664525 + 1013904223;
		n = (seed >> 8) % most + 1;
		if (n > len - at)
			n = len - at;
		sse_show_feed(&f->s, text + at, n);
	}
	return agrees(f, a);
}

static bool
try_recorded(struct folder *f, const struct answer *a, const char *text,
    size_t len, char *reads)
{
	size_t at = 0;
	uint64_t n;
	char *line;

	sse_show_clear(&f->s);
	while ((line = strsep(&reads, "\n")) != NULL && *line != '\0') {
		n = number(line);
		if (n > len - at)
			return false;
		sse_show_feed(&f->s, text + at, n);
		at += n;
	}
	return at == len && agrees(f, a);
}

static bool
is_file(const struct answer *a, const char *text, size_t len)
{
	struct tape_sha256 h;
	char digest[TAPE_SHA256_TEXT];

	tape_sha256_init(&h);
	tape_sha256_add(&h, text, len);
	(void)tape_sha256_finish_text(&h, digest);
	return len == a->bytes && strncmp(digest, a->sha256, 16) == 0;
}

static void
check_file(struct folder *f, const struct answer *a)
{
	size_t len = 0, reads_len, at;
	char *text = slurp(f->path, a->file, "", &len), *reads;
	uint32_t seed;
	bool good = true;

	if (text == NULL && strcmp(a->file, BIG) == 0)
		return;
	if (!ok(text != NULL, "%s is there", a->file))
		return;
	f->files++;
	ok(is_file(a, text, len), "and is the one of the key");
	sse_show_clear(&f->s);
	sse_show_feed(&f->s, text, len);
	ok(is_answer(&f->s, a), "whole");
	sse_show_end(&f->s);
	tape_buf_clear(&f->whole);
	(void)tape_buf_add(&f->whole, f->s.log.data, f->s.log.len);
	sse_show_clear(&f->s);
	for (at = 0; at < len; at++)
		sse_show_feed(&f->s, text + at, 1);
	ok(agrees(f, a), "byte by byte");
	for (seed = 1; seed <= 22; seed++)
		good = good && try_random(f, a, text, len, seed);
	ok(good, "cut at random");
	reads = slurp(f->path, a->file, ".reads", &reads_len);
	if (reads != NULL) {
		f->recorded++;
		ok(try_recorded(f, a, text, len, reads), "as recorded");
	}
	tape_mem_free(reads);
	tape_mem_free(text);
}

/* Every event stream of the folder is in the key: there are as many. */
static int
count_files(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t n;
	int files = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		n = strlen(e->d_name);
		files += n > 4 && strcmp(e->d_name + n - 4, ".sse") == 0;
	}
	if (d != NULL)
		(void)closedir(d);
	return files;
}

static void
check_folder(const char *path, int want)
{
	struct folder f = { .path = path };
	struct answer a;
	size_t len;
	char *key = slurp(path, "manifest.tsv", "", &len), *rest = key, *row;

	if (!ok(key != NULL, "the key of %s is there", path))
		return;
	sse_show_init(&f.s);
	tape_buf_init(&f.whole, (size_t)64 << 20);
	while ((row = strsep(&rest, "\n")) != NULL)
		if (read_row(row, &a))
			check_file(&f, &a);
	is_int(f.files, want, "files checked in %s", path);
	is_int(count_files(path), want, "and no others are there");
	is_int(f.recorded, RECORDED, "with their recorded reads");
	tape_buf_release(&f.whole);
	sse_show_release(&f.s);
	tape_mem_free(key);
}

int
main(void)
{
	check_folder(FIXTURES, FILES);
	if (access(SHARED "/manifest.tsv", R_OK) == 0)
		check_folder(SHARED, FILES + 1);
	return done_testing();
}
