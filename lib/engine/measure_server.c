/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the server says itself of a request. */
#include "api/server_audio.h"
#include "api/server_drafts.h"
#include "api/server_times.h"
#include "engine/measure.h"

void
tape_measure_server(const struct tape_response *resp, struct tape_result *r)
{
	struct tape_server_times t;
	int64_t drafted, accepted;

	if (resp->server_timing.p == NULL && resp->usage.p == NULL)
		return;
	r->audio_ns = tape_server_audio_ns(resp->usage);
	tape_server_times_read(resp->server_timing, resp->usage, &t);
	r->server = (struct tape_server_said){ t.queue_ns, t.load_ns,
		t.prefill_ns, t.ttft_ns, t.decode_ns, t.total_ns };
	if (r->tokens.accepted != TAPE_ABSENT_I64 ||
	    !tape_server_drafts_read(resp->server_timing, &drafted, &accepted))
		return;
	r->tokens.accepted = accepted;
	r->tokens.rejected = drafted - accepted;
}
