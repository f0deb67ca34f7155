// Which changes of settings a finding carries: those of its nodes, before it, the nearest first and not too many.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesBefore } from '#correlate/history/changes-before.ts';
import type { World } from '#correlate/network/world.ts';
import type { SettingChange } from '#model/router/setting-history.ts';

const HOUR_MS = 3_600_000;
const mtu = (subject: string, agoMs: number): SettingChange => ({
  kind: 'mtu',
  subject,
  was: '1500',
  is: '1400',
  agoMs,
});

function worldOf(settings: Readonly<Record<string, readonly SettingChange[]>>): World {
  const views = Object.entries(settings).map(
    ([node, rows]) => [node, { state: { history: { settings: rows } } }] as const,
  );
  return { views: new Map(views) } as unknown as World;
}

const WORLD = worldOf({
  r1: [mtu('eth1', 60_000), mtu('eth2', HOUR_MS), mtu('eth3', 25 * HOUR_MS)],
  r2: [mtu('eth9', 30 * 60_000)],
  r3: [mtu('eth1', 1_000)],
});
const shown = (world: World, resource: Parameters<typeof changesBefore>[1]['resource'], details = {}) =>
  (changesBefore(world, { resource, details }).changes ?? []).map(({ node, subject }) => `${node} ${subject}`);

test('a finding has the changes of its own nodes in the last day, nearest first', () => {
  assert.deepEqual(shown(WORLD, 'interface/r1/eth2'), ['r1 eth1', 'r1 eth2']);
  assert.deepEqual(shown(WORLD, 'link/r1:eth1--r2:eth9'), ['r1 eth1', 'r2 eth9', 'r1 eth2']);
  assert.deepEqual(shown(WORLD, 'node/r4'), []);
});

test('what was changed after a fault was over did not lead to it', () => {
  assert.deepEqual(shown(WORLD, 'node/r1', { over: true, agoSeconds: 600 }), ['r1 eth2']);
  assert.deepEqual(shown(WORLD, 'node/r1', { over: true, agoSeconds: 65 }), ['r1 eth1', 'r1 eth2']);
});

test('no more than eight are shown and the rest is counted, of a node that remembers nothing none', () => {
  const many = worldOf({ r1: Array.from({ length: 20 }, (_, index) => mtu(`eth${index}`, index * 1_000)) });
  assert.deepEqual(shown(many, 'node/r1').length, 8);
  assert.equal(changesBefore(many, { resource: 'node/r1', details: {} }).changesLeft, 12);
  const none = { views: new Map([['r1', { state: {} }]]) } as unknown as World;
  assert.deepEqual(changesBefore(none, { resource: 'node/r1', details: {} }), {});
});
