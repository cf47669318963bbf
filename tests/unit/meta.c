/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/meta.h"

#include "base/mem.h"
#include "unit/tap.h"

static struct tape_buf out;
static struct tape_err err;

static enum tape_status
join(const char *a, const char *b, const char *cmd)
{
	const char *items[2] = { a, b };
	struct tape_opt_list l = { items,
		a == NULL   ? 0
		: b == NULL ? 1
			    : 2,
		2 };

	tape_buf_clear(&out);
	tape_err_clear(&err);
	return tape_meta_join(&l, cmd, &out, &err);
}

int
main(void)
{
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t nth = 0;

	tape_buf_init(&out, 65536);
	is_int(join(NULL, NULL, NULL), TAPE_OK, "nothing");
	is_int((int64_t)out.len, 0, "gives nothing");
	is_int(join("rev=12", "a=b=c", NULL), TAPE_OK, "two");
	is_str(out.data, "{\"rev\":\"12\",\"a\":\"b=c\"}", "strings");
	is_int(join("hf_token=sesame", NULL, "serve --api-key sesame -p 1"),
	    TAPE_OK, "secrets");
	is_str(out.data,
	    "{\"hf_token\":\"(redacted)\",\"server_cmd\":"
	    "\"serve --api-key (redacted) -p 1\"}",
	    "are cut by name");
	is_int(join("novalue", NULL, NULL), TAPE_E_USAGE, "no =");
	is_int(join("=v", NULL, NULL), TAPE_E_USAGE, "no name");
	is_int(join("a=1", "a=2", NULL), TAPE_E_USAGE, "twice");
	is_int(join("a=\xff", NULL, NULL), TAPE_E_USAGE, "not UTF-8");
	is_int(join(NULL, NULL, "\xff"), TAPE_E_USAGE, "not UTF-8 either");
	is_int(join("server_cmd=1", NULL, NULL), TAPE_E_USAGE, "reserved");
	while (st == TAPE_E_NOMEM && nth < 50) {
		tape_buf_release(&out);
		tape_mem_fail_at(++nth);
		st = join("a=b", NULL, "x");
		tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "after %d failing allocations", (int)nth);
	is_str(out.data, "{\"a\":\"b\",\"server_cmd\":\"x\"}", "it is whole");
	tape_buf_release(&out);
	return done_testing();
}
