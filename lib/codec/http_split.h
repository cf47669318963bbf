/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_split: where the events end in what waits in a socket.
 *
 * The kernel keeps a time for each segment, and tells that of the last byte of
 * what is received.  A loop that comes late finds several events in a socket;
 * received one by one each has its own time, received at once all have the
 * last one's.  So a loop that may be late looks first, and cuts there.
 */
#ifndef TAPE_CODEC_HTTP_SPLIT_H
#define TAPE_CODEC_HTTP_SPLIT_H

#include <stddef.h>

/* Longer than that a loop is late: what it then finds may have come at several
   times, which differ by more than is to be lost. */
#define TAPE_HTTP_LATE_NS 100000
/* So many sockets at once say the same. */
#define TAPE_HTTP_LATE_EVENTS 4

#define TAPE_HTTP_SPLIT_BYTES ((size_t)16 << 10) /* more is not cut */
#define TAPE_HTTP_SPLIT_CUTS  64                 /* nor into more */

/*
 * Offsets behind each empty line (LF LF or LF CR LF, and a CR LF behind it, as
 * chunks end), the last of them always len.  Returns how many, from 1 to
 * TAPE_HTTP_SPLIT_CUTS; len is not 0.
 */
size_t tape_http_split_find(
    const char *p, size_t len, size_t cut[TAPE_HTTP_SPLIT_CUTS]);

#endif
