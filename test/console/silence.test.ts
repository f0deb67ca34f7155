// Which calls without a result make a node one that did not answer, and moments and ages in words, as the operators' page has them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

type Call = { readonly node: string; readonly status: string; readonly reason?: string; readonly untrusted?: string };
type Silence = { readonly [kind in 'silent' | 'refusing' | 'partly']: readonly Call[] };

let silenceOf: (outcomes: readonly Call[], own?: string) => Silence;
let words: {
  ageWords(agoMs: number): string;
  momentWords(atMs: number): string;
};

before(async () => {
  const load = (name: string) => import(new URL(`../../src/console/web/${name}`, import.meta.url).href);
  ({ silenceOf } = await load('silence.js'));
  words = await load('words.js');
});

const nodesOf = (silence: Silence) =>
  Object.fromEntries(Object.entries(silence).map(([kind, calls]) => [kind, calls.map(({ node }) => node)]));

test('a node is silent when it answered nothing; one failed call of a node that answered makes none of it [TS-21]', () => {
  const found = silenceOf([
    { node: 'p2', status: 'unreachable' },
    { node: 'P-2', status: 'refused' },
    { node: 'pe3', status: 'answered' },
    { node: 'pe3', status: 'timed-out' },
    { node: 'p4', status: 'refused' },
    { node: 'p5', status: 'answered' },
  ]);
  assert.deepEqual(nodesOf(found), { silent: ['p2'], refusing: ['p4'], partly: ['pe3'] });
});

test('the router that serves the page is never one that did not answer [TS-21]', () => {
  const found = silenceOf([{ node: 'pe1', status: 'refused', reason: '-32602 expected a direct neighbour' }], 'PE-1');
  assert.deepEqual(nodesOf(found), { silent: [], refusing: [], partly: ['pe1'] });
});

test('ages are in steps that are worth reading, and never of the future', () => {
  const ages = [-90_000, 9_000, 12_000, 59_000, 61_000, 125_000, 7_300_000].map((agoMs) => words.ageWords(agoMs));
  assert.deepEqual(ages, ['just now', 'just now', '10 s ago', '55 s ago', '1 min ago', '2 min ago', '2 h ago']);
});

test('a moment is the reader’s local time with its distance from UTC', () => {
  const zone = process.env['TZ'];
  try {
    const at = Date.parse('2026-01-02T03:04:05Z');
    const inZone = (name: string) => {
      process.env['TZ'] = name;
      return words.momentWords(at);
    };
    assert.equal(inZone('UTC'), '2026-01-02 03:04:05 UTC');
    assert.equal(inZone('Asia/Kolkata'), '2026-01-02 08:34:05 UTC+05:30');
    assert.equal(inZone('America/New_York'), '2026-01-01 22:04:05 UTC−05:00');
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});
