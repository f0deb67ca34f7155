// What a rule demands beside fields of the packet: each part is read, or named in nft's own words. The fixture is what `nft -j` 1.0.6 prints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { FilterRule } from '#model/router/router-port.ts';
import { parseFilters } from '#router/drivers/linux-frr/nftables/filters.ts';

const printed = readFileSync(new URL('../../../fixtures/nft-conditions.json.txt', import.meta.url), 'utf8');

function rulesOf(text: string, legacy = {}): readonly FilterRule[] {
  const parsed = parseFilters(text, '', ['eth1', 'eth2'], legacy);
  assert.ok(parsed.ok);
  return parsed.value;
}

/** What is demanded, and what of it is not read. */
function told({ matches = [], unread = [], inInterfaces }: FilterRule): readonly [string, ...string[]] {
  const words = matches.map(
    ({ field, values, negated }) => `${negated === true ? 'not ' : ''}${field} ${values.join(',')}`,
  );
  return [[...inInterfaces.map((ifname) => `in ${ifname}`), ...words].join('; '), ...unread];
}

test('what cannot be told of a packet alone is named, part by part', () => {
  const of = new Map(rulesOf(printed).map((rule) => [rule.handle, rule]));
  const expected: readonly (readonly [number, string, ...string[]])[] = [
    [10, '', 'ct state established,related'],
    [13, '', 'ct state { new, untracked }'],
    [16, '', 'ct mark 16'],
    [17, '', 'ct mark & 255 == 16'],
    [18, '', 'meta mark 5'],
    [19, '', 'meta mark & 240 != 16'],
    [20, '', 'limit rate over 10/second'],
    [21, '', 'limit rate 5 kbytes/minute'],
    [22, '', 'fib saddr . iif oif missing'],
    [24, '', 'fib daddr type { local, broadcast }'],
    [25, '', 'meta iifgroup 5'],
    [26, '', 'meta oifgroup != default'],
    [27, 'protocol tcp', 'tcp flags syn'],
    [28, 'protocol tcp', 'tcp flags & fin,syn,rst,ack == syn'],
    [47, 'network ip', 'ip saddr @blocked'],
    [49, 'network ip', 'ip dscp ef'],
    [52, 'network ip', 'ip ttl < 2'],
    [53, 'protocol tcp', 'tcp option maxseg size 1-500'],
    [55, '', 'ct count over 10'],
    [57, '', 'meta length 1-100'],
    [59, 'protocol tcp; destination-port 80', 'quota over 10 mbytes'],
    [62, 'protocol tcp; destination-port 22', 'add @blocked { ip saddr }'],
  ];
  for (const [handle, ...words] of expected) {
    const rule = of.get(handle)!;
    assert.deepEqual([...told(rule)], words, String(handle));
    assert.equal(rule.matchesRest, true, String(handle));
  }
});

test('sets, timed elements, comparisons and concatenations are read as far as they can be told of single fields', () => {
  const of = new Map(rulesOf(printed).map((rule) => [rule.handle, told(rule)]));
  assert.deepEqual(
    [34, 36, 46, 48, 65].map((handle) => of.get(handle)),
    [
      ['protocol tcp,udp'],
      ['protocol tcp,udp; destination-port 53'],
      ['protocol tcp; destination-port 22,80'],
      ['network ip; source 192.0.2.7'],
      ['protocol tcp; destination-port 1024-65535'],
    ],
  );
  const fields = (source: string, port: string) =>
    `network ip; source ${source}; protocol tcp; destination-port ${port}`;
  assert.deepEqual(of.get(39), [fields('192.0.2.1', '22')]);
  const row = (source: string, port: string) =>
    `network ip . source ${source} . protocol tcp . destination-port ${port}`;
  const pairs = `row ${row('192.0.2.1', '22')},${row('192.0.2.2', '80')}`;
  assert.deepEqual(of.get(37), [`${fields('192.0.2.1,192.0.2.2', '22,80')}; ${pairs}`]);
  // What is none of some rows may have any of their values.
  assert.deepEqual(of.get(41), [
    `network ip; protocol tcp; not row ${row('192.0.2.1', '22')},${row('192.0.2.3', '22')}`,
  ]);
  assert.deepEqual(of.get(43), ['in eth1; in eth2; network ip; source 192.0.2.1']);
});

test('verdict maps with a name are followed as those without one: to verdicts, and to the chains they jump to', () => {
  const rules = rulesOf(printed);
  const of = (handle: number) =>
    rules.filter((rule) => rule.handle === handle).map((rule) => [rule.chain, rule.verdict, ...told(rule)]);
  assert.deepEqual(of(44), [
    ['fw', 'drop', 'protocol tcp; destination-port 23'],
    ['fw', 'other', 'protocol tcp; destination-port 25'],
  ]);
  assert.deepEqual(of(9), [['sub', 'drop', 'protocol tcp; destination-port 24']]);
  assert.deepEqual(of(45), [['fw', 'drop', 'network ip; destination 192.0.2.1; protocol tcp; destination-port 25']]);
  assert.deepEqual(of(15), [
    ['fw', 'drop', '', 'ct state invalid'],
    ['fw', 'accept', '', 'ct state established'],
  ]);
});

const FORWARDING = {
  chain: { family: 'inet', table: 'f', name: 'fw', type: 'filter', hook: 'forward', prio: 0, policy: 'accept' },
};
const chainOf = (name: string) => ({ chain: { family: 'inet', table: 'f', name } });
const ruleOf = (chain: string, handle: number, ...expr: readonly object[]) => ({
  rule: { family: 'inet', table: 'f', chain, handle, expr },
});
const PORT = { payload: { protocol: 'tcp', field: 'dport' } };

function verdictMap(count: number, target: (port: number) => string) {
  const elem = Array.from({ length: count }, (_, port) => [port, { jump: { target: target(port) } }]);
  return { map: { family: 'inet', table: 'f', name: 'm', handle: 5, type: 'inet_service', map: 'verdict', elem } };
}

test('all keys of a verdict map that lead to one chain are one way there, and more of them than are told are named', () => {
  for (const [count, ...words] of [
    [3, 'protocol tcp; destination-port 0,1,2'],
    [2_000, 'protocol tcp', 'tcp dport { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11'],
  ] as const) {
    const rules = Array.from({ length: 40 }, (_, index) => ruleOf('u', 10 + index, { drop: null }));
    const vmap = ruleOf('fw', 2, { vmap: { key: PORT, data: '@m' } });
    const found = rulesOf(
      JSON.stringify({ nftables: [FORWARDING, chainOf('u'), verdictMap(count, () => 'u'), vmap, ...rules] }),
    );
    assert.equal(found.length, 40);
    for (const rule of found)
      assert.deepEqual(
        told(rule).map((said, at) => said.slice(0, words[at]!.length)),
        words,
      );
  }
});

test('of a packet filter with too many ways the first rules are told, and that there are more', () => {
  // Each of 14 chains has two ways to the next.
  const ways = Array.from({ length: 14 }, (_, at) => [
    chainOf(`c${at}`),
    ruleOf(`c${at}`, 10, { match: { op: '==', left: PORT, right: at } }, { jump: { target: `c${at + 1}` } }),
    ruleOf(`c${at}`, 11, { jump: { target: `c${at + 1}` } }),
    ruleOf(`c${at}`, 12, { drop: null }),
  ]).flat();
  const nftables = [FORWARDING, ruleOf('fw', 1, { jump: { target: 'c0' } }), ...ways, ruleOf('fw', 2, { drop: null })];
  const reasons: string[] = [];
  const parsed = parseFilters(JSON.stringify({ nftables }), '', [], {}, (reason) => reasons.push(reason));
  assert.ok(parsed.ok && parsed.value.length > 0 && parsed.value.every(({ chain }) => chain !== 'fw'));
  assert.deepEqual(reasons, ['expected at most 20000 steps through the packet filter, got more']);
});

test('interfaces that a packet must not enter by, more than are told, are named', () => {
  const set = Array.from({ length: 70 }, (_, index) => `eth${index}`);
  const match = { op: '!=', left: { meta: { key: 'iifname' } }, right: { set } };
  const [rule] = rulesOf(JSON.stringify({ nftables: [FORWARDING, ruleOf('fw', 2, { match }, { drop: null })] }));
  assert.deepEqual([rule?.matches, rule?.unread?.[0]?.slice(0, 30)], [[], 'meta iifname != { eth0, eth1, ']);
});

test('a rule about interfaces in words that are not read is about any, and does not vanish', () => {
  const chain = { family: 'inet', table: 'f', name: 'fw', type: 'filter', hook: 'forward', prio: 0, policy: 'accept' };
  const match = { op: '==', left: { meta: { key: 'iifname' } }, right: '@later' };
  const rule = { family: 'inet', table: 'f', chain: 'fw', handle: 2, expr: [{ match }, { drop: null }] };
  const [found] = rulesOf(JSON.stringify({ nftables: [{ chain }, { rule }] }));
  assert.deepEqual([found?.inInterfaces, found?.unread], [[], ['meta iifname @later']]);
});

test('the older filter names its parts as well', () => {
  const saved = [
    '*filter',
    ':FORWARD ACCEPT [0:0]',
    '[1:60] -A FORWARD -p tcp -m conntrack ! --ctstate ESTABLISHED,RELATED -m tcp --dport 22 -j DROP',
    'COMMIT',
  ].join('\n');
  const [rule] = rulesOf('{"nftables":[]}', { ip: saved });
  assert.deepEqual(
    [...told(rule!)],
    ['protocol tcp; protocol tcp; destination-port 22', 'xtables conntrack', 'xtables ! --ctstate ESTABLISHED,RELATED'],
  );
});

const SADDR = { payload: { protocol: 'ip', field: 'saddr' } };
const allow = (handle: number, right: unknown) =>
  ruleOf('fw', handle, { match: { op: '==', left: SADDR, right } }, { accept: null });
const setOf = (name: string, more: object) => ({
  set: { family: 'inet', table: 'f', name, type: 'ipv4_addr', ...more },
});
const listed = (...objects: readonly object[]) => rulesOf(JSON.stringify({ nftables: objects }));

test('a set without elements has none; one that is filled by and by, or that is not listed, is not read', () => {
  const [none, filling, gone, named] = listed(
    FORWARDING,
    setOf('none', {}),
    setOf('filling', { flags: ['dynamic', 'timeout'] }),
    setOf('named', { flags: 'timeout', elem: [{ elem: { val: '192.0.2.7', timeout: 9 } }] }),
    ...['none', 'filling', 'gone', 'named'].map((name, at) => allow(at + 1, `@${name}`)),
  );
  assert.deepEqual(told(none!), ['network ip; source ']);
  assert.deepEqual(told(filling!), ['network ip', 'ip saddr @filling']);
  assert.deepEqual(told(gone!), ['network ip', 'ip saddr @gone']);
  assert.deepEqual(told(named!), ['network ip; source 192.0.2.7']);
  assert.deepEqual(
    [none, filling, gone, named].map((rule) => rule?.changing),
    [undefined, true, undefined, true],
  );
});

test('rules that leave a chain and the policy of a base chain are told in their place', () => {
  const dropping = { chain: { ...FORWARDING.chain, policy: 'drop' } };
  const rules = listed(
    dropping,
    chainOf('user'),
    ruleOf('fw', 1, { match: { op: '==', left: PORT, right: 25 } }, { return: null }),
    ruleOf('fw', 2, { match: { op: '==', left: PORT, right: 80 } }, { goto: { target: 'user' } }),
    allow(3, '192.0.2.1'),
    ruleOf('user', 4, { accept: null }),
  );
  assert.deepEqual(
    rules.map(({ handle, path, verdict, ends }) => [handle, path.join(), verdict, ends]),
    [
      [1, 'fw', 'other', 'return'],
      [4, 'fw,user', 'accept', undefined],
      [2, 'fw', 'other', 'return'],
      [3, 'fw', 'accept', undefined],
      [0, 'fw', 'other', 'drop'],
    ],
  );
});

const port = (key: 'iifname' | 'oifname', right: string) => ({ match: { op: '==', left: { meta: { key } }, right } });
const jump = { jump: { target: 'u' } };

test('a chain that two rules jump to is met where the first does, unless another rule decides before the second', () => {
  const waysOf = (...rules: readonly object[]) =>
    listed(FORWARDING, chainOf('u'), ...rules, ruleOf('u', 9, { accept: null }))
      .filter(({ handle }) => handle === 9)
      .map(({ inInterfaces, outInterfaces, ways }) => [inInterfaces, outInterfaces, ways]);
  const [one, two] = [ruleOf('fw', 1, port('iifname', 'eth1'), jump), ruleOf('fw', 3, port('iifname', 'eth2'), jump)];
  const both = [['eth1', 'eth2'], []];
  assert.deepEqual(waysOf(one, two), [[...both, undefined]]);
  assert.deepEqual(waysOf(one, ruleOf('fw', 2, { drop: null }), two), [[...both, true]]);
  assert.deepEqual(waysOf(one, ruleOf('fw', 2, { drop: null }), ruleOf('fw', 3, port('iifname', 'eth1'), jump)), [
    [['eth1'], [], undefined],
  ]);
  // From the one port to the one, and from the other to the other: not from each to each.
  const pairs = ['eth1', 'eth2'].map((name, at) =>
    ruleOf('fw', at + 1, port('iifname', name), port('oifname', name), jump),
  );
  assert.deepEqual(waysOf(...pairs), [[['eth1', 'eth2'], ['eth1', 'eth2'], true]]);
});

test('chains that jump in a circle, which the kernel refuses, end', () => {
  const rules = listed(
    FORWARDING,
    ...['u', 'v'].map(chainOf),
    ruleOf('fw', 1, jump),
    ruleOf('u', 2, { jump: { target: 'v' } }),
    ruleOf('v', 3, jump),
    ruleOf('v', 4, { drop: null }),
  );
  assert.deepEqual(
    rules.map(({ path, handle }) => [path.join(), handle]),
    [['fw,u,v', 4]],
  );
});

test('what hands packets to a program, or decides by a map that is not listed, may end there', () => {
  const target = (name: string) => ({ xt: { type: 'target', name } });
  const rules = listed(
    FORWARDING,
    { map: { family: 'inet', table: 'f', name: 'filling', type: 'ipv4_addr', map: 'verdict', flags: ['dynamic'] } },
    ruleOf('fw', 1, { match: { op: '==', left: PORT, right: 80 } }, { queue: { num: 0 } }),
    ruleOf('fw', 2, { vmap: { key: SADDR, data: '@filling' } }),
    ruleOf('fw', 3, target('NFQUEUE')),
    ruleOf('fw', 4, target('TCPMSS')),
    ruleOf('fw', 5, target('REJECT')),
  );
  assert.deepEqual(
    rules.map(({ handle, verdict, ends, matches, unread = [] }) => [handle, verdict, ends, matches?.length, ...unread]),
    [
      [1, 'other', 'unknown', 2],
      [2, 'other', 'unknown', 0, 'vmap'],
      [3, 'other', 'unknown', 0, 'xtables NFQUEUE'],
      [4, 'other', undefined, 0],
      [5, 'reject', undefined, 0],
    ],
  );
});

test('addresses that targets of xtables write are told as far as their names go', () => {
  const written = (name: string) =>
    listed(FORWARDING, ruleOf('fw', 1, { xt: { type: 'target', name } })).flatMap(({ rewrites }) => rewrites);
  assert.deepEqual(['MASQUERADE', 'DNAT', 'NETMAP'].map(written), [
    ['source = not told'],
    ['destination = not told'],
    ['source = not told', 'destination = not told'],
  ]);
});
