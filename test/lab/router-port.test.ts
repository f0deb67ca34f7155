// The linux-frr driver against real FRR, lldpd, nftables and the kernel's SRv6, in namespaces: the contract of every
// RouterPort, and what must hold when the helper is killed in between.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { comesBack, routerPortContract, settle } from '../contracts/router-port.ts';
import { type RealBed, upRouterBed } from './router-bed.ts';

let bed: RealBed;
before(async () => {
  bed = await upRouterBed();
});
after(async () => {
  await bed?.down();
});

routerPortContract('linux-frr', () => bed);

const PROBE = {
  destination: 'fd00:0:0:3::1',
  segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
  count: 5000,
  intervalMs: 1,
  payloadBytes: 64,
  lingerMs: 200,
};

test('killing the helper during a probe and a capture leaves nothing behind, and a new one goes on [TS-22]', async () => {
  const isAsBefore = await comesBack(bed.leftovers);
  const probing = bed.head.probe(PROBE);
  const capturing = bed.head.capture({
    ifname: 'eth1',
    filter: { kind: 'tcp-port', port: 9 },
    packetCount: 5,
    timeoutMs: 9_000,
  });
  const ended = Promise.all(
    [probing, capturing].map((running) =>
      assert.rejects(running, (error) => error instanceof ParleyError && error.code === 'node/helper-failed'),
    ),
  );
  await settle(async () => (await bed.leftovers()).includes('tcpdump'), 'the capture to run');
  await bed.killHelper('pe1');
  await ended;
  await settle(async () => !(await bed.leftovers()).includes('tcpdump'), 'the capture to end with its helper');
  const without = await bed.head.state();
  assert.deepEqual(without.missing.map(({ part }) => part).toSorted(), [
    'adjacencies',
    'daemons',
    'filters',
    'neighbours',
    'offloads',
    'privileged-helper',
    'routing-version',
  ]);
  assert.ok(without.inventory.interfaces.length === 3 && without.inventory.sids.length === 2);
  await bed.startHelper('pe1');
  await settle(async () => (await bed.head.state()).missing.length === 0, 'the new helper to answer');
  await isAsBefore();
  assert.equal((await bed.head.probe({ ...PROBE, count: 100 })).received, 100);
});

test("our TLV reaches the neighbour, the watcher is told, and withdrawing leaves the operator's own [CARD-2]", async () => {
  const [pe1, p2] = [bed.lldpOf('pe1'), bed.lldpOf('p2')];
  const heard = async () => (await p2.neighbours()).find(({ systemName }) => systemName === 'pe1')?.unknownTlvs ?? [];
  let told = 0;
  const stop = await p2.watch(() => {
    told += 1;
  });
  await pe1.announce('02504c', 9, Uint8Array.of(7));
  await pe1.announce('02504c', 1, Uint8Array.of(0xab, 0xcd));
  await pe1.announce('02504c', 1, Uint8Array.of(0xab, 0xce));
  await settle(async () => JSON.stringify(await heard()).includes('abce'), 'the neighbour to hear it');
  assert.deepEqual(
    (await heard()).toSorted((one, other) => one.subtype - other.subtype),
    [
      { oui: '02504c', subtype: 1, hex: 'abce' },
      { oui: '02504c', subtype: 9, hex: '07' },
    ],
  );
  await settle(async () => told > 0, 'the watcher to be told');
  stop();
  await pe1.withdraw('02504c', 1);
  await settle(async () => (await heard()).length === 1, 'the TLV to be gone');
  assert.deepEqual(await heard(), [{ oui: '02504c', subtype: 9, hex: '07' }]);
  await pe1.withdraw('02504c', 9);
  await assert.rejects(pe1.announce('0080c2', 1, Uint8Array.of(1)), /expected a locally administered OUI/);
});
