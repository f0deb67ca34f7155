// Links between two nodes: what confirms them, what casts doubt, and what must not make one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimedLinks, portContradictions } from '#model/links/link-indicators.ts';
import { linksBetween, neighbourKeys } from '#model/links/links.ts';
import type { Adjacency, Neighbour, NodeState } from '#model/router/router-port.ts';
import { hears, node, port } from './link-scene.ts';

const adjacent = (ifname: string, hostname: string): Adjacency => ({
  protocol: 'isis',
  ifname,
  hostname,
  systemId: `s-${hostname}`,
  level: 2,
  state: 'up',
});
const between = (one: NodeState, other: NodeState) =>
  linksBetween({ node: 'pe1', state: one }, { node: 'p2', state: other }, ['pe1', 'p2', 'pe3']);

test('a shared subnet on both ends is a link; LLDP and IS-IS from both ends confirm it', () => {
  const one = node(
    [port('eth1', ['fd00::/127', '198.18.0.0/31'])],
    [hears('eth1', 'P-2', 'eth0')],
    [adjacent('eth1', 'p2')],
  );
  const other = node(
    [port('eth0', ['fd00::1/127', '198.18.0.1/31'])],
    [hears('eth0', 'pe1', 'eth1')],
    [adjacent('eth0', 'pe1')],
  );
  assert.deepEqual(between(one, other), [
    {
      from: { node: 'pe1', ifname: 'eth1' },
      to: { node: 'p2', ifname: 'eth0' },
      addresses: { from: 'fd00::', to: 'fd00::1' },
      signs: ['addresses', 'lldp', 'isis'],
      claims: [],
      confidence: 'confirmed',
      pointToPoint: true,
      doubts: [],
      remarks: [],
    },
  ]);
});

test('link-local addresses and loopbacks make no link', () => {
  const one = node([port('eth1', ['fe80::1/64']), port('lo', ['fd00::1/64'], { kind: 'loopback' })]);
  const other = node([port('eth0', ['fe80::2/64']), port('lo', ['fd00::2/64'], { kind: 'loopback' })]);
  assert.deepEqual(between(one, other), []);
});

test('an unnumbered link exists when LLDP says so at both ends, not at one', () => {
  const one = node([port('eth1', ['fe80::1/64'])], [hears('eth1', 'p2', 'eth0')]);
  const other = node([port('eth0', ['fe80::2/64'])], [hears('eth0', 'pe1', 'eth1')]);
  assert.deepEqual(
    between(one, other).map((link) => [link.signs, link.pointToPoint]),
    [[['lldp'], true]],
  );
  assert.deepEqual(between(one, node([port('eth0', ['fe80::2/64'])])), []);
});

test('a port that LLDP names by its MAC is recognised', () => {
  const one = node([port('eth1', [], { mac: '02:00:00:00:00:01' })], [hears('eth1', 'vm', '02:00:00:00:00:02')]);
  const other = node([port('eth0', [], { mac: '02:00:00:00:00:02' })], [hears('eth0', 'vm', '02:00:00:00:00:01')]);
  assert.deepEqual(
    between(one, other).map((link) => link.signs),
    [['lldp']],
  );
});

test('a wide subnet with nothing heard is no point-to-point link, nor is one with two neighbours', () => {
  const lan = (neighbours: readonly Neighbour[]) =>
    between(node([port('eth1', ['fd00::1/64'])], neighbours), node([port('eth0', ['fd00::2/64'])]));
  assert.deepEqual(
    lan([]).map((link) => link.pointToPoint),
    [false],
  );
  const crowd = node([port('eth1', ['fd00::/127'])], [hears('eth1', 'p2', 'eth0'), hears('eth1', 'pe3', 'eth0')]);
  assert.deepEqual(
    between(crowd, node([port('eth0', ['fd00::1/127'])])).map((link) => link.pointToPoint),
    [false],
  );
});

test('LLDP that names another known node or another port casts doubt; a strange name does not', () => {
  const doubts = (heard: Neighbour) => {
    const one = node([port('eth1', ['fd00::/127'])], [heard]);
    return between(one, node([port('eth0', ['fd00::1/127']), port('eth5', [])]))[0]?.doubts;
  };
  assert.deepEqual(doubts(hears('eth1', 'PE-3', 'eth0')), ['LLDP on pe1 eth1 names pe3']);
  assert.deepEqual(doubts(hears('eth1', 'p2', 'eth5')), ['LLDP on pe1 eth1 names another port of p2']);
  assert.deepEqual(doubts(hears('eth1', 'vm', 'eth0')), []);
});

test('neighbours by LLDP and IS-IS are hints for the way', () => {
  const state = node(
    [],
    [hears('eth1', 'P-2', 'x')],
    [adjacent('eth2', 'p4'), { ...adjacent('eth3', 'p5'), state: 'down' }],
  );
  assert.deepEqual([...neighbourKeys(state)].sort(), ['p2', 'p4']);
});

test('strangers on a /127 whose ends know each other by IS-IS or by LLDP are a remark, never a veto [TS-13]', () => {
  const stranger = { ...hears('eth1', 'PE-3', 'eth9'), chassisId: 'c-evil' };
  const one = (adjacencies: readonly Adjacency[]) =>
    node([port('eth1', ['fd00::/127'])], [stranger, hears('eth1', 'p2', 'eth0')], adjacencies);
  const other = (neighbours: readonly Neighbour[], adjacencies: readonly Adjacency[]) =>
    node([port('eth0', ['fd00::1/127'])], neighbours, adjacencies);
  const verdict = (a: NodeState, b: NodeState) =>
    between(a, b).map(({ pointToPoint, doubts, remarks }) => ({ pointToPoint, doubts, remarks }));
  const remarks = ['LLDP on pe1 eth1 is also heard from 1 other than p2 eth0'];
  const wanted = [{ pointToPoint: true, doubts: [], remarks }];
  assert.deepEqual(verdict(one([adjacent('eth1', 'p2')]), other([], [adjacent('eth0', 'pe1')])), wanted);
  assert.deepEqual(verdict(one([]), other([hears('eth0', 'pe1', 'eth1')], [])), wanted);
  assert.deepEqual(verdict(one([]), other([], [])), [{ pointToPoint: false, doubts: [], remarks: [] }]);
  const two = [adjacent('eth1', 'p2'), adjacent('eth1', 'p4')];
  assert.deepEqual(verdict(one(two), other([], [adjacent('eth0', 'pe1')]))[0]?.pointToPoint, false);
});

test('a wide subnet with a stranger stays no point-to-point link', () => {
  const stranger = { ...hears('eth1', 'x', 'eth9'), chassisId: 'c-evil' };
  const one = node([port('eth1', ['fd00::/64'])], [stranger, hears('eth1', 'p2', 'eth0')], [adjacent('eth1', 'p2')]);
  const other = node([port('eth0', ['fd00::1/64'])], [hears('eth0', 'pe1', 'eth1')], [adjacent('eth0', 'pe1')]);
  assert.deepEqual(
    between(one, other).map(({ pointToPoint }) => pointToPoint),
    [false],
  );
});

test('a virtual port in the network of a port of its own node is no end of a link; a tunnel is one', () => {
  const virtual = (name: string, address: string) => ({ ...port(name, [address]), kind: 'other' as const });
  const gateway = (end: number, ...more: NodeState['inventory']['interfaces']) =>
    node([{ ...port('eth3', [`198.18.50.${end}/24`]), kind: 'physical' }, ...more]);
  const vrrp = virtual('vrrp4-2-1', '198.18.50.1/24');
  const names = (one: NodeState, other: NodeState) =>
    between(one, other).map(({ from, to }) => `${from.ifname} ${to.ifname}`);
  assert.deepEqual(names(gateway(2, vrrp), gateway(3, vrrp)), ['eth3 eth3']);
  const tunnel = (end: number) => virtual('vxlan0', `198.18.60.${end}/31`);
  assert.deepEqual(names(gateway(2, tunnel(0)), node([tunnel(1)])), ['vxlan0 vxlan0']);
});

test('the work grows with the interfaces, not with their pairs, also when all share one subnet', () => {
  for (const address of [
    (index: number, end: number) => `fd00:0:${index.toString(16)}::${end}/127`,
    (index: number, end: number) => `fd00::${end}:${(index + 1).toString(16)}/64`,
  ]) {
    let reads = 0;
    const big = (end: number): NodeState =>
      node(
        Array.from({ length: 1_000 }, (_, index) =>
          Object.defineProperty(port(`eth${index}`, []), 'addresses', {
            get: () => {
              reads++;
              return [address(index, end)];
            },
          }),
        ),
      );
    const links = between(big(0), big(1));
    assert.equal(reads, 2_000);
    assert.ok(links.length >= 1_000 && links.length <= 16_000, `${links.length} links`);
  }
});

const ospf = (ifname: string, address: string, routerId: string, state = 'Full') => ({
  ifname,
  area: '0.0.0.0',
  network: 'POINTOPOINT',
  passive: false,
  neighbours: [{ routerId, address, state }],
});
const bgp = (peer: string, localAddress: string, state = 'Established') => ({
  asn: 65_001,
  networks: [],
  redistribute: [],
  ownPrefixes: [],
  sessions: [
    {
      ...{ peer, localAddress, state, remoteAs: 65_002, localAs: 65_001, shutdown: false, password: false },
      ...{ established: 1, dropped: 0, policies: [] },
    },
  ],
});
const ends = (one: Partial<NodeState>, other: Partial<NodeState>) =>
  between(
    { ...node([port('eth1', ['198.18.0.0/31'])]), ...one },
    { ...node([port('eth0', ['198.18.0.1/31']), port('lo', ['198.19.255.2/32'], { kind: 'loopback' })]), ...other },
  ).map(({ signs, claims, confidence }) => [
    confidence,
    signs.join(),
    claims.map(({ by, sign }) => `${by} ${sign}`).join(),
  ]);

test('OSPF adjacencies and BGP sessions of one hop are signs, where both ends have them up over these ports', () => {
  const up = [ospf('eth1', '198.18.0.1', '198.19.255.2'), ospf('eth0', '198.18.0.0', '198.19.255.1')] as const;
  assert.deepEqual(ends({ ospf: [up[0]] }, { ospf: [up[1]] }), [['confirmed', 'addresses,ospf', '']]);
  const sessions = [bgp('198.18.0.1', '198.18.0.0'), bgp('198.18.0.0', '198.18.0.1')] as const;
  assert.deepEqual(ends({ bgp: sessions[0] }, { bgp: sessions[1] }), [['confirmed', 'addresses,bgp', '']]);
  const idle = bgp('198.18.0.1', '198.18.0.0', 'Idle');
  assert.deepEqual(ends({ bgp: idle }, { bgp: bgp('198.18.0.0', '198.18.0.1', 'Idle') }), [
    ['likely', 'addresses', ''],
  ]);
  const far = bgp('198.19.255.2', '198.18.0.0');
  assert.deepEqual(ends({ bgp: far }, {}), [['likely', 'addresses', '']], 'between loopbacks is more than one hop');
});

test('what one end alone says is told as its claim, and makes nothing more certain', () => {
  const full = ospf('eth1', '198.18.0.1', '198.19.255.2');
  assert.deepEqual(ends({ ospf: [full] }, { ospf: [ospf('eth0', '198.18.0.0', '198.19.255.1', 'Init')] }), [
    ['likely', 'addresses', 'pe1 ospf'],
  ]);
  assert.deepEqual(ends({}, { neighbours: [hears('eth0', 'pe1', 'eth1')] }), [['likely', 'addresses', 'p2 lldp']]);
});

test('a link that LLDP contradicts is not confirmed, and a port that protocols name differently is told', () => {
  const one: NodeState = {
    ...node([port('eth1', ['198.18.0.0/31'])], [hears('eth1', 'pe3', 'eth7')], [adjacent('eth1', 'p2')]),
  };
  const other = node([port('eth0', ['198.18.0.1/31'])], [], [adjacent('eth0', 'pe1')]);
  assert.deepEqual(
    between(one, other).map(({ signs, confidence }) => [signs.join(), confidence]),
    [['addresses,isis', 'likely']],
  );
  const third = node([port('eth7', ['198.18.9.0/31'])]);
  const nodes = [
    { node: 'pe1', state: one },
    { node: 'p2', state: other },
    { node: 'pe3', state: third },
  ];
  assert.deepEqual([...portContradictions(nodes)], [['pe1 eth1', 'pe1 eth1: LLDP names pe3, IS-IS names p2']]);
  assert.deepEqual(claimedLinks(nodes, new Set()), [
    {
      from: { node: 'pe1', ifname: 'eth1' },
      to: { node: 'pe3', ifname: 'eth7' },
      confidence: 'claimed',
      signs: [],
      claims: [{ sign: 'lldp', by: 'pe1' }],
      contradictions: [],
    },
  ]);
  assert.deepEqual(claimedLinks(nodes, new Set(['pe1 eth1 – pe3 eth7'])), []);
  const shared = node(
    [port('eth1', [])],
    [hears('eth1', 'p2', 'a'), hears('eth1', 'pe3', 'b')],
    [adjacent('eth1', 'p2')],
  );
  assert.deepEqual(
    [...portContradictions([{ node: 'pe1', state: shared }, ...nodes.slice(1)])],
    [],
    'several are heard there',
  );
});
