/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * offline: the profile that TensorRT Edge-LLM's llm_inference writes with
 * --dumpProfile --profileOutputFile.
 *
 * A JSON object with an object for each phase that ran.  Of these are taken
 *
 *	prefill		total_runs, reused_tokens, computed_tokens,
 *			pruned_tokens, tokens_per_second
 *	generation	total_runs, generated_tokens, tokens_per_second
 *	mtp_generation, eagle_generation, spec_decode_generation
 *			total_runs, total_iterations, total_generated_tokens,
 *			average_accept_length, acceptance_rate,
 *			overall_tokens_per_second_excluding_base_prefill
 *
 * and peak_gpu_memory_bytes and peak_cpu_memory_bytes; other names are passed
 * over.  A run is a batch.  Requests of the engine's own warm-up are not in it.
 * generated_tokens leaves out, by the engine's version, the first token of each
 * answer, which the prefill makes.
 */
#ifndef TAPE_ENGINE_OFFLINE_H
#define TAPE_ENGINE_OFFLINE_H

#include "base/err.h"
#include "base/span.h"

#define TAPE_OFFLINE_BYTES ((size_t)64 << 20)

struct tape_offline_phase {
	int64_t runs; /* TAPE_ABSENT_I64: the phase did not run */
	int64_t reused_tokens, computed_tokens, pruned_tokens;
	int64_t generated_tokens, iterations;
	double tokens_per_s;
	double accept_length, accept_ratio;
};

struct tape_offline {
	struct tape_offline_phase prefill;
	struct tape_offline_phase plain; /* generation */
	struct tape_offline_phase draft; /* with speculation */
	const char *draft_name;          /* its name; NULL: none */
	int64_t peak_gpu_bytes, peak_cpu_bytes;
};

/* Reads a text of that name.  TAPE_E_FORMAT with the line: no JSON, a value of
   the wrong type or below 0, no phase of an LLM. */
enum tape_status tape_offline_parse(struct tape_offline *out,
    struct tape_str text, const char *name,
    struct tape_err *err) TAPE_NODISCARD;

/* The same of a file. */
enum tape_status tape_offline_read(struct tape_offline *out, const char *path,
    struct tape_err *err) TAPE_NODISCARD;

#endif
