// Hosts that answer for an address that is another’s; and what may answer for it as well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { HOST1, named, sceneOf, wellOn } from '../scope-scene.ts';

test('a host that also answers for its router’s address is in conflict with it', () => {
  const answers = [
    { address: HOST1.address, macs: [HOST1.mac] },
    { address: '198.19.1.1', macs: [HOST1.mac] },
  ];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { answers })] } }), ['host_ip_conflict interface/h1/eth1']);
});

test('a host that says that it has its router’s IPv6 address is in conflict with it; the first address of a subnet is all routers’', () => {
  const answers = (address: string, mac: string) => [
    { address: HOST1.address, macs: [HOST1.mac] },
    { address, macs: [mac] },
  ];
  const found = (address: string, mac: string = HOST1.mac) =>
    named({ hosts: { r1: [wellOn('r1', { answers: answers(address, mac) })] } });
  assert.deepEqual(found('fd00:c:1::1'), ['host_ip_conflict interface/h1/eth1']);
  assert.deepEqual(found('fd00:c:1::1', '00:00:5e:00:02:07'), [], 'VRRP over IPv6');
  assert.deepEqual(found('fd00:c:1::1', '02:00:00:00:03:03'), [], 'an interface of a node');
  assert.deepEqual(found('fd00:c:1::'), []);
});

test('a virtual router, or another router, that answers for the gateway is a gateway of several', () => {
  for (const mac of ['00:00:5e:00:01:01', '00:00:5E:00:02:07', '02:00:00:00:03:03']) {
    const answers = [
      { address: HOST1.address, macs: [HOST1.mac] },
      { address: '198.19.1.1', macs: [mac] },
    ];
    assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { answers })] } }), [], mac);
  }
});

test('two ports of one host that answer for each other’s address are no conflict; a second host that has the first one’s is', () => {
  const other = { address: '198.19.1.11', mac: '02:00:00:00:01:11' };
  const both = (state: NodeState): NodeState => ({
    ...state,
    history: { ...state.history!, hosts: [...(state.history?.hosts ?? []), { ifname: 'eth3', ...other }] },
  });
  const answered = (second: readonly string[]) => ({
    states: { r1: both },
    hosts: {
      r1: [
        wellOn('r1', {
          answers: [
            { address: HOST1.address, macs: [HOST1.mac, other.mac] },
            { address: other.address, macs: second },
          ],
          echoed: [HOST1.address, other.address],
        }),
      ],
    },
  });
  assert.deepEqual(named(answered([other.mac, HOST1.mac])), []);
  assert.deepEqual(named(answered([other.mac])), ['host_ip_conflict interface/r1/eth3']);
});

test('who was never heard before and answers for the gateway is not the host beside the port', () => {
  const answers = [
    { address: HOST1.address, macs: [HOST1.mac] },
    { address: '198.19.1.1', macs: ['02:00:00:00:77:77'] },
  ];
  const [finding, ...rest] = diagnose(sceneOf({ hosts: { r1: [wellOn('r1', { answers })] } })).findings;
  assert.deepEqual(
    [finding?.fault, finding?.resource, finding?.confidence, rest.length],
    ['host_ip_conflict', 'interface/r1/eth3', 'likely', 0],
  );
});
