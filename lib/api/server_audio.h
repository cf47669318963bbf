/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_audio: how long the sound was that a server says to have heard. */
#ifndef TAPE_API_SERVER_AUDIO_H
#define TAPE_API_SERVER_AUDIO_H

#include "base/span.h"

/*
 * usage as of a response record, or absent: seconds, of OpenAI's transcriptions,
 * or prompt_audio_seconds, of Mistral's chat.  In nanoseconds; TAPE_ABSENT_I64
 * where neither is there, or makes no sense.
 */
int64_t tape_server_audio_ns(struct tape_str usage);

#endif
