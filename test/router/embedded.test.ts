// The embedded driver: the contract of every RouterPort, in process and over the hub, and what only it can show.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEmbeddedDriver, createEmbeddedLldp } from '#router/drivers/embedded/driver.ts';
import { serveEmbeddedHub } from '#router/drivers/embedded/hub.ts';
import { createEmbeddedHubDriver, injectEmbeddedFault } from '#router/drivers/embedded/hub-driver.ts';
import { createEmbeddedNetwork } from '#router/drivers/embedded/network.ts';
import type { HelperServer } from '#router/protocol/server.ts';
import { type RouterBed, routerPortContract, settle } from '../contracts/router-port.ts';
import { THREE_ROUTER_FACTS, THREE_ROUTERS } from './embedded-bed.ts';

const PROBE = {
  destination: 'fd00:0:0:3::1',
  segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
  count: 1000,
  intervalMs: 1,
  payloadBytes: 64,
  lingerMs: 100,
};
const ACL = { node: 'pe1', ifname: 'eth1', name: 'acl-2001', percent: 100 } as const;

const network = createEmbeddedNetwork(THREE_ROUTERS);
const inProcess: RouterBed = {
  ...THREE_ROUTER_FACTS,
  head: createEmbeddedDriver({ network, node: 'pe1' }),
  mid: createEmbeddedDriver({ network, node: 'p2' }),
  tail: createEmbeddedDriver({ network, node: 'pe3' }),
  addAcl: async () => network.apply({ kind: 'acl', ...ACL }),
  removeAcl: async () => network.apply({ kind: 'remove-acl', node: 'pe1', name: 'acl-2001' }),
  leftovers: async () => '',
};
routerPortContract('embedded', () => inProcess);

let folder = '';
let hub: HelperServer;
let overHub: RouterBed;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-hub-'));
  const socket = join(folder, 'hub.sock');
  hub = await serveEmbeddedHub({ network: createEmbeddedNetwork(THREE_ROUTERS), socket });
  const router = (node: string) => createEmbeddedHubDriver({ socket, node }).router;
  overHub = {
    ...THREE_ROUTER_FACTS,
    head: router('pe1'),
    mid: router('p2'),
    tail: router('pe3'),
    addAcl: () => injectEmbeddedFault(socket, { kind: 'acl', ...ACL }),
    removeAcl: () => injectEmbeddedFault(socket, { kind: 'remove-acl', node: 'pe1', name: 'acl-2001' }),
    leftovers: async () => '',
  };
});
after(async () => {
  await hub.close();
  await rm(folder, { recursive: true, force: true });
});
routerPortContract('embedded hub', () => overHub);

test('loss on a wire shows in tx against rx of the link and nowhere else, in that direction only', async () => {
  const lossy = createEmbeddedNetwork(THREE_ROUTERS);
  lossy.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 3 });
  const result = await createEmbeddedDriver({ network: lossy, node: 'pe1' }).probe(PROBE);
  const lost = result.sent - (result.reflected ?? 0);
  assert.ok(lost > 10 && lost < 60, `expected about 30 lost, got ${lost}`);
  assert.equal(result.received, result.reflected);
  const near = lossy.device('pe1').ports.get('eth1')!;
  const far = lossy.device('p2').ports.get('eth1')!;
  assert.ok(near.counters.txPackets - far.counters.rxPackets >= lost);
  assert.equal(far.counters.txPackets, near.counters.rxPackets);
  assert.equal(near.counters.txDropped, 0);
});

test('loss on the way back leaves the reflected probes whole', async () => {
  const lossy = createEmbeddedNetwork(THREE_ROUTERS);
  lossy.apply({ kind: 'loss', node: 'pe3', ifname: 'eth1', percent: 10 });
  const result = await createEmbeddedDriver({ network: lossy, node: 'pe1' }).probe(PROBE);
  assert.equal(result.reflected, 1000);
  assert.ok(result.received < 960 && result.received > 840);
});

test('the same seed loses the same probes', async () => {
  const run = async () => {
    const lossy = createEmbeddedNetwork(THREE_ROUTERS);
    lossy.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 20 });
    return (await createEmbeddedDriver({ network: lossy, node: 'pe1' }).probe(PROBE)).received;
  };
  const first = await run();
  assert.ok(first < 1000);
  assert.equal(await run(), first);
});

test('a link that is down has no adjacency, no neighbour and no route, and comes back by repair', async () => {
  const cut = createEmbeddedNetwork(THREE_ROUTERS);
  const pe1 = createEmbeddedDriver({ network: cut, node: 'pe1' });
  cut.apply({ kind: 'link', node: 'p2', ifname: 'eth1', up: false });
  const down = await pe1.state();
  assert.deepEqual([down.adjacencies, down.neighbours], [[], []]);
  assert.equal(down.inventory.interfaces.find(({ name }) => name === 'eth1')?.operUp, false);
  assert.equal((await pe1.route('fd00:0:0:3::1')).kind, 'none');
  cut.apply({ kind: 'repair' });
  assert.equal((await pe1.state()).adjacencies.length, 1);
});

test('an announced TLV is heard by the neighbour only, and a watcher is told [CARD-2]', async () => {
  const own = createEmbeddedNetwork(THREE_ROUTERS);
  const lldp = (node: string) => createEmbeddedLldp({ network: own, node });
  let calls = 0;
  const stop = await lldp('p2').watch(() => {
    calls += 1;
  });
  await lldp('pe1').announce('02504c', 1, Uint8Array.of(0xab, 0xcd));
  assert.equal(calls, 1);
  const heard = await lldp('p2').neighbours();
  assert.deepEqual(heard.find(({ systemName }) => systemName === 'pe1')?.unknownTlvs, [
    { oui: '02504c', subtype: 1, hex: 'abcd' },
  ]);
  assert.deepEqual((await lldp('pe3').neighbours())[0]?.unknownTlvs, []);
  stop();
  await lldp('pe1').withdraw('02504c', 1);
  assert.equal(calls, 1);
  assert.deepEqual((await lldp('p2').neighbours())[0]?.unknownTlvs, []);
});

test('the hub passes LLDP and faults between processes, and lists the nodes on an unknown one', async () => {
  const socket = join(folder, 'hub.sock');
  const { lldp } = createEmbeddedHubDriver({ socket, node: 'p2' });
  let told = false;
  const stop = await lldp.watch(() => {
    told = true;
  });
  await lldp.neighbours();
  await createEmbeddedHubDriver({ socket, node: 'pe1' }).lldp.announce('02504c', 1, Uint8Array.of(1));
  await settle(async () => told, 'the watcher to be told');
  stop();
  await injectEmbeddedFault(socket, { kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 100 });
  const lost = await overHub.head.probe({ ...PROBE, count: 20 });
  assert.deepEqual([lost.sent, lost.received, lost.reflected], [20, 0, undefined]);
  await injectEmbeddedFault(socket, { kind: 'repair' });
  await assert.rejects(
    createEmbeddedHubDriver({ socket, node: 'pe9' }).router.state(),
    /expected one of the nodes pe1, p2, pe3/,
  );
});
