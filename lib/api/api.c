/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api.h"

#include "api/api_table.h"

static const struct tape_api *const table[] = {
	&tape_api_chat,
	&tape_api_completions,
};

#define COUNT (sizeof(table) / sizeof(table[0]))

const struct tape_api *
tape_api_at(size_t i)
{
	return i < COUNT ? table[i] : NULL;
}

const struct tape_api *
tape_api_find(struct tape_str name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (tape_str_is(name, table[i]->name))
			return table[i];
	return NULL;
}

struct tape_str
tape_api_path(const struct tape_api *api, const struct tape_input *input)
{
	if (input->body.p != NULL && input->path.p != NULL)
		return input->path;
	return tape_str_of(api->path);
}
