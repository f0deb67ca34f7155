// Which moments of the past are looked at, and in which ways the network may have been at one of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Moment, mixedGuesses, momentsLeft, momentsOf, plainGuesses } from '#correlate/history/moments.ts';
import { pairWorld } from '../pair-scene.ts';

type Row = readonly [fromAgoMs: number, untilAgoMs: number, name: string, beforeAgoMs?: number, afterAgoMs?: number];

/** Nodes of a row, with the states that each remembers for a quarter of an hour, newest first. */
function worldOf(rows: Readonly<Record<string, readonly Row[]>>, more: object = {}) {
  const states = Object.entries(rows).map(([node, mine]) => {
    const past = mine.map(([fromAgoMs, untilAgoMs, name, beforeAgoMs, afterAgoMs]) => ({
      ...{ fromAgoMs, untilAgoMs, state: { name } },
      ...(beforeAgoMs === undefined ? {} : { tookMs: 0, beforeAgoMs }),
      ...(afterAgoMs === undefined ? {} : { afterAgoMs }),
    }));
    return [node, { now: { name: 'now', past, history: { spanMs: 900_000 } } }] as const;
  });
  return pairWorld(['a-b'], Object.fromEntries(states), { sinceMs: 120_000, answersApartMs: 500, ...more });
}

const namesOf = (states: Moment['states']) =>
  Object.fromEntries(
    [...states].map(([node, each]) => [
      node,
      each.map((state) => (state as { readonly name?: string } | undefined)?.name ?? 'unknown').join(' or '),
    ]),
  );
const shown = (world: ReturnType<typeof worldOf>) =>
  momentsOf(world).map(({ agoMs, states }) => [agoMs, namesOf(states)]);

test('each remembered state has a moment: its middle, or where more is known of the others', () => {
  assert.deepEqual(shown(worldOf({ a: [[60_000, 40_000, 'a1', 64_000, 36_000]], b: [] })), [
    [50_000, { a: 'a1', b: 'now' }],
  ]);
  // At 50 s b was between two readings, and so was a at 39 s. What both were is known of 41 s.
  const b: readonly Row[] = [[48_000, 30_000, 'b1', 52_000, 26_000]];
  assert.deepEqual(shown(worldOf({ a: [[60_000, 40_000, 'a1', 64_000, 36_000]], b })), [
    [41_250, { a: 'a1', b: 'b1' }],
  ]);
  const once: readonly Row[] = [[50_000, 50_000, 'b1', 52_000, 48_000]];
  assert.deepEqual(shown(worldOf({ a: [[50_400, 50_400, 'a1', 52_000, 48_000]], b: once })), [
    [50_000, { a: 'a1 or now', b: 'b1' }],
    [50_400, { a: 'a1', b: 'b1 or now' }],
  ]);
});

test('moments in which nodes may have been in the same states are one, the latest', () => {
  const same: readonly Row[] = [[60_000, 40_000, 'x', 64_000, 36_000]];
  assert.deepEqual(shown(worldOf({ a: same, b: same })), [[50_000, { a: 'x', b: 'x' }]]);
  const longer: readonly Row[] = [[60_000, 30_000, 'y', 64_000, 26_000]];
  assert.deepEqual(shown(worldOf({ a: same, b: longer })), [[45_000, { a: 'x', b: 'y' }]]);
});

test('what was over before the time that is asked about has no moment, and of many the latest are looked at', () => {
  assert.deepEqual(shown(worldOf({ a: [[200_000, 120_001, 'a1']], b: [] })), []);
  const many = Array.from({ length: 19 }, (_, index): Row => [index * 3_000, index * 3_000, `a${index}`]);
  const world = worldOf({ a: many, b: [] });
  assert.deepEqual([momentsOf(world).length, momentsLeft(world)], [16, 3]);
  assert.deepEqual(
    momentsOf(world).map(({ agoMs }) => agoMs),
    many.slice(0, 16).map(([agoMs]) => agoMs),
  );
});

test('a state that a moment shows needs no other, and of very many states the latest are tried', () => {
  const rows = (count: number, at: (index: number) => Row) => Array.from({ length: count }, (_, index) => at(index));
  const shared = rows(8, (index) => [
    index * 9_000 + 8_000,
    index * 9_000,
    `s${index}`,
    index * 9_000 + 8_500,
    index * 9_000 - 500,
  ]);
  const all = Object.fromEntries(rows(30, () => [0, 0, '']).map((_, node) => [`n${node}`, shared]));
  const world = worldOf(all);
  assert.deepEqual([momentsOf(world).length, momentsLeft(world)], [8, 0]);
  // Each was read once, at a time of its own: what the others were then is not known.
  const once = (node: number) =>
    rows(8, (index) => [
      index * 9_000 + node,
      index * 9_000 + node,
      `o${index}`,
      index * 9_000 + 8_000,
      index * 9_000 - 8_000,
    ]);
  const apart = worldOf(Object.fromEntries(rows(30, () => [0, 0, '']).map((_, node) => [`n${node}`, once(node)])));
  assert.ok(momentsOf(apart).length <= 16);
  assert.ok(momentsLeft(apart) >= 240 - 64);
});

test('each pair of states that two nodes may have been in is in one of the guesses', () => {
  for (const [count, most] of [
    [1, 3],
    [2, 2],
    [3, 2],
    [5, 3],
    [9, 2],
    [20, 4],
  ] as const) {
    const states = new Map(
      Array.from({ length: count }, (_, node) => [
        `n${node}`,
        Array.from({ length: 1 + (node % most) }, (__, state) => ({ name: `${state}` }) as never),
      ]),
    );
    const moment = { agoMs: 0, states };
    const guesses = [...plainGuesses(moment), ...mixedGuesses(moment, [...states.keys()])];
    for (const [one, mine] of states)
      for (const [other, its] of states)
        for (const state of mine)
          for (const second of its)
            assert.ok(
              one === other || guesses.some((guess) => guess.get(one) === state && guess.get(other) === second),
              `${count} nodes: ${one} and ${other}`,
            );
  }
  const two = { agoMs: 0, states: new Map(['a', 'b'].map((node) => [node, [{}, {}] as never])) };
  assert.deepEqual([mixedGuesses(two, ['a', 'b']).length, mixedGuesses(two, ['a']).length], [2, 0]);
  assert.equal(plainGuesses({ agoMs: 0, states: new Map([['a', [{} as never]]]) }).length, 1);
});
