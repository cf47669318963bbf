/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"

#include <float.h>

static bool
is_bounded(const struct tape_opt *o)
{
	return o->min != 0 || o->max != 0;
}

static int64_t
upper(const struct tape_opt *o)
{
	return o->max != 0 || o->min < 0 ? o->max : INT64_MAX;
}

static enum tape_status
set_u64(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	uint64_t max = o->max != 0 ? (uint64_t)o->max : UINT64_MAX;

	return tape_num_u64(arg, (uint64_t)o->min, max, field, err);
}

static enum tape_status
set_i64(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	if (!is_bounded(o))
		return tape_num_i64(arg, INT64_MIN, INT64_MAX, field, err);
	return tape_num_i64(arg, o->min, upper(o), field, err);
}

static enum tape_status
set_double(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	if (!is_bounded(o))
		return tape_num_double(arg, -DBL_MAX, DBL_MAX, field, err);
	return tape_num_double(arg, (double)o->min,
	    o->max != 0 || o->min < 0 ? (double)o->max : DBL_MAX, field, err);
}

static enum tape_status
set_duration(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	char low[TAPE_NUM_TEXT];
	char high[TAPE_NUM_TEXT];
	int64_t v;
	enum tape_status st = tape_num_duration_ns(arg, &v, err);

	if (st != TAPE_OK)
		return st;
	if (v < o->min)
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%.60s' is less than %s", arg,
		    tape_num_print_duration((double)o->min, low));
	if (v > upper(o))
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%.60s' is more than %s", arg,
		    tape_num_print_duration((double)o->max, high));
	memcpy(field, &v, sizeof(v));
	return TAPE_OK;
}

static enum tape_status
set_size(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	uint64_t v;
	enum tape_status st = tape_num_size_bytes(arg, &v, err);

	if (st != TAPE_OK)
		return st;
	if (v < (uint64_t)o->min || (o->max != 0 && v > (uint64_t)o->max))
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%.60s' is not within %lld to %lld bytes", arg,
		    (long long)o->min, (long long)upper(o));
	memcpy(field, &v, sizeof(v));
	return TAPE_OK;
}

static enum tape_status
set_enum(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	struct tape_buf all;

	for (int i = 0; o->names[i] != NULL; i++)
		if (strcmp(o->names[i], arg) == 0) {
			memcpy(field, &i, sizeof(i));
			return TAPE_OK;
		}
	tape_buf_init(&all, 200);
	for (int i = 0; o->names[i] != NULL; i++)
		(void)tape_buf_add_fmt(
		    &all, "%s%s", i > 0 ? ", " : "", o->names[i]);
	(void)tape_err_set(
	    err, TAPE_E_USAGE, "'%.60s' is not one of %s", arg, all.data);
	tape_buf_release(&all);
	return TAPE_E_USAGE;
}

static enum tape_status
add_to_list(struct tape_opt_list *list, const char *arg, struct tape_err *err)
{
	void *items = list->items;

	if (tape_mem_grow(&items, &list->size, list->count + 1,
		sizeof(*list->items)) != 0)
		return tape_err_nomem(err);
	list->items = items;
	list->items[list->count++] = arg;
	return TAPE_OK;
}

static enum tape_status
set_text(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	if (o->type == TAPE_OPT_PATH && *arg == '\0')
		return tape_err_set(err, TAPE_E_USAGE, "the name is empty");
	memcpy(field, &arg, sizeof(arg));
	return TAPE_OK;
}

static enum tape_status
set(const struct tape_opt *o, const char *arg, void *field,
    struct tape_err *err)
{
	switch (o->type) {
	case TAPE_OPT_FLAG:
		*(bool *)field = true;
		return TAPE_OK;
	case TAPE_OPT_U64:
		return set_u64(o, arg, field, err);
	case TAPE_OPT_I64:
		return set_i64(o, arg, field, err);
	case TAPE_OPT_DOUBLE:
		return set_double(o, arg, field, err);
	case TAPE_OPT_DURATION:
		return set_duration(o, arg, field, err);
	case TAPE_OPT_SIZE:
		return set_size(o, arg, field, err);
	case TAPE_OPT_RATE:
		return tape_num_rate_per_s(arg, field, err);
	case TAPE_OPT_SHARE:
		return tape_num_share_ratio(arg, field, err);
	case TAPE_OPT_ENUM:
		return set_enum(o, arg, field, err);
	case TAPE_OPT_STRING:
	case TAPE_OPT_PATH:
	case TAPE_OPT_MAYBE:
		return set_text(o, arg, field, err);
	case TAPE_OPT_LIST:
		return add_to_list(field, arg, err);
	case TAPE_OPT_CALL:
		return o->parse(arg, field, err);
	}
	return tape_err_set(err, TAPE_E_BUG, "an option has no type");
}

enum tape_status
tape_opt_value_set(const struct tape_opt *o, const char *arg, void *options,
    struct tape_err *err)
{
	char *base = options;
	struct tape_err why = { 0 };
	enum tape_status st;

	st = set(o, arg == NULL ? "" : arg, base + o->at, &why);
	if (st != TAPE_OK)
		return tape_err_set(err, st, "--%s: %s", o->name, why.text);
	if (o->seen_at != 0)
		*(bool *)(base + o->seen_at) = true;
	return TAPE_OK;
}
