/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fluidity: whether an answer came as it would be read, by the index of Etalon
 * (Agrawal et al. 2024, arXiv:2407.07000): each token event has a deadline, the
 * first that of the ttft, every other one gap behind the one before; what comes
 * early saves time for what follows.  An event that is late by more misses as
 * many deadlines as gaps fit into the delay, and from it on they are set anew.
 * The index is 1 - missed / all deadlines.
 */
#ifndef TAPE_ENGINE_FLUIDITY_H
#define TAPE_ENGINE_FLUIDITY_H

#include <stdbool.h>
#include <stddef.h>

/* The part of the deadlines that may be missed where a rate is asked for. */
#define TAPE_FLUIDITY_MISSED 0.1

/* ttft and n gaps against the bounds, all in ns, the bounds above 0.  In [0, 1];
   NaN when ttft is. */
double tape_fluidity_index(double ttft, const double *gaps, size_t n,
    double ttft_bound, double gap_bound);

/*
 * Token events a second that a reader may expect: 1 / the least bound of gaps,
 * to one part in a million, of whose deadlines, which begin at the first event,
 * a part of TAPE_FLUIDITY_MISSED at most is missed.  largest is the largest of
 * the gaps.  Found by bisection, as the part falls with the bound; NaN when all
 * events came at once.
 */
double tape_fluidity_rate(const double *gaps, size_t n, double largest);

#endif
