# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# peers.sh: what other clients need to be run.  To be sourced.
#
#	find_in_venv NAME	prints the path of that program in the first of
#				the Python environments of PEERS_VENV that has it
#	make_tokenizer DIR WORDS
#				a tokenizer into DIR, in the form of transformers,
#				whose tokens are the words of the file WORDS
find_in_venv()
{
	(
		IFS=:
		for v in ${PEERS_VENV:-}; do
			[ ! -x "$v/bin/$1" ] || {
				echo "$v/bin/$1"
				exit 0
			}
		done
		exit 1
	)
}

make_tokenizer()
{
	mkdir -p "$1"
	awk '
	function special(id, name) {
		return "{\"id\":" id ",\"content\":\"" name "\",\"single_word" \
		    "\":false,\"lstrip\":false,\"rstrip\":false," \
		    "\"normalized\":false,\"special\":true}"
	}
	BEGIN {
		printf "{\"version\":\"1.0\",\"truncation\":null,\"padding\":" \
		    "null,\"added_tokens\":[%s,%s],\"normalizer\":null," \
		    "\"pre_tokenizer\":{\"type\":\"Whitespace\"}," \
		    "\"post_processor\":null,\"decoder\":null,\"model\":{" \
		    "\"type\":\"WordLevel\",\"vocab\":{\"<unk>\":0,\"<s>\":1",
		    special(0, "<unk>"), special(1, "<s>")
	}
	{ printf ",\"%s\":%d", $1, NR + 1 }
	END { print "},\"unk_token\":\"<unk>\"}}" }
	' "$2" >"$1/tokenizer.json"
	printf '{"tokenizer_class":"PreTrainedTokenizerFast",%s}\n' \
	    '"unk_token":"<unk>","bos_token":"<s>","eos_token":"<s>"' \
	    >"$1/tokenizer_config.json"
	# vllm asks for a model's configuration beside it, and says so if not.
	echo '{"model_type":"llama"}' >"$1/config.json"
}
