/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_view: any bytes as a file that is looked into.  What is found by reading
 * all of it must also be found by its index frames, with the same records;
 * whatever is shown as JSON must be JSON, and as text must hold no control
 * characters.
 */
#include "base/fdio.h"
#include "codec/json.h"
#include "engine/view_find.h"
#include "engine/view_out.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CAP ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct shown {
	struct tape_view_text text, json;
	struct tape_view_line as_text, as_json;
	uint64_t found[64]; /* digests */
	size_t n;
};

static void
digest(struct shown *s, const struct tape_view_found *f)
{
	uint64_t h = f->place.segment * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < f->lines.len; i++)
		h = (h ^ (unsigned char)f->lines.data[i]) *
		    UINT64_C(0x100000001b3);
	if (s->n < 64)
		s->found[s->n++] = h;
}

/* Records that are no records were refused before. */
static enum tape_status
show(void *arg, const struct tape_view_found *f,
    const struct tape_view_crowd *crowd, struct tape_err *err)
{
	struct shown *s = arg;

	digest(s, f);
	if (tape_view_line_tell(&s->as_text, f, crowd, err) != TAPE_OK ||
	    tape_view_line_tell(&s->as_json, f, crowd, err) != TAPE_OK)
		abort();
	return TAPE_OK;
}

static void
check_text(const struct tape_buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if ((unsigned char)b->data[i] < 0x20 && b->data[i] != '\n')
			abort();
}

static void
check_json(const struct tape_buf *b)
{
	const char *p = b->data, *const end = p + b->len, *lf;
	struct tape_json r;
	struct tape_json_token tok;

	tape_json_init(&r);
	for (; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (lf == NULL)
			abort();
		tape_json_open(&r, p, (size_t)(lf - p), TAPE_JSON_OURS);
		do
			if (tape_json_next(&r, &tok, NULL) != TAPE_OK)
				abort();
		while (tok.type != TAPE_JSON_END);
	}
	tape_json_release(&r);
}

static struct tape_out *
out_to(struct tape_buf *b)
{
	struct tape_out *out;

	tape_buf_init(b, CAP);
	if (tape_out_open_buf(&out, b, NULL, NULL) != TAPE_OK)
		abort();
	return out;
}

static void
close_out(struct tape_out *out)
{
	if (tape_out_close(out, NULL) != TAPE_OK)
		abort();
}

static void
find(int fd, bool no_index, struct shown *s)
{
	const struct tape_view_want want = { .id = tape_str_of("r1"),
		.x = TAPE_ABSENT_I64,
		.run = TAPE_ABSENT_I64,
		.others = no_index };
	const struct tape_view_input in = { fd, "fuzz", no_index };
	struct tape_view_findings r;
	struct tape_err err = { 0 };
	struct tape_buf text, json;

	memset(s, 0, sizeof(*s));
	tape_view_text_init(&s->text, out_to(&text));
	tape_view_text_init(&s->json, out_to(&json));
	s->text.others = s->json.others = no_index;
	tape_view_line_init(&s->as_text, tape_view_to_text(&s->text));
	tape_view_line_init(&s->as_json, tape_view_to_json(&s->json));
	if (tape_view_find(&in, &want, (struct tape_view_sink){ show, s }, &r,
		&err) != TAPE_OK)
		abort();
	close_out(s->text.out);
	close_out(s->json.out);
	check_text(&text);
	check_json(&json);
	tape_view_line_release(&s->as_text);
	tape_view_line_release(&s->as_json);
	tape_view_text_release(&s->text);
	tape_view_text_release(&s->json);
	tape_buf_release(&text);
	tape_buf_release(&json);
}

/* Each of a is in b. */
static void
within(const struct shown *a, const struct shown *b)
{
	size_t k;

	if (b->n == 64)
		return;
	for (size_t i = 0; i < a->n; i++) {
		for (k = 0; k < b->n && b->found[k] != a->found[i]; k++)
			continue;
		if (k == b->n)
			abort();
	}
}

struct sums {
	struct tape_view_text text, json;
};

static enum tape_status
segment(void *arg, const struct tape_view_sum *s, struct tape_err *err)
{
	struct sums *w = arg;

	if (tape_view_sum_text(&w->text, s, err) != TAPE_OK ||
	    tape_view_sum_json(&w->json, s, err) != TAPE_OK)
		abort();
	return TAPE_OK;
}

static void
sum_up(const void *data, size_t size)
{
	struct sums w;
	struct tape_view_sum_result r;
	struct tape_err err = { 0 };
	struct tape_buf text, json;
	struct tape_in *in;

	tape_view_text_init(&w.text, out_to(&text));
	tape_view_text_init(&w.json, out_to(&json));
	if (tape_in_open_mem(&in, data, size, "fuzz", NULL) != TAPE_OK ||
	    tape_view_sum(in, (struct tape_view_sum_sink){ segment, &w }, &r,
		&err) != TAPE_OK)
		abort();
	close_out(w.text.out);
	close_out(w.json.out);
	check_text(&text);
	check_json(&json);
	tape_view_text_release(&w.text);
	tape_view_text_release(&w.json);
	tape_buf_release(&text);
	tape_buf_release(&json);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shown by_index, all;
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || tape_fdio_write(fd, data, size, NULL) != TAPE_OK ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	find(fd, true, &all);
	find(fd, false, &by_index);
	within(&all, &by_index);
	sum_up(data, size);
	(void)close(fd);
	return 0;
}
