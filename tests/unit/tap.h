/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tap: assertions that print the Test Anything Protocol, for prove.
 *
 *	int
 *	main(void)
 *	{
 *		ok(1 + 1 == 2, "sums");
 *		is_int(f(), 3, "f counts to three");
 *		return done_testing();
 *	}
 */
#ifndef TAPE_UNIT_TAP_H
#define TAPE_UNIT_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int tap_run;
static int tap_failed;

/* A test that hangs dies of SIGALRM, and prove says so. */
#define TAP_SECONDS 240

__attribute__((constructor)) static void
tap_bound(void)
{
	(void)alarm(TAP_SECONDS);
}

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...)                                                 \
 tap_int((int64_t)(got), (int64_t)(want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...)                                                 \
 tap_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_near(got, want, rel, ...)                                           \
 tap_near((got), (want), (rel), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok(bool cond, const char *file, int line, const char *fmt, ...)
{
	char text[256];
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	__builtin_va_end(ap);
	printf("%sok %d - %s\n", cond ? "" : "not ", ++tap_run, text);
	if (!cond) {
		tap_failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	(void)fflush(stdout);
	return cond;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_int(
    int64_t got, int64_t want, const char *file, int line, const char *fmt, ...)
{
	char text[256];
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	__builtin_va_end(ap);
	if (!tap_ok(got == want, file, line, "%s", text)) {
		printf("#  got %" PRId64 "\n# want %" PRId64 "\n", got, want);
		return false;
	}
	return true;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_str(const char *got, const char *want, const char *file, int line,
    const char *fmt, ...)
{
	char text[256];
	__builtin_va_list ap;
	bool same = got == want ||
		    (got != NULL && want != NULL && strcmp(got, want) == 0);

	__builtin_va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	__builtin_va_end(ap);
	if (!tap_ok(same, file, line, "%s", text))
		printf("#  got '%s'\n# want '%s'\n", got ? got : "(null)",
		    want ? want : "(null)");
	return same;
}

/* |got - want| <= rel * |want|, or both zero within rel. */
__attribute__((format(printf, 6, 7), unused)) static bool
tap_near(double got, double want, double rel, const char *file, int line,
    const char *fmt, ...)
{
	char text[256];
	__builtin_va_list ap;
	double room = rel * (fabs(want) > 0 ? fabs(want) : 1);
	bool near = fabs(got - want) <= room || (isnan(got) && isnan(want));

	__builtin_va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	__builtin_va_end(ap);
	if (!tap_ok(near, file, line, "%s", text))
		printf("#  got %.17g\n# want %.17g\n", got, want);
	return near;
}

__attribute__((unused)) static int
done_testing(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed == 0 && tap_run > 0 ? 0 : 1;
}

#endif
