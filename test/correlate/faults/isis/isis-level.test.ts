// isis_level_mismatch on the ring, whose routers speak level 2: r1, or its circuit towards r2, speaks another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isisLevel } from '#correlate/faults/isis/isis-level.ts';
import { all, circuits, cut, drawn, lines, named, r1Circuit, ring } from '../../ring.ts';
import { caseOf, onLink, ringWorld } from '../proposing.ts';

test('the circuit is changed where its router speaks what is usual', () => {
  const wrong = all(
    cut,
    r1Circuit(() => ({ level: '1' }), { level: '1-2' }),
  );
  assert.deepEqual(drawn(ring(wrong)), [
    ['isis_level_mismatch node/r1', lines('interface eth1', ' isis circuit-type level-2-only')],
  ]);
});

test('the router is changed where its circuit speaks what is usual', () => {
  const [found] = drawn(
    ring(
      all(
        cut,
        r1Circuit(() => ({ level: '1-2' }), { level: '1' }),
      ),
    ),
  );
  assert.deepEqual(found, ['isis_level_mismatch node/r1', lines('router isis core', ' is-type level-2-only')]);
});

test('where both are wrong an operator decides', () => {
  const [found] = drawn(
    ring(
      all(
        cut,
        r1Circuit(() => ({ level: '1' }), { level: '1' }),
      ),
    ),
  );
  assert.deepEqual(found, [
    'isis_level_mismatch node/r1',
    undefined,
    'which levels the router is to speak: its process and its circuit both exclude what is usual',
  ]);
});

test('a circuit of both levels shares one with a neighbour of level 2', () => {
  const both = circuits(['r1'], () => ({ level: '1-2' }), { level: '1-2' });
  assert.deepEqual(named(ring(all(cut, both))), []);
});

type Speaker = { readonly router?: string; readonly circuit?: string; readonly tag?: string | undefined };
/** a and b have lost each other; c and d, and their circuits, speak `usual`. */
function proposed(a: Speaker, b: Speaker, usual: string) {
  const speaks = (node: string, ports: readonly string[], { router = '1-2', circuit = '1-2', ...more }: Speaker) => [
    node,
    {
      inventory: { driver: 'linux-frr', interfaces: [], sids: [] },
      isis: {
        ...{ tag: 'core', level: router, areas: [], ...more },
        circuits: ports.map((ifname) => ({ ifname, passive: false, level: circuit })),
      },
    },
  ];
  const states = [
    speaks('a', ['to-b'], a),
    speaks('b', ['to-a'], b),
    speaks('c', ['to-d', 'to-b'], { circuit: usual }),
    speaks('d', ['to-c', 'lo'], { circuit: usual }),
  ];
  const world = ringWorld({}, Object.fromEntries(states));
  return isisLevel
    .propose(caseOf([onLink('isis', 'a-b')], world), [])
    .map(({ resource, withheld, details, remedy }) => [
      ...[resource, withheld === undefined, details['here'], details['usual']],
      remedy?.change?.lines?.join(';') ?? remedy?.decide !== undefined,
    ]);
}

test('the level that most circuits speak decides which router is wrong, and becomes its line', () => {
  const line = (word: string) => `interface to-b; isis circuit-type ${word}`;
  assert.deepEqual(proposed({ circuit: '1' }, { circuit: '2' }, '2'), [
    ['node/a', true, 'level 1', 'level 2', line('level-2-only')],
  ]);
  assert.deepEqual(proposed({ circuit: '2' }, { circuit: '1' }, '1'), [
    ['node/a', true, 'level 2', 'level 1', line('level-1')],
  ]);
  assert.deepEqual(proposed({ router: '1', circuit: '1-2' }, { circuit: '2' }, '2'), [
    ['node/a', true, 'level 1', 'level 2', 'router isis core; is-type level-2-only'],
  ]);
  assert.deepEqual(proposed({ router: '1', tag: undefined }, { circuit: '2' }, '2'), [
    ['node/a', true, 'level 1', 'level 2', true],
  ]);
});

test('two routers that are both unlike the others, and one that speaks no level, are told as they are', () => {
  assert.deepEqual(proposed({ circuit: '1' }, { circuit: '2' }, '1-2'), [
    ['node/a', false, 'level 1', 'level 1-2', false],
    ['node/b', false, 'level 2', 'level 1-2', false],
  ]);
  assert.deepEqual(proposed({ router: '2', circuit: '1' }, { circuit: '2' }, '2'), [
    ['node/a', true, 'level none', 'level 2', 'interface to-b; isis circuit-type level-2-only'],
  ]);
  assert.deepEqual(proposed({ circuit: '1-2' }, { circuit: '2' }, '2'), []);
});

test('an end without a circuit there, or whose IS-IS is not told, is another matter', () => {
  const circuit = (ifname: string, level: string) => ({ ifname, passive: false, level });
  const isis = (...circuits: readonly object[]) => ({ isis: { tag: 'core', level: '1-2', areas: [], circuits } });
  const found = (a: object, b: object) => {
    const usual = isis(circuit('to-d', '2'), circuit('to-b', '2'));
    const world = ringWorld({}, { a, b, c: usual, d: usual });
    return isisLevel.propose(caseOf([onLink('isis', 'a-b')], world), []).length;
  };
  const [one, two] = [isis(circuit('to-b', '1')), isis(circuit('to-a', '2'))];
  assert.equal(found(one, two), 1);
  assert.deepEqual([found(isis(), two), found(one, isis())], [0, 0]);
  assert.deepEqual([found({}, two), found(one, {})], [0, 0]);
});
