/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http over TLS, against openssl's own server with a certificate made on
   the spot. */
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[] = "/tmp/tape-http-tls-XXXXXX";
static char cert[64], key[64], port_text[16];

/* Its output is thrown away; -1 when it cannot be run. */
static pid_t
spawn(char *const argv[])
{
	extern char **environ;
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int failed;

	(void)posix_spawn_file_actions_init(&fa);
	for (int fd = 0; fd <= 2; fd++)
		(void)posix_spawn_file_actions_addopen(
		    &fa, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
	failed = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&fa);
	return failed != 0 ? -1 : pid;
}

static bool
make_certificate(void)
{
	char *argv[] = { (char[]){ "openssl" }, (char[]){ "req" },
		(char[]){ "-x509" }, (char[]){ "-newkey" }, (char[]){ "ec" },
		(char[]){ "-pkeyopt" },
		(char[]){ "ec_paramgen_curve:prime256v1" },
		(char[]){ "-nodes" }, (char[]){ "-days" }, (char[]){ "2" },
		(char[]){ "-subj" }, (char[]){ "/CN=llmtape test" },
		(char[]){ "-addext" },
		(char[]){ "subjectAltName=IP:127.0.0.1" },
		(char[]){ "-keyout" }, key, (char[]){ "-out" }, cert, NULL };
	pid_t pid = spawn(argv);
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
reachable(int port)
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

static pid_t
start_server(int *port)
{
	char *argv[] = { (char[]){ "openssl" }, (char[]){ "s_server" },
		(char[]){ "-accept" }, port_text, (char[]){ "-cert" }, cert,
		(char[]){ "-key" }, key, (char[]){ "-www" },
		(char[]){ "-quiet" }, NULL };
	pid_t pid;

	(void)close(peer_bind(port));
	(void)snprintf(port_text, sizeof(port_text), "127.0.0.1:%d", *port);
	pid = spawn(argv);
	for (int i = 0; i < 200 && pid > 0 && !reachable(*port); i++)
		peer_sleep_ms(20);
	return pid;
}

static struct got *
get(const struct tape_http_opts *opts, int port, const char *host)
{
	struct tape_http *h = client(opts);
	char url[128];
	struct tape_http_request req = { .url = url };
	struct got *g;

	(void)snprintf(url, sizeof(url), "https://%s:%d/", host, port);
	g = begin(h, &req, 0, "");
	drain(h);
	tape_http_free(h);
	return g;
}

static void
test_server(int port)
{
	struct tape_http_opts opts = { .cacert = cert };
	struct got *g = get(&opts, port, "127.0.0.1");

	is_str(verdict(g), "none/", "a certificate that is trusted");
	ok(g->r.status == 200 && g->body_len > 100, "with its page");
	ok(g->r.tls_ns > 0 && g->r.connect_ns >= 0, "the handshake has a time");
	ok(g->r.conn_ns - g->r.start_ns >= g->r.tls_ns, "within the set-up");
	free(g);

	g = get(NULL, port, "127.0.0.1");
	is_str(verdict(g), "tls/certificate", "one that is not");
	ok(g->r.conn_ns == -1 && g->sents == 0, "gets no request");
	printf("# %s\n", g->message);
	free(g);

	g = get(&opts, port, "localhost");
	is_str(verdict(g), "tls/certificate", "one of another name");
	free(g);

	opts = (struct tape_http_opts){ .insecure = true };
	g = get(&opts, port, "localhost");
	is_str(verdict(g), "none/", "any, when told so");
	free(g);
}

static void
test_no_tls(void)
{
	struct peer peer;
	struct got *g;

	peer_start(&peer);
	g = get(NULL, peer.port, "127.0.0.1");
	ok(g->finishes == 1 && g->r.class == TAPE_HTTP_TLS &&
		strcmp(g->cause, "handshake") == 0,
	    "a server without TLS: %s", verdict(g));
	free(g);
	peer_stop(&peer);
}

int
main(void)
{
	pid_t server = -1;
	int port = 0;

	(void)signal(SIGPIPE, SIG_IGN);
	test_no_tls();
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(cert, sizeof(cert), "%s/cert.pem", dir);
	(void)snprintf(key, sizeof(key), "%s/key.pem", dir);
	if (make_certificate())
		server = start_server(&port);
	if (server > 0 && reachable(port))
		test_server(port);
	else
		ok(true, "# SKIP no openssl command");
	if (server > 0) {
		(void)kill(server, SIGTERM);
		(void)waitpid(server, NULL, 0);
	}
	(void)unlink(cert);
	(void)unlink(key);
	(void)rmdir(dir);
	return done_testing();
}
