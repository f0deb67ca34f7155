// Hosts without an agent, judged by what their first router found; and the same findings where a host is merely different.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Evidence } from '#model/evidence.ts';
import type { RelayedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { HOST1, named, sceneOf, symptomdBy, wellOn } from '../../scope-scene.ts';

test('hosts that answer are no finding, and no doubt', () => {
  assert.deepEqual(named({}), []);
  assert.deepEqual(symptomdBy({}, /host/), []);
});

test('a host that asks for a gateway that nobody is has a wrong one', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { echoed: [], asks })] } }), ['host_incorrect_gateway node/h1']);
});

test('a host that asks for somebody who is gone, and answers others all the same, is well', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.77' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { asks })] } }), []);
});

test('a host that does not answer echoes and asks for nobody is its own business', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.1' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { echoed: [], asks })] } }), []);
});

test('a host that asks on its link for what is off it has a mask that is too short', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.255.1' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { asks })] } }), ['host_incorrect_netmask interface/h1/eth1']);
});

const SILENT = wellOn('r1', { answers: [], echoed: [] });

test('a host that lives and has lost its address is found, and one that is gone is nobody’s fault', () => {
  const alive = { ...SILENT, alive: [HOST1.mac] };
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [alive] } }), ['host_missing_ip interface/h1/eth1']);
  const [finding] = diagnose(sceneOf({ hosts: { r1: [SILENT] }, census: { r1: [alive] } })).findings;
  assert.equal(finding?.confidence, 'likely');
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [{ ...SILENT, alive: [] }] } }), []);
  assert.deepEqual(named({ hosts: { r1: [SILENT] } }), []);
});

test('hosts of a router that is asked through a neighbour alone are judged by what that neighbour heard of it', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.0.10', macs: [HOST1.mac] }] };
  const direct = sceneOf({ hosts: { r1: [SILENT] }, census: { r1: [census] } });
  const through = (entry: Evidence, told: string): Evidence => {
    if (entry.kind !== 'host-scan' || entry.node !== 'r1') return entry;
    const args = { node: 'r1', hosts: entry.request.params['arguments'] ?? {} };
    const purpose = { kind: 'relay', node: 'r1', of: entry.purpose as RelayedPurpose } as const;
    return {
      ...entry,
      id: `${entry.phase}/r2/parley-relay/r1/parley-host-scan`,
      purpose,
      node: 'r2',
      kind: 'relayed',
      request: { ...entry.request, params: { ...entry.request.params, arguments: args } },
      body: { node: told, hosts: entry.body as JsonValue },
    };
  };
  const named = (told: string) => {
    const evidence = direct.evidence.map((entry) => through(entry, told));
    return diagnose({ ...direct, evidence }).findings.map(({ fault, resource }) => `${fault} ${resource}`);
  };
  assert.deepEqual(named('r1'), ['host_incorrect_ip interface/h1/eth1']);
  assert.deepEqual(named('r3'), []);
});

test('a host that answers for another address has a wrong one', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.0.10', macs: [HOST1.mac] }] };
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [census] } }), [
    'host_incorrect_ip interface/h1/eth1',
  ]);
});

test('a host that was given another address of its network is well', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.1.55', macs: [HOST1.mac] }] };
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [census] } }), []);
});

test('a host behind another router of its network is no finding, though its answers take another way', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.2' }];
  const answers = [...wellOn('r1').answers, { address: '198.19.1.2', macs: ['02:00:00:00:77:77'] }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { echoed: [], asks, answers })] } }), []);
});

test('a new network card that has the old address is no finding', () => {
  const answers = [{ address: HOST1.address, macs: ['02:00:00:00:99:99'] }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { answers })] } }), []);
});

test('a host that also answers for its router’s address is in conflict with it', () => {
  const answers = [
    { address: HOST1.address, macs: [HOST1.mac] },
    { address: '198.19.1.1', macs: [HOST1.mac] },
  ];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { answers })] } }), ['host_ip_conflict interface/h1/eth1']);
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

test('without a name beside the port a host is called by its address', () => {
  const unnamed = (state: NodeState): NodeState => ({ ...state, descriptions: { eth3: 'customers, second floor' } });
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const scene = { states: { r1: unnamed }, hosts: { r1: [wellOn('r1', { echoed: [], asks })] } };
  assert.deepEqual(named(scene), ['host_incorrect_gateway node/198.19.1.10']);
});

const FAR = '198.19.255.3';
const farEcho = (answered: boolean) => ({
  r3: [{ destination: HOST1.address, service: 'echo' as const, sent: 3, answered, open: answered }],
});

test('a host that knows its router and asks on its link for a far one, which tries it in vain, has a mask that is too short', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: FAR }];
  const hosts = { r1: [wellOn('r1', { asks })] };
  assert.deepEqual(named({ hosts, serviceProbes: farEcho(false) }), ['host_incorrect_netmask interface/h1/eth1']);
  // Somebody on the link answers in the far one's name, and it works.
  assert.deepEqual(named({ hosts, serviceProbes: farEcho(true) }), []);
  assert.deepEqual(named({ hosts }), []);
  assert.deepEqual(named({ serviceProbes: farEcho(false) }), []);
});
