// One memory a node, moved by a fake clock alone: what it read is kept, what passed reaches the monitors, and when it stops nothing waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createNodeMemory } from '#router/drivers/linux-frr/memory/node-memory.ts';
import type { ReadHelper } from '#router/protocol/typed-operations.ts';
import { createFakeClock, until } from '../../../../fakes/clock.ts';

const PORT = { name: 'eth3', kind: 'physical', operUp: true, addresses: ['198.19.1.1/24'] };

function stateOf(mtu: number): NodeState {
  const interfaces = [{ ...PORT, mtu }];
  return {
    inventory: { interfaces, loopbacks: [], system: { kernel: '6.12', routing: 'FRRouting 10.2', hostname: 'r1' } },
    neighbours: [],
    adjacencies: [],
    filters: [],
    missing: [],
  } as unknown as NodeState;
}

function start(monitor: Parameters<typeof createNodeMemory>[0]['monitor'], rememberHosts = true) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const ask = { ifname: 'eth3', mac: '02:00:00:00:00:01', sender: '198.19.1.10', target: '203.0.113.9' };
  const call = async (operation: string) => {
    asked.push(operation);
    if (operation === 'served') return { services: [], names: [], asks: [ask] };
    return operation === 'heard' ? { rows: [], signs: [] } : operation === 'lldp-neighbours' ? '{}' : [];
  };
  const read = { mtu: 1_500, count: 0, fails: false };
  const memory = createNodeMemory({
    node: 'r1',
    helper: { call } as unknown as ReadHelper,
    clock,
    monitor,
    rememberHosts,
    read: async (history) => {
      read.count += 1;
      if (read.fails) throw new Error('expected a state, got none');
      return { ...stateOf(read.mtu), history: await history() };
    },
    counters: async () => ({}),
    routes: async () => [],
  });
  /** Reading /sys and /proc takes real time: turns go on until the condition holds, within a bound. */
  const turnUntil = (condition: () => boolean | Promise<boolean>, what: string) =>
    until(async () => {
      await clock.advance(DRIVER_LIMITS.historySampleMs);
      return condition();
    }, what);
  return { clock, memory, asked, read, turnUntil };
}

const NOTHING = { links: false, hosts: false, services: false };

test('a state that the node is in no longer is remembered with its age', async () => {
  const { memory, read, turnUntil } = start(NOTHING);
  await turnUntil(() => read.count >= 3, 'three readings');
  assert.deepEqual(memory.past(stateOf(1_500)), []);
  read.mtu = 1_400;
  await turnUntil(() => memory.past(stateOf(1_500)).length > 0, 'the other state');
  const past = memory.past(stateOf(1_400));
  const { stateReadings } = await memory.history(false);
  assert.ok(stateReadings!.reachMs >= past[0]!.fromAgoMs);
  assert.ok(stateReadings!.pauses[0]!.forMs >= DRIVER_LIMITS.pastSampleMs);
  memory.stop();
  assert.deepEqual(
    past.map(({ state }) => state.inventory.interfaces[0]?.mtu),
    [1_500],
  );
  assert.ok(past[0]!.untilAgoMs < past[0]!.fromAgoMs);
  // The next reading found the other state.
  assert.ok(past[0]!.afterAgoMs! < past[0]!.untilAgoMs);
});

test('the last state that was read is kept with its age, also while no other can be read', async () => {
  const { clock, memory, read, turnUntil } = start(NOTHING);
  assert.equal(memory.latest(), undefined);
  await turnUntil(() => read.count >= 1, 'a reading');
  const mtuOf = () => memory.latest()?.state.inventory.interfaces[0]?.mtu;
  assert.equal(mtuOf(), 1_500);
  read.fails = true;
  const { count } = read;
  await turnUntil(() => read.count >= count + 2, 'readings that failed');
  assert.equal(mtuOf(), 1_500);
  memory.keep(stateOf(9_000), clock.monotonicMs());
  assert.deepEqual([mtuOf(), memory.latest()?.ageMs], [9_000, 0]);
  await memory.stop();
  await clock.advance(60_000);
  assert.deepEqual([mtuOf(), memory.latest()?.ageMs], [9_000, 60_000]);
});

test('a setting that was changed is remembered with its age, newest first', async () => {
  const { clock, memory, read, turnUntil } = start(NOTHING);
  await turnUntil(() => read.count >= 3, 'three readings');
  const settings = async () => ((await memory.history(false)).settings ?? []).filter(({ kind }) => kind !== 'agent');
  assert.deepEqual(await settings(), []);
  for (const [mtu, count] of [
    [1_400, 1],
    [9_000, 2],
  ] as const) {
    read.mtu = mtu;
    await turnUntil(async () => (await settings()).length === count, 'the change');
  }
  await clock.advance(1_000);
  const [newest, before] = await settings();
  await memory.stop();
  assert.deepEqual([newest?.was, newest?.is, before?.was, before?.is], ['1400', '9000', '1500', '1400']);
  assert.ok(newest!.agoMs >= 1_000 && newest!.agoMs < before!.agoMs);
});

test('ARP requests that passed on a port reach the host monitor, and none where hosts are not monitored', async () => {
  const monitored = start({ ...NOTHING, hosts: true });
  const targets = async () => (await monitored.memory.history(false)).watchedHosts?.asks.map(({ target }) => target);
  await monitored.turnUntil(async () => (await targets())!.length > 0, 'a request');
  assert.deepEqual(await targets(), ['203.0.113.9']);
  assert.equal((await monitored.memory.history(false)).watchedDhcp, undefined);
  monitored.memory.stop();
  const plain = start(NOTHING);
  await plain.turnUntil(() => plain.asked.includes('served'), 'a fetch');
  assert.equal((await plain.memory.history(false)).watchedHosts, undefined);
  plain.memory.stop();
});

test('where no hosts are to be remembered, nothing is listened to or monitored, and no state is kept with them', async () => {
  const off = start({ links: false, hosts: true, services: true }, false);
  await off.turnUntil(() => off.read.count >= 3, 'three readings');
  const neighbour = (ifname: string) => ({ ifname, systemName: `host-on-${ifname}`, chassisId: 'c', portId: 'p' });
  const asked = {
    ...stateOf(9_000),
    neighbours: [neighbour('eth3'), neighbour('eth9')],
    neighbourTable: [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:00:01', state: 'reachable' }],
    history: { hosts: [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:00:01' }] },
  } as unknown as NodeState;
  off.memory.keep(asked, off.clock.monotonicMs());
  const [past] = off.memory.past(stateOf(1_500));
  const history = await off.memory.history(true);
  const settings = (history.settings ?? []).filter(({ kind }) => kind === 'neighbour');
  await off.memory.stop();
  assert.deepEqual(
    [past!.state.neighbourTable, past!.state.history, past!.state.neighbours.map(({ ifname }) => ifname)],
    [undefined, undefined, ['eth9']],
  );
  assert.deepEqual([history.hosts, history.services, history.heard], [[], [], []]);
  assert.deepEqual([history.watchedHosts, history.watchedDhcp, settings], [undefined, undefined, []]);
  for (const operation of ['served', 'heard', 'watch-hosts', 'watch-services', 'watch-dhcp'])
    assert.equal(off.asked.includes(operation), false, operation);
});

test('a state that was asked for is kept like one of its own, and a stopped memory asks and waits for nothing', async () => {
  const { clock, memory, asked, read, turnUntil } = start({ links: true, hosts: true, services: true });
  await turnUntil(() => read.count >= 3, 'three readings');
  memory.keep(stateOf(9_000), clock.monotonicMs());
  assert.deepEqual(
    memory.past(stateOf(1_500)).map(({ state }) => state.inventory.interfaces[0]?.mtu),
    [9_000],
  );
  memory.stop();
  await turnUntil(() => clock.sleepers === 0, 'every wait to end');
  let [before, quietTurns] = [asked.length, 0];
  // What was under way at the stop may still ask.
  await turnUntil(() => {
    quietTurns = asked.length === before ? quietTurns + 1 : 0;
    before = asked.length;
    return quietTurns > 20;
  }, 'what was under way to end');
  await clock.advance(10 * DRIVER_LIMITS.historySampleMs);
  assert.equal(asked.length, before);
});
