/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What servers say of drafted tokens. */
#include "api/server_drafts.h"

#include "unit/tap.h"

static void
says(const char *timing, int64_t drafted, int64_t accepted)
{
	int64_t n = -7, yes = -7;
	const bool there =
	    tape_server_drafts_read(tape_str_of(timing), &n, &yes);

	is_int(there, drafted >= 0, "%s", timing == NULL ? "none" : timing);
	is_int(n, drafted >= 0 ? drafted : -7, "drafted");
	is_int(yes, drafted >= 0 ? accepted : -7, "accepted");
}

int
main(void)
{
	says("{\"timings\":{\"cache_n\":83,\"predicted_n\":57,\"predicted_ms\":"
	     "484.01,\"draft_n\":40,\"draft_n_accepted\":27}}",
	    40, 27);
	says("{\"x\":[{\"timings\":{\"draft_n\":1,\"draft_n_accepted\":1}}],"
	     "\"timings\":{\"more\":{\"draft_n\":3},\"draft_n_accepted\":0,"
	     "\"draft_n\":4}}",
	    4, 0);
	says("{\"timings\":{\"draft_n\":4}}", -1, 0);
	says("{\"timings\":{\"draft_n_accepted\":4}}", -1, 0);
	says("{\"timings\":{\"draft_n\":4,\"draft_n_accepted\":5}}", -1, 0);
	says("{\"timings\":{\"draft_n\":4.5,\"draft_n_accepted\":2}}", -1, 0);
	says("{\"timings\":{\"draft_n\":-1,\"draft_n_accepted\":-1}}", -1, 0);
	says("{\"draft_n\":4,\"draft_n_accepted\":2}", -1, 0);
	says("{\"timings\":{\"draft_n\":4,", -1, 0);
	says("{\"timings\":{\"prompt_ms\":4}}", -1, 0);
	says(NULL, -1, 0);
	return done_testing();
}
