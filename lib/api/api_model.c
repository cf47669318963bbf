/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request is rendered and looked at: no dialect has to say it twice. */
#include "api/api.h"

#define MARK "a-model-that-nobody-serves"

bool
tape_api_has_model(const struct tape_api *api, struct tape_str form)
{
	const struct tape_input input = { .text = tape_str_of("Hello") };
	const struct tape_api_ask ask = {
		.input = &input,
		.model = tape_str_of(MARK),
		.output_tokens = 1,
		.form = form,
	};
	struct tape_buf b;
	bool own, has;

	if (strstr(api->path, TAPE_API_MODEL_SLOT) != NULL)
		return true;
	tape_buf_init(&b, TAPE_CAP_REQUEST);
	has = tape_api_path(api, &ask, &b, &own, NULL) != TAPE_OK ||
	      tape_api_render(api, &ask, &b, NULL) != TAPE_OK ||
	      memmem(b.data, b.len, MARK, sizeof(MARK) - 1) != NULL;
	tape_buf_release(&b);
	return has;
}
