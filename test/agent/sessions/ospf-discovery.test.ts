// OSPF neighbours that no other discovery named are asked who they are: agents become hints, others are asked ever more rarely.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOspfDiscovery } from '#agent/sessions/ospf-discovery.ts';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import type { KeptState, NodeState } from '#model/router/router-port.ts';
import { discoveryContract } from '../../contracts/discovery.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { HANG_MS } from '../../until-written.ts';
import { upRow } from './relay-bed.ts';

const MINUTE_MS = 60_000;

/** `agents`: address → name of the node whose agent answers there. */
function bed(agents: Map<string, string>, others: readonly string[] = []) {
  const clock = createFakeClock();
  const table = createPeerTable({ node: 'r1', clock });
  const dials: { readonly address: string; readonly atMs: number }[] = [];
  const beganMs = clock.monotonicMs();
  let [isReadable, underWay, most] = [true, 0, 0];
  const router = {
    state: async () => {
      if (!isReadable) throw new ParleyError('node/unreadable' as never, 'no state');
      const neighbours = [...agents.keys(), ...others].map((address) => ({ routerId: '1', address, state: 'Full/DR' }));
      const interfaces = [{ name: 'eth1', kind: 'physical', operUp: true, addresses: ['198.18.10.1/24'] }];
      return { inventory: { interfaces }, ospf: [{ ifname: 'eth1', passive: false, neighbours }] } as never;
    },
  };
  const meet = async (address: string) => {
    dials.push({ address, atMs: clock.monotonicMs() - beganMs });
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    underWay -= 1;
    const node = agents.get(address);
    if (node === undefined) throw new ParleyError('peer/unreachable', 'connection refused');
    return node;
  };
  const discovery = createOspfDiscovery({ router, table, meet, port: 9514, clock, log: silentLog });
  const ofAddress = (address: string) => dials.filter((each) => each.address === address).map(({ atMs }) => atMs);
  return { clock, table, discovery, dials, ofAddress, most: () => most, readable: (is: boolean) => (isReadable = is) };
}

discoveryContract('OSPF neighbours', () => {
  const agents = new Map<string, string>();
  const { clock, table, discovery } = bed(agents);
  return {
    ...{ discovery, table },
    appear: (node) => agents.set('198.18.10.2', node),
    settle: () => clock.advance(MINUTE_MS),
  };
});

/** A driver that keeps the last state; where it is asked for another, OSPF has no neighbours, or the node cannot be read. */
function keepingBed() {
  const clock = createFakeClock();
  const table = createPeerTable({ node: 'r1', clock });
  const interfaces = [{ name: 'eth1', kind: 'physical', operUp: true, addresses: ['198.18.10.1/24'] }];
  const neighbours = [{ routerId: '1', address: '198.18.10.2', state: 'Full/DR' }];
  const withNeighbour: NodeState = {
    inventory: { interfaces },
    ospf: [{ ifname: 'eth1', passive: false, neighbours }],
  } as never;
  const node: { reads: number; isReadable: boolean; kept?: KeptState } = { reads: 0, isReadable: true };
  const router = {
    latest: () => node.kept,
    state: async () => {
      node.reads += 1;
      if (!node.isReadable) throw new ParleyError('node/unreadable', 'no state');
      return { inventory: { interfaces }, ospf: [] } as never;
    },
  };
  const warned: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warned.push(text) };
  const discovery = createOspfDiscovery({ router, table, meet: async () => 'r2', port: 9514, clock, log });
  return { clock, table, discovery, node, warned, withNeighbour };
}

test('neighbours come from the last state that the driver has kept, and no other is read', async (t) => {
  const { clock, table, discovery, node, withNeighbour } = keepingBed();
  t.after(() => discovery.stop());
  await discovery.start();
  await clock.advance(10_000);
  assert.deepEqual([node.reads, table.find('r2')], [1, undefined], 'none was kept yet');
  node.kept = { state: withNeighbour, ageMs: 45_000 };
  await clock.advance(10_000);
  assert.deepEqual([node.reads, table.find('r2')?.hints[0]?.source], [1, 'ospf']);
});

test('a kept state that is old is not believed: the node is read, and that it cannot be is logged', async (t) => {
  const { clock, table, discovery, node, warned, withNeighbour } = keepingBed();
  t.after(() => discovery.stop());
  node.kept = { state: withNeighbour, ageMs: 45_001 };
  await discovery.start();
  await clock.advance(10_000);
  assert.deepEqual([node.reads, table.list(), warned], [1, [], []]);
  node.isReadable = false;
  await clock.advance(10_000);
  assert.deepEqual([node.reads, table.list()], [2, []]);
  assert.deepEqual(warned, ['the OSPF neighbours of this node could not be read']);
});

test('the agent of a neighbour is a hint with the name of its certificate, and is asked once [CARD-2]', async (t) => {
  const { clock, table, discovery, ofAddress } = bed(new Map([['198.18.10.2', 'r2']]));
  t.after(() => discovery.stop());
  await discovery.start();
  await clock.advance(10_000);
  assert.deepEqual(
    table.find('r2')?.hints.map(({ source, addresses, port, heardOn }) => [source, ...addresses, port, heardOn]),
    [['ospf', '198.18.10.2', 9514, 'eth1']],
  );
  await clock.advance(60 * MINUTE_MS);
  assert.deepEqual(ofAddress('198.18.10.2'), [10_000]);
});

test('a neighbour without an agent is asked at most once a minute, then ever more rarely', async (t) => {
  const { clock, table, discovery, ofAddress } = bed(new Map(), ['198.18.10.9']);
  t.after(() => discovery.stop());
  await discovery.start();
  for (let minute = 0; minute < 240; minute++) await clock.advance(MINUTE_MS);
  const waits = ofAddress('198.18.10.9').map((atMs, index, all) =>
    Math.round((atMs - (all[index - 1] ?? 0)) / MINUTE_MS),
  );
  // The third try waits for the next look.
  assert.deepEqual(waits, [0, 1, 3, 4, 8, 16, 30, 30, 30, 30, 30, 30]);
  assert.deepEqual(table.list(), []);
});

test('a neighbour that goes and comes back is asked no sooner than one that stays', async (t) => {
  const others = ['198.18.10.9'];
  const { clock, discovery, ofAddress } = bed(new Map(), others);
  t.after(() => discovery.stop());
  await discovery.start();
  await clock.advance(10_000);
  for (let flap = 0; flap < 4; flap++) {
    others.pop();
    await clock.advance(10_000);
    others.push('198.18.10.9');
    await clock.advance(10_000);
  }
  assert.deepEqual(ofAddress('198.18.10.9'), [10_000, 70_000]);
  others.pop();
  for (let minute = 0; minute < 4; minute++) await clock.advance(MINUTE_MS);
  others.push('198.18.10.9');
  await clock.advance(MINUTE_MS);
  await clock.advance(MINUTE_MS);
  // Its wait had ended while it was away, so that the next one is the first again.
  assert.deepEqual(ofAddress('198.18.10.9').length, 4);
});

/** Dials of an hour with a state that is read as often as an agent does. */
async function dialsOfAnHour(agents: Map<string, string>, others: readonly string[] = []) {
  const made = bed(agents, others);
  await made.discovery.start();
  for (let look = 0; look < 360; look++) await made.clock.advance(10_000);
  await made.discovery.stop();
  return made;
}

test('an answer of which the peer table keeps nothing is asked for every half hour', async () => {
  const own = await dialsOfAnHour(new Map([['198.18.10.2', 'r1']]));
  assert.equal(own.dials.length, 2, 'the own name');
  const addresses = ['198.18.10.2', '198.18.10.3', '198.18.10.4'];
  const one = await dialsOfAnHour(new Map(addresses.map((address) => [address, 'r2'])));
  assert.deepEqual(one.table.find('r2')?.hints.length, 1);
  assert.equal(one.dials.length, 6, 'three addresses of one node');
});

test('64 neighbours without an agent keep no other from being asked', async () => {
  const dead = Array.from({ length: 150 }, (_, at) => `198.18.10.${at + 2}`);
  const { clock, table, discovery, dials, ofAddress } = bed(new Map(), [...dead, '198.18.10.200']);
  await discovery.start();
  await clock.advance(10_000);
  assert.equal(dials.length, 64, 'one look');
  await clock.advance(10_000);
  await clock.advance(10_000);
  assert.deepEqual(ofAddress('198.18.10.200'), [30_000]);
  await discovery.stop();
  assert.deepEqual(table.list(), []);
});

test('neighbours are asked one after the other, and the own name changes nothing', async (t) => {
  const agents = new Map([
    ['198.18.10.2', 'r1'],
    ['198.18.10.3', 'r3'],
  ]);
  const { clock, table, discovery, most } = bed(agents, ['198.18.10.9']);
  t.after(() => discovery.stop());
  await discovery.start();
  await clock.advance(10_000);
  assert.equal(most(), 1);
  assert.deepEqual(table.find('r1')?.hints ?? [], []);
  assert.equal(table.find('r3')?.hints.length, 1);
});

test('goes on after a state that could not be read', async (t) => {
  const { clock, table, discovery, readable } = bed(new Map([['198.18.10.2', 'r2']]));
  t.after(() => discovery.stop());
  readable(false);
  await discovery.start();
  await clock.advance(15_000);
  assert.deepEqual(table.list(), []);
  readable(true);
  await clock.advance(10_000);
  assert.equal(table.find('r2')?.hints.length, 1);
});

test('over TLS an agent of the domain tells its name, and one of another domain is none', async (t) => {
  const [own, foreign] = [await upRow(['r1', 'r2']), await upRow(['r8', 'r9'])];
  t.after(() => Promise.all([own.down(), foreign.down()]));
  const { meet, address, port } = own.node('r1');
  const far = own.node('r2');
  const signal = AbortSignal.timeout(HANG_MS);
  assert.equal(await meet(far.address, far.port, signal), 'r2');
  assert.deepEqual(far.audit, [], 'no session was opened');
  const other = foreign.node('r9');
  await assert.rejects(meet(other.address, other.port, signal), { code: 'peer/untrusted-certificate' });
  await assert.rejects(other.meet(address, port, signal), { code: 'peer/untrusted-certificate' });
});
