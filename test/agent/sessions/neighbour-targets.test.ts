// Where a node connects for another that wants to reach its neighbour: what it heard itself, never what it was told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNeighbourTargets } from '#agent/sessions/neighbour-targets.ts';
import { silentLog } from '#base/log.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import type { PeerHint } from '#model/peer.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { createFakeClock } from '../../fakes/clock.ts';

const never = new AbortController().signal;
const BESIDE = {
  neighbours: [{ ifname: 'eth1', systemName: 'R2' }],
  neighbourTable: [
    { ifname: 'eth1', address: 'fe80::2' },
    { ifname: 'eth1', address: '198.18.0.9' },
    { ifname: 'eth2', address: '198.18.5.5' },
  ],
  inventory: {
    interfaces: [
      { name: 'eth1', operUp: true, addresses: ['198.18.0.0/31', 'fd00:12::/127', 'fe80::1/64'] },
      { name: 'eth2', operUp: true, addresses: ['198.18.5.4/31'] },
    ],
  },
} as unknown as NodeState;

function bench(
  state: () => Promise<NodeState> = async () => BESIDE,
  mayDial: (address: string) => Promise<boolean> = async () => true,
) {
  const clock = createFakeClock();
  const peers = createPeerTable({ node: 'r1', clock });
  let reads = 0;
  const router = {
    state: () => {
      reads += 1;
      return state();
    },
  };
  const targets = createNeighbourTargets({ router, peers, port: 9600, mayDial, clock, log: silentLog });
  const of = async (node: string) => (await targets(node, never)).map(({ address, port }) => `${address} ${port}`);
  return { clock, peers, of, reads: () => reads };
}

const hint = (source: PeerHint['source'], address: string, port = 9600): PeerHint => ({
  ...{ source, node: 'r2', addresses: [address], port, heardAtMs: 0 },
  ...(source === 'peer-exchange' ? { toldBy: 'r7', hops: 1 } : { heardOn: 'eth1', hops: 0 }),
});

test('its addresses on the link come before what it announced, and link-local ones have their zone', async () => {
  const { peers, of } = bench();
  peers.add(hint('lldp', '198.18.255.2'));
  assert.deepEqual(await of('r2'), [
    ...['198.18.0.1 9600', 'fd00:12:0:0:0:0:0:1 9600', '198.18.0.9 9600', 'fe80::2%eth1 9600'],
    '198.18.255.2 9600',
  ]);
});

test('what another node told of it is not dialled, nor a node that is only told of', async () => {
  const { peers, of } = bench();
  peers.add(hint('peer-exchange', '198.18.77.7'));
  assert.equal((await of('r2')).join().includes('198.18.77.7'), false);
  peers.add({ ...hint('peer-exchange', '198.18.77.8'), node: 'r8' });
  assert.deepEqual(await of('r8'), []);
  assert.deepEqual(await of('r9'), []);
});

test('where a session stood comes first; without a state of its own, that alone is left', async () => {
  const { peers, of } = bench(() => Promise.reject(new Error('no state')));
  peers.add(hint('isis', '198.18.255.2'));
  assert.deepEqual(await of('r2'), []);
  peers.verified('r2', { thumbprint: 'aa', address: '198.18.254.2', port: 9700, atMs: 0 });
  assert.deepEqual(await of('r2'), ['198.18.254.2 9700']);
  const beside = bench();
  beside.peers.verified('r2', { thumbprint: 'aa', address: '198.18.254.2', port: 9600, atMs: 0 });
  assert.equal((await beside.of('r2'))[0], '198.18.254.2 9600');
});

test('an announcement chooses no port: only an agent is reached', async () => {
  for (const source of ['lldp', 'isis'] as const) {
    const { peers, of } = bench();
    peers.add(hint(source, '198.18.0.1', 22));
    assert.equal((await of('r2')).join().includes(' 22'), false);
    peers.verified('r2', { thumbprint: 'aa', address: '198.18.0.1', port: 9700, atMs: 0 });
    peers.add(hint(source, '198.18.255.2', 9700));
    assert.ok((await of('r2')).includes('198.18.255.2 9700'));
    assert.equal((await of('r2')).join().includes(' 22'), false);
  }
});

test('an announcement never leads to the node itself', async () => {
  for (const source of ['lldp', 'isis', 'static'] as const) {
    const { peers, of } = bench();
    for (const own of ['198.18.0.0', 'fd00:12::', '198.18.5.4']) peers.add(hint(source, own));
    const found = await of('r2');
    for (const own of ['198.18.0.0 9600', 'fd00:12:: 9600', '198.18.5.4 9600'])
      assert.equal(found.includes(own), false);
  }
});

test('an announced address elsewhere than on the link is dialled only where this node may dial', async () => {
  const asked: string[] = [];
  const { peers, of } = bench(undefined, async (address) => {
    asked.push(address);
    return address === '198.18.255.2';
  });
  peers.add({ ...hint('lldp', '198.18.0.1'), addresses: ['198.18.0.1', '198.18.255.2', '203.0.113.7', '198.18.5.5'] });
  const found = await of('r2');
  assert.ok(found.includes('198.18.255.2 9600'));
  for (const elsewhere of ['203.0.113.7 9600', '198.18.5.5 9600']) assert.equal(found.includes(elsewhere), false);
  assert.equal(asked.includes('198.18.0.1'), false, 'on the link');
  peers.verified('r2', { thumbprint: 'aa', address: '203.0.113.7', port: 9600, atMs: 0 });
  assert.equal((await of('r2'))[0], '203.0.113.7 9600');
});

test('what the configuration names is dialled as it stands there', async () => {
  const { peers, of } = bench(undefined, async () => false);
  peers.add(hint('static', '203.0.113.9', 9800));
  assert.ok((await of('r2')).includes('203.0.113.9 9800'));
});

test('one reading serves for a few seconds', async () => {
  const { of, clock, reads } = bench();
  await of('r2');
  await of('r3');
  assert.equal(reads(), 1);
  await clock.advance(3_001);
  await of('r2');
  assert.equal(reads(), 2);
});
