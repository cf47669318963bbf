/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of causes against llmtape-stream(5), and what is found in it. */
#include "engine/causes.h"

#include "unit/tap.h"

#define PAGE "man/llmtape-stream.5"

static char *
read_section(void)
{
	static char text[1 << 16];
	FILE *f = fopen(PAGE, "r");
	char line[1024];
	size_t n = 0;
	bool in = false;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, ".Sh", 3) == 0)
			in = strcmp(line, ".Sh ERROR CLASSES\n") == 0;
		if (in && n + strlen(line) < sizeof(text)) {
			memcpy(text + n, line, strlen(line));
			n += strlen(line);
		}
	}
	text[n] = '\0';
	if (f != NULL)
		(void)fclose(f);
	return text;
}

/* A word of the page, not a part of one. */
static bool
has_word(const char *text, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
	const size_t n = strlen(word);

	for (const char *p = strstr(text, word); p != NULL;
	     p = strstr(p + 1, word))
		if ((p == text || strchr(letters, p[-1]) == NULL) &&
		    (p[n] == '\0' || strchr(letters, p[n]) == NULL))
			return true;
	return false;
}

static void
test_page(void)
{
	const char *text = read_section();
	size_t n = 0;

	ok(text[0] != '\0', "the page has the section");
	for (const struct tape_cause *c; (c = tape_cause_at(n)) != NULL; n++) {
		ok(has_word(text, c->class), "class %s is in the page",
		    c->class);
		if (c->cause != NULL)
			ok(has_word(text, c->cause), "%s is in the page",
			    c->cause);
		ok(c->meaning[0] != '\0' && c->advice[0] != '\0',
		    "it says what it means, and what to do");
	}
	ok(n > 40, "there are many");
}

/* Each has one row: of two the second is never found. */
static void
test_once(void)
{
	const struct tape_cause *c;
	size_t n = 0;

	for (; (c = tape_cause_at(n)) != NULL; n++)
		if (tape_cause_find(tape_str_of(c->class),
			tape_str_of(c->cause != NULL ? c->cause : "?")) != c)
			ok(0, "%s %s is there twice", c->class, c->cause);
	ok(n > 40, "%zu rows, each once", n);
}

static void
is_found(const char *class, const char *cause, const char *want)
{
	const struct tape_cause *c =
	    tape_cause_find(tape_str_of(class), tape_str_of(cause));

	is_str(c == NULL ? "" : c->meaning, want, "%s %s", class,
	    cause == NULL ? "-" : cause);
}

static void
test_find(void)
{
	is_found(
	    "http", "queue-full", "more requests than batch and queue hold");
	is_found("http", "brand-new", "a status that is no success");
	is_found("reset", "rst",
	    "the connection was closed before the answer ended");
	is_found("lost", NULL, "the recording ends before the answer did");
	is_found("unfinished", "brand-new", "");
	is_found("nothing", NULL, "");
}

int
main(void)
{
	test_page();
	test_once();
	test_find();
	return done_testing();
}
