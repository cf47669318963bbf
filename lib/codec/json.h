/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json: one pull reader for JSON text, with two readers behind it.
 *
 * tape_json_open starts the strict scanner, which needs no memory in steady
 * state.  tape_json_open_tree walks a cJSON tree as the same tokens: slower by
 * the factor of a tree, there where speed is nothing, and as the scanner's
 * oracle.  Neither looks at the locale, and the scanner does not recurse.
 *
 *	tape_json_init(&r);
 *	for each text {
 *		tape_json_open(&r, text, len, TAPE_JSON_OURS);
 *		st = tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, err);
 *		while (st == TAPE_OK) {
 *			st = tape_json_next(&r, &tok, err);
 *			if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
 *				break;
 *			if (tape_json_key_is(&tok, "t_ns") &&
 *			    tok.type == TAPE_JSON_INT)
 *				t_ns = tok.i64;
 *			else
 *				st = tape_json_skip(&r, NULL, NULL, err);
 *		}
 *		if (st == TAPE_OK)
 *			st = tape_json_end(&r, err);
 *	}
 *	tape_json_release(&r);
 *
 * Errors stick until the next open: TAPE_E_FORMAT with the byte offset (from
 * 0) and what is wrong there, TAPE_E_LIMIT for nesting over
 * TAPE_CAP_JSON_DEPTH or more than TAPE_CAP_JSON_KEYS keys in open objects of
 * mode ours, TAPE_E_NOMEM.  An error may come after tokens of the same text
 * have been handed out: nothing of a text is good before its END.
 */
#ifndef TAPE_CODEC_JSON_H
#define TAPE_CODEC_JSON_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum tape_json_mode {
	/*
	 * Our own records.  Besides what is not JSON, these are errors: a key
	 * twice in one object, a number without a finite double, NUL (also as
	 * \u0000), a lone surrogate escape.
	 */
	TAPE_JSON_OURS,
	/*
	 * What servers send.  All that RFC 8259 allows is kept: keys twice,
	 * \u0000, lone surrogates (as U+FFFD), numbers too large (clamped).
	 */
	TAPE_JSON_FOREIGN
};

enum tape_json_type {
	TAPE_JSON_END, /* of the text; repeats */
	TAPE_JSON_OBJECT,
	TAPE_JSON_OBJECT_END,
	TAPE_JSON_ARRAY,
	TAPE_JSON_ARRAY_END,
	TAPE_JSON_STRING,
	TAPE_JSON_INT,    /* no fraction, no exponent, fits int64, not -0 */
	TAPE_JSON_DOUBLE, /* any other number */
	TAPE_JSON_TRUE,
	TAPE_JSON_FALSE,
	TAPE_JSON_NULL
};

/*
 * One token.  Pointers are valid until the next call on the reader; a string
 * without escapes points into the text, others into the reader.  None is
 * NUL-terminated.
 */
struct tape_json_token {
	enum tape_json_type type;
	unsigned depth;  /* containers around the value; an end has the depth
	                    of its begin */
	const char *key; /* NULL but for a member of an object */
	size_t key_len;
	const char *str; /* STRING: unescaped, well-formed UTF-8 */
	size_t len;
	int64_t i64;     /* INT */
	double num;      /* INT and DOUBLE, finite */
	uint64_t u64;    /* DOUBLE: the exact value of an integer above
	                    INT64_MAX that fits, else 0 */
	bool clamped;    /* DOUBLE: too large; num is the largest double */
	const char *raw; /* the value's source text, for a begin only its
	                    bracket (see skip); NULL from a tree */
	size_t raw_len;
};

struct tape_json_tree; /* the walk over a cJSON tree */

/* A key of an open object, for the check for doubles. */
struct tape_json_key {
	uint64_t tag;  /* a digest of the bytes */
	const char *p; /* in the text, or NULL: in the arena */
	size_t arena;  /* offset there */
	size_t len;
	const char *at; /* where in the text */
};

#define TAPE_JSON_SEEN 4 /* words of bits of keys that an object has */

/* Private but for its size; callers keep it on the stack or in a struct. */
struct tape_json {
	const char *text, *p, *end;
	uint64_t nest; /* bit d: the container at depth d is an object */
	unsigned depth;
	unsigned char state;
	enum tape_json_mode mode;
	enum tape_json_type last;
	enum tape_status status;
	const char *last_raw;
	struct tape_buf key, str; /* unescaped */
	const char *what;         /* of the sticky error */
	size_t what_offset;
	struct tape_json_key *keys;
	size_t keys_len, keys_size;
	size_t first[TAPE_CAP_JSON_DEPTH]; /* first key of each open object */
	uint64_t seen[TAPE_CAP_JSON_DEPTH][TAPE_JSON_SEEN];
	struct tape_buf arena;       /* unescaped keys of open objects */
	struct tape_json_tree *tree; /* NULL: the scanner */
};

void tape_json_init(struct tape_json *r);
void tape_json_release(struct tape_json *r);

/*
 * Starts on a text, which must stay unchanged while it is read.  Cannot fail;
 * keeps the reader's memory from the text before.
 */
void tape_json_open(struct tape_json *r, const char *text, size_t len,
    enum tape_json_mode mode);

/*
 * The same over a cJSON tree, built at once: most errors come from here.  text
 * is not needed after it.  The tokens are the scanner's but for raw, which is
 * NULL; refused (TAPE_E_LIMIT) is what cJSON cannot hold: numbers of 64 bytes
 * or more, and in mode foreign \u0000 and lone surrogates.  TAPE_CAP_JSON_KEYS
 * does not count here.  Not for two threads at a time: cJSON keeps the place of
 * its last error in a static.
 */
enum tape_status tape_json_open_tree(struct tape_json *r, const char *text,
    size_t len, enum tape_json_mode mode, struct tape_err *err) TAPE_NODISCARD;

/* The next token.  After the value comes END, which also says that nothing
   but white space follows it. */
enum tape_status tape_json_next(struct tape_json *r,
    struct tape_json_token *tok, struct tape_err *err) TAPE_NODISCARD;

/*
 * Goes past the value whose token next returned last: of a begin, to behind
 * its end; of any other nothing is left to do.  What is passed over is checked
 * as strictly as what is read.  *raw and *len (may be NULL) are the value's
 * source text, in the text given to open; NULL and 0 from a tree.
 */
enum tape_status tape_json_skip(struct tape_json *r, const char **raw,
    size_t *len, struct tape_err *err) TAPE_NODISCARD;

/*
 * A short way through arrays of integers, from the token that begins one or is
 * an element of it: takes the elements that come next, at most max, while they
 * are of type INT, of up to 18 digits, and without white space around.  Returns
 * how many; what stopped it is left to next.  Does nothing on a tree.
 */
size_t tape_json_take_i64s(struct tape_json *r, int64_t *v, size_t max);

/*
 * From the token that begins an array: how many elements it has, where they are
 * strings, or numbers and words; elsewhere, and where the text is wrong, some
 * number.  0 from a tree.
 */
size_t tape_json_count(const struct tape_json *r);

/* next, and TAPE_E_FORMAT unless the token is of the type. */
enum tape_status tape_json_expect(struct tape_json *r, enum tape_json_type type,
    struct tape_json_token *tok, struct tape_err *err) TAPE_NODISCARD;

/* expect END, without the token. */
enum tape_status tape_json_end(
    struct tape_json *r, struct tape_err *err) TAPE_NODISCARD;

/* Byte offset of the token last returned, 0 from a tree. */
size_t tape_json_offset(const struct tape_json *r);

/* Byte offset of what is wrong, after a failure; 0 from a tree. */
static inline size_t
tape_json_stopped(const struct tape_json *r)
{
	return r->what_offset;
}

/* "object", "string", …, for messages. */
const char *tape_json_type_name(enum tape_json_type type);

static inline bool
tape_json_key_is(const struct tape_json_token *tok, const char *name)
{
	size_t n = strlen(name);

	return tok->key != NULL && tok->key_len == n &&
	       memcmp(tok->key, name, n) == 0;
}

/* True for a STRING of exactly that text. */
static inline bool
tape_json_str_is(const struct tape_json_token *tok, const char *text)
{
	size_t n = strlen(text);

	return tok->type == TAPE_JSON_STRING && tok->len == n &&
	       memcmp(tok->str, text, n) == 0;
}

#endif
