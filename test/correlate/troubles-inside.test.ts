// Nodes that spoil, unmark or overflow what they forward, and look-alikes that are everyday work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insideTroubles } from '#correlate/troubles-inside.ts';
import type { World } from '#correlate/world.ts';
import type { FilterRule } from '#model/router-port.ts';

const rule = (hook: string, rewrites: readonly string[], outInterfaces: readonly string[] = []): FilterRule => ({
  ...{ family: 'inet', table: 'filter', chain: hook, path: [hook], hook, handle: 2, verdict: 'other' as const },
  ...{ outInterfaces, inInterfaces: [], packets: '9', rewrites },
});

function worldWith(filters: readonly FilterRule[], drops: readonly [string, string] = ['0', '0']): World {
  const state = (count: string) => ({
    ...{ filters, qdiscs: [{ ifname: 'eth1', kind: 'tbf', drops: count, overlimits: '900' }] },
    ...{ inventory: { interfaces: [] }, daemons: [{ name: 'zebra', alive: true }] },
  });
  const view = { node: 'r1', state: state(drops[1]), before: state(drops[0]), after: state(drops[1]), sources: ['s1'] };
  const other = { ...state('0'), filters: [], qdiscs: [] };
  const far = { node: 'r2', state: other, before: other, after: other, sources: ['s2'] };
  const [from, to] = [
    { node: 'r1', ifname: 'eth1' },
    { node: 'r2', ifname: 'eth1' },
  ];
  const link = { key: 'link/r1:eth1--r2:eth1', from, to, link: { from, to } };
  return {
    views: new Map([
      ['r1', view],
      ['r2', far],
    ]),
    links: [link],
  } as unknown as World;
}

const found = (world: World) =>
  insideTroubles(world).map(({ kind, subject, detail }) => [kind, subject, detail['what']]);

test('a rule that overwrites checksums of what a node forwards spoils it', () => {
  assert.deepEqual(found(worldWith([rule('forward', ['tcp checksum = 57005'])])), [['rewrite', 'node/r1', 'checksum']]);
});

test('what a node writes into its own packets is its own affair', () => {
  assert.deepEqual(found(worldWith([rule('output', ['udp checksum = 0'])])), []);
});

test('a mark taken off towards another router is a trouble', () => {
  assert.deepEqual(found(worldWith([rule('egress', ['ip dscp ef = cs0'], ['eth1'])])), [
    ['rewrite', 'interface/r1/eth1', 'dscp'],
  ]);
});

test('marks that are set, and marks that are taken off towards customers, are everyday work', () => {
  const everyday = [rule('egress', ['ip dscp = ef'], ['eth1']), rule('egress', ['ip dscp ef = cs0'], ['eth9'])];
  assert.deepEqual(found(worldWith([...everyday, rule('egress', ['ip dscp = cs0'], ['eth1'])])), []);
});

test('a queue that overflows in the window is a trouble; its old drops are not', () => {
  assert.deepEqual(found(worldWith([], ['5000', '5400'])), [['queue', 'interface/r1/eth1', undefined]]);
  assert.deepEqual(found(worldWith([], ['5000', '5003'])), []);
});
