/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the sound was that a server says to have heard. */
#include "api/server_audio.h"

#include "unit/tap.h"

static void
says(const char *usage, int64_t ns)
{
	is_int(tape_server_audio_ns(tape_str_of(usage)), ns, "%s",
	    usage == NULL ? "none" : usage);
}

int
main(void)
{
	says("{\"type\":\"duration\",\"seconds\":9}", INT64_C(9000000000));
	says("{\"seconds\":0.125,\"type\":\"duration\"}", 125000000);
	says("{\"prompt_tokens\":4,\"prompt_audio_seconds\":3,\"x\":[1]}",
	    INT64_C(3000000000));
	says("{\"seconds\":0}", 0);
	says("{\"seconds\":-1}", TAPE_ABSENT_I64);
	says("{\"seconds\":1e300}", TAPE_ABSENT_I64);
	says("{\"seconds\":\"9\"}", TAPE_ABSENT_I64);
	says("{\"seconds\":{\"seconds\":9}}", TAPE_ABSENT_I64);
	says("{\"x\":{\"seconds\":9}}", TAPE_ABSENT_I64);
	says("{\"audio_seconds\":9}", TAPE_ABSENT_I64);
	says("{\"prompt_tokens\":9}", TAPE_ABSENT_I64);
	says("[{\"seconds\":9}]", TAPE_ABSENT_I64);
	says("{\"x\":1,\"seconds\"", TAPE_ABSENT_I64);
	says("", TAPE_ABSENT_I64);
	says(NULL, TAPE_ABSENT_I64);
	return done_testing();
}
