// What chains of rules do to the first packet of a connection that is forwarded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '#correlate/packet-filter/chain-walk.ts';
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterMatch, FilterRule } from '#model/router/router-port.ts';

const PORTS = { in: ['eth2'], out: ['eth1'] };
const packetFrom = (source: string): Packet => ({
  ...{ network: 'ip', protocol: 'tcp', sourcePort: 40_001, destinationPort: 80 },
  ...{ sources: [source], destinations: ['198.51.100.1'] },
});
const PACKET = packetFrom('198.19.2.10');

function rule(verdict: FilterRule['verdict'], more: Partial<FilterRule> = {}): FilterRule {
  return {
    ...{ family: 'inet', table: 'fw', chain: 'f', path: ['f'], hook: 'forward', handle: 1, verdict },
    ...{ outInterfaces: [], inInterfaces: [], matches: [], matchesRest: false },
    ...more,
  };
}
const from = (...values: readonly string[]): FilterMatch[] => [{ field: 'source', values }];
const unread = (...words: readonly string[]) => ({ matchesRest: true, unread: words });
const POLICY = rule('other', { ends: 'drop', handle: 0 });
const kindOf = (rules: readonly FilterRule[], packet = PACKET, ports: Parameters<typeof decide>[2] = PORTS) =>
  decide(rules, packet, ports).kind;

test('the first rule that takes a packet decides, and without one the policy does', () => {
  const inside = (...networks: readonly string[]) => [
    rule('accept', unread('ct state established,related')),
    rule('accept', { inInterfaces: ['eth2'], matches: from(...networks) }),
    rule('other', { packets: '5' }),
    POLICY,
  ];
  assert.equal(kindOf(inside('198.19.1.0/24', '198.19.2.0/24')), 'pass');
  assert.equal(kindOf(inside('198.19.1.0-198.19.2.255')), 'pass');
  assert.equal(kindOf(inside('198.19.1.0/24', '198.18.0.0/16')), 'drop');
  assert.equal(kindOf(inside()), 'drop', 'a set without elements');
  assert.equal(kindOf(inside('198.19.2.0/24'), PACKET, { in: ['eth3'], out: ['eth1'] }), 'drop');
  assert.equal(kindOf([rule('drop', { matches: from('198.19.2.0/24') }), rule('accept')]), 'drop');
  assert.equal(kindOf([rule('accept'), rule('drop')]), 'pass');
  assert.equal(kindOf([]), 'pass');
});

test('every base chain has to let a packet go on, whatever its hook; what is for the node itself is none of them', () => {
  const other = { table: 'other', chain: 'p', path: ['p'], hook: 'prerouting' };
  assert.equal(kindOf([rule('accept'), rule('drop', other)]), 'drop');
  assert.equal(kindOf([rule('drop', { hook: 'input' }), rule('drop', { family: 'arp' })]), 'pass');
  assert.equal(kindOf([rule('drop', { family: 'ip6' })]), 'pass');
});

test('a rule that leaves a chain spares the rest of it, and not the chain that called it', () => {
  const user = { chain: 'u', path: ['f', 'u'] };
  const leaving = rule('other', { ...user, ends: 'return', matches: from('198.19.2.0/24') });
  assert.equal(kindOf([leaving, rule('drop', user), rule('accept')]), 'pass');
  assert.equal(kindOf([leaving, rule('accept', user), POLICY]), 'drop');
  assert.equal(kindOf([leaving, rule('drop', user), rule('accept')], packetFrom('198.19.1.10')), 'drop');
});

test('the first packet of a connection is new, in the words of either filter', () => {
  const state = (...words: readonly string[]) => kindOf([rule('accept', unread(...words)), POLICY]);
  assert.equal(state('ct state new'), 'pass');
  assert.equal(state('ct state { new, established }'), 'pass');
  assert.equal(state('ct state != invalid'), 'pass');
  assert.equal(state('ct state != new'), 'drop');
  assert.equal(state('xtables conntrack', 'xtables --ctstate RELATED,ESTABLISHED'), 'drop');
  assert.equal(kindOf([rule('drop', unread('ct state invalid')), rule('accept')]), 'pass');
});

test('rows of several fields are read whole, and spare what has only some of a row', () => {
  const rows = (...values: readonly string[]): FilterMatch[] => [{ field: 'row', values }];
  const permit = (...values: readonly string[]) => kindOf([rule('accept', { matches: rows(...values) }), POLICY]);
  const row = (source: string, port: number, ifname = 'eth2') =>
    `in ${ifname} . network ip . source ${source} . protocol tcp . destination-port ${port}`;
  assert.equal(permit(row('198.19.1.0/24', 80), row('198.19.2.0/24', 80)), 'pass');
  assert.equal(permit(row('198.19.1.0/24', 80), row('198.19.2.0/24', 22)), 'drop');
  assert.equal(permit(row('198.19.2.0/24', 80, 'eth9')), 'drop');
  const but: FilterMatch[] = [{ field: 'row', values: [row('198.19.2.0/24', 80)], negated: true }];
  assert.equal(kindOf([rule('drop', { matches: but }), rule('accept')]), 'pass');
});

test('a set that could not be read decides, unless an earlier rule does; a rate or a mark only makes it unsure', () => {
  const set = rule('accept', unread('ip saddr @inside'));
  const many = rule('drop', unread('ip saddr { 192.0.2.1, 192.0.2.2, 192.0.2…'));
  assert.equal(kindOf([set, POLICY]), 'unread');
  assert.equal(kindOf([many, rule('accept')]), 'unread');
  assert.equal(kindOf([rule('accept', { matches: from('198.19.2.0/24') }), set, POLICY]), 'pass');
  assert.equal(kindOf([set]), 'pass', 'all goes on either way');
  assert.equal(kindOf([rule('drop', unread('limit rate over 10/second')), rule('accept')]), 'unsure');
  assert.equal(kindOf([rule('accept', unread('meta mark 5')), POLICY]), 'unsure');
  assert.equal(kindOf([rule('drop', { ...unread('ip saddr @filling'), changing: true }), rule('accept')]), 'unsure');
  assert.equal(kindOf([rule('accept', { ...unread('ip saddr @filling'), changing: true }), POLICY]), 'unread');
  assert.equal(kindOf([rule('other', { ...unread('vmap'), ends: 'unknown' }), POLICY]), 'unread');
  const one = decide([many, rule('accept')], PACKET, PORTS);
  assert.equal(one.kind === 'unread' && one.rule.unread?.length, 1);
});

test('a rule that leaves a base chain comes to its policy, of nftables and of the older filter', () => {
  const leaving = rule('other', { ends: 'return', matches: from('198.19.2.0/24') });
  const older = rule('drop', { table: 'legacy filter', handle: 0 });
  assert.equal(kindOf([leaving, rule('accept'), POLICY]), 'drop');
  assert.equal(kindOf([leaving, rule('accept'), older]), 'drop');
  assert.equal(kindOf([leaving, rule('drop'), rule('accept')]), 'pass', 'a policy that accepts');
  assert.equal(kindOf([rule('other', { ends: 'return', ...unread('meta mark 5') }), rule('accept'), POLICY]), 'unsure');
});

test('accepted at one priority and dropped at the next is dropped, and one that may be dropped there is not sure', () => {
  const next = (verdict: FilterRule['verdict'], more: Partial<FilterRule> = {}) =>
    rule(verdict, { chain: 'later', path: ['later'], ...more });
  assert.equal(kindOf([rule('accept'), rule('drop'), next('drop', { matches: from('198.19.2.0/24') })]), 'drop');
  assert.equal(kindOf([rule('accept'), rule('drop'), next('drop', unread('limit rate over 10/second'))]), 'unsure');
  assert.equal(kindOf([rule('accept'), rule('drop'), next('drop', unread('ip saddr @blocked'))]), 'unread');
});

test('the match of states alone, as iptables-nft names it, lets nothing through for sure', () => {
  const accept = (...words: readonly string[]) => kindOf([rule('accept', unread(...words)), POLICY]);
  assert.equal(accept('xtables conntrack'), 'unsure');
  assert.equal(accept('xtables conntrack', 'xtables ! --ctstate ESTABLISHED,RELATED'), 'pass');
  assert.equal(accept('xtables conntrack', 'xtables --ctorigsrc 192.0.2.1'), 'unsure');
  assert.equal(accept('ct state & established,related == 0'), 'unsure');
  assert.equal(accept(), 'unsure', 'more than is told, and no word of it');
});

test('a set that was not read decides also behind a rule that depends on something else; a set of marks is no set of networks', () => {
  const rate = rule('accept', unread('limit rate 10/second'));
  assert.equal(kindOf([rate, rule('accept', unread('ip saddr @inside')), POLICY]), 'unread');
  assert.equal(
    kindOf([rate, rule('accept', unread('xtables set', 'xtables --match-set inside src')), POLICY]),
    'unread',
  );
  assert.equal(kindOf([rule('accept', unread('ip dscp { cs0, af11 }')), POLICY]), 'unsure');
});

test('what a program of the node decides is not known, and stops no rule before it', () => {
  const queue = rule('other', { ends: 'unknown' });
  assert.equal(kindOf([queue, rule('accept')]), 'unsure');
  assert.equal(kindOf([rule('accept', { matches: from('198.19.2.0/24') }), queue]), 'pass');
  assert.equal(kindOf([rule('drop'), queue]), 'drop');
});

test('a rule with a demand that is not read, or that may act at another place, takes a packet perhaps', () => {
  const { matches: _, ...without } = rule('accept', { matchesRest: false });
  assert.equal(kindOf([without, POLICY]), 'unsure');
  assert.equal(kindOf([rule('accept', { ways: true }), POLICY]), 'unsure');
  assert.equal(kindOf([rule('accept', { ways: true, matches: from('192.0.2.1') }), POLICY]), 'drop');
});

test('tables of one family say nothing of packets of the other; rules of bridges and of devices are in their own chains', () => {
  const six: Packet = { ...PACKET, network: 'ip6', sources: ['2001:db8:2::10'], destinations: ['2001:db8:1::1'] };
  for (const [family, four, other] of [
    ['ip', 'drop', 'pass'],
    ['ip6', 'pass', 'drop'],
    ['inet', 'drop', 'drop'],
    ['bridge', 'pass', 'pass'],
    ['netdev', 'drop', 'drop'],
  ] as const) {
    const rules = [rule('drop', { family, hook: family === 'netdev' ? 'ingress' : 'forward' })];
    assert.deepEqual([kindOf(rules), kindOf(rules, six)], [four, other], family);
  }
  assert.equal(kindOf([rule('accept', { matches: from('2001:db8:2::/64') }), POLICY], six), 'pass');
  assert.equal(kindOf([rule('accept', { matches: from('198.19.2.0/24') }), POLICY], six), 'drop');
});

test('of chains with more rules or values than are followed it is not known what they do, unless an earlier rule decides', () => {
  const many = (count: number) => Array.from({ length: count }, () => rule('accept', { matches: from('192.0.2.1') }));
  assert.equal(kindOf([...many(1_023), POLICY]), 'drop');
  assert.equal(kindOf([...many(1_024), POLICY]), 'unread');
  assert.equal(kindOf([rule('accept', { matches: from('198.19.2.0/24') }), ...many(2_000), POLICY]), 'pass');
  const wide = Array.from({ length: 64 }, (_, at) => `198.18.${at}.0/24`);
  const of = (count: number) => Array.from({ length: count }, () => rule('accept', { matches: from(...wide) }));
  assert.deepEqual([kindOf([...of(128), POLICY]), kindOf([...of(129), POLICY])], ['drop', 'unread']);
});

test('each rule costs a step, and each value that is looked at; without steps left it is not known what a chain does', () => {
  const cost = (...rules: readonly FilterRule[]) => {
    const steps = { left: 100_000 };
    return [decide(rules, PACKET, PORTS, steps).kind, 100_000 - steps.left];
  };
  const row = (at: number) => `source 192.0.2.${at} . protocol tcp . destination-port ${at + 1}`;
  const rows = rule('accept', { matches: [{ field: 'row', values: Array.from({ length: 60 }, (_, at) => row(at)) }] });
  assert.deepEqual(cost(rows, POLICY), ['drop', 182]);
  const returns = Array.from({ length: 1_000 }, (_, at) =>
    rule('other', { ends: 'return', handle: at + 1, chain: `x${at}`, path: ['f', `x${at}`] }),
  );
  assert.deepEqual(cost(...returns, POLICY), ['drop', 1_001]);
  assert.equal(decide([rows, POLICY], PACKET, PORTS, { left: 150 }).kind, 'unread');
  assert.equal(decide([rule('drop')], PACKET, PORTS, { left: 0 }).kind, 'unread');
});
