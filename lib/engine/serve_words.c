/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_words.h"

#include "base/dec.h"
#include "base/mem.h"
#include "engine/gen.h"

#define RANK_SHIFT   3.7  /* Mandelbrot's 2.7, of ranks from 0 */
#define STRIDE       1597 /* a prime: goes through all of the vocabulary */
#define SENTENCE_MIN 6
#define SENTENCE_VAR 20
#define NUMBERS      2000
/* An answer comes back to its subject: of the words that are not common, every
   other one is of so few. */
#define SUBJECT_FROM  100 /* ranks below are common */
#define SUBJECT_WORDS 64
/* Of so many words, this many are ... */
#define OF_WORDS   240
#define FOREIGN    2
#define NUMERIC    4
#define POSSESSIVE 4
#define QUOTED     3
#define WITH_COMMA 20
#define OF_ENDS    16 /* and of so many ends of sentences */
#define PARAGRAPHS 3

#define ADD(b, literal)                                                        \
 ((void)tape_buf_add((b), (literal), sizeof(literal) - 1))

/* The commonest words of English, in their order; those that are not in the
   vocabulary are left out. */
static const char *const common[] = { "the", "of", "and", "to", "in", "is",
	"that", "for", "it", "was", "on", "with", "as", "be", "at", "by",
	"this", "have", "from", "or", "had", "not", "are", "but", "what", "all",
	"were", "when", "we", "there", "can", "an", "your", "which", "their",
	"said", "if", "do", "will", "each", "about", "how", "up", "out", "them",
	"then", "she", "many", "some", "so", "these", "would", "other", "into",
	"has", "more", "her", "two", "like", "him", "see", "time", "could",
	"no", "make", "than", "first", "been", "its", "who", "now", "people",
	"my", "made", "over", "did", "down", "only", "way", "find", "use",
	"may", "long", "little", "very", "after", "just", "where", "most",
	"know" };

/* UTF-8 of two, three and four bytes a character. */
static const char *const foreign[] = { "caf\xc3\xa9", "na\xc3\xafve",
	"Z\xc3\xbcrich", "fa\303\247ade", "jalape\xc3\xb1o",
	"\xce\xbc\xce\xb5\xcf\x84\xce\xac", "\xd1\x80\xd0\xb5\xd0\xba\xd0\xb0",
	"\xe6\x9d\xb1\xe4\xba\xac", "10\xe2\x82\xac", "\xf0\x9f\x98\x80" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Those of common[] first, then all others in an order without sense. */
static size_t
rank_words(struct tape_serve_words *w, bool *taken)
{
	const struct tape_strs *words = &w->vocab.words;
	size_t i, j, n = 0;

	for (i = 0; i < COUNT(common); i++)
		for (j = 0; j < words->n; j++)
			if (!taken[j] && tape_str_is(words->v[j], common[i])) {
				taken[j] = true;
				w->ranked[n++] = (uint32_t)j;
				break;
			}
	for (i = 0; i < words->n; i++) {
		j = i * STRIDE % words->n;
		if (!taken[j]) {
			taken[j] = true;
			w->ranked[n++] = (uint32_t)j;
		}
	}
	return n;
}

static void
weigh_ranks(struct tape_serve_words *w)
{
	size_t i, n = w->vocab.words.n;
	double sum = 0, part = 0;

	for (i = 0; i < n; i++)
		sum += 1 / ((double)i + RANK_SHIFT);
	for (i = 0; i < n; i++) {
		part += 1 / ((double)i + RANK_SHIFT);
		w->upto[i] = i + 1 < n ? (uint32_t)(part / sum * 4294967295.0)
				       : UINT32_MAX;
	}
}

enum tape_status
tape_serve_words_open(struct tape_serve_words *w, enum tape_serve_style style,
    struct tape_err *err)
{
	bool *taken;
	size_t n;

	*w = (struct tape_serve_words){ .style = style };
	tape_gen_vocab(&w->vocab);
	if (style == TAPE_SERVE_WORDS)
		return TAPE_OK;
	n = w->vocab.words.n;
	taken = tape_mem_calloc(n, sizeof(*taken));
	w->ranked = tape_mem_calloc(n, sizeof(*w->ranked));
	w->upto = tape_mem_calloc(n, sizeof(*w->upto));
	if (taken == NULL || w->ranked == NULL || w->upto == NULL) {
		tape_mem_free(taken);
		return tape_err_nomem(err);
	}
	n = rank_words(w, taken);
	tape_mem_free(taken);
	if (n != w->vocab.words.n)
		return tape_err_set(err, TAPE_E_BUG, "words without a rank");
	weigh_ranks(w);
	return TAPE_OK;
}

void
tape_serve_words_release(struct tape_serve_words *w)
{
	tape_mem_free(w->ranked);
	tape_mem_free(w->upto);
	w->ranked = w->upto = NULL;
}

static void
add_str(struct tape_buf *b, struct tape_str s)
{
	(void)tape_buf_add(b, s.p, s.len);
}

/* ---- words ---- */

static struct tape_str
plain_word(const struct tape_vocab *v, uint32_t draw, bool first)
{
	if (first)
		return v->words
		    .v[v->first.v[tape_rng_mulhi(draw, (uint32_t)v->first.n)]];
	return v->words.v[tape_rng_mulhi(draw, (uint32_t)v->words.n)];
}

/* ---- prose ---- */

/* The first rank whose share goes up to the draw, or one of the subject's. */
static struct tape_str
ranked_word(const struct tape_serve_words *w, const struct tape_serve_voice *v,
    uint32_t draw)
{
	uint32_t pick = draw >> 1;
	size_t low = 0, high = w->vocab.words.n - 1, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (w->upto[mid] < draw)
			low = mid + 1;
		else
			high = mid;
	}
	if (low >= SUBJECT_FROM && (draw & 1) != 0)
		low = SUBJECT_FROM +
		      (v->subject + STRIDE * (pick % SUBJECT_WORDS)) %
			  (w->vocab.words.n - SUBJECT_FROM);
	return w->vocab.words.v[w->ranked[low]];
}

static void
add_number(struct tape_buf *b, uint32_t draw)
{
	char digits[TAPE_DEC_TEXT];

	(void)tape_buf_add(b, digits,
	    tape_dec_put_u64(1 + tape_rng_mulhi(draw, NUMBERS), digits));
}

static void
add_capital(struct tape_buf *b, struct tape_str word)
{
	char c = word.p[0];

	(void)tape_buf_add_char(
	    b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
	(void)tape_buf_add(b, word.p + 1, word.len - 1);
}

/* One word with what clings to it; form decides what it looks like. */
static void
add_word(const struct tape_serve_words *w, struct tape_serve_voice *v,
    struct tape_buf *b, uint32_t form, bool start)
{
	uint32_t draw = tape_rng_u32(&v->rng);

	if (form < FOREIGN) {
		(void)tape_buf_add_str(
		    b, foreign[tape_rng_mulhi(draw, COUNT(foreign))]);
		return;
	}
	form -= FOREIGN;
	if (form < NUMERIC) {
		add_number(b, draw);
		return;
	}
	form -= NUMERIC;
	if (start) {
		add_capital(b, ranked_word(w, v, draw));
		return;
	}
	if (form < QUOTED) {
		ADD(b, "\xe2\x80\x9c");
		add_str(b, ranked_word(w, v, draw));
		ADD(b, "\xe2\x80\x9d");
		return;
	}
	add_str(b, ranked_word(w, v, draw));
	form -= QUOTED;
	if (form < POSSESSIVE)
		ADD(b, "\xe2\x80\x99s");
	else if (form < POSSESSIVE + WITH_COMMA && v->left > 1)
		ADD(b, ",");
}

static void
end_sentence(struct tape_serve_voice *v, struct tape_buf *b)
{
	uint32_t draw = tape_rng_mulhi(tape_rng_u32(&v->rng), OF_ENDS);

	v->paragraph = draw < PARAGRAPHS;
	if (draw == OF_ENDS - 1)
		ADD(b, "?");
	else if (draw == OF_ENDS - 2)
		ADD(b, "!");
	else
		ADD(b, ".");
}

static void
say_prose(const struct tape_serve_words *w, struct tape_serve_voice *v,
    struct tape_buf *b)
{
	bool start = v->left == 0;

	if (v->said == 0)
		v->subject = tape_rng_mulhi(
		    tape_rng_u32(&v->rng), (uint32_t)w->vocab.words.n);
	if (v->said > 0 && start && v->paragraph)
		ADD(b, "\\n\\n");
	else if (v->said > 0)
		ADD(b, " ");
	if (start)
		v->left = SENTENCE_MIN +
			  tape_rng_mulhi(tape_rng_u32(&v->rng), SENTENCE_VAR);
	add_word(
	    w, v, b, tape_rng_mulhi(tape_rng_u32(&v->rng), OF_WORDS), start);
	if (--v->left == 0)
		end_sentence(v, b);
}

void
tape_serve_say(const struct tape_serve_words *w, struct tape_serve_voice *v,
    struct tape_buf *b)
{
	if (w->style == TAPE_SERVE_PROSE)
		say_prose(w, v, b);
	else {
		if (v->said > 0)
			ADD(b, " ");
		add_str(b,
		    plain_word(&w->vocab, tape_rng_u32(&v->rng), v->said == 0));
	}
	v->said++;
}
