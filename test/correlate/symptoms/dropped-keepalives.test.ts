// Adjacencies that are up and starve: which rules drop their hellos, how many, and who hears one all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, FilterHits } from '#correlate/engine/facts.ts';
import { starvedSymptoms } from '#correlate/symptoms/dropped-keepalives.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { isis, ospf, pairWorld, type State } from '../pair-scene.ts';
import { is } from '../service-scene.ts';

const ISIS_WORDS = [is('llc', '0xfefe')];
const hitsOf = (change: Partial<FilterHits> = {}): FilterHits => ({
  ...{ node: 'a', acl: 'acl', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 5, family: 'bridge' },
  ...{ matches: ISIS_WORDS, matchesRest: false },
  ...change,
});
const factOf = (value: FilterHits): Fact => ({ subject: 'node/a', predicate: 'filter-hits', value, source: ['f'] });
const OSPF_WORDS: FilterMatch[] = [is('protocol', 'ospf')];

/** Ten seconds between the readings of both nodes; `held` is what is left of the hold time before and after. */
function starved(
  hits: Partial<FilterHits>,
  kind: 'isis' | 'ospf' = 'ospf',
  change: {
    readonly a?: State;
    readonly b?: State;
    readonly holds?: readonly [number, number];
    readonly ms?: number;
  } = {},
) {
  const own = (ifname: string): State => (kind === 'isis' ? isis(ifname) : ospf(ifname, 'Full/DR'));
  const readings = (ifname: string, more: State = {}) => {
    const at = (countersReadMs: number, holdSeconds: number) => ({
      ...own(ifname),
      ...more,
      countersReadMs,
      ...(kind === 'isis' && more['adjacencies'] === undefined
        ? { adjacencies: [{ ifname, state: 'up', holdSeconds }] }
        : {}),
    });
    const [first, last] = change.holds ?? [20, 10];
    return { now: at(change.ms ?? 10_000, last), before: at(0, first), after: at(change.ms ?? 10_000, last) };
  };
  const world = pairWorld(['a-b'], { a: readings('to-b', change.a), b: readings('to-a', change.b) });
  const words = kind === 'isis' ? { matches: ISIS_WORDS, family: 'netdev' } : { matches: OSPF_WORDS, family: 'inet' };
  return starvedSymptoms(world, [factOf(hitsOf({ ...words, ...hits }))]);
}

test('a rule that drops half the hellos of a window starves an adjacency that is still up', () => {
  const [found] = starved({});
  assert.deepEqual(
    [found?.id, found?.kind, found?.subject, found?.nodes],
    ['starved:ospf/a/to-b', 'ospf', 'interface/a/to-b', ['a', 'b']],
  );
  assert.deepEqual([found?.source, found?.detail, found?.link?.key], [['f'], { starved: true }, 'link/a:to-b--b:to-a']);
  const hello = (helloMs: number) => ({ a: { ospf: [{ ...(ospf('to-b', 'Full')['ospf'] as object[])[0], helloMs }] } });
  assert.deepEqual(
    [starved({ packets: 5 }, 'ospf', hello(1_000)).length, starved({ packets: 4 }, 'ospf', hello(1_000)).length],
    [1, 0],
  );
  assert.deepEqual(
    [starved({ packets: 1 }, 'ospf', { ms: 20_000 }).length, starved({ packets: 1 }, 'ospf', { ms: 20_001 }).length],
    [1, 0],
    'a hello in ten seconds',
  );
});

test('rules against some, or for the rest after others, and those that hellos do not pass, starve nobody', () => {
  for (const change of [
    ...[{ packets: 0 }, { matchesRest: true }, { lets: true as const }, { hook: 'forward' }],
    ...(['source', 'destination', 'sample', 'in', 'out'] as const).map((field) => ({
      matches: [...OSPF_WORDS, is(field, 'x')],
    })),
    ...[{ matches: [is('protocol', 'tcp')] }, { node: 'z' }, { inInterfaces: ['to-c'] }],
  ])
    assert.deepEqual(starved(change), [], JSON.stringify(change));
  for (const hook of ['ingress', 'prerouting', 'input', 'output', 'postrouting', 'egress'])
    assert.equal(starved({ hook }).length, 1, hook);
  assert.equal(starved({ inInterfaces: ['to-b'] }).length, 1);
  assert.equal(starved({ outInterfaces: ['to-b'] }).length, 1);
});

test('an adjacency that is down at an end is another symptom', () => {
  for (const state of ['Full', '2-Way', '2-Way/DROther'])
    assert.equal(starved({}, 'ospf', { a: ospf('to-b', state) }).length, 1, state);
  assert.deepEqual(starved({}, 'ospf', { a: ospf('to-b', 'Init') }), []);
  assert.deepEqual(starved({}, 'ospf', { b: ospf('to-a', 'Init') }), []);
  assert.equal(starved({}, 'ospf', { a: ospf('to-b', 'Init', 'Full') }).length, 1, 'one neighbour of several');
});

test('an IS-IS adjacency whose hold time was refreshed heard a hello: the rule is against others', () => {
  assert.deepEqual(
    starved({}, 'isis').map(({ id }) => id),
    ['starved:isis/a/to-b'],
  );
  assert.equal(starved({}, 'isis', { holds: [20, 11] }).length, 1, 'both are whole seconds');
  assert.equal(starved({}, 'isis', { holds: [20, 12] }).length, 0);
  const heard = { adjacencies: [{ ifname: 'to-b', state: 'up', holdSeconds: 20 }] };
  assert.equal(starved({}, 'isis', { a: heard }).length, 0);
  assert.equal(starved({ hook: 'output' }, 'isis', { a: heard }).length, 1, 'what it drops, the other end would hear');
  assert.equal(
    starved({ hook: 'output' }, 'isis', { b: { adjacencies: [{ ifname: 'to-a', state: 'up', holdSeconds: 20 }] } })
      .length,
    0,
  );
  assert.deepEqual(
    [starved({ packets: 2 }, 'isis').length, starved({ packets: 1 }, 'isis').length],
    [1, 0],
    'a hello in three seconds',
  );
});
