/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"

#include "base/mem.h"
#include "base/num.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

enum tape_status
tape_http_pool_open(struct tape_http *h, struct tape_err *err)
{
	h->pool = tape_mem_calloc(1, sizeof(*h->pool));
	return h->pool == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static void
close_oldest(struct tape_http_pool *p)
{
	struct tape_http_conn *c = p->oldest;

	tape_http_pool_remove(c);
	tape_http_conn_close(c);
}

bool
tape_http_pool_spare(struct tape_http *h, int why)
{
	if ((why != EMFILE && why != ENFILE) || h->pool->oldest == NULL)
		return false;
	close_oldest(h->pool);
	return true;
}

void
tape_http_pool_free(struct tape_http *h)
{
	if (h->pool == NULL)
		return;
	while (h->pool->oldest != NULL)
		close_oldest(h->pool);
	tape_mem_free(h->pool);
	h->pool = NULL;
}

/* An address in numbers, or a path, needs no resolving. */
static void
set_address(struct tape_http_origin *o, const char *unix_socket)
{
	const struct addrinfo hints = { .ai_flags =
					    AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *found;

	if (unix_socket != NULL) {
		struct sockaddr_un un = { .sun_family = AF_UNIX };

		memcpy(un.sun_path, unix_socket, strlen(unix_socket) + 1);
		memcpy(&o->addr, &un, sizeof(un));
		o->addr_len = sizeof(un);
		o->numeric = true;
		return;
	}
	if (getaddrinfo(o->host, o->port_text, &hints, &found) != 0)
		return;
	memcpy(&o->addr, found->ai_addr, found->ai_addrlen);
	o->addr_len = found->ai_addrlen;
	o->numeric = true;
	freeaddrinfo(found);
	(void)getnameinfo((const struct sockaddr *)&o->addr, o->addr_len,
	    o->text, sizeof(o->text), NULL, 0, NI_NUMERICHOST);
}

struct tape_http_origin *
tape_http_pool_origin(struct tape_http *h, const char *host, const char *port)
{
	struct tape_http_origin *o = h->pool->origins;

	while (o != NULL &&
	       (strcmp(o->port_text, port) != 0 || strcmp(o->host, host) != 0))
		o = o->next;
	if (o == NULL) {
		o = tape_mem_calloc(1, sizeof(*o));
		if (o == NULL)
			return NULL;
		o->host = tape_mem_strdup(host);
		if (o->host == NULL ||
		    tape_num_i64(port, 0, 65535, &o->port, NULL) != TAPE_OK) {
			tape_mem_free(o->host);
			tape_mem_free(o);
			return NULL;
		}
		(void)snprintf(o->port_text, sizeof(o->port_text), "%s", port);
		set_address(o, h->unix_socket);
		o->next = h->pool->origins;
		h->pool->origins = o;
	}
	o->refs++;
	return o;
}

void
tape_http_pool_drop(struct tape_http *h, struct tape_http_origin *o)
{
	struct tape_http_origin **at;

	if (o == NULL || --o->refs > 0)
		return;
	for (at = &h->pool->origins; *at != o; at = &(*at)->next)
		;
	*at = o->next;
	tape_mem_free(o->host);
	tape_mem_free(o);
}

/* The list that an idle connection is in. */
static struct tape_http_conn **
place(struct tape_http_conn *c)
{
	return c->taken ? &c->h->pool->session[c->session % TAPE_HTTP_PLACES]
			: &c->origin->idle;
}

void
tape_http_pool_remove(struct tape_http_conn *c)
{
	struct tape_http_pool *p = c->h->pool;

	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		*place(c) = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	if (c->newer != NULL)
		c->newer->older = c->older;
	else
		p->newest = c->older;
	if (c->older != NULL)
		c->older->newer = c->newer;
	else
		p->oldest = c->newer;
	p->idle--;
}

void
tape_http_pool_give(struct tape_http_conn *c)
{
	struct tape_http_pool *p = c->h->pool;
	struct tape_http_conn **list = place(c);

	c->x = NULL;
	c->used = true;
	c->prev = NULL;
	c->next = *list;
	if (c->next != NULL)
		c->next->prev = c;
	*list = c;
	c->newer = NULL;
	c->older = p->newest;
	if (c->older != NULL)
		c->older->newer = c;
	else
		p->oldest = c;
	p->newest = c;
	if (++p->idle > c->h->keep + TAPE_HTTP_KEEP_MARGIN)
		close_oldest(p);
}

static struct tape_http_conn *
find(struct tape_http_xfer *x)
{
	struct tape_http_origin *o = x->template->origin;
	struct tape_http_conn *c;

	if (x->own.mode == TAPE_HTTP_FRESH)
		return NULL;
	if (x->own.mode == TAPE_HTTP_POOLED)
		return o->idle;
	c = x->h->pool->session[x->own.session % TAPE_HTTP_PLACES];
	while (c != NULL && (c->session != x->own.session || c->origin != o))
		c = c->next;
	return c;
}

struct tape_http_conn *
tape_http_pool_take(struct tape_http_xfer *x)
{
	struct tape_http_conn *c;

	while ((c = find(x)) != NULL) {
		tape_http_pool_remove(c);
		if (tape_http_conn_is_quiet(c)) {
			tape_http_conn_hold(c, x);
			return c;
		}
		tape_http_conn_close(c);
	}
	return NULL;
}
