/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edge_llm: a trace as the input file of TensorRT Edge-LLM's llm_inference:
 *
 *	{"batch_size":1,"temperature":0,"max_generate_length":128,"requests":[
 *	{"messages":[{"role":"user","content":"..."}]},
 *	...
 *	]}
 *
 * Messages are what trace-replay sends to /v1/chat/completions, made by the same
 * code.  The length of outputs, temperature, top_p and top_k are one for all
 * requests there, so they have to be in the trace; what no request has is left
 * out, and is the engine's default.  stop and logit_bias go with each request.
 *
 * Refused, with the request's id: token ids, whole bodies, parts of messages that
 * are no text, and members of messages and params that the file does not know,
 * as any of them would be other work.  params that say nothing about the answer
 * (stream, stream_options, model, user, n of 1) are left out.  Times, sessions,
 * delays and labels have no place there: requests run in the order of the trace.
 */
#ifndef TAPE_ENGINE_EDGE_LLM_H
#define TAPE_ENGINE_EDGE_LLM_H

#include "api/prompt.h"
#include "base/buf.h"
#include "codec/json.h"
#include "codec/stream_out.h"
#include "record/reader.h"

/* What has to be the same in all requests: temperature, top_p, top_k. */
#define TAPE_EDGE_LLM_SHARED 3

struct tape_edge_llm {
	struct tape_vocab_set vocabs;
	struct tape_buf body; /* of a request in chat's dialect */
	struct tape_buf own;  /* members of the request in hand */
	struct tape_json json;
	uint64_t n;
	/* Of the first request, and its id. */
	struct tape_buf shared[TAPE_EDGE_LLM_SHARED]; /* empty: none */
	struct tape_buf length; /* of the output; empty: none */
	struct tape_buf first;
};

void tape_edge_llm_init(struct tape_edge_llm *e);
void tape_edge_llm_release(struct tape_edge_llm *e);

/*
 * Appends what a record of a trace adds to the file; records other than vocab
 * and request add nothing.  TAPE_E_FORMAT, TAPE_E_USAGE with the id: the file
 * cannot hold it.
 */
enum tape_status tape_edge_llm_put(struct tape_edge_llm *e,
    const struct tape_record *rec, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

/* The whole file from a trace, whose place is in the failure.  TAPE_E_FORMAT
   also when there is no request. */
enum tape_status tape_edge_llm_write(struct tape_reader *in,
    struct tape_out *to, struct tape_err *err) TAPE_NODISCARD;

#endif
