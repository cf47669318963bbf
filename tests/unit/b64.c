/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/b64.h"

#include "unit/tap.h"

#include <string.h>

/* RFC 4648 section 10. */
static void
test_vectors(void)
{
	static const struct {
		const char *bytes, *text;
	} t[] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xff\xfe\xfb", "//77" },
		{ "\xfb\xf0", "+/A=" },
	};
	struct tape_buf b;
	struct tape_err err = { 0 };
	size_t i;

	tape_buf_init(&b, 100);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		tape_buf_clear(&b);
		(void)tape_buf_add_str(&b, "<");
		is_int(tape_b64_encode(&b, t[i].bytes, strlen(t[i].bytes)),
		    TAPE_OK, "encode %zu", i);
		is_str(b.data + 1, t[i].text, "text");
		tape_buf_clear(&b);
		(void)tape_buf_add_str(&b, "<");
		is_int(tape_b64_decode(&b, t[i].text, strlen(t[i].text), &err),
		    TAPE_OK, "decode");
		is_str(b.data + 1, t[i].bytes, "bytes");
	}
	tape_buf_release(&b);
}

static void
test_refused(void)
{
	static const char *const t[] = { "Z", "Zg", "Zg=", "Zg==Zg==", "Zg==\n",
		"Z===", "====", "Zm9=v", "Zm=v", "Zh==", "Zm9=", "Zm-_", "Zm9 ",
		"Zg=a", "Zm9v=" };
	struct tape_buf b;
	struct tape_err err = { 0 };
	size_t i;

	tape_buf_init(&b, 100);
	(void)tape_buf_add_str(&b, "kept");
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		tape_err_clear(&err);
		is_int(tape_b64_decode(&b, t[i], strlen(t[i]), &err),
		    TAPE_E_FORMAT, "text %zu is refused", i);
		is_str(b.data, "kept", "and leaves nothing");
	}
	tape_buf_release(&b);
	tape_buf_init(&b, 3);
	is_int(tape_b64_encode(&b, "x", 1), TAPE_E_LIMIT, "a cap holds");
	tape_buf_clear(&b);
	is_int(tape_b64_decode(&b, "Zm9vYmFy", 8, &err), TAPE_E_LIMIT,
	    "for decoding too");
	tape_buf_release(&b);
}

static void
test_all_bytes(void)
{
	struct tape_buf text, back;
	struct tape_err err = { 0 };
	unsigned char in[256];
	size_t i, bad = 0;

	for (i = 0; i < 256; i++)
		in[i] = (unsigned char)(i * 7);
	tape_buf_init(&text, 1000);
	tape_buf_init(&back, 1000);
	for (i = 0; i <= 256; i++) {
		tape_buf_clear(&text);
		tape_buf_clear(&back);
		(void)tape_b64_encode(&text, in, i);
		bad += text.len != (i + 2) / 3 * 4;
		bad += tape_b64_decode(&back, text.data, text.len, &err) !=
		       TAPE_OK;
		bad += back.len != i || memcmp(back.data, in, i) != 0;
	}
	is_int((int)bad, 0, "there and back for every length");
	tape_buf_release(&text);
	tape_buf_release(&back);
}

int
main(void)
{
	test_vectors();
	test_refused();
	test_all_bytes();
	return done_testing();
}
