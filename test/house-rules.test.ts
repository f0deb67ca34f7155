// Rules for every text of the project: no unfinished marks, no private keys, no addresses that could belong to
// somebody, no test that is skipped or runs alone. Vectors from elsewhere are left as they are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lineAt, listFiles, ROOT, type SourceFile, sourceOf } from '../scripts/source-files.ts';

const FOLDERS = ['src', 'test', 'scripts', 'simulations', 'bench', 'certs', 'docs', 'packaging'];
const OWN = /\.(?:ts|md|ya?ml|sh|json|conf|service|svg)$/;
const FOREIGN = /(?:^|\/)vectors\/|\.schema\.json$/;

/** Documentation (RFC 5737), benchmarking (RFC 2544), loopback, unspecified, netmasks. */
const IPV4_RANGES = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '198.18.0.0/15',
  '127.0.0.0/8',
  '0.0.0.0/8',
  // Reserved (RFC 1112 §4): routes for it are looked up, and no packet is sent there.
  '240.0.0.0/4',
  // Multicast that no router forwards (RFC 5771 §4), and that of documentation (RFC 6676).
  '224.0.0.0/24',
  '233.252.0.0/24',
];

const paths = listFiles(ROOT, FOLDERS, '')
  .filter((path) => OWN.test(path) && !FOREIGN.test(path))
  .concat(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'package.json', 'biome.json', '.ci/run']);
const texts = paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

function places(pattern: RegExp, accept: (match: RegExpMatchArray) => boolean = () => false): string[] {
  return texts.flatMap(({ path, text }) => faultsIn(path, text, pattern, accept));
}

function faultsIn(path: string, text: string, pattern: RegExp, accept: (match: RegExpMatchArray) => boolean): string[] {
  return [...text.matchAll(pattern)]
    .filter((match) => !accept(match))
    .map((match) => `${path}:${lineAt(text, match.index)}: ${match[0].trim()}`);
}

function ipv4Number(text: string): number {
  return text.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

/** Addresses of the drafts' own worked examples, which texts and tests repeat as they stand there; nothing is ever sent to them. */
const DRAFT_EXAMPLES = new Set(['1.1.1.1', '10.0.0.5', '10.2.2.2', '192.168.1.1', '100.100.100.100']);

/** First addresses of special-purpose prefixes (RFC 6890) and of the second half of all addresses, where a prefix is meant; no host has them. */
const SPECIAL_PURPOSE = new Set(['128.0.0.0', '169.254.0.0', '10.0.0.0', '172.16.0.0', '192.168.0.0', '100.64.0.0']);

/** True for an address that anybody may write down, and for four numbers that are no address (an OID below 2.5). */
function isFreeIpv4(text: string): boolean {
  if (DRAFT_EXAMPLES.has(text) || SPECIAL_PURPOSE.has(text)) return true;
  if (text.startsWith('2.5.') || text.split('.').some((part) => Number(part) > 255)) return true;
  return IPV4_RANGES.some((range) => {
    const [base = '', bits = ''] = range.split('/');
    const size = 2 ** (32 - Number(bits));
    return Math.floor(ipv4Number(text) / size) === Math.floor(ipv4Number(base) / size);
  });
}

/** True for loopback, link-local, multicast, unique local, documentation, the group-less forms of code, and all of global unicast as a prefix. */
function isFreeIpv6(text: string): boolean {
  return text === '2000::' || /^(?:fe80|ff0[0-9a-f]|f[cd][0-9a-f]{2}|2001:0?db8)(?::|$)/i.test(text);
}

const IPV4 = /(?<![\w.§])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\.?\d)/g;
const IPV6 = /(?<![\w:.])[23][0-9a-f]{3}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}(?![\w:])/gi;

const CITED_FILE = /(?<![\w./-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.ts(?![\w-])/g;
/** Names of no file: they stand for any. */
const PLACEHOLDERS = new Set(['folder/x.ts', 'folder/file.ts', 'x.ts']);

/** The comments of a file; positions stay. */
function commentsOf({ text, code }: SourceFile): string {
  return text
    .split('')
    .map((char, at) => (char === '\n' || code[at] !== char ? char : ' '))
    .join('');
}

test('no text holds the marks of an unresolved merge', () => {
  assert.deepEqual(places(/^(?:<{7}|>{7}|\|{7}) .*$/gm), []);
});

test('nothing is marked as unfinished', () => {
  assert.deepEqual(places(new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`, 'g')), []);
});

test('no private key is kept in the repository', () => {
  assert.deepEqual(places(/-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{16}/g), []);
});

test('addresses come from documentation and benchmark prefixes', () => {
  assert.deepEqual(
    places(IPV4, ([address]) => isFreeIpv4(address)),
    [],
  );
  assert.deepEqual(
    places(IPV6, ([address]) => isFreeIpv6(address)),
    [],
  );
});

test('no test is skipped, put off or run alone', () => {
  const tests = texts.filter(({ path }) => path.startsWith('test/') && path.endsWith('.ts'));
  const faults = tests.flatMap(({ path, text }) =>
    faultsIn(
      path,
      sourceOf(path, text).bare,
      /(?<![\w$])(?:test|it|describe|suite|t)\.(?:skip|todo|only)\b|\{\s*(?:skip|todo|only)\s*:/g,
      () => false,
    ),
  );
  assert.deepEqual(faults, []);
});

test('a comment of src cites no file that does not exist', () => {
  const files = listFiles(ROOT, ['src', 'test', 'scripts', 'simulations', 'bench'], '.ts');
  const isThere = ([name]: RegExpMatchArray) => files.some((path) => `/${path}`.endsWith(`/${name}`));
  const missing = (path: string, text: string) =>
    faultsIn(
      path,
      commentsOf(sourceOf(path, text)),
      CITED_FILE,
      (match) => PLACEHOLDERS.has(match[0]) || isThere(match),
    );
  const sources = texts.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'));
  assert.deepEqual(
    sources.flatMap(({ path, text }) => missing(path, text)),
    [],
  );
  assert.deepEqual(missing('a.ts', "/** As base/clock.ts and gone/clock.ts do. */\nimport './none.ts';"), [
    'a.ts:1: gone/clock.ts',
  ]);
});

test('the rules about addresses tell ours from those of others', () => {
  const others = ['8 8 8 8', '10 0 0 1', '192 168 1 2', '198 20 0 1', '9 9 9 9'].map((text) =>
    text.replaceAll(' ', '.'),
  );
  others.push('2606 4700 4700  1111'.replaceAll(' ', ':'), '2a00  1'.replaceAll(' ', ':'));
  const ours = ['192.0.2.7', '198.19.255.1', '203.0.113.0', '127.0.0.1', '2.5.29.17', '2001:db8::1'];
  const found = (text: string) => [
    ...faultsIn('a', text, IPV4, ([address]) => isFreeIpv4(address)),
    ...faultsIn('a', text, IPV6, ([address]) => isFreeIpv6(address)),
  ];
  for (const address of others) assert.deepEqual(found(`x ${address}/24 y`), [`a:1: ${address}`]);
  for (const address of ours) assert.deepEqual(found(`x ${address} y`), []);
});
