// Loopback addresses of a customer that a provider does not pass on to others: when they are owed to no node, and when the missing route counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossyReaches, reachProof } from '#correlate/health/proof-reach.ts';
import { isKeptFrom, keptOnTheWay } from '#correlate/network/other-networks.ts';
import type { World } from '#correlate/network/world.ts';
import { routeSymptoms } from '#correlate/symptoms/routes.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const [LOOPBACK, LAN] = ['192.0.2.5', '203.0.113.65'];
const port = (name: string, kind: string, address: string) => ({
  ...{ name, kind, addresses: [address], adminUp: true, operUp: true, mtu: 1_500, offloads: [] },
});
const reachOf = (destination: string, received: number) => ({
  from: 'isp',
  destination,
  sent: 5,
  received,
  source: 'r',
});
const learned = {
  kind: 'unicast',
  matched: '203.0.113.64/26',
  protocol: 'bgp',
  ifname: 'to-core',
  nextHop: '198.18.0.1',
};

/** isp and cust join core's network, which passes on cust's network of hosts. */
function transit({
  bgp = {} as object,
  history = {} as object,
  isp = { [LOOPBACK]: { kind: 'none' }, [LAN]: learned } as Record<string, object>,
  core = { [LOOPBACK]: { ...learned, ifname: 'to-cust' } } as Record<string, object>,
  reach = [reachOf(LOOPBACK, 0), reachOf(LAN, 5)],
  lan = true,
  more = {} as object,
} = {}) {
  const speaker = (asn: number, change: object = {}) => ({
    bgp: { asn, sessions: [], ownPrefixes: [], networks: [], redistribute: [], ...change },
  });
  const ports = [port('lo', 'loopback', `${LOOPBACK}/32`), port('eth1', 'physical', `${LAN}/${lan ? 26 : 31}`)];
  const states = {
    isp: { now: speaker(64_701, bgp) },
    core: { now: { ...speaker(64_500), history } },
    cust: { now: { ...speaker(64_601), inventory: { interfaces: ports, loopbacks: [`${LOOPBACK}/32`] } } },
  };
  const owners = new Map([
    [LOOPBACK, [{ node: 'cust', ifname: 'lo' }]],
    [LAN, [{ node: 'cust', ifname: 'eth1' }]],
  ]);
  const lookups = new Map([
    ['isp', new Map(Object.entries(isp))],
    ['core', new Map(Object.entries(core))],
  ]);
  return pairWorld(['isp-core', 'core-cust'], states, { owners, lookups, reach, ...more });
}
const isKept = (change: Parameters<typeof transit>[0] = {}) =>
  keptOnTheWay(transit(change), 'isp', LOOPBACK) === 'router';

test('a loopback address that the network between does not pass on is owed to no node of a third one, while hosts there are reached', () => {
  assert.equal(isKept(), true);
  const { proven, lacking } = reachProof(transit(), []);
  assert.deepEqual(lacking, []);
  assert.match(proven.join(), /the systems between pass on no route to one of the two addresses, which is of a router/);
  assert.deepEqual(routeSymptoms(transit()), []);
});

test('what one router of a system shows speaks for another of it, to which itself nothing leads back', () => {
  const symptoms = (lan: number, asn = 64_701) => {
    const world = transit({ reach: [reachOf(LOOPBACK, 0), reachOf(LAN, lan), { ...reachOf(LAN, 0), from: 'isp2' }] });
    const peers: Readonly<Record<string, readonly string[]>> = {
      ...{ isp: ['core'], isp2: ['core'], core: ['isp', 'isp2', 'cust'], cust: ['core'] },
    };
    const views = Object.entries(peers).map(([node, all]) => {
      const view = world.views.get(node === 'isp2' ? 'isp' : node)!;
      const sessions = all.map((each) => ({
        ...{ peer: `to-${each}`, state: 'Established', families: ['ipv4'], remoteAs: 0, localAs: 0, policies: [] },
      }));
      const bgp = { ...view.state.bgp!, sessions, ...(node === 'isp2' ? { asn } : {}) };
      const daemons = [{ name: 'bgpd', alive: true }];
      return [node, { ...view, node, state: { ...view.state, bgp, daemons } }] as const;
    });
    const links = [...world.links, linkOf('isp2-core')];
    const lookups = new Map([...world.lookups, ['isp2', world.lookups.get('isp')!] as const]);
    const all = { ...world, views: new Map(views), links, lookups } as unknown as World;
    return routeSymptoms(all).map(({ detail }) => detail.affected);
  };
  assert.deepEqual(symptoms(5), []);
  assert.deepEqual(symptoms(0), [['isp', 'isp2']]);
  assert.deepEqual(symptoms(5, 64_702), [['isp', 'isp2']], 'of another system');
});

test('a node whose own address the other network was never told of is answered for by another node of its system', () => {
  const kept = (mine: object = {}, mates = 5) => {
    const world = transit({ reach: [reachOf(LOOPBACK, 0), reachOf(LAN, 0), { ...reachOf(LAN, mates), from: 'isp2' }] });
    const isp = world.views.get('isp')!;
    const own = { ...isp.state, inventory: { ...isp.state.inventory, interfaces: [], loopbacks: ['192.0.2.7/32'] } };
    const ownPrefixes = [{ prefix: '192.0.2.7/32', originated: false, advertisedTo: [], ...mine }];
    const views = new Map(world.views)
      .set('isp', { ...isp, state: { ...own, bgp: { ...isp.state.bgp!, ownPrefixes } } as never })
      .set('isp2', { ...isp, node: 'isp2' });
    return keptOnTheWay({ ...world, views } as World, 'isp', LOOPBACK);
  };
  assert.equal(kept(), 'router');
  assert.equal(kept({ originated: true, advertisedTo: ['198.18.0.1'] }), undefined, 'its address is announced');
  assert.equal(kept({}, 0), undefined, 'no node of its system is answered');
});

test('a link between routers of another system is owed no route where it announces none, and did not before', () => {
  const INNER = '198.18.5.0';
  const kept = (change: object = {}, history: object = {}) => {
    const world = transit({ history });
    const { state } = world.views.get('core')!;
    const inventory = { interfaces: [port('to-inner', 'physical', `${INNER}/31`)], loopbacks: [] };
    Object.assign(state, { inventory, adjacencies: [{ ifname: 'to-inner', state: 'up' }], ...change });
    Object.assign(world, { owners: new Map([...world.owners, [INNER, [{ node: 'core', ifname: 'to-inner' }]]]) });
    return isKeptFrom(world, 'core', 'isp', [INNER]);
  };
  const speaker = { asn: 64_500, sessions: [], ownPrefixes: [], networks: [], redistribute: [] };
  assert.equal(kept(), true);
  assert.equal(kept({ adjacencies: [] }), false, 'hosts may be there');
  assert.equal(kept({ bgp: { ...speaker, networks: ['198.18.0.0/16'] } }), false, 'announced with a larger network');
  assert.equal(kept({ bgp: { ...speaker, redistribute: ['connected'] } }), false);
});

test('a network that its own system keeps to itself says nothing of what others pass on', () => {
  const INSIDE = '198.19.240.1';
  const kept = (
    advertisedTo: readonly string[],
    reach = [reachOf(LOOPBACK, 0), reachOf(INSIDE, 0), reachOf(LAN, 5)],
  ) => {
    const world = transit({ reach });
    const { state } = world.views.get('cust')!;
    const own = (prefix: string, to: readonly string[]) => ({ prefix, originated: to.length > 0, advertisedTo: to });
    Object.assign(state, {
      bgp: {
        ...state.bgp!,
        sessions: [{ peer: '198.18.0.0', remoteAs: 64_701 }],
        ownPrefixes: [own('203.0.113.0/26', ['198.18.0.0']), own('198.19.240.0/24', advertisedTo)],
      },
      inventory: {
        ...state.inventory,
        interfaces: [...state.inventory.interfaces, port('br0', 'physical', `${INSIDE}/24`)],
      },
    });
    const owners = new Map([...world.owners, [INSIDE, [{ node: 'cust', ifname: 'br0' }]]]);
    return keptOnTheWay({ ...world, owners }, 'isp', LOOPBACK);
  };
  assert.equal(kept([]), 'router');
  assert.equal(kept(['198.18.0.0']), undefined, 'it was announced, and its probes were lost');
  const some = [reachOf(LOOPBACK, 0), reachOf(INSIDE, 1), reachOf(LAN, 5)];
  assert.equal(kept(['198.18.0.0'], some), 'router', 'routes lead to it and back, whatever took the rest');
  assert.equal(
    kept([], [reachOf(LOOPBACK, 0), reachOf(INSIDE, 0)]),
    undefined,
    'no host that was announced was probed',
  );
});

test('lost hosts, a changed policy, a route that some router of the own network has, or one network leave it owed', () => {
  assert.equal(isKept({ reach: [reachOf(LOOPBACK, 0), reachOf(LAN, 0)] }), false, 'all probes to hosts were lost');
  assert.equal(isKept({ reach: [reachOf(LOOPBACK, 0)] }), false, 'no host was probed');
  const again = { ...reachOf(LAN, 5), sent: 10, again: { sent: 5, received: 5 } };
  assert.equal(isKept({ reach: [reachOf(LOOPBACK, 0), again] }), true, 'the second look lost none');
  assert.equal(isKept({ reach: [reachOf(LOOPBACK, 0)], lan: false }), false, 'no host of its system was probed');
  for (const change of [
    { kind: 'policy', subject: 'OUT' },
    { kind: 'network', subject: `${LOOPBACK}/32` },
    { kind: 'session', subject: '198.18.0.0', setting: 'policies' },
  ])
    assert.equal(isKept({ history: { settings: [{ ...change, was: 'a', is: 'b', agoMs: 9 }] } }), false, change.kind);
  assert.equal(isKept({ bgp: { asn: 64_601 } }), false, 'one network');
  assert.equal(isKept({ isp: { [LOOPBACK]: { kind: 'blackhole' }, [LAN]: learned } }), false, 'thrown away');
  assert.equal(isKept({ more: { destination: LOOPBACK } }), false, 'the question is about it');
});

test('a router without BGP is of the system of the speakers that its interior protocol joins it with', () => {
  const circuit = (ifname: string) => ({ isis: { circuits: [{ ifname, passive: false }] } });
  const kept = (asn: number) => {
    const world = transit({ bgp: { asn: 64_500 }, core: { [LOOPBACK]: { kind: 'none' } } });
    const { bgp: _, ...isp } = world.views.get('isp')!.state;
    Object.assign(world.views.get('isp')!, { state: { ...isp, ...circuit('to-core') } });
    Object.assign(world.views.get('core')!.state, circuit('to-isp'), { bgp: { asn, sessions: [], ownPrefixes: [] } });
    return keptOnTheWay(world, 'isp', LOOPBACK) !== undefined;
  };
  assert.deepEqual([kept(64_500), kept(64_601)], [true, false]);
});

test('a static route of the router that has the session is none of its system', () => {
  const has = (protocol: string) => {
    const core = { [LOOPBACK]: { ...learned, protocol } };
    return keptOnTheWay(transit({ bgp: { asn: 64_500 }, core }), 'isp', LOOPBACK) !== undefined;
  };
  assert.deepEqual([has('static'), has('ospf')], [true, false]);
});

test('where one router of a network has the route, another one of it misses it', () => {
  const inside = transit({ bgp: { asn: 64_500 } });
  assert.equal(keptOnTheWay(inside, 'isp', LOOPBACK), undefined);
});

test('what cannot be answered, since no route leads back to the loopback address that it was sent from, is no loss', () => {
  const lost = (change: Parameters<typeof transit>[0]) => {
    const back = { from: 'cust', destination: '198.19.4.1', sender: LOOPBACK, sent: 5, received: 0, source: 'r' };
    const world = transit({ ...change, reach: [reachOf(LAN, 5), back] });
    const owners = new Map([...world.owners, ['198.19.4.1', [{ node: 'isp', ifname: 'eth1' }]]]);
    return lossyReaches({ ...world, owners }).length;
  };
  assert.equal(lost({}), 0);
  assert.equal(lost({ isp: { [LOOPBACK]: learned, [LAN]: learned } }), 1, 'a route leads back');
});

test('hosts of two systems that a policy keeps apart owe each other nothing; a policy that passes the prefix, a change, or no memory leaves it owed', () => {
  const [OTHER, THIRD] = ['198.19.5.1', '198.19.1.1'];
  const session = (change: object = {}) => ({
    ...{ peer: '198.18.0.1', remoteAs: 64_701, state: 'Established', shutdown: false, policies: ['route-map OUT out'] },
    ...change,
  });
  const denying = [
    { name: 'route-map OUT', content: 'permit 10 (match ip address prefix-list OWN)' },
    { name: 'prefix-list OWN', content: 'permit 198.19.1.0/24' },
  ];
  const kept = ({
    towards = session(),
    policies = denying as readonly object[],
    direct = [] as readonly object[],
    beside = [] as readonly object[],
    reach = [reachOf(THIRD, 5), reachOf(OTHER, 0)],
    isp = {} as object,
    settings = [] as readonly object[],
    settingsSpanMs = 900_000,
    also = { kind: 'none' } as object,
  }) => {
    const speaker = (asn: number, address: string | undefined, sessions: readonly object[], bgp: object = {}) => ({
      now: {
        bgp: { asn, sessions, ownPrefixes: [], networks: [], redistribute: [], ...bgp },
        history: { settings, settingsSpanMs },
        ...(address && { inventory: { interfaces: [port('eth1', 'physical', `${address}/24`)], loopbacks: [] } }),
      },
    });
    const announced = { ownPrefixes: [{ prefix: '198.19.5.0/24', originated: true, advertisedTo: ['198.18.0.9'] }] };
    const states = {
      isp: speaker(64_701, undefined, [], isp),
      isp2: speaker(64_701, undefined, []),
      core: speaker(64_500, THIRD, [towards, ...beside], { policies }),
      far: speaker(64_702, OTHER, direct, announced),
    };
    const owners = new Map([
      [OTHER, [{ node: 'far', ifname: 'eth1' }]],
      [THIRD, [{ node: 'core', ifname: 'eth1' }]],
    ]);
    const lookups = new Map([
      [
        'isp',
        new Map<string, object>([
          [OTHER, { kind: 'none' }],
          [THIRD, learned],
        ]),
      ],
      ['isp2', new Map<string, object>([[OTHER, also]])],
    ]);
    return keptOnTheWay(pairWorld(['isp-core', 'core-far'], states, { owners, lookups, reach }), 'isp', OTHER);
  };
  assert.equal(kept({}), 'policy');
  assert.equal(kept({ beside: [session({ peer: 'fd00:1::1', policies: [] })] }), 'policy', 'it carries IPv6');
  assert.equal(kept({ beside: [session({ peer: '198.18.0.5', policies: [] })] }), undefined, 'another way is open');
  const passing = [{ name: 'route-map OUT', content: 'permit 10 (set metric 20)' }];
  const none: Readonly<Record<string, Parameters<typeof kept>[0]>> = {
    'the policy lets it pass': { policies: passing },
    'what the policy does is not known': { policies: [] },
    'no policy': { towards: session({ policies: [] }) },
    'the session is down': { towards: session({ state: 'Idle' }) },
    'the two have a session': { direct: [session()] },
    'no other hosts are reached': { reach: [reachOf(OTHER, 0)] },
    'a policy has come': { settings: [{ kind: 'policy', subject: 'route-map OUT', is: 'x', agoMs: 9 }] },
    'nothing is remembered': { settingsSpanMs: 0 },
    'a router of its system has a static route': { also: { ...learned, protocol: 'static' } },
  };
  for (const [why, change] of Object.entries(none)) assert.equal(kept(change), undefined, why);
});
