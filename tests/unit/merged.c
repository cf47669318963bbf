/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/merged.h"

#include "unit/tap.h"

#define LATE (TAPE_MERGED_LATE_NS + 1)

static struct tape_flight_read reads[8];
static struct tape_piece piece;
static struct tape_merged m;

static void
begin(void)
{
	tape_buf_init(&piece.body, 4096);
	piece.reads = reads;
	piece.reads_n = 0;
	m = (struct tape_merged){ 0 };
}

static void
read_of(const char *text, int64_t lag_ns)
{
	reads[piece.reads_n++] = (struct tape_flight_read){ .lag_ns = lag_ns,
		.bytes = (int64_t)strlen(text) };
	(void)tape_buf_add_str(&piece.body, text);
}

static void
counts(int64_t events, int64_t several, int64_t behind, int64_t late,
    const char *what)
{
	tape_merged_count(&m, &piece);
	is_int(m.events, events, "%s: events", what);
	is_int(m.reads, several, "reads of several");
	is_int(m.behind, behind, "merged");
	is_int(m.late, late, "late");
	tape_buf_release(&piece.body);
	begin();
}

int
main(void)
{
	begin();
	counts(0, 0, 0, 0, "nothing");
	read_of("data: a\n\n", LATE);
	read_of("data: b\n\n", 5000);
	counts(2, 0, 0, 0, "one a read, late or not");
	read_of("data: a\n\ndata: b\n\ndata: c\n\n", 5000);
	counts(3, 1, 2, 0, "three that came together");
	read_of("data: a\n\ndata: b\n\ndata: c\n\n", LATE);
	read_of("data: d\n\n", LATE);
	counts(4, 1, 2, 2, "three that were read late");
	read_of("data: a\n\ndata: b\n\n", TAPE_MERGED_LATE_NS);
	counts(2, 1, 1, 0, "just in time");
	read_of("data: a\n\ndata: b\n\n", -1);
	counts(2, 1, 1, 0, "no kernel time");
	read_of("data: a\r\n\r\ndata: b\r\n\r\n", LATE);
	counts(2, 1, 1, 1, "CR LF");
	read_of("\r\n\r\n", LATE);
	counts(1, 0, 0, 0, "CR LF at the beginning");
	read_of("data: a\n", LATE);
	read_of("\ndata: b", LATE);
	read_of("\n\n", LATE);
	counts(2, 0, 0, 0, "split among reads");
	read_of("data: a\ndata: b\n\ndata: c\n", LATE);
	counts(1, 0, 0, 0, "lines are no events");
	read_of("{\"a\":\r\n1}", LATE);
	counts(0, 0, 0, 0, "nor is JSON");
	read_of("data: a\n\n", 0);
	reads[0].bytes = 100;
	counts(0, 0, 0, 0, "reads beyond the body are not looked at");
	return done_testing();
}
