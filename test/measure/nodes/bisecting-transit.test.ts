// Probes through nodes that may have lost packets from end to end: only where no link is in doubt, and few.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planBisectingTransit } from '#measure/nodes/bisecting-transit.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const CALM = { through: ['r2'], lossy: [], dead: [], echoesLost: [] };
const NONE_MUTE = new Map<string, readonly string[]>();
const planned = (doubts: object = {}, states: ReadonlyMap<string, NodeState> = STATES, mute = NONE_MUTE) =>
  planBisectingTransit(states, { ...CALM, ...doubts }, mute).map(({ id, node, phase, arguments: args }) => [
    ...[id, node, phase],
    ...[args['source'], args['destination']],
  ]);

test('from one neighbour of the node to another, by their addresses on its links', () => {
  assert.deepEqual(planned(), [['deepen/r1:eth2/across/r2/r3:eth1', 'r1', 'deepen', 'fd00:1:1::', 'fd00:1:2::1']]);
  assert.deepEqual(planned({ through: ['r1'] }), [], 'it has one neighbour');
  assert.deepEqual(planned({ through: [] }), []);
  assert.deepEqual(planned({ through: ['r9'] }), [], 'it gave no state');
});

test('nothing where a link is in doubt, or the node rewrites checksums, or a neighbour cannot be asked', () => {
  const [link] = scopeLinks(STATES);
  for (const doubt of ['lossy', 'dead', 'echoesLost']) assert.deepEqual(planned({ [doubt]: [link] }), [], doubt);
  const rewriting = { hook: 'forward', rewrites: ['udp checksum = 57005'] };
  const states = new Map([...STATES, ['r2', { ...stateOf(2), filters: [rewriting] } as unknown as NodeState]]);
  assert.deepEqual(planned({}, states), []);
  assert.deepEqual(planned({}, STATES, new Map([['r1', ['r2']]])), []);
});

test('of many nodes few are asked about', () => {
  const many = Array.from({ length: 9 }, () => 'r2');
  assert.equal(planned({ through: many }).length, 4);
});
