/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What telemetry says of the devices of a run. */
#include "base/num.h"
#include "engine/checks_impl.h"

#define COVERED 0.95 /* of the window, at least */
#define SHOWN   4    /* devices named in a text */
#define HARD    0.01 /* of the samples, from which on it fails */

#define LOADED_PERCENT 50   /* utilization from which on a clock should be up */
#define HOT_C          80   /* from which on heat may hold it down */
#define FALLEN         0.95 /* of the highest clock that was seen */
#define OFTEN          0.05 /* of the loaded samples */

static void
add_device(struct tape_buf *b, const struct tape_samples_track *t)
{
	(void)tape_buf_add_str(b, b->len > 0 ? "; " : "");
	(void)tape_buf_add_str(b, t->source);
	if (t->device != NULL)
		(void)tape_buf_add_fmt(b, " %.40s", t->device);
	(void)tape_buf_add_str(b, ": ");
}

enum tape_status
tape_checks_telemetry(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_observe_set *set = m->run->observed;
	struct tape_check *k;
	char period[TAPE_NUM_TEXT];
	int64_t bad = 0;

	if (set == NULL)
		return TAPE_OK;
	k = tape_checks_begin(m, "telemetry");
	k->of = (int64_t)set->cover_n;
	for (size_t i = 0; i < set->cover_n; i++) {
		const struct tape_observe_cover *c = &set->cover[i];

		if (isnan(k->value) || c->ratio < k->value)
			k->value = c->ratio;
		if (c->ratio >= COVERED || bad++ >= SHOWN)
			continue;
		add_device(&m->text, c->track);
		(void)tape_buf_add_fmt(&m->text,
		    "%zu samples cover %.0f %% of the run", c->to - c->from,
		    100 * c->ratio);
	}
	k->n = k->of - bad;
	if (set->cover_n == 0)
		(void)tape_buf_add_str(
		    &m->text, "no sample by the clock of this run");
	else if (bad == 0)
		(void)tape_buf_add_fmt(&m->text, "%zu device%s, every %s",
		    set->cover_n, set->cover_n > 1 ? "s" : "",
		    tape_num_print_duration(
			(double)set->cover[0].period_ns, period));
	tape_checks_warn(k, bad > 0 || set->cover_n == 0,
	    "begin telemetry-sample before trace-replay, and end it behind");
	return tape_checks_end(m, k, err);
}

/* Bits as nvidia-smi and DCGM have them. */
static const struct {
	int64_t bit;
	const char *what;
	bool hard; /* the device saves itself; else it keeps to a limit */
} reasons[] = {
	{ 0x04, "power cap", false },
	{ 0x08, "hardware slowdown", true },
	{ 0x20, "thermal slowdown", true },
	{ 0x40, "hardware thermal slowdown", true },
	{ 0x80, "power brake", true },
};

#define REASONS (sizeof(reasons) / sizeof(*reasons))

/* What was found of all devices. */
struct found {
	size_t devices; /* of which anything can be told */
	int64_t n;      /* samples of throttling, of the worst device */
	int64_t of;
	bool capped, hard, often; /* often: hard, in more than HARD of them */
};

static void
note(struct found *f, int64_t n, int64_t of)
{
	if (f->of == 0 || n * f->of > f->n * of) {
		f->n = n;
		f->of = of;
	}
}

static void
judge_bits(struct tape_checks_maker *m, const struct tape_observe_cover *c,
    const struct tape_samples_series *s, struct found *f)
{
	int64_t counts[REASONS] = { 0 }, of = 0;
	bool told = false;

	for (size_t i = c->from; i < c->to; i++) {
		const double v = tape_samples_value(s, i);

		if (!(v >= 0 && v < 0x1p53))
			continue;
		of++;
		for (size_t r = 0; r < REASONS; r++)
			counts[r] += ((int64_t)v & reasons[r].bit) != 0;
	}
	f->devices += of > 0;
	for (size_t r = 0; r < REASONS; r++) {
		if (counts[r] == 0)
			continue;
		if (!told)
			add_device(&m->text, c->track);
		(void)tape_buf_add_fmt(&m->text, "%s%s in %" PRId64,
		    told ? ", " : "", reasons[r].what, counts[r]);
		told = true;
		f->capped |= !reasons[r].hard;
		f->hard |= reasons[r].hard;
		f->often |=
		    reasons[r].hard && (double)counts[r] >= HARD * (double)of;
		note(f, counts[r], of);
	}
	if (told)
		(void)tape_buf_add_fmt(&m->text, " of %" PRId64 " samples", of);
}

/* The series of that role with the labels of another one; NULL: there is none. */
static const struct tape_samples_series *
beside(const struct tape_samples_track *t, const char *role,
    const struct tape_samples_series *of)
{
	const char *labels = of->name + strcspn(of->name, "{");

	for (size_t i = 0; i < t->series_n; i++) {
		const struct tape_samples_series *s = &t->series[i];
		const struct tape_role r = tape_role_of(t->source, s->name);

		if (r.name != NULL && strcmp(r.name, role) == 0 &&
		    strcmp(s->name + strcspn(s->name, "{"), labels) == 0)
			return s;
	}
	return NULL;
}

static double
highest(const struct tape_samples_series *s)
{
	double most = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i] > most)
			most = s->v[i];
	return most;
}

/* A clock that is down although there is work, while it is hot. */
static void
judge_clock(struct tape_checks_maker *m, const struct tape_observe_cover *c,
    const struct tape_samples_series *clock, struct found *f)
{
	const struct tape_samples_series *load =
	    beside(c->track, "utilization", clock);
	const struct tape_samples_series *heat =
	    beside(c->track, "temperature", clock);
	const double most = highest(clock);
	double sum = 0, hottest = 0;
	int64_t n = 0, of = 0;

	if (load == NULL || heat == NULL || !(most > 0))
		return;
	for (size_t i = c->from; i < c->to; i++) {
		const double mhz = tape_samples_value(clock, i);
		const double temperature = tape_samples_value(heat, i);

		if (!(tape_samples_value(load, i) >= LOADED_PERCENT) ||
		    isnan(mhz) || isnan(temperature))
			continue;
		of++;
		if (mhz >= FALLEN * most || temperature < HOT_C)
			continue;
		n++;
		sum += mhz;
		hottest = temperature > hottest ? temperature : hottest;
	}
	f->devices += of > 0;
	if (n == 0 || (double)n < OFTEN * (double)of)
		return;
	f->hard = true;
	note(f, n, of);
	add_device(&m->text, c->track);
	(void)tape_buf_add_fmt(&m->text,
	    "clock %.0f %% below its %.0f MHz in %" PRId64 " of %" PRId64
	    " samples under load, at up to %.0f C",
	    100 * (1 - sum / (double)n / most), most, n, of, hottest);
}

/* Counters of processors, as node_cpu_core_throttles_total. */
static void
judge_counters(struct tape_checks_maker *m, struct found *f)
{
	const struct tape_observe_set *set = m->run->observed;
	double sum = 0;
	bool any = false;

	for (size_t i = 0; i < set->n; i++) {
		const struct tape_observed *o = &set->v[i];

		if (o->name.len < 9 || isnan(o->increase) ||
		    memmem(o->name.p, o->name.len, "throttles", 9) == NULL)
			continue;
		any = true;
		sum += o->increase;
	}
	f->devices += any;
	if (!(sum > 0))
		return;
	f->hard = true;
	(void)tape_buf_add_fmt(&m->text,
	    "%sprocessors were throttled %.0f times",
	    m->text.len > 0 ? "; " : "", sum);
}

static void
judge_track(struct tape_checks_maker *m, const struct tape_observe_cover *c,
    struct found *f)
{
	for (size_t i = 0; i < c->track->series_n; i++) {
		const struct tape_samples_series *s = &c->track->series[i];
		const struct tape_role r =
		    tape_role_of(c->track->source, s->name);

		if (r.name == NULL)
			continue;
		if (strcmp(r.name, "throttle") == 0)
			judge_bits(m, c, s, f);
		else if (strcmp(r.name, "clock") == 0)
			judge_clock(m, c, s, f);
	}
}

enum tape_status
tape_checks_throttled(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_observe_set *set = m->run->observed;
	struct found f = { 0 };
	struct tape_check *k;

	if (set == NULL)
		return TAPE_OK;
	k = tape_checks_begin(m, "throttled");
	for (size_t i = 0; i < set->cover_n; i++)
		judge_track(m, &set->cover[i], &f);
	judge_counters(m, &f);
	if (f.devices == 0) {
		m->out->n--;
		return TAPE_OK;
	}
	k->n = f.n;
	k->of = f.of;
	if (m->text.len == 0)
		(void)tape_buf_add_str(&m->text, "no device was");
	tape_checks_warn(k, f.capped,
	    "a power cap holds the clocks down: compare only with runs under "
	    "the same cap");
	tape_checks_warn(k, f.hard,
	    "the device slowed itself down: cool it, or let it rest between "
	    "runs (--cooldown)");
	tape_checks_bad(k, f.often,
	    "the device slowed itself down: cool it, or let it rest between "
	    "runs (--cooldown)");
	return tape_checks_end(m, k, err);
}
