// IPv4 over links: from one end at first, from both where some were lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLinkEchoes, reachAgain, reachOverAll } from '#measure/links/link-echoes.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { PlannedCall } from '#model/call.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const rows = (calls: readonly PlannedCall[]) =>
  calls.map(({ id, arguments: { destinations, count } }) => [id, destinations, count]);

test('each link is probed from one end, by one call of a node for all its links', () => {
  assert.deepEqual(rows(planLinkEchoes(STATES, new Set())), [
    ['probe/r1/parley-reach/links', ['198.18.1.1'], 60],
    ['probe/r3/parley-reach/links', ['198.18.2.0'], 60],
  ]);
  assert.deepEqual(rows(planLinkEchoes(STATES, new Set(['r1']))), [
    ['probe/r2/parley-reach/links', ['198.18.1.0'], 60],
    ['probe/r3/parley-reach/links', ['198.18.2.0'], 60],
  ]);
});

test('a link that lost some is probed again from both ends, each in a call of its own', () => {
  const [link] = scopeLinks(STATES);
  assert.deepEqual(rows(reachAgain(link!, STATES)), [
    ['deepen/r1/parley-reach/again/eth2', ['198.18.1.1'], 100],
    ['deepen/r2/parley-reach/again/eth1', ['198.18.1.0'], 100],
  ]);
});

test('a run of the extended round is one call of each node', () => {
  assert.deepEqual(rows(reachOverAll(scopeLinks(STATES), STATES, 2)), [
    ['deepen/r1/parley-reach/long/2', ['198.18.1.1'], 100],
    ['deepen/r2/parley-reach/long/2', ['198.18.1.0', '198.18.2.1'], 100],
    ['deepen/r3/parley-reach/long/2', ['198.18.2.0'], 100],
  ]);
});

test('nothing is sent over a link that is down', () => {
  const { inventory, ...rest } = stateOf(2);
  const interfaces = inventory.interfaces.map((entry) => ({ ...entry, operUp: false }));
  const down = new Map([...STATES, ['r2', { ...rest, inventory: { ...inventory, interfaces } }] as const]);
  assert.deepEqual(planLinkEchoes(down, new Set()), []);
});
