/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model server within another program: in a child process, on a socket that
 * was open before it, and several in one process.
 */
#include "codec/server.h"
#include "engine/serve.h"
#include "unit/ports.h"
#include "unit/raw_client.h"
#include "unit/tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define CHAT                                                                   \
 "{\"messages\":[{\"role\":\"user\",\"content\":\"hello you\"}],"              \
 "\"max_tokens\":3,\"stream\":true}"

static struct tape_serve *served;

static void
on_term(int sig)
{
	(void)sig;
	tape_serve_stop(served);
}

static void
no_pump(void)
{
}

static struct tape_serve_conf
quick(void)
{
	struct tape_serve_conf conf;

	tape_serve_conf_default(&conf);
	conf.ttft.mean = 2e6;
	conf.itl.mean = 1e6;
	return conf;
}

static const char *
request(void)
{
	static char text[512];

	(void)snprintf(text, sizeof(text),
	    "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n"
	    "content-length: %zu\r\n\r\n" CHAT,
	    strlen(CHAT));
	return text;
}

/* A listening socket below the kernel's own range; sets port. */
static int
open_socket(void)
{
	struct tape_err err = { 0 };
	int fd = -1, i;

	for (i = 0; i < PORTS_TRIES; i++) {
		tape_err_clear(&err);
		if (tape_server_socket(
			"127.0.0.1", ports_next(), &fd, &port, &err) == TAPE_OK)
			return fd;
	}
	printf("Bail out! %s\n", err.text);
	exit(1);
}

/* What the child does; its exit code. */
static int
child(int fd)
{
	struct tape_serve_conf conf = quick();
	struct tape_err err = { 0 };
	struct sigaction sa = { .sa_handler = on_term };
	enum tape_status st;

	conf.listen_fd = fd;
	if (tape_serve_open(&served, &conf, &err) != TAPE_OK)
		return 4;
	(void)sigaction(SIGTERM, &sa, NULL);
	st = tape_serve_run(served, &err);
	tape_serve_free(served);
	return st == TAPE_OK ? 0 : 5;
}

static void
test_child(void)
{
	int fd = open_socket(), c = dial(), status = -1;
	const char *got;
	pid_t pid;

	/* the client is there first: nobody needs to wait for the child */
	SAY(c, request());
	pid = fork();
	if (pid == 0)
		_exit(child(fd));
	(void)close(fd);
	got = hear(c, "0\r\n\r\n");
	ok(strstr(got, "data: [DONE]") != NULL, "a child process answers");
	(void)kill(pid, SIGTERM);
	is_int(waitpid(pid, &status, 0), pid, "it ends when it is told to");
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0,
	    "as a server that was stopped");
	got = hear(c, "<");
	ok(strstr(got, "<eof>") != NULL, "and its connections are closed");
	(void)close(c);
}

/* A child that is stopped while its parent still has the socket. */
static void
test_shared_socket(void)
{
	int fd = open_socket(), c, status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(child(fd));
	c = dial();
	SAY(c, request());
	ok(strstr(hear(c, "0\r\n\r\n"), "[DONE]") != NULL, "it answers");
	(void)kill(pid, SIGTERM);
	(void)waitpid(pid, &status, 0);
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0,
	    "it ends although the parent kept the socket");
	(void)close(c);
	(void)close(fd);
}

static void *
run(void *arg)
{
	struct tape_err err = { 0 };

	return tape_serve_run(arg, &err) == TAPE_OK ? arg : NULL;
}

static void
test_two(void)
{
	struct tape_serve *s[2] = { NULL, NULL };
	struct tape_serve_conf conf;
	struct tape_err err = { 0 };
	pthread_t th[2];
	uint16_t ports[2];
	void *end;
	int i, c;

	for (i = 0; i < 2; i++) {
		conf = quick();
		conf.listen_fd = open_socket();
		ports[i] = port;
		if (tape_serve_open(&s[i], &conf, &err) != TAPE_OK)
			printf("# %s\n", err.text);
		is_int(tape_serve_port(s[i]), port, "the port is told");
		(void)pthread_create(&th[i], NULL, run, s[i]);
	}
	for (i = 0; i < 2; i++) {
		port = ports[i];
		c = dial();
		SAY(c, request());
		ok(strstr(hear(c, "0\r\n\r\n"), "[DONE]") != NULL,
		    "server %d of one process answers", i + 1);
		(void)close(c);
	}
	for (i = 0; i < 2; i++) {
		tape_serve_stop(s[i]);
		(void)pthread_join(th[i], &end);
		ok(end == s[i], "and is stopped by another thread");
		is_int(tape_serve_get_stats(s[i])->complete, 1,
		    "each has its own count");
		tape_serve_free(s[i]);
	}
}

static void
test_no_socket(void)
{
	struct tape_serve_conf conf = quick();
	struct tape_serve *s = NULL;
	struct tape_err err = { 0 };
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	conf.listen_fd = fd;
	is_int(tape_serve_open(&s, &conf, &err), TAPE_E_IO,
	    "what is no socket is refused");
	ok(s == NULL, "there is no server then");
	is_int(close(fd), 0, "and the descriptor is still the caller's");
}

int
main(void)
{
	client_pump = no_pump;
	test_child();
	test_shared_socket();
	test_two();
	test_no_socket();
	return done_testing();
}
