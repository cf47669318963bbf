/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sha256.h"

#include "unit/tap.h"

#include <string.h>

/*
 * The examples NIST publishes for FIPS 180-4 (one block, two blocks, a million
 * times "a"), and the first of its byte-oriented test messages: SHA256
 * ShortMsg, lengths 0, 8 and 512 bits.
 */
static void
test_vectors(void)
{
	static const struct {
		const char *in, *want;
	} t[] = {
		{ "abc", "ba7816bf8f01cfea414140de5dae2223"
			 "b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    "248d6a61d20638b8e5c026930c3e6039"
		    "a33ce45964ff2167f6ecedd419db06c1" },
		{ "", "e3b0c44298fc1c149afbf4c8996fb924"
		      "27ae41e4649b934ca495991b7852b855" },
		{ "\xd3", "28969cdfa74a12c82f3bad960b0b000a"
			  "ca2ac329deea5c2328ebc6f2ba9802c1" },
		{ "\x5a\x86\xb7\x37\xea\xea\x8e\xe9\x76\xa0\xa2\x4d\xa6\x3e"
		  "\x7e\xd7\xee\xfa\xd1\x8a\x10\x1c\x12\x11\xe2\xb3\x65\x0c"
		  "\x51\x87\xc2\xa8\xa6\x50\x54\x72\x08\x25\x1f\x6d\x42\x37"
		  "\xe6\x61\xc7\xbf\x4c\x77\xf3\x35\x39\x03\x94\xc3\x7f\xa1"
		  "\xa9\xf9\xbe\x83\x6a\xc2\x85\x09",
		    "42e61e174fbb3897d6dd6cef3dd2802f"
		    "e67b331953b06114a65c772859dfc1aa" },
	};
	struct tape_sha256 h;
	char got[TAPE_SHA256_TEXT];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		tape_sha256_init(&h);
		tape_sha256_add(&h, t[i].in, strlen(t[i].in));
		is_str(tape_sha256_finish_text(&h, got), t[i].want,
		    "message %zu", i);
	}
	tape_sha256_init(&h);
	for (i = 0; i < 1000000; i++)
		tape_sha256_add(&h, "a", 1);
	is_str(tape_sha256_finish_text(&h, got),
	    "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0",
	    "a million times a, one by one");
}

/* However the message is cut, around every boundary of blocks and padding. */
static void
test_cuts(void)
{
	struct tape_sha256 h;
	char whole[TAPE_SHA256_TEXT], cut[TAPE_SHA256_TEXT];
	char in[200];
	size_t len, at, bad = 0;

	for (at = 0; at < sizeof(in); at++)
		in[at] = (char)(at * 31);
	for (len = 0; len <= sizeof(in); len++) {
		tape_sha256_init(&h);
		tape_sha256_add(&h, in, len);
		(void)tape_sha256_finish_text(&h, whole);
		for (at = 0; at <= len; at++) {
			tape_sha256_init(&h);
			tape_sha256_add(&h, in, at);
			tape_sha256_add(&h, in + at, len - at);
			bad += strcmp(tape_sha256_finish_text(&h, cut),
				   whole) != 0;
		}
	}
	is_int((int)bad, 0, "every cut of messages of 0 to 200 bytes");
}

int
main(void)
{
	test_vectors();
	test_cuts();
	return done_testing();
}
