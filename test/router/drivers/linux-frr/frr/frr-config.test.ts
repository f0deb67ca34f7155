// FRR's running configuration without secrets, and what is drawn from it and from its JSON.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { redactText } from '#model/redaction.ts';
import { bgpStateOf, parseBfd, parseBgpPrefix } from '#router/drivers/linux-frr/frr/daemons-json.ts';
import { parseBgpConfig, parseIsisConfig } from '#router/drivers/linux-frr/frr/frr-config.ts';
import {
  parseKernelTables,
  parseNeighbourTable,
  parseStaticRoutes,
} from '#router/drivers/linux-frr/kernel/kernel-tables.ts';
import { createEventHistory } from '#router/drivers/linux-frr/memory/event-history.ts';
import { parseRoutes } from '#router/drivers/linux-frr/routing-table/route.ts';

const ISIS = `Current configuration:
!
interface eth1
 ip router isis core
 ipv6 router isis core
 isis circuit-type level-2-only
 isis hello-interval 1
 isis network point-to-point
 isis password md5 <redacted>
exit
!
interface lo
 ip router isis core
 isis passive
exit
!
router isis core
 is-type level-2-only
 net 49.0001.0000.0000.0001.00
 area-password clear <redacted>
 domain-password md5 <redacted>
exit
!
end
`;

test('passwords and keys never leave the helper', () => {
  const secret = [
    'interface eth1\n isis password md5 s3cret',
    ' isis password clear s3cret two',
    ' area-password md5 s3cret',
    ' domain-password clear s3cret',
    ' neighbor 192.0.2.1 password s3cret',
    ' ip ospf authentication-key s3cret',
    ' ip ospf message-digest-key 1 md5 s3cret',
    'password s3cret',
    'enable password s3cret',
    ' key-string s3cret',
  ].join('\n');
  const kept = redactText(secret);
  assert.doesNotMatch(kept, /s3cret/);
  assert.match(kept, /isis password md5 <redacted>/);
  assert.match(kept, /neighbor 192\.0\.2\.1 password <redacted>/);
});

test('circuits, level, areas and whether passwords are set', () => {
  assert.deepEqual(parseIsisConfig(ISIS), {
    tag: 'core',
    systemId: '0000.0000.0001',
    areas: ['49.0001'],
    level: '2',
    areaPassword: 'clear',
    domainPassword: 'md5',
    metricStyle: 'wide',
    circuits: [
      {
        ifname: 'eth1',
        level: '2',
        network: 'point-to-point',
        passive: false,
        password: 'md5',
        ipv4: true,
        ipv6: true,
        helloSeconds: 1,
      },
      { ifname: 'lo', level: '2', network: 'broadcast', passive: true, password: 'none', ipv4: true, ipv6: false },
    ],
  });
  assert.equal(parseIsisConfig('interface eth1\n ip address 198.18.0.1/31\n'), undefined);
});

test('own AS, networks, shutdowns and policies of BGP', () => {
  const text =
    'router bgp 65001\n neighbor 198.18.1.1 remote-as 65002\n neighbor 198.18.1.1 shutdown\n !\n address-family ipv4 unicast\n  network 198.19.1.0/24\n  neighbor 198.18.1.1 route-map RM out\n exit-address-family\nexit\n';
  const bgp = parseBgpConfig(text)!;
  assert.equal(bgp.asn, 65_001);
  assert.deepEqual(bgp.networks, ['198.19.1.0/24']);
  assert.deepEqual(bgp.neighbour('198.18.1.1'), {
    shutdown: true,
    password: false,
    policies: ['route-map RM out'],
  });
  assert.equal(bgp.unlisted, false);
});

test('what a peer group has is what its members have, unless they say otherwise', () => {
  const text = [
    'router bgp 65001',
    ' neighbor CORE peer-group',
    ' neighbor CORE remote-as 65001',
    ' neighbor CORE update-source lo',
    ' neighbor CORE password <redacted>',
    ' neighbor CORE ttl-security hops 5',
    ' neighbor 198.18.255.2 peer-group CORE',
    ' neighbor 198.18.255.2 ttl-security hops 2',
    ' neighbor eth3 interface peer-group CORE',
    ' neighbor 198.18.3.1 remote-as 65003',
    ' neighbor 198.18.3.1 ebgp-multihop',
    ' neighbor 198.18.3.1 passive',
    ' neighbor 198.18.3.1 local-role customer strict-mode',
    ' bgp listen range 198.18.128.0/24 peer-group CORE',
    'exit',
  ].join('\n');
  const bgp = parseBgpConfig(text)!;
  const group = { shutdown: false, password: true, policies: [], updateSource: 'lo' };
  assert.deepEqual(bgp.neighbour('198.18.255.2'), { ...group, ttlSecurityHops: 2 });
  assert.deepEqual(bgp.neighbour('eth3'), { ...group, ttlSecurityHops: 5 });
  assert.deepEqual(bgp.neighbour('198.18.3.1'), {
    ...{ shutdown: false, password: false, policies: [] },
    ...{ multihop: 255, passive: true, role: 'customer', roleDemanded: true },
  });
  assert.equal(bgp.unlisted, true);
  assert.equal(parseBgpConfig('router bgp 65001\nexit\nrouter bgp 65001 vrf red\nexit\n')!.unlisted, true);
});

test('that an external peer is on a link is checked unless the peer, its group or the router says otherwise', () => {
  const of = (...lines: readonly string[]) =>
    parseBgpConfig(['router bgp 65001', ...lines, 'exit'].join('\n'))!.neighbour('198.18.255.2').unconnected;
  const member = ' neighbor 198.18.255.2 peer-group EDGE';
  assert.equal(of(' neighbor 198.18.255.2 remote-as 65002'), undefined);
  assert.equal(of(' neighbor 198.18.255.2 disable-connected-check'), true);
  assert.equal(of(member, ' neighbor EDGE disable-connected-check'), true);
  assert.equal(of(' bgp disable-ebgp-connected-route-check', member), true);
  assert.equal(of(' neighbor 198.18.255.3 disable-connected-check'), undefined);
});

const bgpOf = (rows: Readonly<Record<string, JsonObject>>) =>
  bgpStateOf(parseBgpConfig('router bgp 65001\n')!, { rows: new Map(Object.entries(rows)) }, []);

test('a session without an activated family has none, and one without a connection no address of its own', () => {
  const row = { bgpState: 'Idle', addressFamilyInfo: {}, hostLocal: 'Unknown' };
  const [found] = bgpOf({ '198.18.1.1': row }).sessions;
  assert.deepEqual(found!.families, []);
  assert.equal(found!.localAddress, undefined);
});

test('sessions, own prefixes and BFD from JSON; malformed text gives nothing', () => {
  const row = {
    remoteAs: 65_002,
    localAs: 65_001,
    bgpState: 'Idle',
    lastErrorCodeSubcode: '0202',
    lastNotificationReason: 'OPEN Message Error/Bad Peer AS',
  };
  const bgp = bgpOf({ '198.18.1.1': row });
  assert.deepEqual(bgp.sessions[0], {
    peer: '198.18.1.1',
    remoteAs: 65_002,
    localAs: 65_001,
    state: 'Idle',
    established: 0,
    dropped: 0,
    lastError: '0202',
    notification: 'OPEN Message Error/Bad Peer AS',
    shutdown: false,
    password: false,
    policies: [],
  });
  assert.equal(parseBgpConfig('!'), undefined);
  assert.deepEqual(
    parseBgpPrefix(
      '198.19.1.0/24',
      '{"prefix":"198.19.1.0/24","version":7,"advertisedTo":{"198.18.1.1":{}},"paths":[{"sourced":true}]}',
    ),
    { prefix: '198.19.1.0/24', originated: true, version: 7, advertisedTo: ['198.18.1.1'] },
  );
  const learned = '{"prefix":"198.19.1.0/24","version":7,"paths":[{"valid":true}]}';
  assert.deepEqual(parseBgpPrefix('198.19.1.0/24', learned), {
    ...{ prefix: '198.19.1.0/24', originated: false, advertisedTo: [] },
  });
  assert.equal(parseBgpPrefix('198.19.1.0/24', '% Network not in table'), undefined);
  assert.deepEqual(
    parseBfd(
      '[{"peer":"198.18.1.1","interface":"eth1","status":"down","diagnostic":"control detection time expired","remote-diagnostic":"ok"}]',
    ),
    [
      {
        peer: '198.18.1.1',
        status: 'down',
        diagnostic: 'control detection time expired',
        remoteDiagnostic: 'ok',
        ifname: 'eth1',
      },
    ],
  );
  assert.deepEqual(parseBfd('nonsense'), []);
});

/** Of the two default routes, which are no rows of a table. */
const LOOKUPS = [
  '[{"dst":"default","gateway":"198.18.2.0","dev":"eth1","protocol":"ospf","metric":20,"flags":[]}]',
  '[{"dst":"4000::1","from":"::","gateway":"fe80::1","dev":"eth1","protocol":"ospf","metric":20,"flags":[]}]',
];

test('a route is of the configuration where the kernel lists it as of FRR’s static routes, whatever name it prints', () => {
  const list = (...prefixes: readonly string[]) =>
    JSON.stringify(prefixes.map((dst) => ({ type: 'blackhole', dst, protocol: 'static', flags: [] })));
  const family = (...lists: readonly string[]) => [...lists, ...Array(6 - lists.length).fill('[]')];
  const found = (lists: readonly string[]) =>
    parseKernelTables([...lists, ...LOOKUPS, ''].join('\n')).staticRoutes.map(
      ({ prefix, protocol }) => `${prefix} ${protocol}`,
    );
  const [own, four, hand] = ['198.51.100.128/26', '198.51.100.64/26', '198.51.100.0/24'];
  const first = family(list(hand, four, own), '[]', '[]', list(own), list(four), list(hand));
  const each = [`${hand} boot`, `${four} 4`, `${own} static`];
  assert.deepEqual(found([...first, ...family(), '[]']), each);
  assert.equal(found([...first, ...family()]).length, 3, 'a list is missing, and no route is lost');
});

test('routes of one prefix that differ in interface, metric or table are each listed', () => {
  const row = { dst: '198.19.3.0/24', gateway: '198.18.1.2', dev: 'eth1', flags: [] };
  const rows = [row, { ...row, metric: 50 }, { ...row, table: '100' }, { ...row, dev: 'eth2' }, row];
  assert.deepEqual(
    parseStaticRoutes(rows).map(({ ifname, metric, table }) => [ifname, metric, table]),
    [
      ['eth1', undefined, undefined],
      ['eth1', 50, undefined],
      ['eth1', undefined, '100'],
      ['eth2', undefined, undefined],
    ],
  );
});

test('hand-set routes and the neighbour table out of one batch', () => {
  const rows = [
    { type: 'blackhole', dst: '198.19.3.0/24', protocol: 'static' },
    { dst: '198.19.77.0/24', gateway: '198.18.1.1', dev: 'eth1' },
    { dst: 'fd00:5a:1::e', encap: 'seg6local', action: 'End' },
    { dst: 'fd00:c:3::/64', encap: 'seg6', segs: ['fd00:5a:2::e'], dev: 'sr0' },
    { dst: '198.18.1.1', dev: 'eth1', lladdr: '02:00:00:00:00:01', state: ['PERMANENT'] },
  ];
  assert.deepEqual(
    parseStaticRoutes(rows).map(({ prefix, kind, nextHop, segments }) => [prefix, kind, nextHop, segments]),
    [
      ['198.19.3.0/24', 'blackhole', undefined, undefined],
      ['198.19.77.0/24', 'unicast', '198.18.1.1', undefined],
      ['fd00:c:3::/64', 'unicast', undefined, ['fd00:5a:2::e']],
    ],
  );
  assert.deepEqual(parseNeighbourTable(rows), [
    { address: '198.18.1.1', ifname: 'eth1', state: 'PERMANENT', mac: '02:00:00:00:00:01' },
  ]);
});

test('of more routes and neighbours than a state holds it has those first that throw packets away or were set by hand, and says that there are more', () => {
  const route = (index: number, more = {}) => ({
    dst: `198.18.${index >> 8}.${index & 255}`,
    dev: 'eth1',
    flags: [],
    ...more,
  });
  const routes = [...Array.from({ length: 300 }, (_, index) => route(index)), route(999, { type: 'blackhole' })];
  const row = (index: number, state: string) => ({ ...route(index), lladdr: '02:00:00:00:00:01', state: [state] });
  const rows = [...Array.from({ length: 600 }, (_, index) => row(index, 'REACHABLE')), row(999, 'PERMANENT')];
  const lists = [routes, ...Array(11).fill([]), rows].map((list) => JSON.stringify(list));
  const { staticRoutes, neighbourTable, cut } = parseKernelTables([...lists, ...LOOKUPS, ''].join('\n'));
  assert.deepEqual(
    [staticRoutes.length, staticRoutes[0]?.kind, staticRoutes[1]?.prefix],
    [256, 'blackhole', '198.18.0.0/32'],
  );
  assert.deepEqual([neighbourTable.length, neighbourTable[0]?.state], [512, 'PERMANENT']);
  assert.deepEqual(cut, [
    { part: 'static-routes', read: 256, of: 301 },
    { part: 'neighbour-entries', read: 512, of: 601 },
  ]);
  assert.deepEqual(parseKernelTables([...lists.map(() => '[]'), ...LOOKUPS, ''].join('\n')).cut, []);
});

test('many lookups in one batch: what failed is told by its line', () => {
  const stdout =
    '[{"dst":"198.19.2.0/24","gateway":"198.18.1.1","dev":"eth1","protocol":"bgp"}]\n[{"type":"local","dst":"198.19.1.1","dev":"lan0"}]\n';
  const stderr =
    'RTNETLINK answers: Invalid argument\nCommand failed -:2\nRTNETLINK answers: Network is unreachable\nCommand failed -:3\n';
  assert.deepEqual(
    parseRoutes(['198.19.2.1', '198.19.3.1', '203.0.113.1', '198.19.1.1'], stdout, stderr).map(
      ({ answer: { kind, ifname, matched } }) => [kind, ifname, matched],
    ),
    [
      ['unicast', 'eth1', '198.19.2.0/24'],
      ['blackhole', undefined, undefined],
      ['none', undefined, undefined],
      ['local', 'lan0', '198.19.1.1'],
    ],
  );
});

test('the ring remembers what changed and when, and forgets after a quarter of an hour', () => {
  const ring = createEventHistory();
  const sample = (changes: number, up: boolean) => ({
    carriers: new Map([['eth1', { changes, up }]]),
    adjacencies: new Map([['eth1 0000.0000.0002', up]]),
    sessions: undefined,
    heard: new Map([['eth1', { name: 'r2', port: 'eth1' }]]),
  });
  ring.add(sample(2, true), 0);
  ring.add(sample(3, false), 2_000);
  ring.add(sample(6, true), 4_000);
  assert.deepEqual(ring.history(10_000).events, [
    { agoMs: 8_000, kind: 'carrier', subject: 'eth1', up: false, changes: 1 },
    { agoMs: 8_000, kind: 'adjacency', subject: 'eth1 0000.0000.0002', up: false, changes: 1 },
    { agoMs: 6_000, kind: 'carrier', subject: 'eth1', up: true, changes: 3 },
    { agoMs: 6_000, kind: 'adjacency', subject: 'eth1 0000.0000.0002', up: true, changes: 1 },
  ]);
  assert.deepEqual(ring.history(10_000).lastHeard, [{ ifname: 'eth1', name: 'r2', port: 'eth1' }]);
  ring.add(sample(6, true), 1_000_000);
  assert.deepEqual(ring.history(1_000_000).events, []);
});

test('named routing policies are told with their statements, descriptions aside', () => {
  const text = [
    'ip prefix-list ANYCAST description what all see',
    'ip prefix-list ANYCAST seq 5 permit 198.51.100.0/24',
    'ipv6 prefix-list ANYCAST seq 5 permit 2001:db8::/32',
    'bgp as-path access-list NEAR seq 5 permit ^65001$',
    'bgp community-list standard SITE seq 5 permit 65001:1',
    'route-map ADVERTISE permit 10',
    ' description what all see',
    ' match ip address prefix-list ANYCAST',
    ' set local-preference 200',
    'exit',
    'route-map ADVERTISE deny 30',
    'exit',
    'router bgp 65001',
    ' neighbor 198.18.1.1 remote-as 65101',
    ' address-family ipv4 unicast',
    '  neighbor 198.18.1.1 route-map ADVERTISE out',
    ' exit-address-family',
    'exit',
  ].join('\n');
  assert.deepEqual(
    parseBgpConfig(text)?.policies?.map(({ name, content }) => [name, content]),
    [
      ['prefix-list ANYCAST', '5 permit 198.51.100.0/24; 5 permit 2001:db8::/32'],
      ['as-path access-list NEAR', '5 permit ^65001$'],
      ['community-list SITE', '5 permit 65001:1'],
      ['route-map ADVERTISE', 'permit 10 (match ip address prefix-list ANYCAST, set local-preference 200); deny 30'],
    ],
  );
  const listOf = (last: string, entries = 40) =>
    parseBgpConfig(
      [
        'router bgp 1',
        ...Array.from({ length: entries }, (_, at) => `ip prefix-list L seq ${at} permit 198.18.${at & 255}.0/24`),
        last,
      ].join('\n'),
    )!.policies![0]!;
  const last = 'ip prefix-list L seq 9999 deny any';
  const [one, other] = [last, 'ip prefix-list L seq 9999 permit any'].map((each) => listOf(each).content);
  assert.equal(one!.length, 256);
  assert.notEqual(one, other, 'they differ behind what is kept of the words');
  assert.match(one!, /… #[0-9a-f]{8}$/);
  assert.match(listOf(last).whole!, /; 9999 deny any$/);
  assert.equal(listOf(last, 4_000).whole, undefined, 'longer than a state holds');
  const both = [
    'ip prefix-list L seq 5 deny any',
    'ipv6 prefix-list L seq 5 permit any',
    'ip prefix-list M seq 5 deny any',
  ];
  assert.deepEqual(
    parseBgpConfig(['router bgp 1', ...both].join('\n'))?.policies?.map(({ content }) => content),
    ['5 deny 0.0.0.0/0 le 32; 5 permit ::/0 le 128', '5 deny any'],
    'where both families have the name, the entry says whose an any is',
  );
  const many = Array.from({ length: 129 }, (_, at) => `ip prefix-list L${at} seq 5 permit any`);
  assert.equal(parseBgpConfig(['router bgp 1', ...many].join('\n'))?.policies, undefined, 'none rather than some');
});
