// What the helper may be asked about hosts, and what a node remembers of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checked } from '#model/wire/check.ts';
import { parseDescriptions } from '#router/drivers/linux-frr/kernel/interfaces.ts';
import { createEventHistory } from '#router/drivers/linux-frr/memory/event-history.ts';
import { parseArpTable, permanentRows } from '#router/drivers/linux-frr/memory/sampler.ts';
import { eachOnce, meantMembers } from '#router/helper/operations.ts';
import { READ_REQUESTS } from '#router/protocol/read-operations.ts';

const ARP = `IP address       HW type     Flags       HW address            Mask     Device
198.19.1.10      0x1         0x2         02:00:00:00:01:10     *        eth3
198.19.1.11      0x1         0x0         00:00:00:00:00:00     *        eth3
198.18.0.1       0x1         0x6         02:11:22:33:44:55     *        eth1
`;

test('of the ARP table those that were heard are remembered, not what somebody typed', () => {
  assert.deepEqual(parseArpTable(ARP), [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:01:10' }]);
});

test('what somebody typed into the ARP table is a reason to look at the whole node', () => {
  assert.deepEqual(permanentRows(ARP), ['eth1 198.18.0.1 02:11:22:33:44:55']);
});

test('who had an address first is remembered with it', () => {
  const ring = createEventHistory();
  const none = { carriers: new Map(), adjacencies: undefined, sessions: undefined, heard: undefined };
  ring.add({ ...none, hosts: [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:01:10' }] }, 0);
  ring.add({ ...none, hosts: [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:09:99' }] }, 2_000);
  assert.deepEqual(ring.history(2_000).hosts, [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:01:10' }]);
});

test('descriptions are read from zebra’s table', () => {
  const text =
    'Interface       Status  Protocol  Description\neth1            up      up        \neth3            up      up        h1 eth1\n';
  assert.deepEqual(parseDescriptions(text), { eth3: 'h1 eth1' });
});

const hostScanArguments = (args: unknown) => eachOnce(checked(READ_REQUESTS['host-scan'], args));
const serviceProbeArguments = (args: unknown) =>
  checked(READ_REQUESTS['service-probe'], args).serviceProbes.map(meantMembers);

test('only interfaces, IPv4 addresses and ports of a few services pass', () => {
  const port = { ifname: 'eth3', addresses: ['198.19.1.10', '198.19.1.10'] };
  assert.deepEqual(hostScanArguments({ ports: [port], census: false }), {
    ports: [{ ifname: 'eth3', addresses: ['198.19.1.10'] }],
    census: false,
  });
  for (const ports of [[{ ...port, ifname: '-i' }], [{ ...port, addresses: ['fd00::1'] }], 'eth3'])
    assert.throws(() => hostScanArguments({ ports, census: false }), /expected/);
  assert.deepEqual(
    serviceProbeArguments({ serviceProbes: [{ destination: '198.19.1.10', service: 'tcp', port: 80 }] }),
    [{ destination: '198.19.1.10', service: 'tcp', port: 80 }],
  );
  const timed = { destination: '198.19.1.10', service: 'udp', port: 53, timed: true };
  assert.deepEqual(serviceProbeArguments({ serviceProbes: [timed, { ...timed, service: 'tcp' }] }), [
    timed,
    { destination: '198.19.1.10', service: 'tcp', port: 53 },
  ]);
  for (const serviceProbe of [{ service: 'udp', port: 22 }, { service: 'raw' }, { service: 'tcp' }])
    assert.throws(
      () => serviceProbeArguments({ serviceProbes: [{ destination: '198.19.1.10', ...serviceProbe }] }),
      /expected/,
    );
});
