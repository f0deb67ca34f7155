// What the proof of health does not test and says so: other networks that keep their addresses to themselves, and links in reserve.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proof } from '#correlate/engine/facts.ts';
import { plainLinkProof } from '#correlate/health/proof-links.ts';
import { neighbourProof } from '#correlate/health/proof-neighbours.ts';
import { lossyReaches, reachProof } from '#correlate/health/proof-reach.ts';
import { isBehindEdge } from '#correlate/network/other-networks.ts';
import { worldOf } from '#correlate/network/world.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import { linkOf, ospf, pairWorld } from '../pair-scene.ts';

const INTENT: Intent = { kind: 'fault', text: 'What is wrong?', path: [], encapsulation: 'ip' };
/** How many lines say that all is well, and what is said to lack. */
const told = ({ proven, lacking }: Proof) => [proven.length, lacking];
const owners = new Map([
  ['198.18.9.1', [{ node: 'a', ifname: 'lo' }]],
  ['198.18.9.3', [{ node: 'c', ifname: 'lo' }]],
]);
const reachOf = (from: string, destination: string, received: number, sent = 3) => ({
  from,
  destination,
  sent,
  received,
  source: 'r',
});

/** a and b of one network, c of another; a's loopback in BGP or not, now and before. */
const networks = (change: object = {}, more: object = {}, border: object = {}) => {
  const ownRow = (originated: boolean, address: string) => [{ prefix: `${address}/32`, originated, advertisedTo: [] }];
  const row = (asn: number, address: string, originated: boolean, rest: object = {}) => ({
    now: {
      inventory: { interfaces: [], loopbacks: [`${address}/32`] },
      bgp: { asn, sessions: [], networks: [], redistribute: [], ownPrefixes: ownRow(originated, address), ...rest },
    },
  });
  const session = (peer: string, state = 'Established') => ({ sessions: [{ peer, state }] });
  const all = new Map([...owners, ['198.18.3.1', [{ node: 'b', ifname: 'to-c' }]]]);
  const nodes = {
    a: row(64_500, '198.18.9.1', false, change),
    b: row(64_500, '198.18.9.2', false, border),
    c: row(64_601, '198.18.9.3', true, session('198.18.3.1')),
  };
  return pairWorld(['a-b', 'b-c'], nodes, { owners: all, ...more });
};

test('what another network cannot answer, since the own addresses were never announced to it, is no loss', () => {
  const lost = (change: object = {}, received = 0, border: object = {}) =>
    lossyReaches(networks(change, { reach: [reachOf('a', '198.18.9.3', received)] }, border)).length;
  assert.equal(lost(), 0);
  assert.equal(lost({}, 1), 1, 'some came back');
  assert.equal(lost({ asn: 64_601 }), 1, 'one network');
  const own = { prefix: '198.18.9.1/32', originated: true, advertisedTo: ['198.18.9.2'] };
  assert.equal(lost({ ownPrefixes: [own] }), 1, 'the own network may have passed it on');
  const sessions = [{ peer: '198.18.8.1', remoteAs: 64_601, state: 'Established' }];
  assert.equal(lost({ ownPrefixes: [own], sessions }), 0, 'a policy keeps it from the peer there');
  assert.equal(lost({ ownPrefixes: [{ ...own, advertisedTo: ['198.18.8.1'] }], sessions }), 1);
  const inside = { ownPrefixes: [own], sessions: [...sessions, { peer: '198.18.9.2', remoteAs: 64_500, state: 'up' }] };
  assert.equal(lost(inside), 1, 'a border of the own network was told of it');
  assert.equal(lost({}, 0, { redistribute: ['ospf'] }), 1, 'a border announces what the interior protocol has');
  assert.equal(lost({}, 0, { networks: ['198.18.9.0/24'] }), 1, 'a border announces a network that covers it');
  const proof = reachProof(networks({}, { reach: [reachOf('a', '198.18.9.3', 0)] }), []);
  assert.match(proof.proven.join(), /another network: one of the two does not announce its own address to the other/);
  const remembering = (was: string) => {
    const world = networks({}, { reach: [reachOf('a', '198.18.9.3', 0)] });
    const { state } = world.views.get('a')!;
    Object.assign(state, { history: { settings: [{ kind: 'announced', subject: '198.18.9.1/32', was, agoMs: 9 }] } });
    return lossyReaches(world).length;
  };
  assert.deepEqual([remembering('all'), remembering('none')], [1, 0], 'a change is no policy');
});

test('an address that interior protocols alone carry is owed to no node of another network', () => {
  const bgp = (asn: number, more: object = {}) => ({
    bgp: { asn, sessions: [], networks: [], redistribute: [], ownPrefixes: [], ...more },
  });
  const lost = (border: object = {}, inside: object = ospf('to-b', 'Full'), answer: object = { kind: 'none' }) => {
    const nodes = {
      a: { now: { inventory: { interfaces: [], loopbacks: ['198.18.9.1/32'] }, ...inside } },
      b: { now: { ...ospf('to-a', 'Full'), ...bgp(64_500), ...border } },
      c: { now: { inventory: { interfaces: [], loopbacks: ['198.18.9.3/32'] }, ...bgp(64_601) } },
    };
    const lookups = new Map([
      ['b', new Map([['198.18.9.1', { kind: 'unicast', matched: '198.18.9.1/32', protocol: 'ospf', ifname: 'to-a' }]])],
      ['c', new Map([['198.18.9.1', answer]])],
    ]);
    const reach = [reachOf('c', '198.18.9.1', 0)];
    return lossyReaches(pairWorld(['a-b', 'b-c'], nodes, { owners, lookups, reach })).length;
  };
  assert.equal(lost(), 0);
  assert.equal(lost({}, undefined, { kind: 'unicast', matched: '198.18.9.0/24', ifname: 'to-b' }), 1, 'it has a route');
  assert.equal(lost(bgp(64_601)), 1, 'one network');
  assert.equal(lost({ bgp: undefined }), 1, 'its network is not known');
  assert.equal(lost({}, {}), 1, 'no protocol joins it with the border');
  assert.equal(lost(bgp(64_500, { networks: ['198.18.9.0/24'] })), 1, 'the border announces it');
  assert.equal(lost(bgp(64_500, { redistribute: ['ospf'] })), 1, 'the border announces what OSPF has');
  const told = { prefix: '198.18.9.0/24', originated: true, advertisedTo: ['198.18.8.1'] };
  assert.equal(lost(bgp(64_500, { ownPrefixes: [told] })), 1, 'a peer was told of it');
  const history = { settings: [{ kind: 'announced', subject: '198.18.9.0/24', was: 'all', agoMs: 9 }] };
  assert.equal(lost({ history }), 1, 'the border announced it before');
});

test('a router of another network that answers through a neighbour alone is the edge of what is tested', () => {
  const bare = [{ ifname: 'to-d', systemName: 'd', unknownTlvs: [] }];
  const agents = [{ ...bare[0]!, unknownTlvs: [{ oui: PARLEY_OUI }] }];
  const heard = (neighbours: object, more: object) => {
    const world = networks({}, { whole: true, ...more });
    Object.assign(world.views.get('c')!.state, { neighbours });
    return told(neighbourProof(INTENT, world));
  };
  const relayed = { relayed: new Set(['c']) };
  assert.deepEqual(heard(bare, relayed), [1, []]);
  const lacking = /to-d: the neighbour d announces an agent and gave no state/;
  assert.match(String(heard(agents, relayed)), lacking, 'an agent of this domain is behind it');
  assert.match(String(heard(agents, {})), lacking, 'it answers by itself');
  assert.match(String(heard(agents, { ...relayed, owners })), lacking, 'no session with it is known');
  const behind = (more: object, ...hear: readonly string[]) => {
    const world = networks({}, { ...relayed, ...more });
    for (const node of hear) Object.assign(world.views.get(node)!.state, { neighbours: bare });
    return isBehindEdge(world, 'd');
  };
  assert.equal(behind({}, 'c'), true);
  const announced = networks({}, relayed);
  Object.assign(announced.views.get('c')!.state, { neighbours: agents });
  assert.equal(isBehindEdge(announced, 'd'), false, 'it announces an agent');
  assert.equal(behind({}, 'b', 'c'), false, 'the own network hears it');
  assert.equal(behind({}), false, 'no node hears it');
  assert.equal(behind({ relayed: new Set() }, 'c'), false);
  assert.equal(behind({ relayed: new Set(), passedOn: new Map([['c', ['b']]]) }, 'c'), true, 'b passes sessions on');
});

test('a link in reserve, over which no route leads, is told not to have been tested', () => {
  const inventory = (node: string) => ({
    inventory: {
      interfaces: ['to-a', 'to-b', 'to-c'].map((name) => ({ name, kind: 'physical', adminUp: true, operUp: true })),
      loopbacks: [`198.18.9.${node === 'a' ? 1 : 2}/32`],
    },
  });
  const way = (destination: string, ifname: string) =>
    new Map([[destination, { destination, kind: 'unicast', ifname }]]);
  let proof: Proof | undefined;
  const about = (
    state: string,
    over: string,
    looked = true,
    more: { readonly a?: object; readonly b?: object } = {},
  ) => {
    const now = (node: 'a' | 'b', ifname: string) => ({
      now: { ...inventory(node), ...ospf(ifname, state), ...more[node] },
    });
    const lookups = new Map([
      ['a', way('198.18.9.2', over)],
      ...(looked ? [['b', way('198.18.9.1', 'to-c')] as const] : []),
    ]);
    const link = linkOf('a-b');
    const links = [{ ...link, link: { ...link.link, pointToPoint: true } }];
    proof = plainLinkProof(pairWorld([], { a: now('a', 'to-b'), b: now('b', 'to-a') }, { links, lookups }));
    return told(proof);
  };
  const lacking = /no probe crossed it in numbers that prove anything/;
  assert.deepEqual(about('Full', 'to-c'), [1, []]);
  assert.match(String(about('Full', 'to-b')), lacking, 'it is in use');
  assert.match(String(about('Init', 'to-c')), lacking, 'no adjacency');
  assert.match(String(about('Full', 'to-c', false)), lacking, 'where one end forwards to is not known');
  const typed = (ifname: string, network: string, mtu = 1_500) => {
    const [row] = ospf(ifname, 'Full')['ospf'] as readonly object[];
    const port = { name: ifname, kind: 'physical', adminUp: true, operUp: true, mtu };
    const loopbacks = [`198.18.9.${ifname === 'to-b' ? 1 : 2}/32`];
    return { ospf: [{ ...row, network }], inventory: { interfaces: [port], loopbacks } };
  };
  const ends = (network: string, mtu?: number) =>
    about('Full', 'to-c', true, { a: typed('to-b', 'POINTOPOINT'), b: typed('to-a', network, mtu) });
  assert.deepEqual(ends('POINTOPOINT'), [1, []]);
  assert.match(String(ends('BROADCAST')), lacking, 'neither end finds the other’s half');
  assert.match(String(ends('POINTOPOINT', 1_400)), lacking, 'frames of one end are too large for the other');
  const remembers = (change: object, staticRoutes: readonly object[] = []) =>
    about('Full', 'to-c', true, {
      a: { history: { settingsSpanMs: 9e6, settings: [{ agoMs: 60_000, ...change }] }, staticRoutes },
    });
  const route = { kind: 'static-route', subject: '198.18.70.0/24', setting: 'to-b', was: 'unicast via 198.18.1.1' };
  assert.match(String(remembers(route)), lacking, 'a route that it lost led over it');
  assert.deepEqual(remembers({ ...route, setting: 'to-c' }), [1, []]);
  const moved = [{ prefix: '198.18.70.0/24', kind: 'unicast', protocol: 'static', ifname: 'to-c' }];
  assert.deepEqual(remembers(route, moved), [1, []], 'it leads over another link now');
  assert.deepEqual(remembers({ kind: 'metric', subject: 'to-b', setting: 'ospf', was: '10', is: '500' }), [1, []]);
  assert.match(String(proof?.proven), /to-b: ospf metric was 10 before/);
});

test('an address behind which no host is, and to which no route leads, is no loss', () => {
  const address = 'fd00:f0::1';
  const lost = (
    interfaceMore: object = {},
    stateMore: object = {},
    hub: object = { kind: 'none' },
    way: object = {},
  ) => {
    const interfaces = [{ name: 'lab0', kind: 'bridge', adminUp: true, operUp: true, ...interfaceMore }];
    const lookups = new Map([
      ['a', new Map([[address, { ...way, destination: address, kind: 'unicast', ifname: 'to-b' }]])],
      ['b', new Map([[address, { destination: address, ...hub }]])],
    ]);
    const more = { owners: new Map([[address, [{ node: 'c', ifname: 'lab0' }]]]), lookups };
    const states = { a: { now: {} }, b: { now: {} }, c: { now: { inventory: { interfaces }, ...stateMore } } };
    const reach = [reachOf('a', address, 0), reachOf('b', address, 0)];
    return lossyReaches(pairWorld(['a-b', 'b-c'], states, { ...more, reach })).length;
  };
  assert.equal(lost(), 0);
  assert.ok(lost({ kind: 'physical' }) > 0, 'a port, where hosts may be');
  assert.equal(lost({ kind: 'physical', addresses: ['fd00:f0::1/127'] }), 0, 'a link of two addresses');
  assert.ok(lost({ kind: 'physical', addresses: ['fd00:f0::1/64'] }) > 0);
  assert.ok(
    lost({}, { history: { hosts: [{ ifname: 'lab0', address: 'fd00:f0::9', mac: '02:00:00:00:00:09' }] } }) > 0,
  );
  assert.ok(lost({}, { neighbourTable: [{ ifname: 'lab0', address: 'fd00:f0::9', mac: '02:00:00:00:00:09' }] }) > 0);
  const entry = { ifname: 'lab0', address: 'fd00:f0::9', mac: '02:00:00:00:00:09' };
  assert.ok(lost({}, { past: [{ fromAgoMs: 90_000, untilAgoMs: 30_000, state: { neighbourTable: [entry] } }] }) > 0);
  const answered = { ...{ ifname: 'lab0', address: 'fd00:f0::9' }, service: 'tcp', port: 80, okAgoMs: 9, times: 1 };
  assert.ok(lost({}, { history: { watchedHosts: { answered: [answered] } } }) > 0, 'a host answered there');
  assert.ok(lost({}, { history: { services: [{ ...answered, agoMs: 9 }] } }) > 0, 'a host served there');
  const byDefault = [{ kind: 'unicast', ifname: 'to-c', matched: 'default' }, { matched: 'default' }] as const;
  const link = { kind: 'physical', addresses: ['fd00:f0::1/127'] };
  const node = { ...entry, state: 'REACHABLE' };
  const neighbours = (oui: string) => [{ ifname: 'lab0', unknownTlvs: [{ oui, subtype: 1, hex: '' }] }];
  const heard = (oui: string) => ({ neighbourTable: [node], neighbours: neighbours(oui) });
  assert.equal(lost(link, heard(PARLEY_OUI), ...byDefault), 0, 'the other address of a link is another node’s');
  assert.equal(lost(link, heard('00120f'), ...byDefault), 2, 'it may be a host');
  assert.ok(lost(link, { neighbourTable: [node] }) > 0, 'a host was heard there');
  const routes = (nextHop: string) => ({
    staticRoutes: [{ prefix: '2001:db8:1::/64', kind: 'unicast', protocol: 'static', nextHop }],
  });
  assert.equal(lost(link, { ...heard('00120f'), ...routes('fd00:f0::') }, ...byDefault), 0, 'networks are behind it');
  assert.equal(lost(link, { ...heard('00120f'), ...routes('fd00:f1::') }, ...byDefault), 2, 'they are behind another');
  assert.equal(
    lost({ ...link, addresses: ['fd00:f0::1/64'] }, heard(PARLEY_OUI), ...byDefault),
    2,
    'hosts may be beside it',
  );
  assert.equal(lost({}, {}, { kind: 'unicast', ifname: 'to-c' }), 2, 'a route leads there');
  assert.equal(lost({}, {}, { kind: 'blackhole' }), 2);
});

test('an address that memory saw routed, announced or with hosts is a loss like any other', () => {
  const address = '198.18.50.1';
  const lost = (c: object, interfaceMore: object = {}, b: object = {}) => {
    const interfaces = [{ name: 'svc0', kind: 'other', adminUp: true, operUp: true, ...interfaceMore }];
    const lookups = new Map([['b', new Map([[address, { destination: address, kind: 'none' }]])]]);
    const more = { owners: new Map([[address, [{ node: 'c', ifname: 'svc0' }]]]), lookups };
    const states = { a: { now: {} }, b: { now: b }, c: { now: { inventory: { interfaces, loopbacks: [] }, ...c } } };
    return lossyReaches(pairWorld(['a-b', 'b-c'], states, { ...more, reach: [reachOf('b', address, 0)] })).length;
  };
  const pointToPoint = { kind: 'physical', addresses: [`${address}/31`] };
  const remembers = (change: object) => ({
    history: { settingsSpanMs: 9e6, hosts: [], settings: [{ agoMs: 60_000, ...change }] },
  });
  const announced = (was: string) => remembers({ kind: 'announced', subject: `${address}/32`, was, is: 'none' });
  const routed = (subject: string) => ({
    ...remembers({ kind: 'static-route', subject, was: 'unicast via 198.18.2.1' }),
    staticRoutes: [],
  });
  assert.equal(lost({}), 0);
  assert.equal(lost({}, pointToPoint), 0);
  for (const port of [{}, pointToPoint, { kind: 'physical' }]) {
    assert.equal(lost(announced('all'), port), 1);
    assert.equal(lost(announced('none'), port), 0);
    assert.equal(lost({}, port, routed('198.18.50.0/24')), 1, 'a hub of static routes that lost one');
    assert.equal(lost({}, port, routed('198.18.51.0/24')), 0);
    const rest = { staticRoutes: [{ prefix: 'default', kind: 'unicast', protocol: 'static' }] };
    assert.equal(lost({}, port, { ...routed('198.18.50.0/24'), ...rest }), 1, 'a default route is none to it');
  }
});

test('a second look from an address that has a way back counts alone, and the proof says of both', () => {
  const asked = (id: string, phase: string, sources: object, received: number) =>
    ({
      ...{ id, node: 'a', kind: 'reach', phase, purpose: { kind: 'reach', round: 'first' } },
      request: { method: 'tools/call', params: { name: 'parley-reach', arguments: sources } },
      body: { results: [{ destination: '198.18.9.3', sent: 5, received, rttMs: null }] },
    }) as unknown as Evidence;
  const world = (again: Evidence) => {
    const evidence = [asked('r1', 'probe', {}, 0), again];
    const { reach } = worldOf({ nodes: [], whole: true }, new Map(), new Map(), evidence);
    return { ...networks(), reach };
  };
  const other = world(asked('r2', 'deepen', { sources: ['198.18.7.1'] }, 5));
  assert.deepEqual(
    other.reach.map(({ sent, received, sender, unanswered }) => ({ sent, received, sender, unanswered })),
    [{ sent: 5, received: 5, sender: '198.18.7.1', unanswered: { sent: 5 } }],
  );
  const { proven, lacking } = reachProof(other, []);
  assert.deepEqual(lacking, []);
  assert.match(proven.join('\n'), /5 of 5 probes.*\n.*probed from 198\.18\.7\.1; no answer came back to its loopback/);
  const [same] = world(asked('r2', 'deepen', {}, 5)).reach;
  assert.deepEqual([same?.sent, same?.received, same?.unanswered], [10, 5, undefined]);
  const [silent] = world(asked('r2', 'deepen', { sources: ['198.18.7.1'] }, 0)).reach;
  assert.deepEqual([silent?.sent, silent?.received, silent?.unanswered], [10, 0, undefined]);
});

test('probes from an address that was announced are not excused by loopbacks that were not', () => {
  const prefixes = [
    { prefix: '198.18.9.1/32', originated: false, advertisedTo: [] },
    { prefix: '198.18.7.0/24', originated: true, advertisedTo: ['198.18.8.1'] },
  ];
  const lost = (sender: object) =>
    lossyReaches(networks({ ownPrefixes: prefixes }, { reach: [{ ...reachOf('a', '198.18.9.3', 0), ...sender }] }))
      .length;
  assert.deepEqual([lost({}), lost({ sender: '198.18.7.1' })], [0, 1]);
});

test('an address that its network keeps to itself is not owed to a sender of another without a route to it', () => {
  const lost = (answer: object, border: object = {}) => {
    const inside = { kind: 'unicast', ifname: 'to-a', matched: '198.18.9.1/32' };
    const lookups = new Map(
      Object.entries({ b: inside, c: answer }).map(([node, how]) => [
        node,
        new Map([['198.18.9.1', { destination: '198.18.9.1', ...how }]]),
      ]),
    );
    return lossyReaches(networks({}, { reach: [reachOf('c', '198.18.9.1', 0)], lookups }, border)).length;
  };
  const others = { kind: 'unicast', ifname: 'to-b' };
  assert.deepEqual(
    [lost({ kind: 'none' }), lost({ ...others, matched: 'default' }), lost({ ...others, matched: '198.18.9.1' })],
    [0, 0, 1],
  );
  assert.equal(lost({ kind: 'none' }, { redistribute: ['isis'] }), 1, 'a border may announce it');
});

test('no answer is owed to an address that no other node has a route to', () => {
  const lost = (answers: Readonly<Record<string, object>>, row: object = {}) => {
    const lookups = new Map(
      Object.entries(answers).map(([node, how]) => [
        node,
        new Map([['198.18.9.1', { destination: '198.18.9.1', ...how }]]),
      ]),
    );
    const nodes = { a: { now: { inventory: { interfaces: [], loopbacks: ['198.18.9.1/32'] } } }, c: { now: {} } };
    const world = pairWorld(['a-c'], nodes, { owners, lookups, reach: [{ ...reachOf('a', '198.18.9.3', 0), ...row }] });
    return lossyReaches(world).length;
  };
  const none = { kind: 'none' };
  assert.equal(lost({ b: none, c: { kind: 'unicast', matched: 'default' } }), 0);
  assert.equal(lost({ b: { kind: 'unicast', matched: '198.18.9.1/32' }, c: none }), 1, 'one has a route');
  assert.equal(lost({ a: none }), 1, 'no other was asked');
  assert.equal(lost({ b: none }, { sender: '198.18.7.1' }), 1, 'it was sent from another address');
  assert.equal(lost({ b: none }, { received: 1 }), 1, 'some came back');
});

test('a loss over two ways that are complete by the lookups is not excused by another network', () => {
  const lookup = (rows: Readonly<Record<string, object>>) =>
    new Map(Object.entries(rows).map(([address, row]) => [address, { destination: address, kind: 'unicast', ...row }]));
  const state = (asn: number, own: string, originated: boolean) => ({
    now: {
      inventory: { interfaces: [], loopbacks: [`${own}/32`] },
      bgp: {
        ...{ asn, sessions: [], networks: [], redistribute: [] },
        ownPrefixes: [{ prefix: `${own}/32`, originated, advertisedTo: [] }],
      },
    },
  });
  const [core, customer] = ['198.18.9.1', '198.18.9.3'];
  const lost = (back: string) => {
    const lookups = new Map([
      ['c', lookup({ [core]: { ifname: 'to-b', matched: 'default' } })],
      ['b', lookup({ [core]: { ifname: 'to-a', matched: core }, [customer]: { ifname: 'to-c', matched: customer } })],
      ['a', lookup({ [customer]: { kind: back, ifname: 'to-b', matched: customer } })],
    ]);
    const owners = new Map([
      [core, [{ node: 'a', ifname: 'lo' }]],
      [customer, [{ node: 'c', ifname: 'lo' }]],
    ]);
    const states = {
      a: state(64_500, core, false),
      b: state(64_500, '198.18.9.2', false),
      c: state(64_601, customer, true),
    };
    const more = { owners, lookups, reach: [reachOf('c', core, 0)] };
    return lossyReaches(pairWorld(['a-b', 'b-c'], states, more)).length;
  };
  assert.equal(lost('unicast'), 1);
  assert.equal(lost('none'), 0, 'no route leads back');
});

test('an address that left its interior protocol is a loss, however another one of its node is answered', () => {
  const address = '198.18.9.1';
  const part = (ifnames: readonly string[]) => ({
    isis: { circuits: ifnames.map((ifname) => ({ ifname, passive: false, ipv4: true, ipv6: true })) },
  });
  const lost = (then: readonly string[]) => {
    const past = [{ fromAgoMs: 900_000, untilAgoMs: 60_000, state: part(then) }];
    const lookups = new Map([['b', new Map([[address, { destination: address, kind: 'none' }]])]]);
    const owners = new Map([[address, [{ node: 'a', ifname: 'lo' }]]]);
    const states = { a: { now: { ...part(['to-b']), past } }, b: { now: part(['to-a']) } };
    return lossyReaches(pairWorld(['a-b'], states, { owners, lookups, reach: [reachOf('b', address, 0)] })).length;
  };
  assert.equal(lost(['lo', 'to-b']), 1);
  assert.equal(lost(['to-b']), 0);
});
