/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds llmtape-stream(5) and the table of schema.c together. */
#include "record/schema.h"

#include "base/buf.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

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
	}
	tape_mem_free(page);
	return done_testing();
}
