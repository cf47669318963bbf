/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_speculative.h"

#include <stdio.h>

#define CHUNKED   1.1 /* tokens an event */
#define TEXT_ROOM 120

/* What is known of one arm. */
struct arm {
	bool speculative;
	double chunk; /* tokens an event; 0: not known */
	char acceptance[TEXT_ROOM];
};

/* The names of phases of engines that draft. */
static bool
drafts(struct tape_str generation)
{
	return tape_str_is(generation, "mtp_generation") ||
	       tape_str_is(generation, "eagle_generation") ||
	       tape_str_is(generation, "spec_decode_generation");
}

/* Means over the runs that have them, and where they come from. */
struct known {
	double ratio, length;
	size_t ratios, lengths;
	struct tape_str source;
	double accepted, rejected;
	double tokens, events;
};

static void
add_run(const struct tape_compare_run *r, struct known *k, struct arm *arm)
{
	const struct tape_compare_engine *e = &r->engine;

	if (drafts(e->generation))
		arm->speculative = true;
	if (!isnan(e->acceptance_ratio)) {
		k->ratio += e->acceptance_ratio;
		k->ratios++;
	}
	if (!isnan(e->acceptance_length)) {
		k->length += e->acceptance_length;
		k->lengths++;
	}
	if (k->source.p == NULL)
		k->source = e->source;
	k->accepted += r->answers.accepted;
	k->rejected += r->answers.rejected;
	k->tokens += r->doubts.tokens;
	k->events += r->doubts.events;
}

static void
say_acceptance(const struct known *k, char text[TEXT_ROOM])
{
	double drafted = k->accepted + k->rejected;
	char source[24], length[40] = "";

	if (k->lengths > 0)
		(void)snprintf(length, sizeof(length),
		    "%.2f tokens an iteration", k->length / (double)k->lengths);
	if (k->ratios > 0)
		(void)snprintf(text, TEXT_ROOM,
		    "%.1f %% of drafted tokens%s%s (%s)",
		    100 * k->ratio / (double)k->ratios,
		    length[0] != '\0' ? ", " : "", length,
		    tape_compare_show(k->source, source, sizeof(source)));
	else if (k->lengths > 0)
		(void)snprintf(text, TEXT_ROOM, "%s (%s)", length,
		    tape_compare_show(k->source, source, sizeof(source)));
	else if (drafted > 0)
		(void)snprintf(text, TEXT_ROOM,
		    "%.1f %% of drafted tokens (response)",
		    100 * k->accepted / drafted);
	else
		(void)snprintf(text, TEXT_ROOM, "not measured");
}

static struct arm
look_at(const struct tape_compare_design *d, size_t i)
{
	struct arm arm = { .speculative = false };
	struct known k = { .ratio = 0 };

	for (size_t p = 0; p < d->k; p++)
		add_run(d->pairs[p].run[i], &k, &arm);
	if (k.ratios > 0 || k.lengths > 0 || k.accepted + k.rejected > 0)
		arm.speculative = true;
	arm.chunk = k.events > 0 ? k.tokens / k.events : 0;
	say_acceptance(&k, arm.acceptance);
	return arm;
}

void
tape_compare_check_speculation(
    struct tape_compare_design *design, struct tape_compare_notes *notes)
{
	struct arm a = look_at(design, TAPE_COMPARE_A);
	struct arm b = look_at(design, TAPE_COMPARE_B);
	bool chunks = (a.chunk > CHUNKED) != (b.chunk > CHUNKED) &&
		      a.chunk > 0 && b.chunk > 0;

	if (!a.speculative && !b.speculative && !chunks)
		return;
	design->no_gaps = chunks || a.speculative != b.speculative;
	tape_compare_note(notes, TAPE_COMPARE_WARN, "speculative",
	    "%s; acceptance: A %s, B %s; %sa speed-up by drafts is specific to "
	    "the workload",
	    a.speculative && b.speculative ? "both arms decode speculatively"
	    : a.speculative                ? "A decodes speculatively"
	    : b.speculative
		? "B decodes speculatively"
		: "tokens of one arm come several at a time, as drafts do",
	    a.acceptance, b.acceptance,
	    design->no_gaps ? "itl compares the arms, gaps do not and are left "
			      "out; "
			    : "");
}
