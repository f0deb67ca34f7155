// Discovery by LLDP over a daemon in memory: announcing, hearing, and everything a neighbour can do wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { PARLEY_SUBTYPE } from '#discovery/lldp/descriptor.ts';
import { createLldpDiscovery, hintsFromNeighbours } from '#discovery/lldp/discovery.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import type { Neighbour } from '#model/router/router-port.ts';
import { discoveryContract } from '../contracts/discovery.ts';
import { createFakeLldpPort } from '../fakes/lldp-port.ts';
import { A, B, createDiscoveryBed, descriptorOf, hexOf } from './discovery-bed.ts';

const neighbour = (ifname: string, hex: string | undefined, over: Partial<Neighbour> = {}): Neighbour => ({
  ifname,
  chassisId: '02:00:00:00:00:01',
  portId: 'eth0',
  systemName: 'P2',
  unknownTlvs: hex === undefined ? [] : [{ oui: PARLEY_OUI, subtype: PARLEY_SUBTYPE, hex }],
  ...over,
});

const setUp = () => {
  const bed = createDiscoveryBed();
  const { clock, table, own } = bed;
  const port = createFakeLldpPort();
  return { ...bed, port, discovery: createLldpDiscovery({ port, table, own, clock, log: silentLog }) };
};

discoveryContract('LLDP', () => {
  const { clock, port, table, discovery } = setUp();
  return {
    discovery,
    table,
    appear: (node) => port.setNeighbours([neighbour('eth1', hexOf(descriptorOf(node)))]),
    settle: () => clock.advance(1_000),
  };
});

test('announces its own descriptor, again after a rotation, and withdraws exactly that [TS-13]', async () => {
  const { port, discovery, rotate } = setUp();
  const key = '02504c/1';
  await discovery.announceAgain();
  assert.equal(port.announced.size, 0);
  await discovery.start();
  assert.equal(port.announced.get(key), hexOf(descriptorOf('pe1')));
  rotate(B);
  await discovery.announceAgain();
  assert.equal(port.announced.get(key), hexOf(descriptorOf('pe1', B)));
  await port.announce('00120f', 1, Uint8Array.of(1));
  await discovery.stop();
  assert.deepEqual([...port.announced.keys()], ['00120f/1']);
});

test("turns a neighbour's descriptor into a hint with everything it says [CARD-2] [TS-13]", async () => {
  const { port, table, discovery } = setUp();
  const descriptor = { ...descriptorOf('p2'), nextThumbprint: B, capabilities: ['ietf-srv6-ping'] };
  port.setNeighbours([neighbour('eth1', hexOf(descriptor))]);
  await discovery.start();
  assert.deepEqual(table.find('p2')?.hints, [
    {
      source: 'lldp',
      node: 'p2',
      port: 9514,
      thumbprint: A,
      nextThumbprint: B,
      capabilitiesHash: '33333333333333333333333333333333',
      capabilities: ['ietf-srv6-ping'],
      addresses: ['fd00::2'],
      heardOn: 'eth1',
      hops: 0,
      heardAtMs: 1_767_225_600_000,
    },
  ]);
  await discovery.stop();
});

test('hears a neighbour that appears later, and looks at most ten times a second [CARD-2]', async () => {
  const { clock, port, table, discovery } = setUp();
  await discovery.start();
  for (let frame = 0; frame < 50; frame++) {
    port.setNeighbours([neighbour('eth1', hexOf(descriptorOf('p2')))]);
    await clock.advance(10);
  }
  assert.notEqual(table.find('p2'), undefined);
  assert.equal(port.watcherCount, 1);
  assert.ok(port.reads <= 7, `${port.reads} reads in 500 ms`);
  await discovery.stop();
  assert.equal(clock.sleepers, 0);
});

test('records silent and malformed neighbours and goes on with the others [TS-13]', async () => {
  const { port, table, discovery, remarksOf } = setUp();
  const good = hexOf(descriptorOf('pe3'));
  port.setNeighbours([
    neighbour('eth1', undefined),
    neighbour('eth2', undefined, { systemName: 'Not A Node!\u001b[2J' }),
    neighbour('eth3', '01252a', { systemName: 'p4' }),
    neighbour('eth4', 'zz', { systemName: 'p4' }),
    neighbour('eth5', good, {
      systemName: 'p5',
      unknownTlvs: [1, 2].map(() => ({ oui: PARLEY_OUI, subtype: 1, hex: good })),
    }),
    neighbour('eth6', undefined, { systemName: 'p6', unknownTlvs: [{ oui: '00120f', subtype: 1, hex: good }] }),
    neighbour('eth7', good),
  ]);
  await discovery.start();
  assert.deepEqual(remarksOf('p2'), ['silent: eth1: announces no agent']);
  assert.deepEqual(remarksOf('unknown@eth2'), ['silent: eth2: announces no agent']);
  assert.deepEqual(remarksOf('p4'), ['malformed: eth3: no node name', 'malformed: eth4: not octets']);
  assert.deepEqual(remarksOf('p5'), ['malformed: eth5: more than one announcement']);
  assert.deepEqual(remarksOf('p6'), ['silent: eth6: announces no agent']);
  assert.equal(table.find('pe3')?.hints.length, 1);
  await discovery.stop();
});

test("a neighbour that announces another's name or a false thumbprint stops nothing and is reported [TS-13]", async () => {
  const { port, table, discovery, remarksOf } = setUp();
  port.setNeighbours([
    neighbour('eth1', hexOf(descriptorOf('p2', A))),
    neighbour('eth2', hexOf(descriptorOf('p2', B))),
    neighbour('eth3', hexOf(descriptorOf('pe1', B))),
  ]);
  await discovery.start();
  assert.deepEqual(
    table.find('p2')?.hints.map((each) => each.heardOn),
    ['eth1', 'eth2'],
  );
  assert.deepEqual(remarksOf('p2'), [
    'lying: two claimants for one name: eth1 aaaaaaaaaaaaaaaa, eth2 bbbbbbbbbbbbbbbb',
  ]);
  assert.deepEqual(remarksOf('pe1'), ['lying: eth3: announces the name of this node']);
  await discovery.stop();
});

test('a port that invents neighbours does not crowd the others out [CARD-2]', async () => {
  const { port, table, discovery } = setUp();
  const invented = Array.from({ length: 100 }, (_, index) => neighbour('eth1', hexOf(descriptorOf(`x${index}`))));
  port.setNeighbours([...invented, neighbour('eth2', hexOf(descriptorOf('p2')))]);
  await discovery.start();
  assert.equal(table.list().length, 17);
  assert.notEqual(table.find('p2'), undefined);
  await discovery.stop();
});

test('without a daemon it starts nevertheless, and finds it when it comes [CARD-2]', async () => {
  const { clock, port, table, discovery } = setUp();
  port.failWith(new Error('no such socket'));
  port.setNeighbours([neighbour('eth1', hexOf(descriptorOf('p2')))]);
  await discovery.start();
  assert.equal(table.find('p2'), undefined);
  port.failWith(undefined);
  await clock.advance(1_000);
  assert.notEqual(table.find('p2'), undefined);
  assert.equal(port.announced.size, 1);
  port.setNeighbours([neighbour('eth1', hexOf(descriptorOf('pe3')))]);
  await clock.advance(200);
  assert.notEqual(table.find('pe3'), undefined);
  port.failWith(new Error('gone again'));
  await discovery.stop();
  assert.equal(clock.sleepers, 0);
});

test('an aborted signal ends it as a stop does', async () => {
  const { clock, port, table, discovery } = setUp();
  const abort = new AbortController();
  await discovery.start(abort.signal);
  abort.abort();
  await clock.advance(1_000);
  port.setNeighbours([neighbour('eth1', hexOf(descriptorOf('p2')))]);
  await clock.advance(60_000);
  assert.equal(table.find('p2'), undefined);
  assert.deepEqual([clock.sleepers, port.watcherCount], [0, 0]);
});

test('a change whose look fails is looked at again within a second, not at the slow refresh [CARD-2]', async () => {
  const { clock, port, table, discovery } = setUp();
  await discovery.start();
  await clock.advance(1_000);
  port.failWith(new Error('no answer in time'));
  port.setNeighbours([neighbour('eth1', hexOf(descriptorOf('p2')))]);
  await clock.advance(200);
  port.failWith(undefined);
  assert.equal(table.find('p2'), undefined);
  await clock.advance(1_100);
  assert.notEqual(table.find('p2'), undefined);
  await discovery.stop();
});

test('what a node tells of its neighbours’ announcements is a hint of that node [CARD-2]', () => {
  const told = { toldBy: 'pe1', atMs: 5 };
  const descriptor = descriptorOf('p2');
  const p2 = neighbour('eth1', hexOf(descriptor));
  const { port, thumbprint, addresses } = descriptor;
  const hint = {
    source: 'peer-exchange',
    node: 'p2',
    addresses,
    port,
    thumbprint,
    toldBy: 'pe1',
    hops: 1,
    heardAtMs: 5,
  };
  const twice = { unknownTlvs: [...p2.unknownTlvs, ...p2.unknownTlvs] };
  const nowhere = neighbour('eth3', hexOf({ ...descriptorOf('p3'), addresses: [] }));
  const odd = [neighbour('eth2', undefined), neighbour('eth2', '0102'), twice, nowhere];
  assert.deepEqual(hintsFromNeighbours([p2, ...odd], told), [hint]);
});
