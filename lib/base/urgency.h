/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * urgency: how soon the system gives a CPU to the calling thread, without any
 * privilege and without more of the CPU than its share.
 *
 * A thread that wakes up does not get its CPU at once when another one has it,
 * but at the end of that one's slice, which is milliseconds; unless its own
 * slice is shorter (Linux 6.12 and later).  One that wakes up may take the CPU
 * from the thread that woke it, unless it is a batch thread.  And one that has
 * had more than its share waits until others have theirs: beside a thread of
 * equal right that is half of the CPU, beside nice ones nearly all.
 *
 * Both are requests: where they are not understood, or the user chose another
 * policy for the process, nothing happens.
 */
#ifndef TAPE_BASE_URGENCY_H
#define TAPE_BASE_URGENCY_H

/* To be woken on time: asks for short slices. */
void tape_urgency_raise(void);

/* To be in nobody's way: a batch thread, and nicer by 10; it still gets a tenth
   of a CPU that another one wants whole. */
void tape_urgency_lower(void);

#endif
