// Settings of a node, and what changed between two of its states: every kind, and what flickers without having been changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BgpSession } from '#model/router/control-plane.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { changesBetween, compareSettings, firstKnown } from '#model/settings/changes.ts';
import { settingsOf } from '#model/settings/node-settings.ts';

const LONG_UP_MS = 3_600_000;

const port = (name: string, more: object = {}) => ({
  ...{ name, kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, carrierChanges: 1, offloads: [], counters: {} },
  addresses: ['198.18.0.0/31', 'fd00::/127', 'fe80::1/64'],
  ...more,
});

const peer = (address: string, more: Partial<BgpSession> = {}): BgpSession => ({
  ...{ peer: address, remoteAs: 65_001, localAs: 65_000, state: 'Established', shutdown: false, password: false },
  ...{ established: 1, dropped: 0, upMs: LONG_UP_MS, policies: ['route-map IN in'], families: ['ipv4', 'ipv6'] },
  ...more,
});

const daemon = (name: string, upMs = LONG_UP_MS, alive = true) => ({ name, alive, ...(alive ? { upMs } : {}) });
const DAEMONS = ['zebra', 'isisd', 'bgpd', 'ospfd', 'staticd'].map((name) => daemon(name));

function stateOf(
  more: object = {},
  interfaces: readonly object[] = [port('eth1'), port('eth2', { addresses: [] })],
): NodeState {
  const circuit = {
    ifname: 'eth1',
    level: '2',
    network: 'point-to-point',
    passive: false,
    password: 'none',
    metric: 10,
  };
  return {
    inventory: {
      ...{ node: 'r1', driver: 'linux-frr', interfaces, sids: [], loopbacks: [] },
      system: { kernel: '6.12.1', routing: 'FRRouting 10.2', hostname: 'r1' },
    },
    neighbours: [{ ifname: 'eth1', chassisId: '02:00:00:00:00:02', portId: 'eth7', systemName: 'r2', unknownTlvs: [] }],
    adjacencies: [{ protocol: 'isis', ifname: 'eth1', systemId: '0000.0000.0002', level: 2, state: 'up' }],
    ...{ filters: [], nodeCounters: {}, missing: [], daemons: DAEMONS, staticRoutes: [] },
    isis: { systemId: '0000.0000.0001', areas: [], level: '2', areaPassword: 'none', circuits: [circuit] },
    ospf: [{ ifname: 'eth2', area: '0', network: 'p2p', cost: 100, passive: false, neighbours: [] }],
    bgp: bgpOf([peer('198.18.0.1'), peer('198.18.0.3')], ['198.18.0.1', '198.18.0.3']),
    ...more,
  } as unknown as NodeState;
}

function bgpOf(sessions: readonly BgpSession[], advertisedTo: readonly string[]): NodeState['bgp'] {
  const ownPrefixes = [{ prefix: '192.0.2.0/24', originated: true, advertisedTo }];
  return { asn: 65_000, networks: [], redistribute: [], sessions, ownPrefixes };
}

const RULE: FilterRule = {
  ...{ family: 'inet', table: 'edge', chain: 'forward', path: ['forward'], hook: 'forward', handle: 7 },
  ...{ ruleSha256: '0123456789abcdef0123', verdict: 'drop', outInterfaces: [], inInterfaces: ['eth1'], packets: '4' },
  matches: [{ field: 'destination-port', values: ['53'] }],
};
const VIA = { prefix: '203.0.113.0/24', kind: 'unicast', protocol: 'static', nextHop: '198.18.0.1', ifname: 'eth1' };

test('two states that differ in counters and ages alone have no change between them', () => {
  const bgp = bgpOf(
    [peer('198.18.0.1', { upMs: 5_000_000, heardAgoMs: 3 }), peer('198.18.0.3')],
    ['198.18.0.3', '198.18.0.1'],
  );
  const later = stateOf({ bgp, daemons: [...DAEMONS].reverse(), filters: [] }, [
    port('eth2', { addresses: [] }),
    port('eth1'),
  ]);
  assert.deepEqual(changesBetween(stateOf(), later), []);
  assert.deepEqual(
    changesBetween(stateOf({ filters: [RULE] }), stateOf({ filters: [{ ...RULE, handle: 9, packets: '5' }] })),
    [],
  );
});

test('an interface: MTU, shut, addresses without link-local ones', () => {
  const other = [
    port('eth1', { mtu: 1_400, addresses: ['198.18.0.0/31', 'fe80::2/64'] }),
    port('eth2', { addresses: [] }),
  ];
  assert.deepEqual(changesBetween(stateOf(), stateOf({}, other)), [
    { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400' },
    { kind: 'address', subject: 'eth1', was: '198.18.0.0/31 fd00::/127', is: '198.18.0.0/31' },
  ]);
  const shut = [
    port('eth1', { adminUp: false, operUp: false, addresses: ['198.18.0.0/31'] }),
    port('eth2', { addresses: [] }),
  ];
  assert.deepEqual(changesBetween(stateOf(), stateOf({}, shut)), [
    { kind: 'admin', subject: 'eth1', was: 'up', is: 'shut' },
  ]);
});

test('an interface that comes or goes is one change, whatever it was set to', () => {
  const one = stateOf({ neighbours: [], ospf: [] }, [port('eth1')]);
  const two = stateOf({ neighbours: [], ospf: [] }, [port('eth1'), port('vlan7', { mtu: 9_000 })]);
  assert.deepEqual(changesBetween(one, two), [{ kind: 'admin', subject: 'vlan7', is: 'up' }]);
  assert.deepEqual(changesBetween(two, one), [{ kind: 'admin', subject: 'vlan7', was: 'up' }]);
});

test('metrics of IS-IS and OSPF, by interface; none is the default', () => {
  const isis = { ...stateOf().isis!, circuits: [{ ...stateOf().isis!.circuits[0]!, metric: 4_000 }] };
  const ospf = [{ ...stateOf().ospf![0]!, cost: 7 }];
  assert.deepEqual(changesBetween(stateOf(), stateOf({ isis, ospf })), [
    { kind: 'metric', subject: 'eth1', setting: 'isis', was: '10', is: '4000' },
    { kind: 'metric', subject: 'eth2', setting: 'ospf', was: '100', is: '7' },
  ]);
  const { metric: _, ...plain } = stateOf().isis!.circuits[0]!;
  const unset = { ...stateOf().isis!, circuits: [plain] };
  assert.deepEqual(changesBetween(stateOf(), stateOf({ isis: unset })), [
    { kind: 'metric', subject: 'eth1', setting: 'isis', was: '10', is: 'default' },
  ]);
});

test('a BGP session: AS, shutdown, policies, whether it has a password; a peer that came is one change', () => {
  const other = peer('198.18.0.1', { remoteAs: 65_009, shutdown: true, state: 'Idle', policies: [], password: true });
  const told = ['198.18.0.3'];
  assert.deepEqual(changesBetween(stateOf(), stateOf({ bgp: bgpOf([other, peer('198.18.0.3')], told) })), [
    { kind: 'session', subject: '198.18.0.1', setting: 'remote-as', was: '65001', is: '65009' },
    { kind: 'session', subject: '198.18.0.1', setting: 'shutdown', was: 'up', is: 'shut' },
    { kind: 'session', subject: '198.18.0.1', setting: 'policies', was: 'route-map IN in', is: 'none' },
    { kind: 'session', subject: '198.18.0.1', setting: 'password', was: 'none', is: 'set' },
  ]);
  const more = bgpOf(
    [peer('198.18.0.1'), peer('198.18.0.3'), peer('198.18.0.5', { state: 'Active' })],
    ['198.18.0.1', ...told],
  );
  assert.deepEqual(changesBetween(stateOf(), stateOf({ bgp: more })), [
    { kind: 'session', subject: '198.18.0.5', setting: 'remote-as', is: '65001' },
  ]);
});

test('an own prefix: announced to all, some, none; a session that is down or young says nothing of it', () => {
  const both = [peer('198.18.0.1'), peer('198.18.0.3')];
  const to = (...peers: string[]) => stateOf({ bgp: bgpOf(both, peers) });
  const announced = { kind: 'announced', subject: '192.0.2.0/24' };
  assert.deepEqual(changesBetween(stateOf(), to('198.18.0.3')), [{ ...announced, was: 'all', is: 'to 198.18.0.3' }]);
  assert.deepEqual(changesBetween(to('198.18.0.3'), to()), [{ ...announced, was: 'to 198.18.0.3', is: 'none' }]);
  for (const doubtful of [{ state: 'Active' }, { upMs: 2_000 }, { families: ['ipv6' as const] }]) {
    const bgp = bgpOf([peer('198.18.0.1', doubtful), peer('198.18.0.3')], ['198.18.0.3']);
    assert.deepEqual(changesBetween(stateOf(), stateOf({ bgp })), []);
  }
  const withdrawn = { ...stateOf().bgp!, ownPrefixes: [] };
  assert.deepEqual(changesBetween(stateOf(), stateOf({ bgp: withdrawn })), [{ ...announced, was: 'all' }]);
});

test('a static route, and not that its interface took it away', () => {
  const kept = stateOf({ staticRoutes: [VIA] });
  const route = { kind: 'static-route', subject: '203.0.113.0/24', setting: 'eth1' };
  assert.deepEqual(changesBetween(stateOf(), kept), [{ ...route, is: 'unicast via 198.18.0.1' }]);
  assert.deepEqual(changesBetween(kept, stateOf()), [{ ...route, was: 'unicast via 198.18.0.1' }]);
  const hole = { prefix: '203.0.113.0/24', kind: 'blackhole', protocol: 'boot' };
  assert.deepEqual(changesBetween(stateOf(), stateOf({ staticRoutes: [hole] })), [
    { kind: 'static-route', subject: '203.0.113.0/24', is: 'blackhole' },
  ]);
  const down = [port('eth1', { operUp: false }), port('eth2', { addresses: [] })];
  assert.deepEqual(changesBetween(kept, stateOf({ neighbours: [] }, down)), []);
});

test('a rule of a packet filter that came or went, in words and without counters', () => {
  const filter = { kind: 'filter', subject: 'inet edge forward', setting: '0123456789abcdef' };
  const words = 'drop, from eth1, destination-port 53';
  assert.deepEqual(changesBetween(stateOf(), stateOf({ filters: [RULE] })), [{ ...filter, is: words }]);
  const wasRules = [
    {
      ...{ verdict: 'drop', path: ['forward'], inInterfaces: ['eth1'], outInterfaces: [] },
      ...{ matches: [{ field: 'destination-port', values: ['53'] }], matchesRest: true },
    },
  ];
  assert.deepEqual(changesBetween(stateOf({ filters: [RULE] }), stateOf()), [{ ...filter, was: words, wasRules }]);
  assert.deepEqual(changesBetween(stateOf(), stateOf({ filters: [{ ...RULE, verdict: 'accept' }] })), []);
  const missing = [{ part: 'filters', reason: 'timed out' }];
  assert.deepEqual(changesBetween(stateOf({ filters: [RULE] }), stateOf({ missing })), []);
});

test('a daemon: stopped, started, restarted, of another version', () => {
  const without = DAEMONS.filter(({ name }) => name !== 'ospfd');
  const run = { kind: 'daemon', subject: 'ospfd' };
  assert.deepEqual(changesBetween(stateOf(), stateOf({ daemons: without, ospf: undefined })), [
    { ...run, was: 'running' },
  ]);
  assert.deepEqual(changesBetween(stateOf({ daemons: without, ospf: undefined }), stateOf({ ospf: [] })), [
    { ...run, is: 'running' },
  ]);
  const hung = [...without, daemon('ospfd', 0, false)];
  assert.deepEqual(changesBetween(stateOf(), stateOf({ daemons: hung, ospf: undefined })), [
    { ...run, was: 'running', is: 'not answering' },
  ]);
  const again = [...without, daemon('ospfd', 4_000)];
  assert.deepEqual(changesBetween(stateOf(), stateOf({ daemons: again })), [
    { ...run, was: 'running', is: 'restarted' },
  ]);
  const upgraded = stateOf();
  const system = { ...upgraded.inventory.system, routing: 'FRRouting 10.3' };
  assert.deepEqual(changesBetween(stateOf(), { ...upgraded, inventory: { ...upgraded.inventory, system } }), [
    { kind: 'daemon', subject: 'frr', setting: 'version', was: 'FRRouting 10.2', is: 'FRRouting 10.3' },
  ]);
});

test('neighbours that came, went or are others; where LLDP hears nothing at all it may be down', () => {
  const moved = { neighbours: [{ ...stateOf().neighbours[0]!, systemName: 'r9', portId: 'eth3' }] };
  assert.deepEqual(changesBetween(stateOf(), stateOf(moved)), [
    { kind: 'neighbour', subject: 'eth1', setting: 'lldp', was: 'r2 eth7', is: 'r9 eth3' },
  ]);
  assert.deepEqual(changesBetween(stateOf(), stateOf({ neighbours: [] })), []);
  assert.deepEqual(changesBetween(stateOf(), stateOf({ adjacencies: [] })), [
    { kind: 'neighbour', subject: 'eth1', setting: 'isis', was: '0000.0000.0002' },
  ]);
  const full = [{ ...stateOf().ospf![0]!, neighbours: [{ routerId: '192.0.2.9', address: '', state: 'Full' }] }];
  assert.deepEqual(changesBetween(stateOf(), stateOf({ ospf: full })), [
    { kind: 'neighbour', subject: 'eth2', setting: 'ospf', is: '192.0.2.9' },
  ]);
});

test('forwarding: of the node as one change, of an interface, and rules that choose a table', () => {
  const row = (ifname: string, more: object = {}) => ({ ifname, ipv4: true, reversePath: 'off', ...more });
  const forwarding = (more: object = {}) =>
    stateOf({
      forwarding: { ipv4: true, ipv6: true, interfaces: [row('eth1'), row('eth2')], policyRules: [], ...more },
    });
  const off = [row('eth1', { ipv4: false }), row('eth2', { ipv4: false })];
  assert.deepEqual(changesBetween(forwarding(), forwarding({ ipv4: false, interfaces: off })), [
    { kind: 'forwarding', subject: 'node', setting: 'ipv4', was: 'on', is: 'off' },
  ]);
  const odd = [row('eth1', { ipv4: false, srv6Hmac: true }), row('eth2', { reversePath: 'strict', ipv6Off: true })];
  assert.deepEqual(
    changesBetween(forwarding(), forwarding({ interfaces: odd })).map(({ subject, setting, was, is }) =>
      [subject, setting, was, is].join(' '),
    ),
    [
      'eth1 ipv4 as the node off',
      'eth1 srv6-hmac not required required',
      'eth2 reverse-path off strict',
      'eth2 ipv6 on off',
    ],
  );
  const policyRules = [
    { family: 'ipv4', priority: 100, action: 'table', table: 77, from: '192.0.2.0/24', iif: 'eth1' },
  ];
  const rule = { kind: 'policy-rule', subject: 'ipv4 100' };
  assert.deepEqual(changesBetween(forwarding(), forwarding({ policyRules })), [
    { ...rule, is: 'from 192.0.2.0/24 iif eth1 table 77' },
  ]);
  assert.deepEqual(changesBetween(forwarding({ policyRules }), forwarding({ policyRules: undefined })), []);
  assert.deepEqual(changesBetween(forwarding({ policyRules }), stateOf()), []);
});

/** Folds states, a sample every two seconds, and gives all that changed on the way. */
function changesThrough(states: readonly NodeState[], everyMs = 2_000) {
  let known = firstKnown(settingsOf(states[0]!));
  return states.slice(1).flatMap((state) => {
    const compared = compareSettings(known, settingsOf(state), everyMs);
    known = compared.known;
    return compared.differences.map(({ change }) => change);
  });
}

/** FRR is stopped, its daemons answer without a configuration, and are as before a while later. */
function restartOfFrr(after: object): readonly NodeState[] {
  const young = (upMs: number) => ['zebra', 'isisd', 'bgpd', 'ospfd', 'staticd'].map((name) => daemon(name, upMs));
  const nothing = { isis: undefined, bgp: undefined, ospf: undefined, staticRoutes: [], adjacencies: [] };
  const halfRead = {
    ...nothing,
    bgp: bgpOf([peer('198.18.0.1', { policies: [], remoteAs: 65_002, state: 'Idle' })], []),
  };
  const kept = { staticRoutes: [VIA] };
  const forming = { ...kept, ...after, adjacencies: [] };
  return [
    stateOf(kept),
    stateOf({ ...nothing, daemons: young(LONG_UP_MS).map(({ name }) => daemon(name, 0, false)) }),
    stateOf({ ...nothing, daemons: [] }),
    stateOf({ ...nothing, daemons: young(500) }),
    stateOf({ ...halfRead, daemons: young(2_500) }),
    stateOf({ ...forming, daemons: young(20_000) }),
    stateOf({ ...kept, ...after, daemons: young(61_000) }),
  ];
}

test('a restart of FRR changes no setting: what comes back as it was has not changed', () => {
  const changes = changesThrough(restartOfFrr({}));
  assert.deepEqual([...new Set(changes.map(({ kind }) => kind))], ['daemon']);
  assert.deepEqual(
    changes.filter(({ subject }) => subject === 'bgpd').map(({ was, is }) => [was, is]),
    [
      ['running', 'not answering'],
      ['not answering', undefined],
      [undefined, 'running'],
    ],
  );
});

test('what was changed while FRR restarted is one change from the last value before', () => {
  const sessions = [peer('198.18.0.1', { remoteAs: 65_009 }), peer('198.18.0.3')];
  const bgp = bgpOf(sessions, ['198.18.0.1', '198.18.0.3']);
  const changes = changesThrough(restartOfFrr({ bgp, isis: { ...stateOf().isis!, circuits: [] } }));
  assert.deepEqual(
    changes.filter(({ kind }) => kind !== 'daemon'),
    [
      { kind: 'session', subject: '198.18.0.1', setting: 'remote-as', was: '65001', is: '65009' },
      { kind: 'metric', subject: 'eth1', setting: 'isis', was: '10' },
    ],
  );
});

test('an interface that was shut and comes back with its addresses changed twice, in one setting', () => {
  const shut = [port('eth1', { adminUp: false, operUp: false, addresses: [] }), port('eth2', { addresses: [] })];
  assert.deepEqual(changesThrough([stateOf(), stateOf({ neighbours: [] }, shut), stateOf()]), [
    { kind: 'admin', subject: 'eth1', was: 'up', is: 'shut' },
    { kind: 'admin', subject: 'eth1', was: 'shut', is: 'up' },
  ]);
});

test('what a daemon says in its first seconds is not known, so that the rest is no change when it is', () => {
  const young = stateOf({ daemons: [daemon('isisd', 3_000)], isis: { ...stateOf().isis!, circuits: [] } });
  const known = firstKnown(settingsOf(young));
  assert.equal(
    known.rows.some(({ kind }) => kind === 'metric'),
    false,
  );
  assert.deepEqual(
    changesThrough([young, stateOf({ daemons: [daemon('isisd', 20_000)] })], 17_000).filter(
      ({ kind }) => kind === 'metric',
    ),
    [],
  );
});

test('a daemon that was restarted between two readings is younger than the time between them', () => {
  const known = firstKnown(settingsOf(stateOf()));
  const later = stateOf({ daemons: DAEMONS.map(({ name }) => daemon(name, name === 'bgpd' ? 4_000_000 : 90_000_000)) });
  assert.deepEqual(
    compareSettings(known, settingsOf(later), 86_400_000).differences.map(({ change }) => change),
    [{ kind: 'daemon', subject: 'bgpd', was: 'running', is: 'restarted' }],
  );
});

test('values carry no secret and are bounded', () => {
  const policies = ['password hunter2', 'x'.repeat(1_000)];
  const rows = settingsOf(stateOf({ bgp: bgpOf([peer('198.18.0.1', { policies })], []) })).rows;
  const value = rows.find(({ setting }) => setting === 'policies')!.value;
  assert.equal(value.includes('hunter2'), false);
  assert.equal(value.length <= 256, true);
});

test('settings that cannot be read any more are kept up to a bound', () => {
  const many = Array.from({ length: 1_500 }, (_, index) => ({
    ...VIA,
    prefix: `10.${index >> 8}.${index & 255}.0/24`,
  }));
  const down = [port('eth1', { operUp: false }), port('eth2', { addresses: [] })];
  const compared = compareSettings(
    firstKnown(settingsOf(stateOf({ staticRoutes: many }))),
    settingsOf(stateOf({ neighbours: [] }, down)),
  );
  assert.deepEqual(compared.differences, []);
  assert.equal(compared.known.rows.filter(({ setting }) => setting === 'eth1' || setting === 'lldp').length, 1_024);
  assert.deepEqual([...compared.unmet].sort(), ['read neighbours', 'up eth1']);
});

test('a port that is moved to another bridge is a change; one whose agent did not tell before is none', () => {
  const master = (name: string | undefined) =>
    port('eth1', name === undefined ? {} : { master: { name, kind: 'bridge' } });
  const told = (name?: string, mastersTold?: true) => {
    const state = stateOf({}, [master(name)]);
    return { ...state, inventory: { ...state.inventory, ...(mastersTold === undefined ? {} : { mastersTold }) } };
  };
  const moved = { kind: 'master', subject: 'eth1', was: 'br10', is: 'br20' };
  assert.deepEqual(changesBetween(told('br10', true), told('br20', true)), [moved]);
  assert.deepEqual(changesBetween(told('br10', true), told(undefined, true)), [
    { kind: 'master', subject: 'eth1', was: 'br10' },
  ]);
  assert.deepEqual(changesBetween(told(undefined, true), told('br20', true)), [
    { kind: 'master', subject: 'eth1', is: 'br20' },
  ]);
  assert.deepEqual(changesBetween(told(), told('br20', true)), [], 'it was not told before');
  assert.deepEqual(changesBetween(told('br10', true), told()), [], 'it is not told now');
});

test('of a list that was cut no row is gone, as it may be behind the others now', () => {
  const routes = [{ prefix: '192.0.2.0/24', kind: 'blackhole', protocol: 'static' }];
  const cut = [{ part: 'static-routes', read: 256, of: 301 }];
  assert.equal(changesBetween(stateOf({ staticRoutes: routes }), stateOf()).length, 1);
  assert.deepEqual(changesBetween(stateOf({ staticRoutes: routes }), stateOf({ cut })), []);
  const rule = (index: number, more: object = {}) => ({ ...RULE, handle: index, ruleSha256: `${index}`, ...more });
  const many = Array.from({ length: 513 }, (_, index) => rule(index));
  assert.deepEqual(changesBetween(stateOf({ filters: [rule(600), ...many] }), stateOf({ filters: many })), []);
  // Rules that only accept take no room of those that act.
  const accepting = many.map(({ handle }) => rule(handle, { verdict: 'accept' }));
  const added = changesBetween(stateOf({ filters: accepting }), stateOf({ filters: [...accepting, rule(600)] }));
  assert.deepEqual(
    added.map(({ kind, setting }) => [kind, setting]),
    [['filter', '600']],
  );
});
