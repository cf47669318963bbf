/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds llmtape-stream(5) and the table of schema.c together. */
#include "record/schema.h"

#include "base/buf.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "record/fields.h"
#include "unit/tap.h"

#include <stdalign.h>

#define PAGE "man/llmtape-stream.5"

/* What the table says of one kind, written as the page writes it. */
static void
describe(const struct tape_field *f, const char *prefix, struct tape_buf *out)
{
	for (; f->name != NULL; f++) {
		char name[128];

		if (f->type == TAPE_FIELD_INLINE) {
			(void)tape_buf_add_str(
			    out, ".It Em fields of a transfer\n");
			continue;
		}
		(void)snprintf(name, sizeof(name), "%s%s", prefix, f->name);
		(void)tape_buf_add_fmt(out, ".It Va %s Pq %s%s\n", name,
		    tape_field_type_name(f->type),
		    f->required ? " , Cm required" : "");
		if (f->type == TAPE_FIELD_OBJECT) {
			(void)snprintf(
			    name, sizeof(name), "%s%s.", prefix, f->name);
			describe(f->sub, name, out);
		}
	}
}

/* The lines of the page that declare fields, of one subsection. */
static void
extract(const char *page, const char *section, struct tape_buf *out)
{
	char start[64];
	const char *p, *end;

	(void)snprintf(start, sizeof(start), "\n.Ss %s\n", section);
	p = strstr(page, start);
	if (p == NULL)
		return;
	p += strlen(start);
	while (*p != '\0' && strncmp(p, ".Ss", 3) != 0 &&
	       strncmp(p, ".Sh", 3) != 0) {
		end = strchr(p, '\n');
		if (end == NULL)
			break;
		if (strncmp(p, ".It Va", 6) == 0 ||
		    strncmp(p, ".It Em", 6) == 0)
			(void)tape_buf_add(out, p, (size_t)(end - p) + 1);
		p = end + 1;
	}
}

static const struct tape_field *
transfer_fields(void)
{
	return tape_schema_table[TAPE_KIND_EXCHANGE].fields[0].sub;
}

static void
compare(const char *page, const char *section, const struct tape_field *fields)
{
	struct tape_buf want, got;

	tape_buf_init(&want, 1 << 16);
	tape_buf_init(&got, 1 << 16);
	describe(fields, "", &want);
	extract(page, section, &got);
	ok(want.len > 0 && got.len > 0, "%s stands in table and page", section);
	is_str(got.data, want.data, "%s is the same in both", section);
	tape_buf_release(&want);
	tape_buf_release(&got);
}

/* Every format that a kind occurs in is named in its subsection. */
static void
compare_formats(const char *page, int kind)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	char start[64], text[1024];
	const char *p, *end;

	(void)snprintf(start, sizeof(start), "\n.Ss %s\n", s->kind);
	p = strstr(page, start);
	end = p == NULL ? NULL : strstr(p, "\n.Bl");
	if (!ok(end != NULL, "%s has a list of fields", s->kind))
		return;
	(void)snprintf(text, sizeof(text), "%.*s", (int)(end - p), p);
	for (unsigned f = TAPE_FORMAT_TRACE; f <= TAPE_FORMAT_REPORT; f <<= 1) {
		const char *name = tape_format_name((enum tape_format)f);
		bool said = strstr(text, name) != NULL ||
			    strstr(text, "In every stream.") != NULL;

		ok(said == ((s->formats & f) != 0), "%s in %s: page and table",
		    s->kind, name);
	}
}

static size_t
size_of(enum tape_field_type type)
{
	switch (type) {
	case TAPE_FIELD_STR:
	case TAPE_FIELD_JSON_OBJECT:
	case TAPE_FIELD_JSON_ARRAY:
		return sizeof(struct tape_str);
	case TAPE_FIELD_I64:
		return sizeof(int64_t);
	case TAPE_FIELD_F64:
		return sizeof(double);
	case TAPE_FIELD_BOOL:
		return sizeof(int8_t);
	case TAPE_FIELD_STRS:
		return sizeof(struct tape_strs);
	case TAPE_FIELD_I64S:
		return sizeof(struct tape_i64s);
	case TAPE_FIELD_F64S:
		return sizeof(struct tape_f64s);
	case TAPE_FIELD_OBJECT:
	case TAPE_FIELD_INLINE:
		break;
	}
	return 0;
}

/* Marks the bytes of the struct that the table speaks of; false when it speaks
   of one twice, or of one outside. */
static bool
cover(const struct tape_field *f, size_t at, unsigned char *seen, size_t size)
{
	bool right = true;

	for (; f->name != NULL; f++) {
		size_t from = at + f->offset, n = size_of(f->type);

		if (f->sub != NULL)
			right = cover(f->sub, from, seen, size) && right;
		for (size_t i = from; i < from + n; i++)
			right = right && i < size && seen[i]++ == 0;
	}
	return right;
}

/* Every member of the struct stands in the table: what is left is padding, of
   less than a member's alignment.  Part and exchange share a struct. */
static void
check_cover(int kind)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	unsigned char seen[2048] = { 0 };
	size_t gap = 0, widest = 0;

	if (!ok(s->size <= sizeof(seen), "%s fits", s->kind))
		return;
	ok(cover(s->fields, 0, seen, s->size), "%s: each byte at most once",
	    s->kind);
	for (size_t i = 0; i < s->size; i++) {
		gap = seen[i] != 0 ? 0 : gap + 1;
		widest = gap > widest ? gap : widest;
	}
	ok(widest < 8 || kind == TAPE_KIND_PART || kind == TAPE_KIND_EXCHANGE,
	    "%s: each member of the struct stands in the table", s->kind);
}

/* No name twice in one object, inline fields included. */
static bool
is_unique(const struct tape_field *all, const char *name, int *times)
{
	for (const struct tape_field *f = all; f->name != NULL; f++) {
		if (f->type == TAPE_FIELD_INLINE)
			(void)is_unique(f->sub, name, times);
		else
			*times += strcmp(f->name, name) == 0;
	}
	return *times == 1;
}

static void
check_names(const struct tape_field *all, const struct tape_field *f)
{
	for (; f->name != NULL; f++) {
		int times = 0;

		if (f->name_len != strlen(f->name))
			ok(false, "length of the name %s", f->name);
		if (f->type != TAPE_FIELD_INLINE &&
		    !is_unique(all, f->name, &times))
			ok(false, "%s stands there %d times", f->name, times);
		if (f->type == TAPE_FIELD_INLINE)
			check_names(all, f->sub);
		else if (f->sub != NULL)
			check_names(f->sub, f->sub);
		if ((f->sub != NULL) != (f->type == TAPE_FIELD_OBJECT ||
					    f->type == TAPE_FIELD_INLINE))
			ok(false, "%s: fields belong to objects", f->name);
	}
}

/* All of a kind is absent after init, whatever was there before. */
static void
check_init(int kind)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	alignas(max_align_t) unsigned char record[2048];
	bool absent = true;

	memset(record, 0x5a, sizeof(record));
	tape_schema_init((enum tape_kind)kind, record);
	for (const struct tape_field *f = s->fields; f->name != NULL; f++)
		absent = absent && tape_field_absent(f, record + f->offset);
	ok(absent, "%s: nothing is there after init", s->kind);
	is_int(record[s->size], 0x5a, "and nothing behind it was touched");
}

static void
test_names(void)
{
	for (int k = 0; k < TAPE_KIND_COUNT; k++) {
		const char *kind = tape_schema_table[k].kind;

		is_int(
		    tape_kind_find(tape_str_of(kind)), k, "%s is found", kind);
	}
	is_int(tape_kind_find(tape_str_of("exchang")), -1, "another is not");
	is_int(tape_kind_find(tape_str_of("")), -1, "nor is none");
	for (unsigned f = TAPE_FORMAT_TRACE; f <= TAPE_FORMAT_REPORT; f <<= 1)
		is_int(tape_format_find(
			   tape_str_of(tape_format_name((enum tape_format)f))),
		    f, "format %u is found", f);
	is_int(tape_format_find(tape_str_of("llmtape")), 0, "another is not");
	is_str(tape_format_name((enum tape_format)64), "unknown", "or named");
	is_str(tape_format_maker((enum tape_format)64), "unknown", "or made");
}

int
main(void)
{
	struct tape_err err = { 0 };
	char *page = NULL;
	size_t len;

	if (!ok(tape_fdio_slurp(PAGE, 1 << 20, &page, &len, &err) == TAPE_OK,
		"read " PAGE))
		return done_testing();
	compare(page, "Fields of a transfer", transfer_fields());
	for (int k = 0; k < TAPE_KIND_COUNT; k++) {
		compare(page, tape_schema_table[k].kind,
		    tape_schema_table[k].fields);
		compare_formats(page, k);
		check_cover(k);
		check_init(k);
		check_names(
		    tape_schema_table[k].fields, tape_schema_table[k].fields);
	}
	test_names();
	tape_mem_free(page);
	return done_testing();
}
