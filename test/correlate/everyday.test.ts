// What real networks have and no fault is, told on the healthy recording of four routers in a ring: long and small links, networks of
// many, spare ports, ports of machines that are switched off, sessions that are shut, queues that drop on purpose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { Qdisc } from '#model/router/control-plane.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { changed, recorded, said, withInterface } from './recording.ts';
import { remarksTold } from './remarks.ts';
import { symptomdBy } from './scope-scene.ts';

const healthy = recorded('healthy');

const everybody = (state: (state: NodeState, node: string, phase: string) => NodeState) => changed(healthy, { state });

function withPort(state: NodeState, name: string, change: Partial<InterfaceState>): NodeState {
  const pattern = state.inventory.interfaces.find((entry) => entry.name === 'eth1')!;
  const port = { ...pattern, name, mac: '02:aa:00:00:00:01', carrierChanges: 0, addresses: [], ...change };
  return { ...state, inventory: { ...state.inventory, interfaces: [...state.inventory.interfaces, port] } };
}

test('one smaller link among larger ones is a remark while both ends agree', () => {
  const sized = (mtu: number) =>
    everybody((state, node) =>
      node === 'r1' || node === 'r2' ? withInterface(state, 'eth1', () => ({ mtu })) : state,
    );
  assert.deepEqual(said(sized(1_500)), ['healthy']);
  assert.match(remarksTold(diagnose(sized(1_500))).join('\n'), /r1 eth1 – r2 eth1: MTU 1500 at both ends, 9000/);
  const small = diagnose(sized(1_400));
  assert.deepEqual([small.verdict.kind, small.findings], ['healthy', []]);
  assert.match(remarksTold(small).join('\n'), /r1 eth1 – r2 eth1: MTU 1400 at both ends, 9000 .*: the two ends agree/);
});

test('a network of many is judged by probes alone, and its members may differ in size', () => {
  const managed = everybody((state, node) =>
    withPort(state, 'mgmt0', {
      mac: `02:42:00:00:01:0${node[1]}`,
      mtu: 1_400 + Number(node[1]),
      addresses: [`192.0.2.${node[1]}/24`],
    }),
  );
  assert.deepEqual(diagnose(managed).findings, []);
  assert.doesNotMatch(diagnose(managed).verdict.reasons.join('\n'), /MTU \d+ at one end|counters not comparable/);
});

test('spare ports, and ports of machines that are switched off, are no links that are down', () => {
  const spare = { operUp: false, addresses: ['192.0.2.1/24'] };
  for (const adminUp of [true, false])
    assert.deepEqual(
      said(everybody((state, node) => (node === 'r1' ? withPort(state, 'eth9', { ...spare, adminUp }) : state))),
      ['healthy'],
    );
});

test('a port on which a neighbour was heard lately is a link that is down', () => {
  const dark = everybody((state, node) => {
    if (node !== 'r1') return state;
    const history = { ...state.history!, lastHeard: [...state.history!.lastHeard, { ifname: 'eth9', name: 'R-9' }] };
    return { ...withPort(state, 'eth9', { operUp: false }), history };
  });
  assert.deepEqual(said(dark), ['fault', 'link_down interface/r1/eth9']);
});

test('a session that is shut by configuration accuses nobody, and says so', () => {
  const sessions = (change: (node: string) => object) =>
    everybody((state, node) => ({
      ...state,
      bgp: {
        ...state.bgp!,
        sessions: state.bgp!.sessions.map((row) =>
          (node === 'r1' && row.peer === '198.18.1.1') || (node === 'r2' && row.peer === '198.18.1.0')
            ? { ...row, state: 'Idle', ...change(node) }
            : row,
        ),
      },
    }));
  const shut = sessions((node) => ({ shutdown: node === 'r1' }));
  assert.deepEqual(said(shut), ['healthy']);
  assert.match(remarksTold(diagnose(shut)).join('\n'), /BGP r1 – r2: shut at r1 \(neighbor 198\.18\.1\.1 shutdown\)/);
  assert.deepEqual(said(sessions((node) => (node === 'r1' ? { remoteAs: 0 } : {}))), ['inconclusive']);
  const local = (node: string) => (node === 'r1' ? { localAs: 64_999 } : { remoteAs: 64_999 });
  assert.deepEqual(said(sessions(local)), ['inconclusive']);
});

test('queues that drop on purpose, old drops of a second queue, and the edge of a burst are no incast', () => {
  const queue = (change: Partial<Qdisc>): Qdisc => ({
    ...{ ifname: 'eth1', kind: 'tbf', handle: '8001:', drops: '100', overlimits: '0', packets: '5000' },
    ...change,
  });
  const queued = (before: readonly Qdisc[], after: readonly Qdisc[]) =>
    said(
      everybody((state, node, phase) =>
        node === 'r1' ? { ...state, qdiscs: phase === 'before' ? before : after } : state,
      ),
    );
  const later = { drops: '400', packets: '6000' };
  assert.deepEqual(queued([queue({})], [queue(later)]), [
    'fault',
    'incast_traffic_network_limitation interface/r1/eth1',
  ]);
  assert.deepEqual(queued([queue({})], [queue({ drops: '130', packets: '9000' })]), ['healthy']);
  assert.deepEqual(queued([queue({ kind: 'fq_codel' })], [queue({ kind: 'fq_codel', ...later })]), ['healthy']);
  const children = [queue({ parent: ':1', drops: '0' }), queue({ parent: ':2', drops: '5000' })];
  assert.deepEqual(queued(children, children), ['healthy']);
});

test('a checksum counter of packets that no probe sends, and a stray echo, are no damaged link', () => {
  const stray = (counter: string, errors: number, lost: number) => {
    const counted = everybody((state, node, phase) => ({
      ...state,
      nodeCounters: {
        ...state.nodeCounters,
        ...(node === 'r2' ? { [counter]: phase === 'before' ? '7' : String(7 + errors) } : {}),
      },
    }));
    const evidence = counted.evidence.map((entry) => {
      if (entry.id !== 'probe/r1/parley-reach/links') return entry;
      const body = structuredClone(entry.body) as { results: { received: number }[] };
      body.results[0]!.received -= lost;
      return { ...entry, body: body as never };
    });
    return diagnose({ ...counted, evidence }).findings.map(({ fault, against }) => [fault, ...against].join(' '));
  };
  assert.deepEqual(stray('TcpInCsumErrors', 1, 1), []);
  assert.deepEqual(stray('TcpInCsumErrors', 20, 20), []);
  assert.deepEqual(stray('IpExtInCsumErrors', 1, 1), []);
  assert.deepEqual(stray('UdpInCsumErrors', 1, 1), []);
  assert.deepEqual(stray('UdpInCsumErrors', 20, 20), ['link_packet_corruption probe/r1:eth1/r2:eth1/link']);
  assert.deepEqual(stray('IpExtInCsumErrors', 20, 20), ['link_packet_corruption probe/r1:eth1/r2:eth1/link']);
});

test('a network inside each node, and a gateway that several are, are no address conflicts', () => {
  const bridged = (addresses: (node: string) => readonly string[]) =>
    said(
      everybody((state, node) =>
        node === 'r1' || node === 'r3'
          ? withPort(state, 'br0', { kind: 'bridge', mac: `02:42:00:00:00:0${node[1]}`, addresses: addresses(node) })
          : state,
      ),
    );
  assert.deepEqual(
    bridged(() => ['198.51.100.1/24']),
    ['healthy'],
  );
  assert.deepEqual(
    bridged((node) => [node === 'r1' ? '198.51.100.1/24' : '198.51.100.1/25']),
    ['inconclusive'],
  );
});

/** r1 and r2 on a network of three, where a third router is the designated one. */
function onOneNetwork(states: Readonly<Record<string, string>>): readonly string[] {
  const joined =
    (ifname: string, node: string) =>
    (state: NodeState): NodeState => ({
      ...withInterface(state, ifname, (entry) => ({
        addresses: entry.addresses.map((each) => each.replace('/31', '/24').replace('/127', '/64')),
      })),
      neighbours: [],
      daemons: [{ name: 'ospfd', alive: true }],
      ospf: [
        {
          ...{ ifname, area: '0.0.0.0', passive: false, helloMs: 10_000, deadMs: 40_000 },
          neighbours: [
            { routerId: '198.19.255.9', state: 'Full' },
            { routerId: '198.19.255.8', state: states[node]! },
          ].reverse(),
        },
      ] as never,
    });
  return symptomdBy({ states: { r1: joined('eth2', 'r1'), r2: joined('eth1', 'r2') } }, /OSPF/);
}

test('two routers of a network that are neither designated nor backup stay at 2-Way', () => {
  assert.deepEqual(onOneNetwork({ r1: '2-Way', r2: '2-Way' }), []);
  assert.equal(onOneNetwork({ r1: '2-Way', r2: 'Init' }).length, 1);
});
