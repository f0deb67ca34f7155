// What the words of a rule say of the first packet of a connection, and of sets; words come from peers, and may be anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeNodeState } from '#measure/decode/decode.ts';
import { isUnreadSet, takingRest } from '#model/router/packet-match.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const restOf = (words: string) => takingRest({ matches: [], matchesRest: true, unread: [words] });

test('states are read one by one, and only those that the kernel has', () => {
  const told = (words: string) => [words, restOf(words)];
  assert.deepEqual(
    ['ct state { new, established }', 'ct state != new', 'xtables --ctstate RELATED,NEW', 'xtables ! --state NEW'].map(
      told,
    ),
    [
      ['ct state { new, established }', 'yes'],
      ['ct state != new', 'no'],
      ['xtables --ctstate RELATED,NEW', 'yes'],
      ['xtables ! --state NEW', 'no'],
    ],
  );
  assert.deepEqual(
    [
      'ct state { new, estab…',
      'ct state',
      'ct state & established == 0',
      'xtables --ctstate NEW,DNAT',
      'ct state newer',
    ].map(restOf),
    ['unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
  );
});

test('what is untracked may be the first packet of a connection', () => {
  assert.deepEqual(
    ['ct state untracked', 'ct state established,untracked', 'ct state != untracked', 'ct state new,untracked'].map(
      restOf,
    ),
    ['unknown', 'unknown', 'unknown', 'yes'],
  );
});

test('words of a peer that once took a parser for seconds are read in few steps, and longer ones not at all', () => {
  // Each of these doubled, or squared, the steps with every letter.
  const seeds = [`ct state ${'a'.repeat(60)}1`, `ct state { ${'new,'.repeat(50)}1 }`, 'ip saddr '.repeat(8_000)];
  assert.deepEqual(seeds.map(restOf), ['unknown', 'unknown', 'unknown']);
  assert.deepEqual(seeds.map(isUnreadSet), [false, false, false]);
  fc.assert(
    fc.property(fc.stringMatching(/^(?:ct state |xtables --state )[a-z ,{}1!]{0,300}$/), (words) => {
      assert.ok(['yes', 'no', 'unknown'].includes(restOf(words)));
      assert.equal(typeof isUnreadSet(words), 'boolean');
    }),
  );
  const rule = { family: 'ip', table: 't', chain: 'f', path: ['f'], hook: 'forward', handle: 1, verdict: 'drop' };
  const readWith = (letters: number) =>
    decodeNodeState({
      ...stateOf(2),
      filters: [{ ...rule, matches: [], matchesRest: true, unread: ['ct state new', 'x'.repeat(letters)] }],
    } as never)?.filters[0]?.unread?.length;
  assert.deepEqual([readWith(256), readWith(257)], [2, undefined], 'without one of the words none is told');
});

test('a rule of a newer peer, that does what is not known here, may decide', () => {
  const rule = { family: 'ip', table: 't', chain: 'f', path: ['f'], hook: 'forward', handle: 1 };
  const read = (more: object) =>
    decodeNodeState({ ...stateOf(2), filters: [{ ...rule, ...more }] } as never)?.filters.map(({ verdict, ends }) => [
      verdict,
      ends,
    ]);
  assert.deepEqual(read({ verdict: 'accept', ends: 'later' }), [['other', 'unknown']]);
  assert.deepEqual(read({ verdict: 'delay' }), [['other', 'unknown']]);
  assert.deepEqual(read({ verdict: 'other', ends: 'return' }), [['other', 'return']]);
  assert.deepEqual(read({ verdict: 'drop' }), [['drop', undefined]]);
  assert.deepEqual(read({ verdict: 'drop', chain: 5 }), []);
});
