/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_index: any bytes as an index frame.  They are tried as they are, and
 * with lengths and sum set right, so that rows are reached.  What is read,
 * built again and read again must be the same; and memory is bounded by the
 * frame.
 */
#include "codec/stream_index.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
put_u32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i & 0xff);
}

static void
mend(char *p, size_t len)
{
	put_u32(p, TAPE_INDEX_MAGIC);
	put_u32(p + 4, (uint32_t)(len - 8));
	put_u32(p + len - 4, (uint32_t)len);
	put_u32(p + len - 8, tape_index_hash(p, len - 8));
}

/* Gathers the rows anew; how the frame ended. */
static enum tape_status
gather(struct tape_index_scan *scan, struct tape_index_rows *rows)
{
	struct tape_index_entry e;
	struct tape_err err = { 0 };
	enum tape_status st;

	while ((st = tape_index_next(scan, &e, &err)) == TAPE_OK)
		if (tape_index_rows_add(rows, &e) != TAPE_OK)
			abort();
	if (st < 0 && err.status != st)
		abort();
	return st;
}

static void
try(const char *p, size_t len)
{
	struct tape_index head, again;
	struct tape_index_scan scan;
	struct tape_index_rows rows, second;
	struct tape_buf b;

	if (tape_index_parse(p, len, &head, &scan, NULL) != TAPE_OK)
		return;
	tape_index_rows_init(&rows);
	tape_index_rows_init(&second);
	tape_buf_init(&b, TAPE_INDEX_MAX_BYTES);
	if (gather(&scan, &rows) == TAPE_EOF) {
		if (tape_index_build(&head, &rows, &b) != TAPE_OK ||
		    tape_index_tail(b.data + b.len - 4) != b.len ||
		    tape_index_parse(b.data, b.len, &again, &scan, NULL) !=
			TAPE_OK ||
		    memcmp(&head, &again, sizeof(head)) != 0 ||
		    gather(&scan, &second) != TAPE_EOF ||
		    rows.bytes.len != second.bytes.len ||
		    memcmp(rows.bytes.data, second.bytes.data,
			rows.bytes.len) != 0)
			abort();
	}
	tape_buf_release(&b);
	tape_index_rows_release(&rows);
	tape_index_rows_release(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy;

	try((const char *)data, size);
	if (size < TAPE_INDEX_MIN_BYTES || size > TAPE_INDEX_MAX_BYTES)
		return 0;
	copy = malloc(size);
	if (copy == NULL)
		abort();
	memcpy(copy, data, size);
	mend(copy, size);
	try(copy, size);
	free(copy);
	return 0;
}
