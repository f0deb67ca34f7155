// Adjacencies and sessions over worlds that hold only what they read, and what routing connects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjacencySymptoms, isIsisAdjacent } from '#correlate/symptoms/adjacency.ts';
import { areConnected, carrierOf, routedParts } from '#correlate/symptoms/routing-parts.ts';
import { carries, sessionSymptoms, sessionsOf, sessionsOutOfUse } from '#correlate/symptoms/sessions.ts';
import type { BgpSession } from '#model/router/control-plane.ts';
import { isis, linkOf, ospf, pairWorld, type State } from '../pair-scene.ts';

const pair = (a: State, b: State, more: object = {}) => pairWorld(['a-b'], { a: { now: a }, b: { now: b } }, more);

test('IS-IS is a symptom where it is to run at both ends and one of them is not adjacent', () => {
  const found = (a: State, b: State) => adjacencySymptoms(pair(a, b)).map(({ kind, detail }) => [kind, detail]);
  assert.deepEqual(found(isis('to-b'), isis('to-a')), []);
  assert.deepEqual(found(isis('to-b'), isis('to-a', '')), [['isis', { from: 'up', to: 'none' }]]);
  assert.deepEqual(found(isis('to-b', 'initializing'), isis('to-a')), [['isis', { from: 'initializing', to: 'up' }]]);
  assert.deepEqual(found(isis('to-b', ''), { daemons: [{ name: 'isisd' }] }), [['isis', { from: 'none', to: 'none' }]]);
  assert.deepEqual(found(isis('to-b', ''), { daemons: [{ name: 'bgpd' }] }), [], 'an end that does not run it');
  assert.deepEqual(found(isis('to-b', '', { passive: true }), isis('to-a', '', { passive: true })), []);
  assert.equal(found(isis('to-b', '', { passive: true }), isis('to-a', '')).length, 1);
  const portless = { ...isis('to-a', ''), inventory: { interfaces: [] } };
  assert.deepEqual(found(isis('to-b'), portless), [], 'a port that is gone is another matter');
});

test('IS-IS is adjacent by the report of both ends', () => {
  const adjacent = (a: State, b: State) => isIsisAdjacent(pair(a, b), pair(a, b).links[0]!);
  assert.equal(adjacent(isis('to-b'), isis('to-a')), true);
  assert.equal(adjacent(isis('to-b'), isis('to-a', '')), false);
  assert.equal(adjacent({}, {}), false);
  assert.equal(adjacent(isis('to-b'), { ...isis('to-a'), inventory: { interfaces: [] } }), false);
});

test('OSPF is a symptom where it is to run at both ends and is not Full, but for two others of a network of many', () => {
  const found = (a: State, b: State, pointToPoint = true) => {
    const link = linkOf('a-b');
    const links = [{ ...link, link: { ...link.link, pointToPoint } }];
    return adjacencySymptoms(pair(a, b, { links })).map(({ kind, detail }) => [kind, detail]);
  };
  assert.deepEqual(found(ospf('to-b', 'Full'), ospf('to-a', 'Full')), []);
  assert.deepEqual(found(ospf('to-b', 'Full'), ospf('to-a', 'Init')), [['ospf', { from: 'Full', to: 'Init' }]]);
  assert.deepEqual(found(ospf('to-b', '2-Way'), ospf('to-a', '2-Way')).length, 1);
  assert.deepEqual(found(ospf('to-b', '2-Way'), ospf('to-a', '2-Way'), false), []);
  assert.deepEqual(found(ospf('to-b', '2-Way', 'Full'), ospf('to-a', '2-Way'), false), []);
  assert.equal(found(ospf('to-b', '2-Way', 'Init'), ospf('to-a', '2-Way'), false).length, 1);
  assert.equal(found(ospf('to-b', '2-Way'), ospf('to-a'), false).length, 1, 'an end without a neighbour');
  assert.deepEqual(found(ospf('to-b'), { daemons: [{ name: 'ospfd' }] }), [['ospf', { from: 'none', to: 'none' }]]);
  assert.deepEqual(found(ospf('to-b'), { daemons: [{ name: 'isisd' }] }), []);
  const passive = { ospf: [{ ifname: 'to-b', passive: true, neighbours: [] }] };
  assert.deepEqual(found(passive, { ospf: [] }), []);
});

test('of several OSPF neighbours on a segment those of the other end count', () => {
  const owners = new Map([
    ['198.18.1.2', [{ node: 'b', ifname: 'to-a' }]],
    ['198.18.1.3', [{ node: 'c', ifname: 'to-a' }]],
  ]);
  const found = (ofB: string, ofC: string, more: object = { owners }) => {
    const neighbours = [
      { state: ofC, address: '198.18.1.3', routerId: '' },
      { state: ofB, address: '198.18.1.2', routerId: '' },
    ];
    const a = { ospf: [{ ifname: 'to-b', passive: false, neighbours }] };
    return adjacencySymptoms(pair(a, ospf('to-a', 'Full'), more)).map(({ detail }) => detail);
  };
  assert.deepEqual(found('Full', '2-Way'), []);
  assert.deepEqual(found('Init', 'Full'), [{ from: 'Init', to: 'Full' }]);
  assert.deepEqual(found('Init', 'Full', {}), [], 'whose neighbours they are is not known: the first');
});

test('of several IS-IS neighbours on a segment those of the other end count', () => {
  const found = (ofB: string, ofC: string, idOfB = '0000.0000.000b') => {
    const adjacencies = [
      { ifname: 'to-b', systemId: '0000.0000.000c', state: ofC },
      ...(ofB === '' ? [] : [{ ifname: 'to-b', systemId: idOfB, state: ofB }]),
    ];
    const a = { ...isis('to-b'), adjacencies };
    const b = { ...isis('to-a'), isis: { ...(isis('to-a')['isis'] as object), systemId: '0000.0000.000b' } };
    return adjacencySymptoms(pair(a, b)).map(({ detail }) => detail);
  };
  assert.deepEqual(found('up', 'down'), []);
  assert.deepEqual(found('down', 'up'), [{ from: 'down', to: 'up' }]);
  assert.deepEqual(found('', 'up'), [], 'one neighbour: which node it is, its name need not say');
  assert.deepEqual(found('down', 'up', '0000.0000.000d'), [], 'none of them is known');
});

test('protocols of a port without an address are those of the one interface above it that shares a network with the far end', () => {
  const port = (name: string, ...addresses: readonly string[]) => ({
    ...{ name, kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, addresses, offloads: [] },
  });
  const withPorts = (state: State, ...interfaces: readonly object[]) => ({ ...state, inventory: { interfaces } });
  const a = (state: State) => withPorts(state, port('to-b', '198.18.10.1/24'));
  const found = (one: State, other: State) =>
    adjacencySymptoms(pair(one, other)).map(({ kind, detail }) => [kind, detail]);
  const bridge = port('br0', '198.18.10.2/24');
  const b = (state: State, ...more: readonly object[]) => withPorts(state, port('to-a'), bridge, ...more);
  assert.deepEqual(found(a(ospf('to-b', 'Full')), b(ospf('br0', 'Full'))), []);
  assert.deepEqual(found(a(isis('to-b')), b(isis('br0'))), []);
  assert.deepEqual(found(a(ospf('to-b')), b(ospf('br0', 'Full'))), [['ospf', { from: 'none', to: 'Full' }]]);
  const none = [['ospf', { from: 'Full', to: 'none' }]];
  assert.deepEqual(found(a(ospf('to-b', 'Full')), b(ospf('br1', 'Full'))), none, 'not where it runs');
  assert.deepEqual(found(a(ospf('to-b', 'Full')), b(ospf('br0', 'Full'), port('br1', '198.18.10.3/24'))), none, 'two');
  const own = withPorts(ospf('br0', 'Full'), port('to-a', '198.18.9.1/24'), bridge);
  assert.deepEqual(found(a(ospf('to-b', 'Full')), own), none, 'the port has an address');
  const host = withPorts(ospf('lo', 'Full'), port('to-a'), port('lo', '198.18.10.2/32'));
  assert.deepEqual(found(a(ospf('to-b', 'Full')), host), none, 'a loopback');
});

const owners = new Map([
  ['198.18.1.0', [{ node: 'a', ifname: 'to-b' }]],
  ['198.18.1.1', [{ node: 'b', ifname: 'to-a' }]],
  ['fd00::a', [{ node: 'a', ifname: 'lo' }]],
  ['fd00::b', [{ node: 'b', ifname: 'lo' }]],
]);
const session = (peer: string, state = 'Established', change: object = {}) => ({
  peer,
  state,
  shutdown: false,
  ...change,
});
const bgp = (...sessions: readonly object[]): State => ({ bgp: { sessions } });

test('a session is joined with its other end on the same link, or between loopbacks, of one family', () => {
  const joined = (a: State, b: State) =>
    sessionsOf(pair(a, b, { owners })).map(({ near, far, link }) => [near.node, far?.node, far?.row?.peer, link?.key]);
  const key = 'link/a:to-b--b:to-a';
  assert.deepEqual(joined(bgp(session('198.18.1.1')), bgp(session('198.18.1.0'))), [
    ['a', 'b', '198.18.1.0', key],
    ['b', 'a', '198.18.1.1', key],
  ]);
  assert.deepEqual(joined(bgp(session('fd00::b')), bgp(session('198.18.1.0'), session('fd00::a')))[0], [
    'a',
    'b',
    'fd00::a',
    undefined,
  ]);
  assert.deepEqual(joined(bgp(session('198.18.1.1')), bgp(session('fd00::a')))[0], ['a', 'b', undefined, key]);
  assert.deepEqual(joined(bgp(session('203.0.113.1')), {}), [['a', undefined, undefined, undefined]]);
});

test('what is not established is a symptom, one for both ends, with what is said of it', () => {
  const found = (a: State, b: State) =>
    new Map(
      sessionSymptoms(pair(a, b, { owners })).map(({ id, text, nodes, link }) => [id, [text, nodes.length, link?.key]]),
    );
  assert.equal(found(bgp(session('198.18.1.1')), bgp(session('198.18.1.0'))).size, 0);
  const idle = found(bgp(session('198.18.1.1', 'Idle', { lastReset: 'why' })), bgp(session('198.18.1.0', 'Active')));
  assert.deepEqual([...idle.keys()], ['bgp:a/198.18.1.1+b/198.18.1.0']);
  const one = found(bgp(session('198.18.1.1', 'Idle', { lastReset: 'why' })), {});
  assert.deepEqual([...one], [['bgp:a/198.18.1.1', ['BGP {a} – {b}: Idle (why)', 2, 'link/a:to-b--b:to-a']]]);
  const text = (change: object, peer = '203.0.113.1', b: State = {}) =>
    [...found(bgp(session(peer, 'Idle', change)), b).values()][0]?.[0];
  assert.equal(text({}), 'BGP {a} – 203.0.113.1: Idle');
  assert.equal(text({ lastReset: 'x', notification: 'y' }), 'BGP {a} – 203.0.113.1: Idle (y)');
  assert.equal(text({ shutdown: true }), undefined, 'shut by choice towards a stranger');
});

test('a session that is shut is a symptom where one end alone is shut and the nodes remember it up', () => {
  const events = (peer: string): State => ({
    history: { spanMs: 60_000, events: [{ agoMs: 9_000, kind: 'session', subject: peer, up: false, changes: 1 }] },
  });
  const text = (a: object, b: object, more: State = {}) =>
    sessionSymptoms(
      pair({ ...bgp(session('198.18.1.1', 'Idle', a)), ...more }, bgp(session('198.18.1.0', 'Idle', b)), { owners }),
    )[0]?.text;
  assert.equal(text({ shutdown: true }, {}), undefined, 'shut since before the nodes remember');
  assert.equal(
    text({ shutdown: true }, {}, events('198.18.1.1')),
    'BGP {a} – {b}: Idle (shut by configuration at {a})',
  );
  assert.equal(text({ shutdown: true }, {}, events('198.18.4.0')), undefined, 'another session was lost');
  assert.equal(text({ shutdown: true }, { shutdown: true }, events('198.18.1.1')), undefined);
  const heard = { shutdown: true, established: 1, heardAgoMs: 30_000 };
  assert.match(String(text(heard, {}, { history: { spanMs: 60_000, events: [] } })), /shut by configuration at \{a\}/);
  assert.equal(text(heard, {}, { history: { spanMs: 20_000, events: [] } }), undefined);
});

test('a session with a peer without an agent that has not been up since bgpd started is none', () => {
  const of = (change: object) =>
    sessionSymptoms(pair(bgp(session('203.0.113.1', 'Active', change)), {}, { owners })).length;
  assert.equal(of({ established: 0 }), 0);
  assert.equal(of({ established: 1 }), 1);
});

test('a session that has not been up since bgpd started is a symptom where bgpd has started since its node remembers', () => {
  const idle = bgp(session('203.0.113.1', 'Active', { established: 0 }));
  const world = (upMs: number, history: object) =>
    pair(
      { ...idle, daemons: [{ name: 'bgpd', alive: true, upMs }], history: { spanMs: 60_000, events: [], ...history } },
      {},
      { owners },
    );
  const HOUR_MS = 3_600_000;
  const of = (...given: Parameters<typeof world>) => sessionSymptoms(world(...given)).map(({ text }) => text);
  const found = ['BGP {a} – 203.0.113.1: Active'];
  assert.deepEqual(of(HOUR_MS / 3, { settingsSpanMs: HOUR_MS }), found);
  assert.deepEqual(of(2 * HOUR_MS, { settingsSpanMs: HOUR_MS }), []);
  assert.deepEqual(of(HOUR_MS - 10_000, { settingsSpanMs: HOUR_MS }), [], 'the agent started with the node');
  const remembers = (change: object) =>
    of(2 * HOUR_MS, { settingsSpanMs: HOUR_MS, settings: [{ agoMs: 60_000, ...change }] });
  assert.deepEqual(remembers({ kind: 'daemon', subject: 'bgpd', was: 'running', is: 'restarted' }), found);
  assert.deepEqual(remembers({ kind: 'reboot', subject: 'a', is: 'booted' }), found);
  assert.deepEqual(remembers({ kind: 'daemon', subject: 'isisd', was: 'running', is: 'restarted' }), []);
  assert.deepEqual(remembers({ kind: 'daemon', subject: 'bgpd', setting: 'version', was: '8', is: '9' }), []);
  assert.deepEqual(
    sessionsOutOfUse(world(2 * HOUR_MS, {})).map(({ text }) => text),
    ['BGP {a} – 203.0.113.1: not up since bgpd started'],
  );
});

test('BFD that is down or in init is a symptom, one for each link, pair and family', () => {
  const row = (change: object) => ({
    bfd: [{ peer: '198.18.1.1', status: 'down', diagnostic: 'd', remoteDiagnostic: 'r', ...change }],
  });
  const ids = (change: object) => sessionSymptoms(pair(row(change), {}, { owners })).map(({ id }) => id);
  assert.deepEqual(ids({}), ['bfd:a+b/link/a:to-b--b:to-a/4']);
  assert.deepEqual(
    [ids({ status: 'init' }).length, ids({ status: 'up' }).length, ids({ status: 'shutdown' }).length],
    [1, 0, 0],
  );
  assert.deepEqual(ids({ peer: 'fe80::1', ifname: 'to-b' }), ['bfd:a+b/link/a:to-b--b:to-a/6']);
  const own = { bfd: [{ peer: 'fe80::1', ifname: 'to-a', status: 'down', diagnostic: 'd', remoteDiagnostic: 'r' }] };
  const [far] = sessionSymptoms(pair({}, own, { owners }));
  assert.deepEqual([far?.nodes, far?.text], [['b', 'a'], 'BFD {b} – {a}: down (d)']);
  assert.deepEqual(ids({ ifname: 'to-z' }), ['bfd:a+b//4']);
  assert.deepEqual(ids({ peer: 'fd00::b' }), ['bfd:a+b//6']);
  assert.deepEqual(ids({ peer: '203.0.113.1' }), ['bfd:a/203.0.113.1']);
  const [symptom] = sessionSymptoms(pair(row({}), {}, { owners }));
  assert.deepEqual(symptom?.detail, { node: 'a', peer: '198.18.1.1', diagnostic: 'd', remoteDiagnostic: 'r' });
});

test('a session carries the families that are said, else that of its addresses', () => {
  const row = (peer: string, families?: readonly string[]) =>
    ({ peer, ...(families && { families }) }) as unknown as BgpSession;
  assert.deepEqual([carries(row('198.18.1.1'), '198.19.1.1'), carries(row('198.18.1.1'), 'fd00::1')], [true, false]);
  assert.deepEqual([carries(row('fd00::b'), '198.19.1.1'), carries(row('fd00::b'), 'fd00::1')], [false, true]);
  assert.deepEqual(
    [carries(row('fd00::b', ['ipv4']), '198.19.1.1'), carries(row('fd00::b', ['ipv4']), 'fd00::1')],
    [true, false],
  );
});

test('routing connects nodes by adjacencies of both ends, or sessions that are up at both ends and carry the family', () => {
  const parts = (a: State, b: State) => {
    const found = routedParts(pair(a, b, { owners }));
    const isOne = (part: ReadonlyMap<string, string>) => part.get('a') === part.get('b');
    return [isOne(found.igp4), isOne(found.bgp4), isOne(found.bgp6)];
  };
  assert.deepEqual(parts({}, {}), [false, false, false]);
  assert.deepEqual(parts(isis('to-b'), isis('to-a')), [true, false, false]);
  assert.deepEqual(parts(isis('to-b'), isis('to-a', 'down')), [false, false, false]);
  assert.deepEqual(parts(ospf('to-b', 'Full'), ospf('to-a', 'Full')), [true, false, false]);
  assert.deepEqual(parts(ospf('to-b', 'Full'), ospf('to-a', 'Init')), [false, false, false]);
  assert.deepEqual(parts(isis('to-c'), isis('to-a')), [false, false, false]);
  assert.deepEqual(parts(bgp(session('198.18.1.1')), bgp(session('198.18.1.0'))), [false, true, false]);
  assert.deepEqual(parts(bgp(session('fd00::b')), bgp(session('fd00::a'))), [false, false, true]);
  assert.deepEqual(parts(bgp(session('198.18.1.1', 'Active')), bgp(session('198.18.1.0'))), [false, false, false]);
  assert.deepEqual(parts(bgp(session('198.18.1.1')), {}), [false, false, false]);
  const both = { families: ['ipv4', 'ipv6'] };
  assert.deepEqual(parts(bgp(session('fd00::b', 'Established', both)), bgp(session('fd00::a', 'Established', both))), [
    false,
    true,
    true,
  ]);
  assert.deepEqual(parts(bgp(session('fd00::b', 'Established', both)), bgp(session('fd00::a'))), [false, false, true]);
});

test('an address is carried by the IGP of its port, of its family, else by BGP', () => {
  const carrier = (a: State, address: string) => carrierOf(pair(a, {}, { owners }), address);
  assert.equal(carrier(isis('to-b'), '198.18.1.0'), 'igp');
  assert.equal(carrier(isis('to-b', 'up', { ipv4: false }), '198.18.1.0'), undefined);
  assert.equal(carrier({ ...isis('lo', 'up', { ipv6: false }), ...bgp() }, 'fd00::a'), 'bgp');
  assert.equal(carrier(isis('lo', 'up', { ipv4: false }), 'fd00::a'), 'igp');
  assert.equal(carrier(isis('to-c'), '198.18.1.0'), undefined);
  assert.equal(carrier(ospf('to-b'), '198.18.1.0'), 'igp');
  assert.equal(carrier(ospf('to-c'), '198.18.1.0'), undefined);
  assert.equal(carrier(bgp(), '198.18.1.9'), undefined);
  const part = (name: string) =>
    new Map([
      ['a', 'x'],
      ['b', name],
    ]);
  const parts = (igp: string, bgp4: string, bgp6: string) => ({
    ...{ igp4: part(igp), igp6: part(igp) },
    ...{ bgp4: part(bgp4), bgp6: part(bgp6) },
  });
  const connected = (carried: 'igp' | 'bgp' | undefined, to: string, igp: string, bgp4: string, bgp6: string) =>
    areConnected(parts(igp, bgp4, bgp6), carried, to, 'a', 'b');
  assert.deepEqual(
    [connected('igp', '198.18.1.0', 'x', 'y', 'y'), connected('igp', '198.18.1.0', 'y', 'x', 'x')],
    [true, false],
  );
  assert.deepEqual(
    [connected('bgp', '198.18.1.0', 'y', 'x', 'y'), connected('bgp', 'fd00::a', 'y', 'x', 'y')],
    [true, false],
  );
  assert.deepEqual(
    [connected(undefined, 'fd00::a', 'x', 'y', 'x'), connected(undefined, 'fd00::a', 'y', 'y', 'x')],
    [true, false],
  );
  assert.equal(connected(undefined, 'fd00::a', 'x', 'x', 'y'), false);
});
