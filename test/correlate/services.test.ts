// Filters that drop a service for everybody, and their look-alikes that do their job; SRv6 without a SID, a locator or a head.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { dropping, HOST1, HOST3, named, sceneOf, stateOf, wellOn } from './scope-scene.ts';
import { DNS, HTTP, ICMP, is, SILENT_ECHO, served, tried } from './service-scene.ts';

const SILENT_HTTP = { r1: [tried('echo', true), tried('tcp', false, 80)] };

test('a router that drops ICMP for everybody is named, when echoes die there', () => {
  assert.deepEqual(named({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r2']);
  assert.deepEqual(named({ states: { r3: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r3']);
});

test('a router that drops HTTP for everybody is named, when connections die there to who was seen to serve it', () => {
  const states = { r2: dropping(HTTP), r3: served('tcp', 80) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_HTTP }), ['http_acl_block node/r2']);
});

const SILENT_DNS = { r1: [tried('echo', true), tried('udp', false, 53)] };
const verdictOf = (scene: Parameters<typeof sceneOf>[0]) => {
  const { verdict, findings } = diagnose(sceneOf(scene));
  const known = new Set(diagnose(sceneOf()).verdict.reasons);
  return {
    findings: findings.map(({ fault, resource }) => `${fault} ${resource}`),
    remarks: verdict.reasons.filter((reason) => !known.has(reason) && /meant/.test(reason)),
    open: verdict.reasons.filter((reason) => /nothing came back/.test(reason)),
  };
};

test('a filter of an edge against a service that nobody is known to use is a remark, whatever our own tries met', () => {
  assert.deepEqual(verdictOf({ states: { r2: dropping(DNS) }, serviceProbes: SILENT_DNS }), {
    findings: [],
    remarks: [
      'r2: a packet filter dropped 12 packets (protocol udp, destination-port 53); nobody is known to miss them, so it may be meant',
    ],
    open: [],
  });
  assert.deepEqual(verdictOf({ states: { r2: dropping(HTTP) }, serviceProbes: SILENT_HTTP }).findings, []);
  const echoes = dropping([...ICMP, is('icmp-type', 'echo-request')]);
  assert.deepEqual(verdictOf({ states: { r2: echoes }, serviceProbes: SILENT_ECHO }).findings, []);
});

test('what a host was seen to serve is missed, by name servers whom a host behind the filter was heard to ask too', () => {
  const told = (scene: Parameters<typeof sceneOf>[0]) => {
    const { findings, remarks } = verdictOf(scene);
    return [...findings, ...remarks.map(() => 'remark')];
  };
  const named = ['dns_port_blocked node/r2'];
  assert.deepEqual(told({ states: { r2: dropping(DNS), r3: served('udp', 53) }, serviceProbes: SILENT_DNS }), named);

  // The filter is at h1's router; h3 serves names and h1 itself does not: what was tried there shows only what the filter takes.
  const at1 = { destination: HOST1.address, service: 'udp', port: 53, sent: 3, answered: false, open: false } as const;
  const serviceProbes = { r2: [at1] };
  const asking = (to: string) => (state: NodeState, phase: 'before' | 'after') => ({
    ...dropping(DNS)(state, phase),
    history: {
      ...state.history!,
      heard: [{ ifname: 'eth3', what: 'dns-query' as const, from: HOST1.address, to, agoMs: 4_000 }],
    },
  });
  const r3 = served('udp', 53);
  assert.deepEqual(told({ states: { r1: asking(HOST3.address), r3 }, serviceProbes }), ['dns_port_blocked node/r1']);
  assert.deepEqual(told({ states: { r1: asking('203.0.113.53'), r3 }, serviceProbes }), ['remark']);
  assert.deepEqual(told({ states: { r1: asking(HOST3.address) }, serviceProbes }), ['remark']);
});

test('pages that are served somewhere are missed by hosts behind a filter against pages', () => {
  const at1 = { destination: HOST1.address, service: 'tcp', port: 80, sent: 3, answered: false, open: false } as const;
  const states = { r1: dropping(HTTP), r3: served('tcp', 80) };
  assert.deepEqual(named({ states, serviceProbes: { r2: [at1] } }), ['http_acl_block node/r1']);
  assert.deepEqual(named({ states: { r1: dropping(HTTP) }, serviceProbes: { r2: [at1] } }), []);
});

test('a host that does not answer its own router either is silent by itself', () => {
  const states = { r2: dropping(DNS), r3: served('udp', 53) };
  const serviceProbes = { ...SILENT_DNS, r3: [tried('udp', false, 53)] };
  assert.deepEqual(named({ states, serviceProbes }), []);
  const hosts = { r3: [wellOn('r3', { echoed: [] })] };
  assert.deepEqual(named({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO, hosts }), []);
});

test('a rule for what an earlier one of its chain lets not through is meant', () => {
  const but =
    (first: Partial<FilterRule>) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const filtered = dropping(HTTP)(state, phase);
      const [drop] = filtered.filters;
      return { ...filtered, filters: [{ ...drop!, handle: 3, verdict: 'accept', ...first }, drop!] };
    };
  const scene = (first: Partial<FilterRule>) => ({
    states: { r2: but(first), r3: served('tcp', 80) },
    serviceProbes: SILENT_HTTP,
  });
  assert.deepEqual(named(scene({ matches: [...HTTP, is('destination', '198.51.100.80')] })), []);
  assert.deepEqual(named(scene({ matches: [is('protocol', 'ospf')] })), ['http_acl_block node/r2']);
  assert.deepEqual(named(scene({ matches: [], matchesRest: true })), ['http_acl_block node/r2']);
  assert.deepEqual(named(scene({ chain: 'input' })), ['http_acl_block node/r2']);
});

test('a host that does not answer is no finding where no filter took anything', () => {
  assert.deepEqual(named({ serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r2: dropping(ICMP, 'forward', 0) }, serviceProbes: SILENT_ECHO }), []);
});

test('a filter off the way, for another service, or for some addresses only does its job', () => {
  assert.deepEqual(named({ states: { r2: dropping(HTTP) }, serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r1: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), []);
  const some = [...ICMP, is('destination', '198.51.100.0/24')];
  assert.deepEqual(named({ states: { r2: dropping(some) }, serviceProbes: SILENT_ECHO }), []);
});

test('a filter that is bound to interfaces is met only by what crosses them', () => {
  const bound =
    (...inInterfaces: readonly string[]) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const filtered = dropping(ICMP)(state, phase);
      return { ...filtered, filters: filtered.filters.map((rule) => ({ ...rule, inInterfaces })) };
    };
  assert.deepEqual(named({ states: { r2: bound('eth7') }, serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r2: bound('eth1') }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r2']);
});

test('a filter that most nodes have is meant', () => {
  const states = { r1: dropping(ICMP), r2: dropping(ICMP), r3: dropping(ICMP) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
});

test('a filter against an address drops what goes to its hosts, though its router answers', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  assert.deepEqual(named({ states: { r3: dropping(toHosts) }, serviceProbes: SILENT_ECHO }), ['acl_misconfig node/r3']);
});

test('messages that say that a packet is too large must pass where links differ in size', () => {
  const hiding = dropping([is('protocol', 'ipv6-icmp'), is('icmp-type', 'packet-too-big')], 'output', 0);
  const narrow = (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...hiding(state, phase),
    inventory: {
      ...state.inventory,
      interfaces: state.inventory.interfaces.map((entry) => (entry.name === 'eth1' ? { ...entry, mtu: 1_400 } : entry)),
    },
  });
  const filters = (scene: Parameters<typeof named>[0]) => named(scene).filter((each) => each.startsWith('icmp_'));
  assert.deepEqual(filters({ states: { r2: narrow } }), ['icmp_frag_needed_filter_misconfiguration node/r2']);
  assert.deepEqual(filters({ states: { r2: hiding } }), []);
});

const none = (destination: string) => ({ destination, kind: 'none' as const });

test('a SID that its node has and nobody has a route to: the locator is not announced', () => {
  assert.deepEqual(named({ lookups: { r1: [none('fd00:5a:3::d6')] } }), ['srv6_locator_missing node/r3']);
});

test('a head without a way to a network whose traffic comes to it over SRv6', () => {
  const bare = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: (state.staticRoutes ?? []).filter((route) => route.segments === undefined),
  });
  assert.deepEqual(named({ states: { r3: bare }, lookups: { r3: [none('fd00:c:1::1')] } }), [
    'srv6_encapsulation_missing node/r3',
  ]);
  assert.deepEqual(
    named({ states: { r1: bare, r3: bare }, lookups: { r1: [none('fd00:c:3::1')], r3: [none('fd00:c:1::1')] } }),
    [],
  );
});

test('a prefix that every other head puts into SRv6, and one knows no way to', () => {
  const far = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: ['fd00:5a:2::d6'] },
    ],
  });
  const near = (state: NodeState): NodeState => ({ ...state, staticRoutes: stateOf(1).staticRoutes ?? [] });
  const lookups = { r2: [none('fd00:c:9::'), none('fd00:c:3::')] };
  assert.deepEqual(named({ states: { r1: far, r2: near, r3: far }, lookups }), ['srv6_encapsulation_missing node/r2']);
  const routed = { r2: [{ ...none('fd00:c:9::'), kind: 'unicast' as const, ifname: 'eth1' }] };
  assert.deepEqual(named({ states: { r1: far, r2: near, r3: far }, lookups: routed }), []);
});

test('a head that lacks a kind of SID that all other heads have, also when nobody sends to it', () => {
  const without = (state: NodeState): NodeState => ({
    ...state,
    inventory: { ...state.inventory, sids: state.inventory.sids.filter(({ behavior }) => behavior === 'End') },
  });
  const head = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [...(state.staticRoutes ?? []), ...(stateOf(1).staticRoutes ?? []).slice(1)],
  });
  assert.deepEqual(named({ states: { r2: (state) => without(head(state)) } }), ['srv6_sid_missing node/r2']);
  assert.deepEqual(named({ states: { r2: without } }), []);
});

test('a head that decapsulates what no other does lacks nothing of theirs', () => {
  const kind =
    (...behaviors: readonly string[]) =>
    (state: NodeState): NodeState => ({
      ...state,
      inventory: {
        ...state.inventory,
        sids: behaviors.map((behavior, index) => ({ sid: `fd00:5a:2::${index + 1}`, behavior })),
      },
      staticRoutes: [...(state.staticRoutes ?? []), ...(stateOf(1).staticRoutes ?? []).slice(1)],
    });
  assert.deepEqual(named({ states: { r2: kind('End') } }), ['srv6_sid_missing node/r2']);
  assert.deepEqual(named({ states: { r2: kind('End', 'End.DT4') } }), []);
});

test('an aggregate that is thrown away is nobody’s locator; the narrowest that covers a SID is', () => {
  const steering = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: ['fd00:5a:3::99'] },
    ],
  });
  const throwing =
    (prefix: string) =>
    (state: NodeState): NodeState => ({
      ...state,
      staticRoutes: [...(state.staticRoutes ?? []), { prefix, kind: 'blackhole', protocol: '196' }],
    });
  const missing = ['srv6_sid_missing node/r3'];
  assert.deepEqual(named({ states: { r1: steering } }), missing);
  assert.deepEqual(named({ states: { r1: steering, r2: throwing('fd00:5a::/32') } }), missing);
  const elsewhere = (state: NodeState) => ({
    ...steering(state),
    staticRoutes: (steering(state).staticRoutes ?? []).map((route) => ({
      ...route,
      ...(route.segments?.[0] === 'fd00:5a:3::99' ? { segments: ['fd00:77::99'] } : {}),
    })),
  });
  assert.deepEqual(
    named({ states: { r1: elsewhere, r2: throwing('fd00::/16') } }).filter((each) => /r2/.test(each)),
    [],
  );
});

test('a filter against an address that most nodes have is meant', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  const states = { r1: dropping(toHosts), r2: dropping(toHosts), r3: dropping(toHosts) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
});

/** Also a link between the ends of the row, so that there are two ways. */
const RING = {
  r1: (state: NodeState): NodeState => withLink(state, 'eth4', '198.18.9.0/31', 'fd00:1:9::/127'),
  r3: (state: NodeState): NodeState => withLink(state, 'eth4', '198.18.9.1/31', 'fd00:1:9::1/127'),
};

function withLink(state: NodeState, name: string, ...addresses: readonly string[]): NodeState {
  const [lo, ...rest] = state.inventory.interfaces;
  const link = {
    ...rest[0]!,
    name,
    mac: `02:00:00:00:09:${name === 'eth4' ? state.inventory.node.slice(1) : 0}0`,
    addresses,
  };
  return { ...state, inventory: { ...state.inventory, interfaces: [lo!, ...rest, link] } };
}

const withStatic =
  (nextHop: string, ifname: string) =>
  (state: NodeState): NodeState => ({
    ...RING.r1(state),
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: '198.19.3.0/24', kind: 'unicast', protocol: '196', nextHop, ifname },
    ],
  });
const by = (ifname: string) => ({
  destination: '198.19.3.1',
  kind: 'unicast' as const,
  ifname,
  matched: '198.19.3.0/24',
  protocol: '196',
});

test('a hand-set route to a neighbour that is no nearer is a detour, one to the owner is a choice', () => {
  const scene = (nextHop: string, ifname: string) => ({
    states: { ...RING, r1: withStatic(nextHop, ifname) },
    lookups: { r1: [by(ifname)] },
  });
  assert.deepEqual(named(scene('198.18.1.1', 'eth2')), ['static_route_misconfig node/r1']);
  assert.deepEqual(named(scene('198.18.9.1', 'eth4')), []);
});

test('costs of OSPF say what is nearer; a next hop that is as near may be a choice, and nothing is taken off for it', () => {
  const cost =
    (of: (state: NodeState) => NodeState, costs: Readonly<Record<string, number>>) =>
    (state: NodeState): NodeState => ({
      ...of(state),
      ospf: Object.entries(costs).map(([ifname, each]) => ({
        ...{ ifname, area: '0.0.0.0', network: 'POINTOPOINT', cost: each, passive: false },
        neighbours: [{ routerId: '', address: '', state: 'Full' }],
      })),
    });
  const own = (state: NodeState) => state;
  const scene = (direct: number) => ({
    states: {
      r1: cost(withStatic('198.18.1.1', 'eth2'), { eth2: 10, eth4: direct }),
      r2: cost(own, { eth1: 10, eth2: 10 }),
      r3: cost(RING.r3, { eth1: 10, eth4: direct }),
    },
    lookups: { r1: [by('eth2')] },
  });
  const told = (direct: number) =>
    diagnose(sceneOf(scene(direct))).findings.map(({ fault, confidence, remedy }) => [
      fault,
      confidence,
      remedy?.change !== undefined,
    ]);
  // By way of r2 it is 20: nearer than a direct link of 100, as near from r2 as from here at 10, and away at 5.
  assert.deepEqual(told(100), []);
  assert.deepEqual(told(10), [['static_route_misconfig', 'likely', false]]);
  assert.deepEqual(told(5), [['static_route_misconfig', 'certain', true]]);
});

test('what met nothing speaks against a finding, and is told beside what speaks for it', () => {
  const states = { r2: dropping(HTTP), r3: served('tcp', 80) };
  const open = tried('tcp', true, 80);
  const told = (serviceProbes: Readonly<Record<string, readonly ServiceProbeResult[]>>) =>
    diagnose(sceneOf({ states, serviceProbes })).findings.map(({ fault, against }) => [fault, against]);
  // Behind the filter it is answered, as it is to be; through it, some tries were.
  assert.deepEqual(told({ ...SILENT_HTTP, r3: [open] }), [['http_acl_block', []]]);
  assert.deepEqual(told({ r1: [tried('tcp', false, 80)], r2: [open] }), [
    ['http_acl_block', ['probe/r2/parley-service-probe']],
  ]);
});
