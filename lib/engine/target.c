/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/target.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"
#include "base/utf8.h"

#define CAP_URL   ((size_t)64 << 10)
#define ARM_BYTES 64

/* Joins the parts; NULL when memory is out. */
static char *
join(const struct tape_str *parts, size_t n)
{
	struct tape_buf b;
	char *text = NULL;

	tape_buf_init(&b, CAP_URL);
	for (size_t i = 0; i < n; i++)
		(void)tape_buf_add(&b, parts[i].p, parts[i].len);
	if (tape_buf_status(&b, NULL) == TAPE_OK)
		text = tape_mem_dup(b.data, b.len);
	tape_buf_release(&b);
	return text;
}

void
tape_target_release(struct tape_target *t)
{
	tape_mem_free(t->arm);
	tape_mem_free(t->base);
	tape_mem_free(t->exact);
	tape_mem_free(t->query);
	tape_mem_free(t->shown);
	tape_mem_free(t->password);
	for (size_t i = 0; i < t->more_n; i++)
		tape_target_release(&t->more[i]);
	tape_mem_free(t->more);
	*t = (struct tape_target){ 0 };
}

static bool
cut_tail(struct tape_str *s, const char *tail, size_t n)
{
	if (s->len < n || memcmp(s->p + s->len - n, tail, n) != 0)
		return false;
	s->len -= n;
	return true;
}

/* The same with an endpoint, of which the query does not count and {model} is
   any segment. */
static bool
cut_endpoint(struct tape_str *s, const char *path)
{
	const char *slot = strstr(path, TAPE_API_MODEL_SLOT);
	struct tape_str rest = *s;
	const char *behind = path;

	if (slot != NULL)
		behind = slot + sizeof(TAPE_API_MODEL_SLOT) - 1;
	if (!cut_tail(&rest, behind, strcspn(behind, "?")))
		return false;
	if (slot != NULL) {
		const size_t before = rest.len;

		while (rest.len > 0 && rest.p[rest.len - 1] != '/')
			rest.len--;
		if (rest.len == before ||
		    !cut_tail(&rest, path, (size_t)(slot - path)))
			return false;
	}
	*s = rest;
	return true;
}

struct pieces {
	struct tape_str root; /* scheme and authority */
	struct tape_str path;
	struct tape_str query;
	struct tape_str password;
};

/* url is normalised. */
static enum tape_status
split(const char *url, struct pieces *u, struct tape_err *err)
{
	const char *host = strstr(url, "://") + 3;
	const char *end = host + strcspn(host, "/?#");
	const char *at = memrchr(host, '@', (size_t)(end - host));
	const char *colon =
	    at == NULL ? NULL : memchr(host, ':', (size_t)(at - host));

	if (strchr(end, '#') != NULL)
		return tape_err_set(
		    err, TAPE_E_USAGE, "a server's URL has no fragment");
	u->root = tape_str_make(url, (size_t)(end - url));
	u->path = tape_str_make(end, strcspn(end, "?"));
	u->query = tape_str_of(end + u->path.len);
	if (colon != NULL)
		u->password =
		    tape_str_make(colon + 1, (size_t)(at - colon - 1));
	while (u->path.len > 0 && u->path.p[u->path.len - 1] == '/')
		u->path.len--;
	return TAPE_OK;
}

/* What is shown: the base without user and password. */
static char *
redacted(const char *base)
{
	struct tape_buf b;
	char *text = NULL;

	tape_buf_init(&b, CAP_URL);
	if (tape_url_redact(base, &b) == TAPE_OK)
		text = tape_mem_dup(b.data, b.len);
	tape_buf_release(&b);
	return text;
}

static enum tape_status
fill(struct tape_target *t, const char *arm, struct pieces *u, const char *path,
    struct tape_err *err)
{
	struct tape_str whole = u->path;
	/* The endpoint, whatever it stands below. */
	bool exact =
	    cut_endpoint(&u->path, path) ||
	    (strncmp(path, "/v1/", 4) == 0 && cut_endpoint(&u->path, path + 3));

	(void)cut_tail(&u->path, "/v1", 3);
	t->base = join((struct tape_str[]){ u->root, u->path }, 2);
	t->query = join(&u->query, 1);
	if (exact)
		t->exact =
		    join((struct tape_str[]){ u->root, whole, u->query }, 3);
	if (u->password.p != NULL)
		t->password = join(&u->password, 1);
	if (t->base != NULL)
		t->shown = redacted(t->base);
	t->arm = tape_mem_strdup(arm);
	if (t->base == NULL || t->query == NULL || t->shown == NULL ||
	    (exact && t->exact == NULL) || (arm != NULL && t->arm == NULL) ||
	    (u->password.p != NULL && t->password == NULL))
		return tape_err_nomem(err);
	return TAPE_OK;
}

enum tape_status
tape_target_open(struct tape_target *t, const char *arm, const char *url,
    const char *path, struct tape_err *err)
{
	struct pieces u = { 0 };
	struct tape_buf b;
	enum tape_status st;

	*t = (struct tape_target){ 0 };
	tape_buf_init(&b, CAP_URL);
	st = tape_url_normalise(url, &b, err);
	if (st == TAPE_OK)
		st = split(b.data, &u, err);
	if (st == TAPE_OK)
		st = fill(t, arm, &u, path, err);
	if (st != TAPE_OK)
		tape_target_release(t);
	tape_buf_release(&b);
	return st;
}

size_t
tape_target_count(const struct tape_target *t)
{
	return 1 + t->more_n;
}

const struct tape_target *
tape_target_at(const struct tape_target *t, size_t i)
{
	return i == 0 ? t : &t->more[i - 1];
}

/* One more server of t, taken over. */
static enum tape_status
add_more(
    struct tape_target *t, const struct tape_target *one, struct tape_err *err)
{
	struct tape_target *all;

	if (tape_target_count(t) == TAPE_TARGET_MAX)
		return tape_err_set(err, TAPE_E_USAGE,
		    "more than %d URLs of one server", TAPE_TARGET_MAX);
	all = tape_mem_calloc(t->more_n + 1, sizeof(*all));
	if (all == NULL)
		return tape_err_nomem(err);
	if (t->more_n > 0)
		memcpy(all, t->more, t->more_n * sizeof(*all));
	all[t->more_n++] = *one;
	tape_mem_free(t->more);
	t->more = all;
	return TAPE_OK;
}

static bool
same_arm(const struct tape_target *t, const char *arm)
{
	return t->arm == NULL ? arm == NULL
			      : arm != NULL && strcmp(t->arm, arm) == 0;
}

/* A URL of an arm, which may be there already. */
static enum tape_status
add(struct tape_target_set *s, const char *arm, const char *url,
    const char *path, struct tape_err *err)
{
	struct tape_target one;
	enum tape_status st = tape_target_open(&one, arm, url, path, err);
	size_t i = 0;

	if (st != TAPE_OK)
		return st;
	while (i < s->n && !same_arm(&s->at[i], arm))
		i++;
	if (i < s->n)
		st = add_more(&s->at[i], &one, err);
	else if (s->n == TAPE_TARGET_MAX)
		st = tape_err_set(
		    err, TAPE_E_USAGE, "more than %d arms", TAPE_TARGET_MAX);
	else
		s->at[s->n++] = one;
	if (st != TAPE_OK)
		tape_target_release(&one);
	return st;
}

/* NAME=URL */
static enum tape_status
add_arm(struct tape_target_set *s, const char *arg, const char *path,
    struct tape_err *err)
{
	size_t n = strcspn(arg, "=");
	char *name;
	enum tape_status st;

	if (n == 0 || arg[n] != '=' || n > ARM_BYTES ||
	    !tape_utf8_valid(arg, n))
		return tape_err_set(
		    err, TAPE_E_USAGE, "an arm has the form NAME=URL");
	name = tape_mem_dup(arg, n);
	if (name == NULL)
		return tape_err_nomem(err);
	st = add(s, name, arg + n + 1, path, err);
	tape_mem_free(name);
	return st;
}

enum tape_status
tape_target_open_all(struct tape_target_set *s, const char *const *args,
    size_t n, bool named, const char *path, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = named ? add_arm(s, args[i], path, err)
			   : add(s, NULL, args[i], path, err);
	return st;
}

void
tape_target_release_all(struct tape_target_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		tape_target_release(&s->at[i]);
	s->n = 0;
}

char *
tape_target_url(const struct tape_target *t, struct tape_str path, bool own)
{
	struct tape_str base = tape_str_of(t->base);
	struct tape_str query = tape_str_of(t->query);
	bool bare = path.len == 0 || path.p[0] != '/';
	bool more = query.len > 0 && path.len > 0 &&
		    memchr(path.p, '?', path.len) != NULL;

	if (t->exact != NULL && own)
		return tape_mem_strdup(t->exact);
	if (more)
		query = tape_str_make(query.p + 1, query.len - 1);
	/* Without the slash a path could turn the host into a user. */
	return join((struct tape_str[]){ base, tape_str_make("/", bare ? 1 : 0),
			path, tape_str_make("&", more ? 1 : 0), query },
	    5);
}

enum tape_status
tape_target_url_of(const struct tape_target *t, const struct tape_api *api,
    const struct tape_api_ask *ask, char **url, struct tape_err *err)
{
	struct tape_buf path;
	bool own = false;
	enum tape_status st;

	*url = NULL;
	tape_buf_init(&path, CAP_URL);
	st = tape_api_path(api, ask, &path, &own, err);
	if (st == TAPE_OK)
		*url =
		    tape_target_url(t, tape_str_make(path.data, path.len), own);
	tape_buf_release(&path);
	if (st == TAPE_OK && *url == NULL)
		return tape_err_nomem(err);
	return st;
}
