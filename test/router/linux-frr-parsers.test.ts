// Parsers of the linux-frr driver over outputs recorded on Debian 12 (iproute2 6.1.0, nft 1.0.6, FRR 8.4.4, lldpd 1.0.16).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { FilterRule } from '#model/router/router-port.ts';
import { parseAdjacencies, parseHostnames } from '#router/drivers/linux-frr/frr/adjacencies.ts';
import { loopbacksOf, parseInterfaces } from '#router/drivers/linux-frr/kernel/interfaces.ts';
import { refusalKind, rowsOf } from '#router/drivers/linux-frr/kernel/ip-command.ts';
import { listsOfBatch, withLookupTables } from '#router/drivers/linux-frr/kernel/kernel-read.ts';
import { parseSnmp6 } from '#router/drivers/linux-frr/kernel/node-counters.ts';
import { parseSids } from '#router/drivers/linux-frr/kernel/sids.ts';
import { parseLocalTlvs, parseNeighbours } from '#router/drivers/linux-frr/lldp-neighbours.ts';
import { parseFilters, parseNetdevDevices } from '#router/drivers/linux-frr/nftables/filters.ts';
import { parseRoute } from '#router/drivers/linux-frr/routing-table/route.ts';

const recorded = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

const NETDEV_CHAINS =
  'table netdev edge {\n\tchain out {\n\t\ttype filter hook egress device "eth1" priority filter; policy accept;\n\t}\n}\n';

function filters(): readonly FilterRule[] {
  const parsed = parseFilters(recorded('nft-ruleset.json.txt'), NETDEV_CHAINS, ['lo', 'sr0', 'eth1', 'eth2']);
  assert.ok(parsed.ok);
  return parsed.value;
}

test('interfaces come with kind, addresses, carrier changes and counters as decimal strings [TS-15]', () => {
  const interfaces = parseInterfaces(rowsOf(recorded('ip-addr.json.txt')), { eth2: ['tso', 'gso'] });
  assert.deepEqual(
    interfaces.map(({ name, kind }) => [name, kind]),
    [
      ['lo', 'loopback'],
      ['sr0', 'bridge'],
      ['eth1', 'physical'],
      ['eth2', 'physical'],
    ],
  );
  const eth2 = interfaces[3]!;
  assert.deepEqual(
    [eth2.adminUp, eth2.operUp, eth2.mtu, eth2.mac, eth2.carrierChanges],
    [true, true, 9000, 'ce:8c:32:c1:39:88', 2],
  );
  assert.deepEqual(eth2.addresses, ['fd00:23::2/64', 'fe80::cc8c:32ff:fec1:3988/64']);
  assert.deepEqual(eth2.offloads, ['tso', 'gso']);
  assert.deepEqual(eth2.counters, {
    rxPackets: '149',
    txPackets: '199',
    rxBytes: '372833',
    txBytes: '393344',
    rxErrors: '0',
    txErrors: '0',
    rxDropped: '0',
    txDropped: '0',
  });
  assert.deepEqual(loopbacksOf(interfaces), ['fd00:0:0:2::1']);
});

test('SIDs come with behaviour, table and their own counters; other routes are left out [TS-15]', () => {
  const sids = parseSids(rowsOf(withLookupTables(recorded('ip-sids.json.txt'))));
  assert.deepEqual(
    sids.map(({ sid, behavior, table }) => [sid, behavior, table]),
    [
      ['fd00:5a:3::e', 'End', undefined],
      ['fd00:5a:3::d6', 'End.DT6', 'main'],
      ['fd00:5a:3::d7', 'End.DT6', 'local'],
      ['fd00:5a:3::d8', 'End.DT6', '100'],
      ['fd00:5a:3::d9', 'End.DX6', undefined],
    ],
  );
  assert.deepEqual(sids[1], {
    sid: 'fd00:5a:3::d6',
    behavior: 'End.DT6',
    table: 'main',
    ifname: 'sr0',
    packets: '30',
    bytes: '5180',
    errors: '0',
  });
});

test('a batch of route lists is read line by line, and a SID that two lists name is one', () => {
  const row = '{"dst":"fd00:5a:1::e","encap":"seg6local","action":"End","dev":"sr0"}';
  assert.equal(parseSids(listsOfBatch(`[${row}]\n[]\n[${row}]\n`).flat()).length, 1);
});

test('a rule of a user chain knows path, hook, interfaces, name, comment and counter [TS-18]', () => {
  const rule = filters().find(({ comment }) => comment === 'acl 2001 rule 10');
  assert.deepEqual(rule, {
    family: 'ip6',
    table: 'filter',
    chain: 'acl-2001',
    path: ['post', 'acl-2001'],
    hook: 'postrouting',
    handle: 5,
    verdict: 'drop',
    ruleSha256: 'f7cc8fbf15f4283e8f0c961c801eb7b81d848f2680472466d8d4ec778a6cd3bc',
    outInterfaces: ['eth1', 'eth7'],
    inInterfaces: [],
    packets: '0',
    bytes: '0',
    comment: 'acl 2001 rule 10',
    acl: 'acl-2001',
    matches: [
      { field: 'network', values: ['ip6'] },
      { field: 'destination', values: ['fd00:5a:2::/48'] },
      { field: 'sample', values: ['20/100'] },
    ],
    matchesRest: false,
  });
});

/** One rule in a forward chain, as `nft -j` prints it. */
function ruleOf(...expr: readonly object[]): FilterRule | undefined {
  const chain = { family: 'inet', table: 'f', name: 'fw', type: 'filter', hook: 'forward', prio: 0, policy: 'accept' };
  const set = {
    family: 'inet',
    table: 'f',
    name: 'nets',
    elem: ['2001:db8::1', { prefix: { addr: 'fd00::', len: 16 } }],
  };
  const rule = { family: 'inet', table: 'f', chain: 'fw', handle: 2, expr: [...expr, { drop: null }] };
  const parsed = parseFilters(JSON.stringify({ nftables: [{ chain }, { set }, { rule }] }), '', ['eth1', 'eth2']);
  return parsed.ok ? parsed.value[0] : undefined;
}
const match = (left: object, right: unknown, op = '==') => ({ match: { op, left, right } });
const payload = (protocol: string, field: string) => ({ payload: { protocol, field } });
const COUNTED = { counter: { packets: 5, bytes: 1 } };

for (const [words, expr, matches, rest] of [
  ['nothing', [], [], false],
  ['tcp dport 22', [match(payload('tcp', 'dport'), 22)], ['protocol tcp', 'destination-port 22'], false],
  [
    'udp sport != { 53, 100-200 }',
    [match(payload('udp', 'sport'), { set: [53, { range: [100, 200] }] }, '!=')],
    ['protocol udp', 'not source-port 53,100-200'],
    false,
  ],
  ['meta nfproto ipv4', [match({ meta: { key: 'nfproto' } }, 'ipv4')], ['network ip'], false],
  ['oifname != "eth1"', [match({ meta: { key: 'oifname' } }, 'eth1', '!=')], ['not out eth1'], false],
  ['meta l4proto 58', [match({ meta: { key: 'l4proto' } }, 58)], ['protocol ipv6-icmp'], false],
  ['ip6 nexthdr 43', [match(payload('ip6', 'nexthdr'), 43)], ['network ip6', 'next-header ipv6-route'], false],
  [
    'ip6 saddr @nets',
    [match(payload('ip6', 'saddr'), '@nets')],
    ['network ip6', 'source 2001:db8::1,fd00::/16'],
    false,
  ],
  ['exthdr rt missing', [match({ exthdr: { name: 'rt' } }, false)], ['not extension rt'], false],
  [
    'numgen random mod 100 < 5',
    [match({ numgen: { mode: 'random', mod: 100, offset: 0 } }, 5, '<')],
    ['sample 5/100'],
    false,
  ],
  [
    'icmpv6 type echo-request',
    [match(payload('icmpv6', 'type'), 'echo-request')],
    ['protocol ipv6-icmp', 'icmp-type echo-request'],
    false,
  ],
  ['icmp code frag-needed', [match(payload('icmp', 'code'), 'frag-needed')], ['protocol icmp'], true],
  ['@ll,112,16 0xfefe', [match({ payload: { base: 'll', offset: 112, len: 16 } }, 65_278)], ['llc 65278'], false],
  ['@nh,0,8 5', [match({ payload: { base: 'nh', offset: 0, len: 8 } }, 5)], [], true],
  ['tcp dport ssh', [match(payload('tcp', 'dport'), 'ssh')], ['protocol tcp'], true],
  ['meta length > 1400', [match({ meta: { key: 'length' } }, 1400, '>')], [], true],
  ['ct state invalid', [match({ ct: { key: 'state' } }, 'invalid', 'in')], [], true],
  ['rt seg-left 1', [match({ exthdr: { name: 'rt', field: 'seg-left' } }, 1)], ['extension rt'], true],
  ['limit rate over', [{ limit: { rate: 10, burst: 5, per: 'second', inv: true } }], [], true],
] as const) {
  test(`says what a rule demands of a packet: ${words}`, () => {
    const rule = ruleOf(...expr, COUNTED);
    const said = rule?.matches?.map(
      ({ field, values, negated }) => `${negated === true ? 'not ' : ''}${field} ${values.join(',')}`,
    );
    assert.deepEqual([said, rule?.matchesRest, rule?.packets], [matches, rest, '5']);
  });
}

test('what the callers of a chain demand is demanded of its rules, and the keys of verdict maps are', () => {
  const chain = (name: string, more: object = {}) => ({ chain: { family: 'inet', table: 'f', name, ...more } });
  const rule = (name: string, handle: number, ...expr: readonly object[]) => ({
    rule: { family: 'inet', table: 'f', chain: name, handle, expr },
  });
  const tcp = match(payload('tcp', 'dport'), 22);
  const nftables = [
    chain('fw', { hook: 'forward' }),
    chain('a'),
    chain('b'),
    rule('fw', 1, tcp, { jump: { target: 'a' } }),
    rule('a', 2, COUNTED, { drop: null }),
    rule('fw', 3, match({ meta: { key: 'iifname' } }, 'eth1'), tcp, { jump: { target: 'b' } }),
    rule('fw', 4, { jump: { target: 'b' } }),
    rule('b', 5, COUNTED, { drop: null }),
    rule('fw', 6, { vmap: { key: payload('tcp', 'dport'), data: { set: [[23, { drop: null }]] } } }),
  ];
  const parsed = parseFilters(JSON.stringify({ nftables }), '', ['eth1']);
  assert.ok(parsed.ok);
  assert.deepEqual(
    parsed.value.map(({ handle, matches, matchesRest, inInterfaces }) => [
      handle,
      matches?.map(({ field, values }) => `${field} ${values}`),
      matchesRest,
      inInterfaces,
    ]),
    [
      [2, ['protocol tcp', 'destination-port 22'], false, []],
      [5, [], true, []],
      [6, ['protocol tcp', 'destination-port 23'], false, []],
    ],
  );
});

test('a counter that stands before a match counts what passes too, and is no drop counter', () => {
  assert.equal(ruleOf(COUNTED, match(payload('tcp', 'dport'), 22))?.packets, undefined);
});

test('named counters, wildcards, verdict maps, nested jumps and netdev devices are followed', () => {
  const of = (chain: string, handle: number) =>
    filters().find((rule) => rule.chain === chain && rule.handle === handle);
  assert.deepEqual([of('acl-2001', 6)?.packets, of('acl-2001', 6)?.verdict], ['0', 'drop']);
  assert.deepEqual(of('post', 11)?.outInterfaces, ['eth1', 'eth2']);
  assert.deepEqual([of('forwarding', 13)?.verdict, of('forwarding', 13)?.outInterfaces], ['reject', ['eth1']]);
  assert.deepEqual(of('forwarding', 14)?.outInterfaces, []);
  assert.deepEqual([of('out', 2)?.hook, of('out', 2)?.outInterfaces], ['egress', ['eth1']]);
  assert.deepEqual(
    [of('in3', 7)?.path, of('in3', 7)?.inInterfaces, of('in3', 7)?.acl],
    [['vm', 'in2', 'in3'], ['eth1'], 'in3'],
  );
  assert.deepEqual([of('vm', 11)?.verdict, of('vm', 11)?.inInterfaces], ['drop', ['eth8']]);
  assert.deepEqual([of('in1', 8)?.verdict, of('in1', 8)?.packets], ['drop', undefined]);
});

test('chains that jump in a circle end, and text that is not of nft is bad', () => {
  const rule = (chain: string, target: string) => ({
    rule: { family: 'ip6', table: 't', chain, handle: 1, expr: [{ jump: { target } }] },
  });
  const chain = (name: string, hook?: string) => ({
    chain: { family: 'ip6', table: 't', name, ...(hook === undefined ? {} : { hook }) },
  });
  const circle = {
    nftables: [chain('base', 'forward'), chain('a'), chain('b'), rule('base', 'a'), rule('a', 'b'), rule('b', 'a')],
  };
  assert.deepEqual(parseFilters(JSON.stringify(circle), '', []), { ok: true, value: [] });
  assert.equal(parseFilters('Error: syntax', '', []).ok, false);
});

test('netdev devices are read from one device and from a list', () => {
  const text =
    'table netdev t {\n\tchain a {\n\t\ttype filter hook ingress devices = { "eth1", "eth2" } priority filter;\n\t}\n}\n';
  assert.deepEqual([...parseNetdevDevices(text)], [['t/a', ['eth1', 'eth2']]]);
});

test('adjacencies of the interface tree carry the host name of the text table [TS-15]', () => {
  const hostnames = parseHostnames(recorded('isis-hostnames.txt'));
  assert.deepEqual(
    [...hostnames],
    [
      ['0000.0000.0003', 'pe3'],
      ['0000.0000.0001', 'pe1'],
      ['0000.0000.0002', 'p2'],
    ],
  );
  const parsed = parseAdjacencies(recorded('isis-interfaces.json.txt'), hostnames);
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value, [
    {
      protocol: 'isis',
      ifname: 'eth1',
      systemId: '0000.0000.0001',
      hostname: 'pe1',
      level: 2,
      state: 'up',
      holdSeconds: 3,
    },
    {
      protocol: 'isis',
      ifname: 'eth2',
      systemId: '0000.0000.0003',
      hostname: 'pe3',
      level: 2,
      state: 'up',
      holdSeconds: 3,
    },
  ]);
  assert.equal(parseAdjacencies('% Unknown command', hostnames).ok, false);
});

test('LLDP neighbours carry their unknown TLVs as plain hex [CARD-2]', () => {
  const parsed = parseNeighbours(recorded('lldp-neighbours.json.txt'));
  assert.ok(parsed.ok);
  assert.deepEqual(
    parsed.value.map(({ ifname, systemName, portId }) => [ifname, systemName, portId]),
    [
      ['eth1', 'pe1', 'eth1'],
      ['eth2', 'pe3', 'eth1'],
    ],
  );
  assert.deepEqual(parsed.value[0]?.unknownTlvs, [{ oui: '024e41', subtype: 8, hex: '0c' }]);
  const local = parseLocalTlvs(recorded('lldp-interfaces.json.txt'));
  assert.ok(local.ok && local.value[0]?.ifname === 'eth1' && local.value[0].tlvs.length > 0);
  assert.equal(parseNeighbours('{}').ok, false);
});

test('a neighbour that sends nonsense stays a neighbour without TLVs', () => {
  const row = {
    name: 'eth1',
    via: 'LLDP',
    'unknown-tlvs': [{ 'unknown-tlv': [{ oui: '02,50', subtype: '1', value: 'ZZ' }, 'x', { oui: 7 }] }],
  };
  const parsed = parseNeighbours(JSON.stringify({ lldp: [{ interface: [row] }] }));
  assert.deepEqual(parsed, { ok: true, value: [{ ifname: 'eth1', chassisId: '', portId: '', unknownTlvs: [] }] });
});

test('node counters keep their RFC 4293 names', () => {
  const counters = parseSnmp6(recorded('snmp6.txt'));
  assert.match(counters['Ip6InReceives']!, /^\d+$/);
  assert.ok('Ip6OutTransmits' in counters && 'Udp6RcvbufErrors' in counters);
});

test('a route is read from the configured route and the chosen next hop', () => {
  const matched = {
    dst: 'fd00:c:3::/64',
    encap: 'seg6',
    mode: 'encap',
    segs: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
    dev: 'sr0',
  };
  assert.deepEqual(parseRoute('fd00:c:3::1', matched, matched), {
    destination: 'fd00:c:3::1',
    kind: 'unicast',
    ifname: 'sr0',
    segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
  });
  assert.deepEqual(
    ['Invalid argument', 'No route to host', 'Network is unreachable', 'Permission denied'].map((said) =>
      refusalKind(`RTNETLINK answers: ${said}`),
    ),
    ['blackhole', 'unreachable', 'none', undefined],
  );
});

test('a port tells which bridge, bond or VRF it belongs to, and an interface of its own nothing', () => {
  // `ip -j -s -s -d addr` of iproute2 6.1 with a veth in a bridge, shortened; the kinds are those that the kernel prints.
  const row = (kind: string | undefined, master = 'br0') => ({
    ...{
      ifindex: 4,
      link: 'far1',
      ifname: 'eth1',
      flags: ['BROADCAST', 'MULTICAST'],
      mtu: 1500,
      qdisc: 'noop',
      master,
    },
    ...{ operstate: 'DOWN', group: 'default', link_type: 'ether', address: '06:cd:d4:42:8c:1f', promiscuity: 1 },
    linkinfo: {
      info_kind: 'veth',
      ...(kind === undefined ? {} : { info_slave_kind: kind, info_slave_data: { state: 'disabled', priority: 32 } }),
    },
    addr_info: [],
  });
  assert.deepEqual(
    parseInterfaces(['bridge', 'bond', 'vrf', 'team', undefined].map((kind) => row(kind))).map(
      ({ master }) => master?.kind,
    ),
    ['bridge', 'bond', 'vrf', 'other', 'other'],
  );
  const { master: _, ...single } = row(undefined);
  assert.deepEqual(
    parseInterfaces([row('bridge'), single]).map(({ master }) => master?.name),
    ['br0', undefined],
  );
});
