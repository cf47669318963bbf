/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/redact.h"

#include "unit/tap.h"

static void
test_names(void)
{
	static const char *const secret[] = {
		"Authorization",
		"Proxy-Authorization",
		"x-api-key",
		"X-Auth-Token",
		"Cookie",
		"Set-Cookie",
		"KEY",
		"My-Secret",
		"X-Password",
		"Client-Credential",
	};
	static const char *const plain[] = {
		"Content-Type",
		"ACCEPT",
		"user-agent",
	};

	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++) {
		ok(tape_redact_is_secret_header(tape_str_of(secret[i])),
		    "secret name %zu", i);
		ok(!tape_redact_is_plain_header(tape_str_of(secret[i])),
		    "and not kept");
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		ok(!tape_redact_is_secret_header(tape_str_of(plain[i])),
		    "plain name %zu", i);
		ok(tape_redact_is_plain_header(tape_str_of(plain[i])),
		    "and kept");
	}
	ok(!tape_redact_is_plain_header(tape_str_of("X-Tenant")),
	    "what is neither is not kept");
	ok(!tape_redact_is_plain_header(tape_str_of("accept-")), "nor alike");
}

static void
test_headers(void)
{
	static const struct {
		const char *line;
		const char *want;
	} cases[] = {
		{ "Accept: text/plain", "Accept: text/plain" },
		{ "X-Tenant: acme", "X-Tenant: (redacted)" },
		{ "X-Api-Key:sk-1", "X-Api-Key: (redacted)" },
		{ "sk-1", "(redacted)" },
		{ "", "(redacted)" },
	};
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tape_buf_clear(&b);
		is_int(tape_redact_header(tape_str_of(cases[i].line), &b),
		    TAPE_OK, "redact");
		is_str(b.data, cases[i].want, "'%s'", cases[i].line);
	}
	tape_buf_release(&b);
}

static void
test_text(void)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
		{ "", "" },
		{ "vllm serve m --port 8000", "vllm serve m --port 8000" },
		{ "vllm --api-key SK --port 8",
		    "vllm --api-key (redacted) --port 8" },
		{ "vllm --api-key -SK", "vllm --api-key (redacted)" },
		{ "vllm --api-key=SK  x", "vllm --api-key=(redacted)  x" },
		{ "x --hf-token 'S K' y", "x --hf-token (redacted) y" },
		{ "HF_TOKEN=SK vllm serve", "HF_TOKEN=(redacted) vllm serve" },
		{ "apikey=SK", "apikey=(redacted)" },
		{ "--ssl-keyfile-password SK",
		    "--ssl-keyfile-password (redacted)" },
		{ "x --max-num-batched-tokens 8192",
		    "x --max-num-batched-tokens 8192" },
		{ "output_tokens=64", "output_tokens=64" },
		{ "a=1,token=SK", "a=1,token=(redacted)" },
		{ "{\"a\":1,\"api_key\":\"SK\"}",
		    "{\"a\":1,\"api_key\":(redacted)" },
		{ "curl -H \"Authorization: Bearer SK\" h",
		    "curl -H \"Authorization:(redacted) h" },
		{ "curl -H 'X: Bearer SK'", "curl -H 'X: Bearer (redacted)" },
		{ "Bearer SK x", "Bearer (redacted) x" },
		{ "Authorization: Basic SK", "Authorization:(redacted)" },
		{ "curl http://u:p@h/p?q -s", "curl http://h/p -s" },
		{ "--url=https://u:p@h/p?q", "--url=https://h/p" },
		{ "revision=abc123", "revision=abc123" },
		{ "a\tb  c ", "a\tb  c " },
		{ "it's fine", "it's fine" },
	};
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tape_buf_clear(&b);
		is_int(tape_redact_text(tape_str_of(cases[i].text), &b),
		    TAPE_OK, "redact");
		is_str(b.data, cases[i].want, "'%s'", cases[i].text);
	}
	tape_buf_release(&b);
	tape_buf_init(&b, 3);
	is_int(tape_redact_text(tape_str_of("long text"), &b), TAPE_E_LIMIT,
	    "cap");
	tape_buf_release(&b);
}

int
main(void)
{
	test_names();
	test_headers();
	test_text();
	return done_testing();
}
