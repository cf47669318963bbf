/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mooncake's traces (FAST'25 release): timestamp, input_length, output_length
 * and hash_ids, 512 tokens a block.  The ids of a prompt cover it, the last
 * block may be partial: there are ceil(input_length / block size) of them in
 * every row of the published files.  session_id and delay, which relatives of
 * the format have, are honoured.
 */
#include "engine/import_json.h"

#include <inttypes.h>

#define BLOCK_SIZE 512

static enum tape_status
check_row(const struct tape_import_row *row, int64_t size, struct tape_err *err)
{
	int64_t blocks;

	if (row->text.p != NULL || row->messages.p != NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "row has a prompt of its own: see --from prompts");
	if (row->input_tokens == TAPE_ABSENT_I64)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "row lacks \"input_length\"");
	if (row->output_tokens == TAPE_ABSENT_I64)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "row lacks \"output_length\"");
	if (row->ids.v == NULL)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "row lacks \"hash_ids\"");
	if (row->input_tokens == 0)
		return tape_err_set(err, TAPE_E_FORMAT, "prompt of no tokens");
	blocks = (row->input_tokens + size - 1) / size;
	if (blocks != (int64_t)row->ids.n)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%zu hash_ids for %" PRId64 " tokens: blocks of %" PRId64
		    " tokens would be %" PRId64 " (see --block-size)",
		    row->ids.n, row->input_tokens, size, blocks);
	return TAPE_OK;
}

static enum tape_status
put_row(const struct tape_import_row *row, struct tape_gen *g, int64_t size,
    struct tape_import_state *state, struct tape_err *err)
{
	struct tape_request r;
	enum tape_status st;

	st = check_row(row, size, err);
	if (st != TAPE_OK)
		return st;
	tape_schema_init(TAPE_KIND_REQUEST, &r);
	st = tape_gen_blocks(g, &r, size, row->ids, row->input_tokens, err);
	return st == TAPE_OK ? tape_import_json_put(row, g, state, &r, err)
			     : st;
}

enum tape_status
tape_import_mooncake(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err)
{
	int64_t size = opts->block_size > 0 ? opts->block_size : BLOCK_SIZE;
	struct tape_import_json j;
	struct tape_import_row row;
	enum tape_status st;

	tape_import_json_init(&j);
	do {
		st = tape_import_json_row(&j, in, &row, err);
		if (st == TAPE_OK)
			st = put_row(&row, g, size, state, err);
	} while (st == TAPE_OK);
	tape_import_json_release(&j);
	return st;
}
