/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A form with a file, and the transcription that comes of it. */
#include "unit/api_show.h"

#include "unit/api_asks.h"

#include <stdlib.h>
#include <sys/stat.h>

#define B           "--llmtape-b9Xr4TqLw2VnK8sYd6HfJ3pZ"
#define PART(name)  B "\r\nContent-Disposition: form-data; name=\"" name "\""
#define FIELD(n, v) PART(n) "\r\n\r\n" v "\r\n"
#define FILED(f, t)                                                            \
 PART("file")                                                                  \
 "; filename=\"" f "\"\r\nContent-Type: " t "\r\n\r\nRI\"FF\r\n\x01\r\n"
#define END B "--\r\n"

static void
put(const char *path, const char *bytes)
{
	FILE *f = fopen(path, "w");

	ok(f != NULL && fputs(bytes, f) >= 0 && fclose(f) == 0, "%s is there",
	    path);
}

static void
renders_form(struct tape_api_ask ask, const char *want, const char *name)
{
	renders("audio_transcription", ask, want, name);
}

static void
test_forms(void)
{
	struct tape_input in = text("");
	struct tape_api_ask ask = plain(&in);

	ask.params = tape_str_of("{\"file\":\"a.wav\"}");
	renders_form(ask, FILED("a.wav", "audio/wav") END, "a file alone");
	in = text("names: \"X\"\n");
	ask = full(&in);
	ask.params = tape_str_of(
	    "{\"file\":\"d/b.MP3\",\"language\":\"d\\u0065\",\"n\":null,"
	    "\"temperature\":0.50,\"timestamp_granularities\":[\"word\", "
	    "\"segment\"],\"o\":{\"a\": 1}}");
	ask.extra = tape_str_of("{\"language\":\"en\",\"model\":\"w\"}");
	renders_form(ask,
	    FILED("b.MP3", "audio/mpeg") FIELD("prompt", "names: \"X\"\n")
		FIELD("stream", "true") FIELD("temperature", "0.50")
		    FIELD("timestamp_granularities[]", "word")
			FIELD("timestamp_granularities[]", "segment")
			    FIELD("o", "{\"a\": 1}") FIELD("language", "en")
				FIELD("model", "w") END,
	    "fields of all kinds, extra's over params'");
	in = blocks();
	ask = plain(&in);
	ask.model = tape_str_of("m");
	ask.extra = tape_str_of("{\"file\":\"c\"}");
	renders_form(ask,
	    FILED("c", "application/octet-stream") FIELD("model", "m")
		FIELD("prompt", "gnu dog gnu eel cow gnu gnu eel ant cow") END,
	    "blocks, and a file of any kind");
	path_is("audio_transcription", &in, "/v1/audio/transcriptions");
}

static void
refuses_file(const char *params, enum tape_status st, const char *why)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = plain(&in);

	ask.params = tape_str_of(params);
	refuses("audio_transcription", ask, st, why);
}

static void
test_refusals(void)
{
	struct tape_input in = messages("[]");

	refuses("audio_transcription", plain(&in), TAPE_E_USAGE,
	    "the audio_transcription API takes text alone");
	refuses_file("{}", TAPE_E_USAGE,
	    "the audio_transcription API needs \"file\" in params, the name of "
	    "one");
	refuses_file("{\"file\":1}", TAPE_E_USAGE,
	    "the audio_transcription API needs \"file\" in params, the name of "
	    "one");
#define BELOW(path)                                                            \
 "a file to send is named by a path below the working directory, not '" path "'"
	refuses_file("{\"file\":\"\"}", TAPE_E_USAGE, BELOW(""));
	refuses_file("{\"file\":\"-\"}", TAPE_E_USAGE, BELOW("-"));
	refuses_file(
	    "{\"file\":\"/etc/passwd\"}", TAPE_E_USAGE, BELOW("/etc/passwd"));
	refuses_file(
	    "{\"file\":\"../a.wav\"}", TAPE_E_USAGE, BELOW("../a.wav"));
	refuses_file("{\"file\":\"d/..\"}", TAPE_E_USAGE, BELOW("d/.."));
	refuses_file(
	    "{\"file\":\"d/../../x\"}", TAPE_E_USAGE, BELOW("d/../../x"));
	refuses_file("{\"file\":\"a\\\"b\"}", TAPE_E_USAGE, BELOW("a\"b"));
	refuses_file("{\"file\":\"a.wav\",\"a\\\"b\":1}", TAPE_E_USAGE,
	    "a field of a form cannot have the name 'a\"b'");
	refuses_file("{\"file\":\"a.wav\",\"x\":"
		     "\"llmtape-b9Xr4TqLw2VnK8sYd6HfJ3pZ\"}",
	    TAPE_E_USAGE,
	    "a field of the request body has the boundary of its parts in it");
}

static void
test_answers(void)
{
	start("audio_transcription", "a stream");
	gives("{\"type\":\"transcript.text.delta\",\"delta\":\"a\"}", 'c', 1);
	gives("{\"type\":\"transcript.text.segment\",\"text\":\"a\"}", 'o', 0);
	gives("{\"type\":\"transcript.text.done\",\"text\":\"a\",\"usage\":"
	      "{\"input_tokens\":3,\"output_tokens\":2}}",
	    'd', 0);
	text_is("a");
	is_int(d.tokens.output, 2, "tokens");
	malformed("{\"type\":");
	gives("{\"type\":\"error\",\"error\":{\"message\":\"boom\"}}", 'e', 0);
	start("audio_transcription", "a body");
	gives_body("{\"text\":\"ab\",\"usage\":{\"type\":\"duration\","
		   "\"seconds\":9}}",
	    'c', 2);
	ok(d.done, "complete");
	keeps(tape_api_usage, "{\"type\":\"duration\",\"seconds\":9}",
	    "which is paid by the second");
	gives_body("{\"words\":[]}", 'o', 0);
	ok(ev.malformed, "without text it is none");
	gives_body("{\"error\":{\"message\":\"no\"}}", 'e', 0);
}

static void
test_memory(void)
{
	struct tape_input in = blocks();
	struct tape_api_ask ask = full(&in);

	ask.params = tape_str_of("{\"file\":\"a.wav\",\"x\":[\"\\u0061\"]}");
	fails_each("audio_transcription", ask);
}

int
main(void)
{
	char dir[] = "/tmp/llmtape-XXXXXX";

	open_zoo();
	tape_api_decoder_init(&d, tape_api_at(0), true);
	test_answers();
	ok(mkdtemp(dir) != NULL && chdir(dir) == 0 && mkdir("d", 0700) == 0,
	    "a directory");
	put("a.wav", "RI\"FF\r\n\x01");
	put("d/b.MP3", "RI\"FF\r\n\x01");
	put("c", "RI\"FF\r\n\x01");
	test_forms();
	test_refusals();
	test_memory();
	ok(unlink("a.wav") == 0 && unlink("c") == 0 && unlink("d/b.MP3") == 0 &&
		rmdir("d") == 0 && chdir("/") == 0 && rmdir(dir) == 0,
	    "nothing is left");
	tape_api_decoder_release(&d);
	tape_vocab_set_release(&zoo);
	return done_testing();
}
