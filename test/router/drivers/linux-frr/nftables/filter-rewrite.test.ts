// Rules of nftables that write into packets, as `nft -j` of version 1.0.6 printed them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDestinationOf, newSourceOf } from '#model/router/filter-rewrites.ts';
import { parseFilters } from '#router/drivers/linux-frr/nftables/filters.ts';

const mangle = (protocol: string, field: string, value: string | number) => ({
  mangle: { key: { payload: { protocol, field } }, value },
});
const where = (protocol: string, field: string, right: string) => ({
  match: { op: '==', left: { payload: { protocol, field } }, right },
});
const rule = (table: string, chain: string, handle: number, ...expr: readonly object[]) => ({
  rule: { family: table === 'qos' ? 'netdev' : 'inet', table, chain, handle, expr },
});
const RULESET = JSON.stringify({
  nftables: [
    {
      chain: { family: 'inet', table: 'filter', name: 'forward', handle: 1, type: 'filter', hook: 'forward', prio: 0 },
    },
    rule(
      ...(['filter', 'forward', 2] as const),
      { match: { op: '==', left: { meta: { key: 'l4proto' } }, right: 'tcp' } },
      { match: { op: '<', left: { numgen: { mode: 'random', mod: 100, offset: 0 } }, right: 5 } },
      { counter: { packets: 7, bytes: 700 } },
      mangle('tcp', 'checksum', 57_005),
    ),
    { chain: { family: 'netdev', table: 'qos', name: 'out', handle: 1, type: 'filter', hook: 'egress', prio: 0 } },
    rule(
      'qos',
      'out',
      2,
      where('ip', 'dscp', 'ef'),
      { counter: { packets: 0, bytes: 0 } },
      mangle('ip', 'dscp', 'cs0'),
    ),
    rule('qos', 'out', 3, where('ip', 'daddr', '203.0.113.7'), mangle('ip', 'dscp', 'ef')),
    rule('qos', 'out', 4, where('ip', 'daddr', '203.0.113.8'), { drop: null }),
  ],
});
const CHAINS =
  'table netdev qos {\n\tchain out {\n\t\ttype filter hook egress device "eth1" priority filter; policy accept;\n\t}\n}\n';

test('says what a rule writes, also without a counter, and the old value that it demands', () => {
  const parsed = parseFilters(RULESET, CHAINS, ['eth1']);
  assert.deepEqual(
    parsed.ok &&
      parsed.value.map(({ hook, verdict, outInterfaces, rewrites }) => [hook, verdict, outInterfaces, rewrites]),
    [
      ['forward', 'other', [], ['tcp checksum = 57005']],
      ['egress', 'other', ['eth1'], ['ip dscp ef = cs0']],
      ['egress', 'other', ['eth1'], ['ip dscp = ef']],
      ['egress', 'drop', ['eth1'], undefined],
    ],
  );
});

test('a rule that sends packets elsewhere says where, and what it takes', () => {
  const dns = { match: { op: '==', left: { payload: { protocol: 'udp', field: 'dport' } }, right: 53 } };
  const nat = (handle: number, statement: object) => ({
    rule: { family: 'ip', table: 'nat', chain: 'pre', handle, expr: [dns, statement] },
  });
  const chain = { family: 'ip', table: 'nat', name: 'pre', handle: 1, type: 'nat', hook: 'prerouting', prio: -100 };
  const rules = [
    nat(2, { dnat: { addr: '192.0.2.1' } }),
    nat(3, { dnat: { family: 'ip', addr: '192.0.2.1', port: 5_353 } }),
    nat(4, { redirect: { port: 5_353 } }),
    nat(5, { dnat: { addr: { map: { key: 'x', data: [] } } } }),
  ];
  const read = parseFilters(JSON.stringify({ nftables: [{ chain }, ...rules] }), '', ['eth1']);
  assert.ok(read.ok);
  assert.deepEqual(
    read.value.map((each) => [each.hook, each.verdict, each.matchesRest, each.rewrites, newDestinationOf(each)]),
    [
      ['prerouting', 'other', false, ['destination = 192.0.2.1'], { address: '192.0.2.1' }],
      ['prerouting', 'other', false, ['destination = 192.0.2.1:5353'], { address: '192.0.2.1', port: 5_353 }],
      ['prerouting', 'other', false, ['destination = own:5353'], { address: 'own', port: 5_353 }],
      ['prerouting', 'other', false, ['destination = another'], { address: 'another' }],
    ],
  );
  assert.equal(newDestinationOf({ rewrites: ['ip dscp ef = cs0'] }), undefined);
});

test('a rule that writes another source says which, and what it takes', () => {
  const hosts = { prefix: { addr: '198.19.0.0', len: 16 } };
  const inside = { match: { op: '==', left: { payload: { protocol: 'ip', field: 'saddr' } }, right: hosts } };
  const out = { match: { op: '==', left: { meta: { key: 'oifname' } }, right: 'eth1' } };
  const nat = (handle: number, statement: object) => ({
    rule: { family: 'ip', table: 'nat', chain: 'post', handle, expr: [out, inside, statement] },
  });
  const chain = { family: 'ip', table: 'nat', name: 'post', handle: 1, type: 'nat', hook: 'postrouting', prio: 100 };
  const rules = [
    nat(2, { snat: { addr: '203.0.113.5' } }),
    nat(3, { snat: { addr: { range: ['203.0.113.5', '203.0.113.9'] } } }),
    nat(4, { masquerade: null }),
    nat(5, { snat: { addr: { map: { key: 'x', data: [] } } } }),
  ];
  const read = parseFilters(JSON.stringify({ nftables: [{ chain }, ...rules] }), '', ['eth1']);
  assert.ok(read.ok);
  assert.deepEqual(
    read.value.map((each) => [each.hook, each.outInterfaces, each.matchesRest, each.rewrites, newSourceOf(each)]),
    [
      ['postrouting', ['eth1'], false, ['source = 203.0.113.5'], '203.0.113.5'],
      ['postrouting', ['eth1'], false, ['source = 203.0.113.5-203.0.113.9'], '203.0.113.5'],
      ['postrouting', ['eth1'], false, ['source = own'], undefined],
      ['postrouting', ['eth1'], false, ['source = another'], undefined],
    ],
  );
});

test('a rule that limits the segments of TCP says to which size, where nft tells it', () => {
  const SYN = { match: { op: 'in', left: { payload: { protocol: 'tcp', field: 'flags' } }, right: 'syn' } };
  const to = { match: { op: '==', left: { meta: { key: 'oifname' } }, right: 'vx7' } };
  const size = (value: unknown) => ({ mangle: { key: { 'tcp option': { name: 'maxseg', field: 'size' } }, value } });
  const forward = { family: 'inet', table: 'm', name: 'f', handle: 1, type: 'filter', hook: 'forward', prio: -150 };
  const ruleset = [
    { chain: forward },
    rule('m', 'f', 2, to, SYN, size(1_340)),
    rule('m', 'f', 3, to, SYN, size({ rt: { key: 'mtu' } })),
    rule('m', 'f', 4, to, SYN, { counter: { packets: 1, bytes: 60 } }, { xt: { type: 'target', name: 'TCPMSS' } }),
    rule('m', 'f', 5, { mangle: { key: { 'tcp option': { name: 'window', field: 'count' } }, value: 1 } }),
  ];
  const parsed = parseFilters(JSON.stringify({ nftables: ruleset }), '', ['vx7']);
  assert.deepEqual(
    parsed.ok &&
      parsed.value.map(({ verdict, outInterfaces, rewrites, unread }) => [verdict, outInterfaces, rewrites, unread]),
    [
      ['other', ['vx7'], ['tcp option maxseg size = 1340'], ['tcp flags syn']],
      ['other', ['vx7'], ['tcp option maxseg size = rt mtu'], ['tcp flags syn']],
      ['other', ['vx7'], ['tcp option maxseg size = not told'], ['tcp flags syn']],
      ['other', [], undefined, undefined],
    ],
  );
});

test('a rule of a chain that no base chain leads to is none, whatever it writes', () => {
  const size = { mangle: { key: { 'tcp option': { name: 'maxseg', field: 'size' } }, value: 1_340 } };
  const forward = { family: 'inet', table: 'm', name: 'f', handle: 1, type: 'filter', hook: 'forward', prio: -150 };
  const chains = [{ chain: forward }, { chain: { family: 'inet', table: 'm', name: 'clamp', handle: 2 } }];
  const read = (...more: readonly object[]) =>
    parseFilters(JSON.stringify({ nftables: [...chains, rule('m', 'clamp', 3, size), ...more] }), '', []);
  const pathsOf = (parsed: ReturnType<typeof read>) => parsed.ok && parsed.value.map(({ path }) => path);
  assert.deepEqual(pathsOf(read(rule('m', 'f', 4, { jump: { target: 'clamp' } }))), [['f', 'clamp']]);
  assert.deepEqual(pathsOf(read()), []);
});
