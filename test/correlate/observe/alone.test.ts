// Nodes of which something is not known, and which are no gap: no neighbour of theirs is known and probes passed all the same; or no agent of theirs is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBeProven } from '#correlate/observe/linkless.ts';
import { factsIn } from '#correlate/observe/observe.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import { pairWorld } from '../pair-scene.ts';

const reachOf = (from: string, destination: string, received: number, sent = 105) => ({
  ...{ from, destination, sent, received, source: 'r' },
});
const BOTH = [reachOf('a', '198.18.9.3', 105), reachOf('c', '198.18.9.1', 105)];
const owners = new Map([
  ['198.18.9.1', [{ node: 'a', ifname: 'lo' }]],
  ['198.18.9.3', [{ node: 'c', ifname: 'lo' }]],
]);

test('a node behind a router without an agent, through which probes pass both ways, is no gap', () => {
  const gaps = (reach: readonly object[], ouis: readonly string[]) => {
    const neighbours = ouis.map((oui) => ({ ifname: 'eth1', systemName: 'hub', unknownTlvs: [{ oui }] }));
    const now = { neighbours, missing: [], bgp: undefined };
    const world = pairWorld([], { a: { now }, c: { now: { ...now, neighbours: [] } } }, { owners, reach });
    return factsIn({ path: [], world }, [], []).flatMap((fact) =>
      fact.predicate === 'missing' && fact.value.what.startsWith('link') && fact.value.node === 'a' ? fact.value : [],
    ).length;
  };
  assert.equal(gaps(BOTH, ['001122']), 0);
  assert.equal(gaps(BOTH, [PARLEY_OUI]), 1, 'its neighbour has an agent');
  assert.equal(gaps(BOTH, []), 0, 'LLDP is off');
  assert.equal(gaps(BOTH.slice(0, 1), ['001122']), 1, 'nothing came to it');
  assert.equal(gaps([BOTH[0]!, reachOf('c', '198.18.9.1', 104)], ['001122']), 1, 'some was lost');
  const few = reachOf('c', '198.18.9.1', 5, 5);
  assert.equal(gaps([BOTH[0]!, few], ['001122']), 1, 'five prove nothing');
  const elsewhere = reachOf('a', '198.18.9.33', 3, 5);
  assert.equal(gaps([...BOTH, elsewhere], ['001122']), 1, 'others of it are lost in part');
  assert.equal(gaps([...BOTH, { ...elsewhere, again: { sent: 100, received: 99 } }], ['001122']), 0, 'a stray');
  assert.equal(gaps([...BOTH, reachOf('c', '198.18.9.33', 3, 5)], ['001122']), 0, 'not its own');
});

test('a node without a known neighbour is to be proven by many probes one way and the other', () => {
  const wanted = (...reach: readonly object[]) => {
    const now = { neighbours: [], missing: [] };
    return toBeProven(pairWorld([], { a: { now }, c: { now } }, { owners, reach }));
  };
  const few = [reachOf('a', '198.18.9.3', 5, 5), reachOf('c', '198.18.9.1', 5, 5)];
  assert.deepEqual(
    wanted(...few),
    few.map(({ from, destination }) => ({ from, destination })),
  );
  assert.deepEqual(wanted(few[0]!), [], 'nothing came to it, which is a gap already');
  assert.deepEqual(wanted(few[0]!, reachOf('c', '198.18.9.1', 4, 5)), [], 'what lost some is looked at anyway');
});

test('the state of a node is lacking, unless no agent of it is known', () => {
  const missing = (more: object) => {
    const now = { neighbours: [], missing: [] };
    const world = pairWorld(['a-b'], { a: { now }, b: { now } }, { nodes: ['a', 'b', 'z'], ...more });
    return factsIn({ path: [], world }, [], []).filter(
      (fact) => fact.predicate === 'missing' && fact.value.node === 'z',
    ).length;
  };
  assert.equal(missing({}), 1);
  assert.equal(missing({ agentless: new Set(['z']) }), 0);
});
