/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduce_device: what the head of a table says of devices and engine. */
#ifndef TAPE_ENGINE_REDUCE_DEVICE_H
#define TAPE_ENGINE_REDUCE_DEVICE_H

#include "base/buf.h"
#include "engine/reduce_outside.h"

/*
 * A line for each device that was sampled, of the values that have a role:
 *
 *	nvidia-smi 0 NVIDIA A100: 1410 MHz (1395 to 1410), 285.2 W, 61 C
 *	(max 63), load 97 %, 34.1 GiB
 *	prometheus localhost:8000: queue 0.3 (max 4), running 7.8 (max 8)
 *
 * then the energy, and what the engine says:
 *
 *	prefill 5123.4 tok/s (client 4890.1), decode 63.2 tok/s (client 62.9)
 *	acceptance: 72.1% of the drafted tokens, 3.20 tokens an iteration (profile)
 *	peak memory 7.20 GiB GPU, 1.30 GiB host
 *
 * Where a device has several of one role, as a page of DCGM's
 * exporter, power, memory, queue and running are their sum, of the others the
 * mean is shown, and the least and greatest of all.  indent: columns of the
 * titles.
 */
void tape_reduce_device(
    struct tape_buf *b, const struct tape_reduce_outside *o, size_t indent);

#endif
