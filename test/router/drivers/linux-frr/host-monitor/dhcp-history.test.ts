// What a node keeps of DHCP as it passes: offers once a network, refusals as times, and ports whose hosts asked in vain; and when it asks
// itself because of that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { DhcpSign } from '#model/router/dhcp-history.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { createDhcpMemory } from '#router/drivers/linux-frr/host-monitor/dhcp-history.ts';
import { createDhcpMonitor } from '#router/drivers/linux-frr/host-monitor/dhcp-monitor.ts';
import type { ReadHelper } from '#router/protocol/typed-operations.ts';
import { stateOf } from '../../../../correlate/scope-scene.ts';

const SERVER = '198.19.3.10';
const offered = (address: string, routers: readonly string[] = ['198.19.1.1']) =>
  ({
    ...{ ifname: 'eth4', what: 'offered', from: SERVER, server: SERVER, gateway: '198.19.1.1' },
    ...{ address, mask: '255.255.255.0', routers, names: [] },
  }) as const satisfies DhcpSign;
const refused = { ifname: 'eth4', what: 'refused', server: SERVER } as const;
const asked = (transaction: number) => ({ ifname: 'eth3', what: 'asked', transaction }) as const;
const chosen = (transaction: number, server = SERVER) =>
  ({ ifname: 'eth3', what: 'chosen', transaction, server }) as const;

test('the same offer to many hosts of a network is kept once, with its first and last time; another one beside it', () => {
  const memory = createDhcpMemory();
  memory.add([offered('198.19.1.100')], 1_000);
  memory.add([offered('198.19.1.101'), offered('198.19.1.102', ['198.19.1.254'])], 5_000);
  const { what: _what, ...first } = offered('198.19.1.101');
  assert.deepEqual(memory.told(6_000).offers, [
    { ...first, fromAgoMs: 5_000, untilAgoMs: 1_000 },
    { ...first, address: '198.19.1.102', routers: ['198.19.1.254'], fromAgoMs: 1_000, untilAgoMs: 1_000 },
  ]);
  memory.add([], 905_001);
  assert.deepEqual(memory.told(905_001).offers, []);
});

test('refusals one after another are one time; after a pause another', () => {
  const memory = createDhcpMemory();
  for (const atMs of [1_000, 3_000, 60_000]) memory.add([refused], atMs);
  assert.deepEqual(memory.told(61_000).refusals, [
    { ifname: 'eth4', server: SERVER, fromAgoMs: 60_000, untilAgoMs: 58_000 },
    { ifname: 'eth4', server: SERVER, fromAgoMs: 1_000, untilAgoMs: 1_000 },
  ]);
});

test('a server that gave something between two refusals was started twice', () => {
  const memory = createDhcpMemory();
  memory.add([refused], 1_000);
  memory.add([offered('198.19.1.100'), refused], 5_000);
  assert.deepEqual(
    memory.told(5_000).refusals.map(({ fromAgoMs, untilAgoMs }) => [fromAgoMs, untilAgoMs]),
    [
      [4_000, 4_000],
      [0, 0],
    ],
  );
});

test('a client that asks twice with one transaction and takes nothing asked in vain; one that takes an offer did not', () => {
  const memory = createDhcpMemory();
  memory.add([asked(1), chosen(1), asked(2), asked(2), chosen(2), asked(3)], 0);
  assert.deepEqual(memory.inVain(), []);
  memory.add([asked(3)], 2_000);
  assert.deepEqual(memory.inVain(), [{ ifname: 'eth3', servers: [SERVER] }]);
  assert.deepEqual(memory.inVain(), []);
});

test('the memory is bounded', () => {
  const memory = createDhcpMemory();
  for (let turn = 0; turn < 100; turn++) {
    memory.add(
      [offered(`198.19.${turn}.100`), { ...refused, server: `198.19.3.${turn}` }, asked(turn), asked(turn)],
      turn,
    );
    memory.asked([], turn);
  }
  const { offers, refusals, doubts } = memory.told(100);
  assert.deepEqual([offers.length, offers[0]?.address, refusals.length, doubts.length], [32, '198.19.68.100', 8, 8]);
});

test('servers are asked only by a port whose hosts chose them before, within the network, and once a minute', async () => {
  const calls: JsonObject[] = [];
  let nowMs = 0;
  const call = async (_operation: string, args: JsonObject) => {
    calls.push(args);
    return [];
  };
  const routes = async (destinations: readonly string[]) =>
    destinations.map((destination): RouteAnswer => {
      const matched = destination === SERVER ? '198.19.3.0/24' : 'default';
      return { destination, kind: 'unicast', ifname: 'eth2', matched };
    });
  const settled = () => new Promise((done) => setImmediate(done));
  const watch = createDhcpMonitor({
    helper: { call } as unknown as ReadHelper,
    known: () => stateOf(1),
    routes,
    nowMs: () => nowMs,
  });
  const inVain = (transaction: number) => watch.heard([asked(transaction), asked(transaction)]);
  inVain(1);
  assert.deepEqual(calls, []);
  watch.heard([chosen(7), chosen(8, '198.19.1.1'), chosen(9, '203.0.113.9')]);
  for (nowMs of [10_000, 69_000]) inVain(nowMs);
  await settled();
  // Of the last two that were chosen one is this node itself; the other one is abroad.
  assert.deepEqual(calls, []);
  watch.heard([chosen(10)]);
  nowMs = 70_000;
  inVain(4);
  await settled();
  const ask = { ifname: 'eth3', gateway: '198.19.1.1', server: SERVER };
  assert.deepEqual(calls, [{ asks: [ask, { ...ask, link: SERVER }], patient: true }]);
  nowMs = 131_000;
  inVain(3);
  await settled();
  assert.equal(calls.length, 2);
  assert.deepEqual([watch.watched(true).doubts.length, watch.watched(false).doubts.length], [2, 0]);
});
