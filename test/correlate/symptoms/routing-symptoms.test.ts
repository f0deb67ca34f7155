// Symptoms of routing over worlds that hold only what they read: adjacencies, sessions, starved adjacencies, what routing connects, detours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, FilterHits } from '#correlate/engine/facts.ts';
import { adjacencySymptoms, isIsisAdjacent } from '#correlate/symptoms/adjacency.ts';
import { detourSymptoms } from '#correlate/symptoms/detours.ts';
import { starvedSymptoms } from '#correlate/symptoms/dropped-keepalives.ts';
import { missingSids } from '#correlate/symptoms/missing-sids.ts';
import { areConnected, carrierOf, routedParts } from '#correlate/symptoms/routing-parts.ts';
import { carries, sessionSymptoms, sessionsOf } from '#correlate/symptoms/sessions.ts';
import type { BgpSession } from '#model/router/control-plane.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';
import { is } from '../service-scene.ts';

type State = Readonly<Record<string, unknown>>;
const isis = (ifname: string, state: string | undefined = 'up', circuit: object = {}): State => ({
  isis: { circuits: [{ ifname, passive: false, ipv4: true, ipv6: true, ...circuit }] },
  adjacencies: state === '' ? [] : [{ ifname, state, systemId: 'x' }],
});
const ospf = (ifname: string, ...states: readonly string[]): State => ({
  ospf: [{ ifname, passive: false, neighbours: states.map((state) => ({ state, address: '', routerId: '' })) }],
});
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
  assert.equal(text({ shutdown: true }, '198.18.1.1'), 'BGP {a} – {b}: Idle (shut by configuration at {a})');
  const theirs = text({}, '198.18.1.1', bgp(session('198.18.1.0', 'Established', { shutdown: true })));
  assert.equal(theirs, 'BGP {a} – {b}: Idle (shut by configuration at {b})');
  const both = found(
    bgp(session('198.18.1.1', 'Idle', { shutdown: true })),
    bgp(session('198.18.1.0', 'Idle', { shutdown: true })),
  );
  assert.match(String([...both.values()][0]), /shut by configuration at \{.\} and \{.\}/);
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
    return [isOne(found.igp), isOne(found.bgp4), isOne(found.bgp6)];
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
  const parts = (igp: string, bgp4: string, bgp6: string) => ({ igp: part(igp), bgp4: part(bgp4), bgp6: part(bgp6) });
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

const ISIS_WORDS = [is('llc', '0xfefe')];
const hitsOf = (change: Partial<FilterHits> = {}): FilterHits => ({
  ...{ node: 'a', acl: 'acl', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 5, family: 'bridge' },
  ...{ matches: ISIS_WORDS, matchesRest: false },
  ...change,
});
const factOf = (value: FilterHits): Fact => ({ subject: 'node/a', predicate: 'filter-hits', value, source: ['f'] });
const OSPF_WORDS: FilterMatch[] = [is('protocol', 'ospf')];

/** Ten seconds between the readings of both nodes; `held` is what is left of the hold time before and after. */
function starved(
  hits: Partial<FilterHits>,
  kind: 'isis' | 'ospf' = 'ospf',
  change: {
    readonly a?: State;
    readonly b?: State;
    readonly holds?: readonly [number, number];
    readonly ms?: number;
  } = {},
) {
  const own = (ifname: string): State => (kind === 'isis' ? isis(ifname) : ospf(ifname, 'Full/DR'));
  const readings = (ifname: string, more: State = {}) => {
    const at = (countersReadMs: number, holdSeconds: number) => ({
      ...own(ifname),
      ...more,
      countersReadMs,
      ...(kind === 'isis' && more['adjacencies'] === undefined
        ? { adjacencies: [{ ifname, state: 'up', holdSeconds }] }
        : {}),
    });
    const [first, last] = change.holds ?? [20, 10];
    return { now: at(change.ms ?? 10_000, last), before: at(0, first), after: at(change.ms ?? 10_000, last) };
  };
  const world = pairWorld(['a-b'], { a: readings('to-b', change.a), b: readings('to-a', change.b) });
  const words = kind === 'isis' ? { matches: ISIS_WORDS, family: 'netdev' } : { matches: OSPF_WORDS, family: 'inet' };
  return starvedSymptoms(world, [factOf(hitsOf({ ...words, ...hits }))]);
}

test('a rule that drops half the hellos of a window starves an adjacency that is still up', () => {
  const [found] = starved({});
  assert.deepEqual(
    [found?.id, found?.kind, found?.subject, found?.nodes],
    ['starved:ospf/a/to-b', 'ospf', 'interface/a/to-b', ['a', 'b']],
  );
  assert.deepEqual([found?.source, found?.detail, found?.link?.key], [['f'], { starved: true }, 'link/a:to-b--b:to-a']);
  const hello = (helloMs: number) => ({ a: { ospf: [{ ...(ospf('to-b', 'Full')['ospf'] as object[])[0], helloMs }] } });
  assert.deepEqual(
    [starved({ packets: 5 }, 'ospf', hello(1_000)).length, starved({ packets: 4 }, 'ospf', hello(1_000)).length],
    [1, 0],
  );
  assert.deepEqual(
    [starved({ packets: 1 }, 'ospf', { ms: 20_000 }).length, starved({ packets: 1 }, 'ospf', { ms: 20_001 }).length],
    [1, 0],
    'a hello in ten seconds',
  );
});

test('rules against some, or for the rest after others, and those that hellos do not pass, starve nobody', () => {
  for (const change of [
    ...[{ packets: 0 }, { matchesRest: true }, { lets: true as const }, { hook: 'forward' }],
    ...(['source', 'destination', 'sample', 'in', 'out'] as const).map((field) => ({
      matches: [...OSPF_WORDS, is(field, 'x')],
    })),
    ...[{ matches: [is('protocol', 'tcp')] }, { node: 'z' }, { inInterfaces: ['to-c'] }],
  ])
    assert.deepEqual(starved(change), [], JSON.stringify(change));
  for (const hook of ['ingress', 'prerouting', 'input', 'output', 'postrouting', 'egress'])
    assert.equal(starved({ hook }).length, 1, hook);
  assert.equal(starved({ inInterfaces: ['to-b'] }).length, 1);
  assert.equal(starved({ outInterfaces: ['to-b'] }).length, 1);
});

test('an adjacency that is down at an end is another symptom', () => {
  for (const state of ['Full', '2-Way', '2-Way/DROther'])
    assert.equal(starved({}, 'ospf', { a: ospf('to-b', state) }).length, 1, state);
  assert.deepEqual(starved({}, 'ospf', { a: ospf('to-b', 'Init') }), []);
  assert.deepEqual(starved({}, 'ospf', { b: ospf('to-a', 'Init') }), []);
  assert.equal(starved({}, 'ospf', { a: ospf('to-b', 'Init', 'Full') }).length, 1, 'one neighbour of several');
});

test('an IS-IS adjacency whose hold time was refreshed heard a hello: the rule is against others', () => {
  assert.deepEqual(
    starved({}, 'isis').map(({ id }) => id),
    ['starved:isis/a/to-b'],
  );
  assert.equal(starved({}, 'isis', { holds: [20, 11] }).length, 1, 'both are whole seconds');
  assert.equal(starved({}, 'isis', { holds: [20, 12] }).length, 0);
  const heard = { adjacencies: [{ ifname: 'to-b', state: 'up', holdSeconds: 20 }] };
  assert.equal(starved({}, 'isis', { a: heard }).length, 0);
  assert.equal(starved({ hook: 'output' }, 'isis', { a: heard }).length, 1, 'what it drops, the other end would hear');
  assert.equal(
    starved({ hook: 'output' }, 'isis', { b: { adjacencies: [{ ifname: 'to-a', state: 'up', holdSeconds: 20 }] } })
      .length,
    0,
  );
  assert.deepEqual(
    [starved({ packets: 2 }, 'isis').length, starved({ packets: 1 }, 'isis').length],
    [1, 0],
    'a hello in three seconds',
  );
});

/** a – b – c and a – c; a sends what is for c by a route set by hand. */
function detour(
  change: {
    readonly route?: object;
    readonly answer?: object;
    readonly b?: State;
    readonly a?: State;
    readonly next?: string;
  } = {},
) {
  const to = '198.18.9.3';
  const route = { prefix: '198.18.9.0/24', kind: 'unicast', ifname: 'to-b', ...change.route };
  const lookups = new Map([
    ['a', new Map([[to, { destination: to, kind: 'unicast', ifname: 'to-b', ...change.answer }]])],
    ['b', new Map([[to, { destination: to, kind: change.next ?? 'unicast', ifname: 'to-c' }]])],
  ]);
  const states = { a: { now: { staticRoutes: [route], ...change.a } }, b: { now: change.b ?? {} }, c: { now: {} } };
  const world = pairWorld(['a-b', 'b-c', 'a-c'], states, {
    lookups,
    owners: new Map([[to, [{ node: 'c', ifname: 'lo' }]]]),
  });
  return detourSymptoms(world).map(({ detail }) => detail);
}
const metrics = (...all: readonly (readonly [string, number])[]): State => ({
  isis: { circuits: all.map(([ifname, metric]) => ({ ifname, metric })) },
});

test('a route by hand to a neighbour that is no nearer is a detour', () => {
  assert.deepEqual(detour(), [
    { destination: '198.18.9.3', owner: 'c', at: 'a', how: 'detour', from: 'a', next: 'b', asNear: true },
  ]);
  assert.equal((detour({ b: metrics(['to-c', 11]) })[0] as { readonly asNear?: boolean }).asNear, false);
  assert.deepEqual(detour({ b: metrics(['to-c', 9]) }), [], 'a neighbour that is nearer is a choice');
  assert.deepEqual(detour({ b: { ospf: [{ ifname: 'to-c', cost: 9 }] } }), []);
  assert.deepEqual(detour({ a: metrics(['to-c', 11]) }), []);
});

test('default routes, SRv6, other kinds, other ways and ways that lead nowhere are no detour', () => {
  for (const change of [
    ...[{ route: { prefix: '0.0.0.0/0' } }, { route: { kind: 'blackhole' } }, { route: { segments: ['fd00::1'] } }],
    ...[{ route: { prefix: '198.18.8.0/24' } }, { route: { ifname: 'to-c' } }, { answer: { kind: 'none' } }],
    ...[{ answer: { ifnames: ['to-b', 'to-c'] } }, { answer: { ifname: 'to-c' } }],
  ])
    assert.deepEqual(detour(change), [], JSON.stringify(change));
  const down = {
    inventory: {
      interfaces: [
        { name: 'to-c', operUp: false },
        { name: 'to-a', operUp: true },
      ],
    },
  };
  assert.equal((detour({ b: down })[0] as { readonly asNear?: boolean }).asNear, false, 'over links that are up');
  for (const kind of ['none', 'blackhole']) assert.deepEqual(detour({ next: kind }), [], 'a way that ends is worse');
});

const locator = (prefix: string) => ({ prefix, kind: 'blackhole' });
const steers = (prefix: string, ...segments: readonly string[]) => ({ prefix, kind: 'unicast', segments });
const node = (staticRoutes: readonly object[], sids: readonly (readonly [string, string])[] = []) => ({
  now: { staticRoutes, inventory: { interfaces: [], sids: sids.map(([sid, behavior]) => ({ sid, behavior })) } },
});
const SID = 'fd00:5a:3::d6';

test('a SID that heads send to and no node has is missed at the node whose locator it is', () => {
  const found = (c: object, lookups: object = new Map()) =>
    missingSids(
      pairWorld(['a-b'], { a: node([steers('fd00:c:3::/64', SID)]), b: node([]), c: c as never }, { lookups }),
    ).map(({ id, subject, detail }) => [id, subject, detail]);
  assert.deepEqual(found(node([locator('fd00:5a:3::/48')])), [
    [`srv6:${SID}`, 'node/c', { sid: SID, heads: ['a'], owner: 'c', prefix: 'fd00:c:3::/64' }],
  ]);
  assert.deepEqual(found(node([locator('fd00:5a:3::/48')], [[SID, 'End.DT6']])), []);
  assert.deepEqual(found(node([])), [], 'it may belong to a node that was not asked');
  const lookup = (kind: string) => new Map([['a', new Map([[SID, { kind }]])]]);
  for (const kind of ['none', 'unreachable'])
    assert.deepEqual(found(node([]), lookup(kind)), [
      [`srv6:${SID}`, 'node/a', { sid: SID, heads: ['a'], prefix: 'fd00:c:3::/64' }],
    ]);
  assert.deepEqual(found(node([]), lookup('unicast')), []);
});

test('a locator is as narrow as /40, or /32 with SIDs of its node in it; the narrowest counts, and one alone', () => {
  const owner = (...nodes: readonly object[]) => {
    const states = Object.fromEntries(nodes.map((each, index) => [`n${index}`, each]));
    return missingSids(pairWorld([], { a: node([steers('fd00:c:3::/64', SID)]), ...states } as never)).map(
      ({ detail }) => detail.owner,
    );
  };
  assert.deepEqual(owner(node([locator('fd00:5a::/40')])), ['n0']);
  assert.deepEqual(owner(node([locator('fd00:5a::/39')])), []);
  assert.deepEqual(owner(node([locator('fd00:5a::/32')], [['fd00:5a:9::1', 'End']])), ['n0']);
  assert.deepEqual(owner(node([locator('fd00:5a::/32')], [['fd00:5b:9::1', 'End']])), []);
  assert.deepEqual(owner(node([locator('fd00:5a::/31')], [['fd00:5a:9::1', 'End']])), []);
  assert.deepEqual(owner(node([locator('fd00:5a::/40')]), node([locator('fd00:5a:3::/48')])), ['n1']);
  assert.deepEqual(owner(node([locator('fd00:5a:3::/48')]), node([locator('fd00:5a:3::/48')])), []);
  assert.deepEqual(owner(node([{ ...locator('fd00:5a:3::/48'), kind: 'unicast' }])), []);
});

test('a head without a kind of SID that all other heads have lacks it', () => {
  const head = (number: number, ...behaviors: readonly string[]) =>
    node(
      [locator(`fd00:5a:${number}::/48`), steers('fd00:c::/64', 'fd00:5a:1::e')],
      behaviors.map((behavior, index) => [`fd00:5a:${number}::${index === 0 ? 'e' : index}`, behavior] as const),
    );
  const lacking = (...heads: readonly object[]) =>
    missingSids(pairWorld([], Object.fromEntries(heads.map((each, index) => [`n${index}`, each])) as never)).map(
      ({ id }) => id,
    );
  const full = (number: number) => head(number, 'End', 'End.DT6');
  assert.deepEqual(lacking(full(1), full(2), head(3, 'End')), ['srv6:lacks/n2/End.DT6']);
  assert.deepEqual(lacking(full(1), head(3, 'End')), [], 'two others must agree');
  assert.deepEqual(lacking(full(1), full(2), full(3)), []);
  assert.deepEqual(lacking(full(1), head(2, 'End'), head(3, 'End')), []);
  assert.deepEqual(lacking(full(1), full(2), head(3)), [], 'a node without any SID has another part to play');
  assert.deepEqual(
    lacking(full(1), full(2), head(3, 'End', 'End.DT4')),
    [],
    'so has one that decapsulates what no other does',
  );
  assert.deepEqual(
    lacking(full(1), full(2), node([locator('fd00:5a:3::/48')], [['fd00:5a:3::e', 'End']])),
    [],
    'or that steers nothing',
  );
});
