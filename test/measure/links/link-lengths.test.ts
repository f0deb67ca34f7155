// Probes of many lengths over links and along a path: from one end at first, from both around those that were lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callFor } from '#measure/call.ts';
import { linkLengths, planLinkLengths } from '#measure/links/link-lengths.ts';
import { planPathLengths } from '#measure/path/full-size.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { States } from '#measure/states.ts';
import { costOfProbe } from '#model/links/probe-cost.ts';
import { readPurpose } from '#model/read-purpose.ts';
import { probeRequest } from '#model/router/probe-schema.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES: States = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
function changed(node: string, change: (entry: InterfaceState) => Partial<InterfaceState>): States {
  const { inventory, ...rest } = STATES.get(node)!;
  const interfaces = inventory.interfaces.map((entry) => ({ ...entry, ...change(entry) }));
  return new Map([...STATES, [node, { ...rest, inventory: { ...inventory, interfaces } }]]);
}
const payloads = (call: ReturnType<typeof planLinkLengths>[number] | undefined) =>
  (call?.arguments['eachPayloadBytes'] ?? []) as readonly number[];

test('each link is probed from one end with lengths up to the smaller MTU, and a busy end by its neighbour', () => {
  const calls = planLinkLengths(STATES, new Set());
  assert.deepEqual(
    calls.map(({ id, arguments: { source, destination, Count } }) => [id, source, destination, Count]),
    [
      ['probe/r1:eth2/r2:eth1/lengths', 'fd00:1:1::', 'fd00:1:1::1', 24],
      ['probe/r3:eth1/r2:eth2/lengths', 'fd00:1:2::1', 'fd00:1:2::', 24],
    ],
  );
  for (const { purpose } of calls) assert.deepEqual(readPurpose(purpose), purpose);
  assert.ok(Math.max(...payloads(calls[0])) > 1_380 && Math.max(...payloads(calls[0])) <= 1_452);
  const [narrow] = planLinkLengths(
    changed('r2', () => ({ mtu: 1_280 })),
    new Set(),
  );
  assert.ok(Math.max(...payloads(narrow)) <= 1_232);
  assert.equal(planLinkLengths(STATES, new Set(['r1']))[0]?.node, 'r2');
});

test('a link of IPv4 alone is probed over IPv4, one for two without addresses by those of its nodes, and one that is down is not', () => {
  const only4 = changed('r1', ({ addresses }) => ({ addresses: addresses.filter((each) => !each.includes(':')) }));
  const [over4] = planLinkLengths(only4, new Set());
  assert.equal(over4?.arguments['destination'], '198.18.1.1');
  assert.ok(Math.max(...payloads(over4)) <= 1_472);
  for (const change of [{ operUp: false }, { mtu: 0 }])
    assert.deepEqual(
      planLinkLengths(
        changed('r1', () => change),
        new Set(),
      ).map(({ node }) => node),
      ['r3'],
      JSON.stringify(change),
    );
  const unnumbered = planLinkLengths(
    changed('r1', () => ({ addresses: [] })),
    new Set(),
  ).find(({ purpose }) => purpose.kind === 'length-probe' && purpose.from.node === 'r1');
  assert.deepEqual(
    [unnumbered?.arguments['source'], unnumbered?.arguments['destination']],
    ['198.19.255.1', '198.19.255.2'],
  );
});

test('the second look goes over the link from both ends, with other lengths between the same ends of the range', () => {
  const [link] = scopeLinks(STATES);
  const scope = { states: STATES } as never;
  const doubts = { lengths: [{ link: link!, least: 450, most: 700 }], slow: [] } as never;
  const again = linkLengths.rounds.confirmation!(scope, doubts);
  assert.deepEqual(
    again.map(({ id, phase }) => [id, phase]),
    [
      ['deepen/r1:eth2/r2:eth1/lengths/again', 'deepen'],
      ['deepen/r2:eth1/r1:eth2/lengths/again', 'deepen'],
    ],
  );
  const both = again.flatMap(payloads);
  assert.ok(both.every((each) => each >= 450 && each <= 700) && new Set(both).size > 44);
  assert.deepEqual(linkLengths.rounds.confirmation!(scope, { slow: [] } as never), []);
});

test('a slow link that no small probes cross is looked at again by probes of all lengths from both ends', () => {
  const only4 = changed('r1', ({ addresses }) => ({ addresses: addresses.filter((each) => !each.includes(':')) }));
  for (const [states, ids] of [
    [only4, ['deepen/r1:eth2/r2:eth1/lengths/again', 'deepen/r2:eth1/r1:eth2/lengths/again']],
    [STATES, []],
  ] as const) {
    const slow = scopeLinks(states).slice(0, 1);
    const again = linkLengths.rounds.confirmation!({ states } as never, { slow } as never);
    assert.deepEqual(
      again.map(({ id }) => id),
      ids,
    );
  }
});

test('of a path the links between neighbours on it are measured, and no other', () => {
  const intent = { kind: 'path-loss', text: '', encapsulation: 'ip', path: [] } as never;
  const planned = (nodes: readonly string[]) =>
    linkLengths.rounds.first!({ intent, nodes, states: STATES, relays: new Map() } as never).map(({ node }) => node);
  assert.deepEqual(planned(['r1', 'r2', 'r3']), ['r1', 'r3']);
  assert.deepEqual(planned(['r1', 'r3', 'r2']), ['r3']);
});

test('along a path of several hops they go as its small probes do, and over one hop as over any link', () => {
  const path = [...STATES].map(([node, state]) => ({ node, state }));
  const way = { destination: 'fd00:0:0:3::1', source: 'fd00:0:0:1::1', segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'] };
  const whole = callFor(
    'r1',
    { kind: 'path-probe', from: 'r1', to: 'r3' },
    { Tail: 'r3', ...way, payloadBytes: 64 },
    6_000,
  );
  const [call] = planPathLengths(whole, path);
  assert.equal(call?.id, 'probe/r1/r3/lengths');
  assert.deepEqual(call?.arguments['segments'], way.segments);
  assert.equal(call?.arguments['payloadBytes'], 64, 'queries stay small');
  assert.ok(Math.max(...payloads(call)) <= 1_500 - 48 - 48 - 32);
  assert.deepEqual(planPathLengths(whole, path.slice(0, 2)), []);
});

test('a request has at least one length and no more than a run may have, and costs what it sends', () => {
  const request = { destination: 'fd00::1', segments: [], count: 2, intervalMs: 30, payloadBytes: 64, lingerMs: 200 };
  const isGood = (eachPayloadBytes: readonly number[]) =>
    probeRequest.safeParse({ ...request, eachPayloadBytes }).success;
  assert.ok(isGood([100]) && isGood(Array(64).fill(100)));
  for (const wrong of [[], Array(65).fill(100), [8_193], [31]]) assert.ok(!isGood(wrong));
  const cost = (change: object) => costOfProbe({ ...request, ...change });
  assert.equal(cost({ eachPayloadBytes: [100, 1_300] }).bytes, 1_496);
  const one = cost({ count: 1, eachPayloadBytes: [8_192, ...Array(63).fill(32)] });
  assert.deepEqual([one.bytes, one.perSecond.bytes], [8_240, 8_240]);
  // Of five in a row at most three are long.
  const slow = cost({ count: 11, intervalMs: 200, eachPayloadBytes: [100, 100, 1_300, 1_300] });
  assert.deepEqual([slow.bytes, slow.perSecond], [7_628, { packets: 5, bytes: 4_340 }]);
  const train = cost({ count: 2, train: true, eachPayloadBytes: [100, 1_300] });
  assert.deepEqual([train.perSecond.bytes, train.isBurst], [1_496, true]);
});

test('a train is bounded by the longest of its lengths', () => {
  const train = { destination: 'fd00::1', segments: [], intervalMs: 30, payloadBytes: 32, lingerMs: 200, train: true };
  const isGood = (count: number, eachPayloadBytes: readonly number[]) =>
    probeRequest.safeParse({ ...train, count, eachPayloadBytes }).success;
  assert.ok(!isGood(1_000, [8_192]));
  assert.ok(!isGood(9, [8_192, ...Array(63).fill(32)]), 'nine of the longest');
  assert.ok(isGood(8, [8_192]));
});
