// default_route_lost: br gives c1, c2 and d1 a default route in OSPF, and stops; and what looks like it and is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRouteLost } from '#correlate/faults/routing/default-route-lost.ts';
import type { World } from '#correlate/network/world.ts';
import type { DefaultRoute } from '#model/router/control-plane.ts';
import { pairWorld } from '../../pair-scene.ts';
import { caseOf, symptom } from '../proposing.ts';

const PAIRS = ['br-c1', 'br-c2', 'c1-d1', 'c2-d1'];
/** The address of a node on its link to another. */
const ADDRESS: Readonly<Record<string, string>> = {
  'br-c1': '198.18.2.0',
  'br-c2': '198.18.3.0',
  'c1-d1': '198.18.5.0',
  'c2-d1': '198.18.6.0',
};
const OWNERS = new Map(
  Object.entries(ADDRESS).map(([pair, address]) => {
    const [node = '', far = ''] = pair.split('-');
    return [address, [{ node, ifname: `to-${far}` }]];
  }),
);
const by = (node: string, ...vias: readonly string[]): DefaultRoute => ({
  ...{ prefix: '0.0.0.0/0', protocol: 'ospf' },
  hops: vias.map((via) => ({ nextHop: ADDRESS[`${via}-${node}`]!, ifname: `to-${via}` })),
});
const STATIC: DefaultRoute = {
  prefix: '0.0.0.0/0',
  protocol: 'static',
  hops: [{ nextHop: '198.18.1.0', ifname: 'to-c1' }],
};
const full = (...ports: readonly string[]) => ({
  ospf: ports.map((ifname) => ({ ifname, passive: false, neighbours: [{ state: 'Full', address: '', routerId: '' }] })),
});
const PORTS: Readonly<Record<string, readonly string[]>> = {
  br: ['to-c1', 'to-c2'],
  c1: ['to-br', 'to-d1'],
  c2: ['to-br', 'to-d1'],
  d1: ['to-c1', 'to-c2'],
};
/** It had the route for a minute, until half a minute ago. */
const past = (route: DefaultRoute | undefined) => ({
  past: [{ fromAgoMs: 90_000, untilAgoMs: 30_000, state: { defaultRoutes: route === undefined ? [] : [route] } }],
});
const LOST: Readonly<Record<string, object>> = {
  br: { defaultRoutes: [STATIC], ...past(STATIC) },
  c1: { defaultRoutes: [], ...past(by('c1', 'br')) },
  c2: { defaultRoutes: [], ...past(by('c2', 'br')) },
  d1: { defaultRoutes: [], ...past(by('d1', 'c1', 'c2')) },
};

function worldOf(change: Readonly<Record<string, object>> = {}): World {
  const states = Object.fromEntries(
    Object.keys(LOST).map((node) => [node, { now: { ...full(...PORTS[node]!), ...LOST[node], ...change[node] } }]),
  );
  return pairWorld(PAIRS, states, { owners: OWNERS });
}

const UNSURE = ['unsure node/c1: d1 by br, withheld', 'unsure node/c2: d1 by br, withheld'];

/** `how node: nodes that lack it`, marked where it accuses none. */
const found = (change: Readonly<Record<string, object>> = {}) =>
  defaultRouteLost.detect!({ world: worldOf(change), facts: [] }).map(({ subject, detail, withheld }) => {
    const { how, lacking, via } = detail as { how: string; lacking: readonly string[]; via: readonly string[] };
    return `${how} ${subject}: ${[...lacking, ...(via.length === 0 ? [] : [`by ${via.join(' ')}`])].join(' ')}${withheld === undefined ? '' : ', withheld'}`;
  });

test('where several nodes lost the default route that led to one which has a way out itself, that one no longer announces it', () => {
  assert.deepEqual(found(), ['stopped node/br: c1 c2 d1']);
  assert.deepEqual(
    found({ br: { defaultRoutes: [], ...past(undefined) } }),
    ['stopped node/br: c1 c2 d1'],
    'it announced one without a route',
  );
  const world = worldOf();
  const [raised] = defaultRouteLost.detect!({ world, facts: [] });
  const route = symptom('route', { detail: { how: 'none', at: 'c1', destination: '198.51.100.1' } });
  const elsewhere = symptom('route', { id: 'other', detail: { how: 'none', at: 'x', destination: '198.51.100.1' } });
  const [proposal] = defaultRouteLost.propose(caseOf([raised!, route, elsewhere], world), []);
  assert.deepEqual(
    proposal?.explains.map((share) => share.symptom),
    [raised!.id, 'route'],
  );
  assert.deepEqual(
    [proposal?.confidence, proposal?.remedy?.command, proposal?.remedy?.change],
    ['likely', 'default-information originate', undefined],
  );
});

test('days of memory show it as well as whole states do', () => {
  const days = (node: string, was: string, ...more: readonly object[]) => ({
    [node]: {
      ...(was === '' ? { defaultRoutes: [STATIC] } : {}),
      past: [],
      history: {
        ...{ spanMs: 60_000, events: [], lastHeard: [], settingsSpanMs: 3_600_000 },
        settings: [
          ...more,
          ...(was === '' ? [] : [{ kind: 'default-route', subject: '0.0.0.0/0', was, agoMs: 1_800_000 }]),
        ],
      },
    },
  });
  const change = {
    ...days('br', ''),
    ...days('c1', 'ospf via 198.18.2.0 to-br'),
    ...days('c2', 'ospf via 198.18.3.0 to-br'),
    ...days('d1', 'ospf via 198.18.5.0 to-c1, 198.18.6.0 to-c2'),
  };
  assert.deepEqual(found(change), ['stopped node/br: c1 c2 d1']);
  const isNew = days('br', '', { kind: 'agent', subject: 'br', is: 'started', agoMs: 600_000 });
  assert.deepEqual(found({ ...change, ...isNew }), UNSURE, 'its agent may have been of an earlier version');
});

test('a node that remembers nothing of the time when others lost the route may have lost it too, and is not accused', () => {
  assert.deepEqual(found({ br: { defaultRoutes: [], past: [] } }), UNSURE);
  const late = [{ fromAgoMs: 25_000, untilAgoMs: 10_000, state: { defaultRoutes: [] } }];
  assert.deepEqual(found({ br: { defaultRoutes: [], past: late } }), UNSURE, 'its memory begins after the loss');
  const unread = [{ fromAgoMs: 90_000, untilAgoMs: 10_000, state: {} }];
  assert.deepEqual(
    found({ br: { defaultRoutes: [], past: unread } }),
    UNSURE,
    'its memory does not tell of such routes',
  );
  const other = { prefix: '0.0.0.0/0', protocol: 'ospf', hops: [{ nextHop: '198.18.9.0', ifname: 'to-x' }] };
  assert.deepEqual(
    found({ br: { defaultRoutes: [STATIC], ...past(other) } }),
    UNSURE,
    'it had one, and another took its place',
  );
});

test('a loss that goes with a link, an adjacency or a daemon is not told, nor one that something replaces', () => {
  const apart = { ospf: [] };
  assert.deepEqual(found({ c1: { ...LOST['c1'], ...apart }, c2: { ...LOST['c2'], ...apart } }), []);
  const young = { daemons: [{ name: 'ospfd', alive: true, upMs: 5_000 }] };
  assert.deepEqual(found({ br: { ...LOST['br'], ...young } }), [], 'it has just started');
  assert.deepEqual(found({ br: { ...LOST['br'], daemons: [{ name: 'ospfd', alive: false }] } }), []);
  const floating = { defaultRoutes: [{ ...STATIC, hops: [{ nextHop: '198.18.9.0', ifname: 'to-d1' }] }] };
  assert.deepEqual(found({ c1: floating, c2: floating, d1: floating }), []);
  const short = (node: string) => ({
    past: [{ fromAgoMs: 35_000, untilAgoMs: 30_000, state: { defaultRoutes: [by(node, 'br')] } }],
  });
  assert.deepEqual(
    found({ c1: short('c1'), c2: short('c2'), d1: { past: [] } }),
    [],
    'it was there while the network started',
  );
  const unread = { defaultRoutes: undefined };
  assert.deepEqual(found({ c1: unread, c2: unread, d1: unread }), [], 'the nodes do not tell');
});

test('a route set by hand that is gone while its port is up began it; the announcement that went with it accuses no node', () => {
  const gone = { br: { defaultRoutes: [], ...past(STATIC) } };
  assert.deepEqual(found(gone), ['own node/br: c1 c2 d1']);
  const watched = { bfd: [{ peer: '198.18.1.0', status: 'down' }] };
  assert.deepEqual(found({ br: { ...gone.br, ...watched } }), [], 'its line is dead, which BFD tells');
});

test('where one node alone lost it, or another still has it from there, neither is accused and both are named', () => {
  const alone = {
    c2: { defaultRoutes: [by('c2', 'br')], past: [] },
    d1: { defaultRoutes: [by('d1', 'c2')], past: [] },
  };
  assert.deepEqual(found(alone), ['unsure node/c1: by br, withheld']);
  const never = { defaultRoutes: [], past: [] };
  assert.deepEqual(found({ c2: never, d1: never }), ['unsure node/c1: by br, withheld'], 'no other node had it');
  const two = { c2: { defaultRoutes: [by('c2', 'br')], past: [] } };
  assert.deepEqual(found(two), ['unsure node/c1: by br, withheld', 'unsure node/d1: by br, withheld']);
  const bgp = (node: string) => ({
    bgp: { sessions: [{ state: 'Established' }] },
    ...past({ ...by(node, 'br'), protocol: 'bgp' }),
  });
  assert.deepEqual(found({ c1: bgp('c1'), c2: bgp('c2'), d1: { past: [] } }), [
    'unsure node/c1: by br, withheld',
    'unsure node/c2: by br, withheld',
  ]);
});

/** a had this route by its port to b, and has none now. */
const aloneWorld = (was: DefaultRoute, now: object, more: object = {}) =>
  pairWorld(['a-b'], { a: { now: { defaultRoutes: [], ...past(was), ...now } }, b: { now: {} } }, more);
const alone = (was: DefaultRoute, now: object, more: object = {}) =>
  defaultRouteLost.detect!({ world: aloneWorld(was, now, more), facts: [] }).map(
    ({ detail, withheld }) => `${(detail as { how: string }).how}${withheld === undefined ? '' : ', withheld'}`,
  );

test('where other routes lead where the default route led, nothing is said', () => {
  const six: DefaultRoute = { prefix: '::/0', protocol: 'static', hops: [{ nextHop: '2001:db8::1', ifname: 'to-b' }] };
  const set = (prefix: string, more: object = {}) => ({ prefix, kind: 'unicast', protocol: 'static', ...more });
  assert.deepEqual(alone(six, {}), ['own']);
  assert.deepEqual(alone(six, { staticRoutes: [set('2000::/3')] }), []);
  assert.deepEqual(alone(six, { staticRoutes: [set('2001:db8::/32')] }), ['own'], 'a part of it');
  assert.deepEqual(alone(six, { staticRoutes: [set('2000::/3', { kind: 'blackhole' })] }), ['own']);
  assert.deepEqual(alone(six, { staticRoutes: [set('2000::/3', { table: '7' })] }), ['own']);
  const four = { ...STATIC, hops: [{ nextHop: '198.18.1.0', ifname: 'to-b' }] };
  assert.deepEqual(alone(four, { staticRoutes: [set('0.0.0.0/1'), set('128.0.0.0/1')] }), []);
  assert.deepEqual(alone(four, { staticRoutes: [set('0.0.0.0/1')] }), ['own'], 'one half of it');
  const looked = (destination: string, more: object = {}) => ({
    lookups: new Map([['a', new Map([[destination, { destination, kind: 'unicast', ...more }]])]]),
  });
  assert.deepEqual(alone(six, {}, looked('2001:db8:99::1')), [], 'a protocol brought the other');
  assert.deepEqual(alone(six, {}, looked('fd00::1')), ['own'], 'that is no global address');
  const port = { name: 'to-b', kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, offloads: [] };
  const inventory = { interfaces: [{ ...port, addresses: ['2001:db8:99::2/64'] }], loopbacks: [] };
  assert.deepEqual(alone(six, { inventory }, looked('2001:db8:99::1')), ['own'], 'a network of its own');
  assert.deepEqual(alone(four, {}, looked('203.0.113.1', { matched: '203.0.113.0/24' })), ['own']);
});

test('a default route of OSPF needs a neighbour in the version that carries its family', () => {
  const [four, six] = ['0.0.0.0/0', '::/0'].map((prefix) => {
    const nextHop = prefix === '::/0' ? 'fe80::1' : '198.18.1.0';
    return { prefix, protocol: 'ospf', hops: [{ nextHop, ifname: 'to-b' }] };
  });
  const [up] = full('to-b').ospf;
  const lost = { ...up, neighbours: [] };
  const [up6, lost6] = [up, lost].map((row) => ({ ...row, version: 3 }));
  assert.deepEqual(alone(six!, { ospf6: [up6] }), ['unsure, withheld']);
  assert.deepEqual(alone(six!, { ospf: [lost], ospf6: [up6] }), ['unsure, withheld']);
  assert.deepEqual(alone(six!, { ospf: [up], ospf6: [lost6] }), [], 'its neighbour in OSPFv2 brings none of IPv6');
  assert.deepEqual(alone(six!, { ospf: [up] }), ['unsure, withheld'], 'the node says nothing of OSPFv3');
  assert.deepEqual(alone(four!, { ospf: [up], ospf6: [lost6] }), ['unsure, withheld']);
  assert.deepEqual(alone(four!, { ospf: [lost], ospf6: [up6] }), [], 'its neighbour in OSPFv3 brings none of IPv4');
});

test('a route that may have gone with a lease accuses no node, and one that went with its address is not told', () => {
  const four = { ...STATIC, hops: [{ nextHop: '198.18.1.0', ifname: 'to-b' }] };
  assert.deepEqual(alone({ ...four, protocol: 'boot' }, {}), ['unsure, withheld']);
  const port = { name: 'to-b', kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, offloads: [] };
  const having = (...addresses: readonly string[]) => ({ interfaces: [{ ...port, addresses }], loopbacks: [] });
  const remembered = (...addresses: readonly string[]) => ({
    inventory: having(),
    past: [
      { fromAgoMs: 90_000, untilAgoMs: 30_000, state: { defaultRoutes: [four], inventory: having(...addresses) } },
    ],
  });
  assert.deepEqual(alone(four, remembered('198.18.1.1/31')), []);
  assert.deepEqual(alone(four, { ...remembered('198.18.1.1/31'), inventory: having('198.18.1.1/31') }), ['own']);
  assert.deepEqual(alone(four, remembered('198.18.7.1/31')), ['own'], 'on another network');
});

test('a route of BGP that went with the session which brought it is not told, whichever other session is up', () => {
  const by4 = { prefix: '0.0.0.0/0', protocol: 'bgp', hops: [{ nextHop: '203.0.113.1', ifname: 'to-b' }] };
  const bgp = (...rows: readonly (readonly [peer: string, state: string])[]) => ({
    bgp: { sessions: rows.map(([peer, state]) => ({ peer, state })) },
  });
  const inner = ['192.0.2.9', 'Established'] as const;
  assert.deepEqual(alone(by4, bgp(['203.0.113.1', 'Active'], inner)), []);
  assert.deepEqual(alone(by4, bgp(['203.0.113.1', 'Established'], ['192.0.2.9', 'Active'])), ['unsure, withheld']);
  assert.deepEqual(alone(by4, bgp(['192.0.2.8', 'Active'], inner)), [], 'which of them brought it is not known');
  const owners = new Map([
    ['203.0.113.1', [{ node: 'b', ifname: 'to-a' }]],
    ['192.0.2.8', [{ node: 'b', ifname: 'lo' }]],
  ]);
  assert.deepEqual(alone(by4, bgp(['192.0.2.8', 'Active'], inner), { owners }), [], 'by an address of its loopback');
  assert.deepEqual(alone(by4, bgp(['192.0.2.8', 'Established'], ['192.0.2.9', 'Idle']), { owners }), [
    'unsure, withheld',
  ]);
  const answer = { destination: '192.0.2.8', kind: 'unicast', nextHop: '203.0.113.1' };
  const lookups = new Map([['a', new Map([['192.0.2.8', answer]])]]);
  assert.deepEqual(alone(by4, bgp(['192.0.2.8', 'Established'], ['192.0.2.9', 'Idle']), { lookups }), [
    'unsure, withheld',
  ]);
});
