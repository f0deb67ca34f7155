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
  assert.deepEqual(of.get(37), [fields('192.0.2.1,192.0.2.2', '22,80'), 'ip saddr . tcp dport @pairs']);
  // What is none of some rows may have any of their values.
  assert.deepEqual(of.get(41), [
    'network ip; protocol tcp',
    'ip saddr . tcp dport != { 192.0.2.1 . 22, 192.0.2.3 . 22 }',
  ]);
  assert.deepEqual(of.get(43), ['in eth1; in eth2; network ip; source 192.0.2.1']);
});

test('verdict maps with a name are followed as those without one: to verdicts, and to the chains they jump to', () => {
  const rules = rulesOf(printed);
  const of = (handle: number) =>
    rules.filter((rule) => rule.handle === handle).map((rule) => [rule.chain, rule.verdict, ...told(rule)]);
  assert.deepEqual(of(44), [['fw', 'drop', 'protocol tcp; destination-port 23']]);
  assert.deepEqual(of(9), [['sub', 'drop', 'protocol tcp; destination-port 24']]);
  assert.deepEqual(of(45), [['fw', 'drop', 'network ip; destination 192.0.2.1; protocol tcp; destination-port 25']]);
  assert.deepEqual(of(15), [
    ['fw', 'drop', '', 'ct state invalid'],
    ['fw', 'accept', '', 'ct state established'],
  ]);
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
