/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_openssl: a TLS server for tests: openssl's own, with a certificate made
 * on the spot.  tls_start makes both, tls_stop ends and removes all; between
 * them tls_cert names the file to trust.  Without an openssl command tls_start
 * gives 0.
 */
#ifndef TAPE_UNIT_HTTP_OPENSSL_H
#define TAPE_UNIT_HTTP_OPENSSL_H

#include "unit/http_peer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char tls_dir[] = "/tmp/tape-http-tls-XXXXXX";
static char tls_cert[64], tls_key[64];
static pid_t tls_server = -1;

/* Its output is thrown away, its input is the descriptor; -1 when it cannot be
   run. */
static pid_t
tls_spawn(char *const argv[], int in)
{
	extern char **environ;
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int failed;

	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_adddup2(&fa, in, 0);
	for (int fd = 1; fd <= 2; fd++)
		(void)posix_spawn_file_actions_addopen(
		    &fa, fd, "/dev/null", O_WRONLY, 0);
	failed = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&fa);
	return failed != 0 ? -1 : pid;
}

static bool
tls_make_certificate(void)
{
	char *argv[] = { (char[]){ "openssl" }, (char[]){ "req" },
		(char[]){ "-x509" }, (char[]){ "-newkey" }, (char[]){ "ec" },
		(char[]){ "-pkeyopt" },
		(char[]){ "ec_paramgen_curve:prime256v1" },
		(char[]){ "-nodes" }, (char[]){ "-days" }, (char[]){ "2" },
		(char[]){ "-subj" }, (char[]){ "/CN=llmtape test" },
		(char[]){ "-addext" },
		(char[]){ "subjectAltName=IP:127.0.0.1" },
		(char[]){ "-keyout" }, tls_key, (char[]){ "-out" }, tls_cert,
		NULL };
	pid_t pid = tls_spawn(argv, STDIN_FILENO);
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
tls_reachable(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)port);
	is = connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
	(void)close(fd);
	return is;
}

/* With -www it answers with a page of its own; with NULL it says what it reads
   from in.  Returns the port. */
static int
tls_start(const char *www, int in)
{
	char port_text[32], option[16];
	char *argv[] = { (char[]){ "openssl" }, (char[]){ "s_server" },
		(char[]){ "-accept" }, port_text, (char[]){ "-cert" }, tls_cert,
		(char[]){ "-key" }, tls_key, (char[]){ "-quiet" },
		www != NULL ? option : NULL, NULL };
	int port;

	if (mkdtemp(tls_dir) == NULL)
		return 0;
	(void)snprintf(tls_cert, sizeof(tls_cert), "%s/cert.pem", tls_dir);
	(void)snprintf(tls_key, sizeof(tls_key), "%s/key.pem", tls_dir);
	(void)snprintf(option, sizeof(option), "%s", www != NULL ? www : "");
	if (!tls_make_certificate())
		return 0;
	(void)close(peer_bind(&port));
	(void)snprintf(port_text, sizeof(port_text), "127.0.0.1:%d", port);
	tls_server = tls_spawn(argv, in);
	for (int i = 0; i < 200 && tls_server > 0; i++) {
		if (tls_reachable(port))
			return port;
		peer_sleep_ms(20);
	}
	return 0;
}

static void
tls_stop(void)
{
	if (tls_server > 0) {
		(void)kill(tls_server, SIGTERM);
		(void)waitpid(tls_server, NULL, 0);
	}
	(void)unlink(tls_cert);
	(void)unlink(tls_key);
	(void)rmdir(tls_dir);
}

#endif
