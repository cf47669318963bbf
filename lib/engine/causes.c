/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/causes.h"

#define ROW(class, cause, meaning, advice)                                     \
 {                                                                             \
  class, cause, meaning, advice                                                \
 }

/* clang-format off */
static const struct tape_cause table[] = {
	ROW("dns", "unresolved", "the name has no address",
	    "check the host in the URL, and the resolver"),
	ROW("connect", "refused", "nothing listens there",
	    "check address and port, and that the server is up"),
	ROW("connect", "unreachable", "no way to that address",
	    "check the network and its firewalls"),
	ROW("connect", "no-address", "the client ran out of local ports",
	    "reuse connections, or give more source addresses"),
	ROW("connect", "proxy", "the proxy did not connect",
	    "check --proxy, or leave the proxy out"),
	ROW("connect", NULL, "no connection could be made",
	    "see the message, and the server's log"),
	ROW("tls", "certificate", "the certificate is not trusted",
	    "give its authority with the CA option, and check name and date"),
	ROW("tls", "ca-file", "the file of authorities cannot be read",
	    "check that file"),
	ROW("tls", "client-certificate", "that of this side cannot be used",
	    "check the files of certificate and key, and that they are a pair"),
	ROW("tls", NULL, "the handshake failed",
	    "check that the port speaks TLS, and which versions"),
	ROW("send", NULL, "the connection broke while the request went out",
	    "check the server's limit on the size of a request, and its log"),
	ROW("timeout", "connect-timeout", "no connection in time",
	    "the server's backlog is full, or packets are dropped"),
	ROW("timeout", "send", "the request was not taken in time",
	    "the server does not read: see its log"),
	ROW("timeout", "first-byte", "no byte of an answer in time",
	    "the queue is longer than the timeout: lower the load, or raise "
	    "the timeout"),
	ROW("timeout", "idle", "the stream stood still",
	    "the engine hangs or preempts: read the server's log"),
	ROW("timeout", "total", "the answer was not complete in time",
	    "ask for fewer tokens, lower the load, or raise the timeout"),
	ROW("reset", "stale-connection",
	    "a kept connection was closed as the request went out",
	    "the server closes kept connections, idle ones or after so many "
	    "requests: raise its limits, or use --retry"),
	ROW("reset", NULL, "the connection was closed before the answer ended",
	    "the server or a proxy broke off: read their logs"),
	ROW("http", "refused-field", "the server refuses a field or its value",
	    "read the message; check the dialect, --server, and fields that "
	    "--drop-field can leave out"),
	ROW("http", "too-long", "the prompt does not fit",
	    "lower the input or output length, or raise the server's limit "
	    "on the context"),
	ROW("http", "denied", "no access",
	    "check the key and what it may use"),
	ROW("http", "not-found", "no such path, or no such model",
	    "check the URL's path, --api and --model"),
	ROW("http", "queue-full", "more requests than batch and queue hold",
	    "lower the concurrency or rate to what batch and queue take"),
	ROW("http", "engine-failed", "the engine is down or not ready",
	    "read the server's log; wait until it is ready"),
	ROW("http", "gateway", "a proxy had no answer from the server",
	    "raise the proxy's timeout, and read the server's log"),
	ROW("http", "proxy-page", "a proxy answered in the server's place",
	    "check what stands between client and server, and its log"),
	ROW("http", "server-error", "the server failed",
	    "read the server's log"),
	ROW("http", "redirect", "the server sends elsewhere",
	    "use the URL that it names, or --location"),
	ROW("http", NULL, "a status that is no success",
	    "read the message and the server's log"),
	ROW("truncated", "malformed", "what came is not HTTP as it should be",
	    "check the port, http against https, and what stands between"),
	ROW("truncated", "header-limit", "a head larger than any should be",
	    "see what the server or a proxy puts into its header fields"),
	ROW("truncated", NULL, "bytes of the answer are missing",
	    "the server or a proxy broke off: read their logs"),
	ROW("cancelled", "unsent", "to be sent again, when the run stopped",
	    "give the run more time, or fewer attempts"),
	ROW("cancelled", NULL, "the client gave up on purpose",
	    "none, when it was asked for"),
	ROW("client", "predecessor", "a turn before it had failed",
	    "look at the failure of that turn"),
	ROW("client", "descriptors", "no file descriptor was left",
	    "raise ulimit -n"),
	ROW("client", "memory", "memory was out on the client",
	    "lower the load, or use a larger client"),
	ROW("client", NULL, "the client could not do it",
	    "read the message"),
	ROW("stream", "at-start", "an error inside a 200, before any token",
	    "read the message and the server's log"),
	ROW("stream", "mid-answer", "an error inside a 200, behind tokens",
	    "the engine failed while it generated: read the server's log"),
	ROW("stream", "in-body", "an error inside a 200",
	    "read the message and the server's log"),
	ROW("stream", "finish-error", "a choice ended by an error",
	    "the engine gave up on the request: read the server's log"),
	ROW("malformed", "spliced", "frames were spliced on the way",
	    "a proxy or the server cuts frames: leave the proxy out"),
	ROW("malformed", "json", "nothing is what the dialect says",
	    "check --api: the server may speak another dialect"),
	ROW("malformed", "framing", "what tells the events apart is wrong",
	    "check --api: the server may frame its events otherwise"),
	ROW("malformed", "encoding", "compressed data is damaged or stops",
	    "leave out what compresses on the way"),
	ROW("malformed", "limit", "a limit of the reader was exceeded",
	    "see the limits in llmtape-stream(5)"),
	ROW("unfinished", "cut", "the stream ended in the middle",
	    "the server or a proxy broke off: read their logs"),
	ROW("unfinished", "empty", "an answer without a token",
	    "the model stops at once: check the prompt and its template"),
	ROW("content-type", "proxy-page", "a page of HTML instead of a stream",
	    "check the URL, and what stands between client and server"),
	ROW("content-type", "encoding", "an encoding that is not decoded",
	    "ask for identity, or switch the compression off"),
	ROW("content-type", "foreign", "neither an event stream nor JSON",
	    "check the URL's path and --api"),
	ROW("lost", NULL, "the recording ends before the answer did",
	    "the client was killed: run again"),
};
/* clang-format on */

#define ROWS (sizeof(table) / sizeof(*table))

const struct tape_cause *
tape_cause_find(struct tape_str class, struct tape_str cause)
{
	const struct tape_cause *any = NULL;

	for (size_t i = 0; i < ROWS; i++) {
		if (!tape_str_is(class, table[i].class))
			continue;
		if (table[i].cause == NULL)
			any = &table[i];
		else if (tape_str_is(cause, table[i].cause))
			return &table[i];
	}
	return any;
}

const struct tape_cause *
tape_cause_at(size_t i)
{
	return i < ROWS ? &table[i] : NULL;
}
