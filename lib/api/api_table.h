/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_table: the dialects, for the table in api.c.
 */
#ifndef TAPE_API_API_TABLE_H
#define TAPE_API_API_TABLE_H

#include "api/api.h"

extern const struct tape_api tape_api_chat;
extern const struct tape_api tape_api_completions;
extern const struct tape_api tape_api_responses;
extern const struct tape_api tape_api_messages;
extern const struct tape_api tape_api_gemini;
extern const struct tape_api tape_api_cohere;

#endif
