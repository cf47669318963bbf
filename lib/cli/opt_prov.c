/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "base/redact.h"
#include "base/url.h"
#include "cli/opt_table.h"

#define TEXT_CAP ((size_t)4 << 20) /* above the kernel's limit on argv */

/* Length of "NAME=" in front of a URL, or 0. */
static size_t
label_span(const char *value)
{
	size_t n = strcspn(value, "=:/?#@");

	return n > 0 && value[n] == '=' ? n + 1 : 0;
}

enum tape_status
tape_opt_redact(
    const char *value, enum tape_opt_secrecy secrecy, struct tape_buf *out)
{
	size_t label;

	switch (secrecy) {
	case TAPE_OPT_PLAIN:
		return tape_buf_add_str(out, value);
	case TAPE_OPT_URL:
		label = label_span(value);
		(void)tape_buf_add(out, value, label);
		return tape_url_redact(value + label, out);
	case TAPE_OPT_HEADER:
		return tape_redact_header(tape_str_of(value), out);
	case TAPE_OPT_TEXT:
		return tape_redact_text(tape_str_of(value), out);
	case TAPE_OPT_SECRET:
		break;
	}
	return tape_buf_add_str(out, TAPE_REDACT_MARK);
}

/* Each string ends with its NUL; returns how many there are. */
static size_t
add_all(const struct tape_opt_result *r, struct tape_buf *b)
{
	size_t n = 1;

	(void)tape_buf_add_str(b, r->spec->tool);
	(void)tape_buf_add_char(b, '\0');
	for (size_t i = 0; i < r->given_count; i++) {
		const struct tape_opt_given *g = &r->given[i];

		(void)tape_buf_add_fmt(b, "--%s", g->option->name);
		n++;
		if (g->value != NULL) {
			bool maybe = g->option->type == TAPE_OPT_MAYBE;

			(void)tape_buf_add_char(b, maybe ? '=' : '\0');
			(void)tape_opt_redact(g->value, g->option->secrecy, b);
			n += !maybe;
		}
		(void)tape_buf_add_char(b, '\0');
	}
	for (size_t i = 0; i < r->operand_count; i++) {
		const char *o = r->operands[i];

		if (i == 0 && o[0] == '-' && o[1] != '\0') {
			(void)tape_buf_add(b, "--", 3);
			n++;
		}
		(void)tape_opt_redact(o, r->spec->operand_secrecy, b);
		(void)tape_buf_add_char(b, '\0');
		n++;
	}
	return n;
}

enum tape_status
tape_opt_provenance(const struct tape_opt_result *r, struct tape_opt_argv *a,
    struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;
	const char *s;

	*a = (struct tape_opt_argv){ 0 };
	tape_buf_init(&b, TEXT_CAP);
	size_t n = add_all(r, &b);
	st = tape_buf_status(&b, err);
	if (st != TAPE_OK) {
		tape_buf_release(&b);
		return st;
	}
	a->v = tape_mem_calloc(n, sizeof(*a->v));
	if (a->v == NULL) {
		tape_buf_release(&b);
		return tape_err_nomem(err);
	}
	s = a->text = tape_buf_detach(&b, NULL);
	for (a->n = 0; a->n < n; a->n++) {
		a->v[a->n] = s;
		s += strlen(s) + 1;
	}
	return TAPE_OK;
}

void
tape_opt_argv_release(struct tape_opt_argv *a)
{
	tape_mem_free(a->v);
	tape_mem_free(a->text);
	*a = (struct tape_opt_argv){ 0 };
}
