/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_form: request bodies from the user's own template: a JSON object in which
 * these stand for JSON values:
 *
 *	{{prompt}}	text or blocks of the input, as a string
 *	{{messages}}	its messages, or one of the user with the prompt
 *	{{tokens}}	its token ids
 *	{{model}}	a string, or null
 *	{{max_tokens}}	the length asked for, or null
 *	{{stream}}	true or false
 */
#ifndef TAPE_API_API_FORM_H
#define TAPE_API_API_FORM_H

#include "api/api_body.h"

/*
 * Renders ask->form.  TAPE_E_USAGE when there is none, it names something else,
 * or an input of another kind, or what comes out is no JSON object.
 */
enum tape_status tape_api_form_render(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;

#endif
