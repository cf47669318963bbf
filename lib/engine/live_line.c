/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A live stream for people and as records. */
#include "base/num.h"
#include "base/utf8.h"
#include "codec/stat_quantile.h"
#include "engine/live.h"
#include "record/schema.h"

/* C0, DEL and C1: a terminal would obey them. */
static bool
is_control(const char *p, size_t len)
{
	const unsigned char c = (unsigned char)p[0];

	return c < 0x20 || c == 0x7f ||
	       (len == 2 && c == 0xc2 && (unsigned char)p[1] < 0xa0);
}

static void
add_shown(struct tape_buf *out, struct tape_str s, size_t width)
{
	size_t at = 0, n;

	for (size_t col = 0; at<s.len; col++, at += n> 0 ? n : 1) {
		n = tape_utf8_char(s.p + at, s.len - at);
		if (col == width) {
			(void)tape_buf_add_str(out, "...");
			return;
		}
		if (n > 0 && !is_control(s.p + at, n))
			(void)tape_buf_add(out, s.p + at, n);
		else if (s.p[at] == '\n')
			(void)tape_buf_add_str(out, "\\n");
		else
			(void)tape_buf_add_char(out, '?');
	}
}

enum tape_status
tape_live_line(const struct tape_live_row *row, int64_t first_ns,
    int64_t prev_ns, size_t width, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(
	    out, "%12.3f", (double)(row->t_ns - first_ns) / 1e6);
	if (prev_ns == INT64_MIN)
		(void)tape_buf_add_fmt(out, " %10s", "-");
	else
		(void)tape_buf_add_fmt(
		    out, " %10.3f", (double)(row->t_ns - prev_ns) / 1e6);
	(void)tape_buf_add_fmt(
	    out, "%c %c", row->merged ? 'm' : ' ', row->class);
	if (row->show.len > 0) {
		(void)tape_buf_add_str(out, "  ");
		add_shown(out, row->show, width);
	}
	return tape_buf_add_char(out, '\n');
}

enum tape_status
tape_live_sums(const struct tape_live *l, struct tape_buf *out)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = { { "p50", 0.5 }, { "p99", 0.99 }, { "max", 1 } };
	char text[TAPE_NUM_TEXT];

	(void)tape_buf_add_fmt(out, "%lld events, %lld with tokens",
	    (long long)l->events, (long long)l->token_events);
	for (size_t i = 0; i < 3 && l->gaps > 0; i++)
		(void)tape_buf_add_fmt(out, "%s %s %s", i == 0 ? "; gap" : ",",
		    quantiles[i].name,
		    tape_num_print_duration(
			tape_stat_quantile(l->gaps_ns, l->gaps, quantiles[i].q),
			text));
	return out->status;
}

/* Appends what can stand in a record; the span is good until the buffer
   grows. */
static struct tape_str
add_clean(struct tape_buf *out, struct tape_str s)
{
	const size_t at = out->len;
	const char *nul;

	while (s.len > 0 && (nul = memchr(s.p, '\0', s.len)) != NULL) {
		(void)tape_utf8_repair(out, s.p, (size_t)(nul - s.p));
		(void)tape_buf_add_str(out, "\xef\xbf\xbd");
		s.len -= (size_t)(nul + 1 - s.p);
		s.p = nul + 1;
	}
	(void)tape_utf8_repair(out, s.p, s.len);
	return tape_str_make(out->data + at, out->len - at);
}

enum tape_status
tape_live_record(const struct tape_live_row *row, bool text,
    struct tape_buf *scratch, struct tape_live_event *out, struct tape_err *err)
{
	tape_schema_init(TAPE_KIND_EVENT, out);
	tape_buf_clear(scratch);
	/* Three bytes for one at most, so that nothing moves. */
	(void)tape_buf_reserve(
	    scratch, 3 * (row->type.len + row->data.len) + 1);
	out->seq = row->seq;
	out->t_ns = row->t_ns;
	out->clk = tape_str_of(row->merged ? "m" : "u");
	out->bytes = row->bytes;
	if (row->type.len > 0)
		out->type = add_clean(scratch, row->type);
	out->class = tape_str_make(&row->class, 1);
	out->text_bytes = row->text_bytes;
	if (text)
		out->data = add_clean(scratch, row->data);
	return tape_buf_status(scratch, err);
}
