/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_describe.h"

#include "cli/labels.h"
#include "cli/meta.h"

#define AT(field) offsetof(struct tape_opt_describe, field)
#define TEXT_CAP  ((size_t)1 << 20)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("What only you know"),
	{
	    .name = "label",
	    .arg = "K=V",
	    .type = TAPE_OPT_LIST,
	    .at = AT(labels),
	    .secrecy = TAPE_OPT_TEXT,
	    .help = "label the runs",
	},
	{
	    .name = "meta",
	    .arg = "K=V",
	    .type = TAPE_OPT_LIST,
	    .at = AT(meta),
	    .secrecy = TAPE_OPT_TEXT,
	    .help = "put it into the header",
	},
	{
	    .name = "server-cmd",
	    .arg = "TEXT",
	    .type = TAPE_OPT_STRING,
	    .at = AT(server_cmd),
	    .secrecy = TAPE_OPT_TEXT,
	    .help = "how the server was started",
	},
};

const struct tape_opt_part tape_opt_describe_part = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

enum tape_status
tape_opt_describe_join(struct tape_opt_describe *d, struct tape_err *err)
{
	enum tape_status st;

	tape_buf_init(&d->labels_json, TEXT_CAP);
	tape_buf_init(&d->meta_json, TEXT_CAP);
	st = tape_labels_join(&d->labels, &d->labels_json, err);
	return st == TAPE_OK
		   ? tape_meta_join(&d->meta, d->server_cmd, &d->meta_json, err)
		   : st;
}

void
tape_opt_describe_release(struct tape_opt_describe *d)
{
	tape_buf_release(&d->labels_json);
	tape_buf_release(&d->meta_json);
}
