/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/replay_args.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/replay_text.h"

/* What belongs to the dialects that know nothing of a server. */
static enum tape_status
set_shape(struct tape_replay_args *a, struct tape_replay_opts *o,
    struct tape_err *err)
{
	const bool template = strcmp(a->api, "template") == 0;
	const bool any = tape_api_pointers_any(&a->pointers);
	size_t len = 0;
	enum tape_status st;

	if (any && !o->form.api->opaque)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--response-... is for --api raw and template: %s has its "
		    "own",
		    a->api);
	if (template != (a->body_template != NULL))
		return tape_err_set(err, TAPE_E_USAGE,
		    "--api template and --body-template need each other");
	if (any) {
		st = tape_api_pointers_write(
		    &a->pointers, &a->pointers_json, err);
		if (st != TAPE_OK)
			return st;
		o->form.pointers =
		    tape_str_make(a->pointers_json.data, a->pointers_json.len);
	}
	if (!template)
		return TAPE_OK;
	st = tape_fdio_slurp(
	    a->body_template, TAPE_CAP_REQUEST, &a->template_text, &len, err);
	if (st == TAPE_OK && (!tape_utf8_valid(a->template_text, len) ||
				 strlen(a->template_text) != len))
		st = tape_err_set(
		    err, TAPE_E_USAGE, "%s is not UTF-8", a->body_template);
	o->form.body_template = tape_str_make(a->template_text, len);
	return st;
}

static enum tape_status
set_form(struct tape_replay_args *a, struct tape_replay_opts *o,
    struct tape_err *err)
{
	o->form.api = tape_api_find(tape_str_of(a->api));
	if (o->form.api == NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--api %s is none of those in llmtape(7)", a->api);
	if (set_shape(a, o, err) != TAPE_OK)
		return err->status;
	if (o->form.api->tokenless)
		a->headers.stream = false;
	o->form.stream = a->headers.stream;
	o->form.usage = a->usage;
	o->form.modelless =
	    !tape_api_has_model(o->form.api, o->form.body_template);
	o->form.model_given = o->model != NULL;
	if (o->wait_ready && a->ready_path[0] != '\0')
		o->ready_path = a->ready_path;
	if (a->extra != NULL) {
		enum tape_status st =
		    tape_replay_read_extra(a->extra, &a->extra_json, err);

		if (st != TAPE_OK)
			return st;
	}
	if (a->extra_json.len > 0)
		o->form.extra =
		    tape_str_make(a->extra_json.data, a->extra_json.len);
	return TAPE_OK;
}

static enum tape_status
hide_passwords(struct tape_replay_args *a, const struct tape_target *t,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < tape_target_count(t) && st == TAPE_OK; i++)
		st = tape_secrets_add_text(
		    &a->lines.secrets, tape_target_at(t, i)->password, err);
	return st;
}

static enum tape_status
set_targets(struct tape_replay_args *a, struct tape_replay_opts *o,
    struct tape_err *err)
{
	enum tape_status st;

	st = tape_target_open_all(&a->targets, a->urls, a->urls_n, a->named,
	    tape_api_endpoint(o->form.api, o->form.stream), err);
	o->targets = a->targets.at;
	o->targets_n = a->targets.n;
	a->headers.api = o->form.api;
	for (size_t i = 0; i < o->targets_n && st == TAPE_OK; i++)
		st = hide_passwords(a, &a->targets.at[i], err);
	if (st == TAPE_OK && o->round > 0 && o->targets_n > 1)
		st = tape_err_set(err, TAPE_E_USAGE,
		    "--round labels a single run, of one arm");
	return st;
}

enum tape_status
tape_replay_args_apply(struct tape_replay_args *a, struct tape_replay_opts *o,
    struct tape_err *err)
{
	enum tape_status st;

	tape_buf_init(&a->extra_json, TAPE_CAP_REQUEST);
	tape_buf_init(&a->pointers_json, TAPE_CAP_REQUEST);
	st = set_form(a, o, err);
	if (st == TAPE_OK)
		st = set_targets(a, o, err);
	if (st == TAPE_OK)
		st = tape_headers_fill(&a->lines, &a->headers, err);
	o->headers = a->lines.lines;
	o->headers_n = a->lines.n;
	o->secrets = &a->lines.secrets;
	o->own.session = a->headers.session_name;
	o->own.id = a->headers.id_name;
	return st;
}

void
tape_replay_args_release(struct tape_replay_args *a)
{
	tape_target_release_all(&a->targets);
	tape_headers_release(&a->lines);
	tape_buf_release(&a->extra_json);
	tape_buf_release(&a->pointers_json);
	tape_mem_free(a->template_text);
}
