// What a rule is against is told by the packets that it can take, not by its words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterFacts } from '#correlate/observe/observe-node.ts';
import { kindOf } from '#correlate/packet-filter/filter-kinds.ts';
import { mayTake, taking, wordsOf } from '#model/router/packet-match.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';

const rule = (family: string, ...matches: readonly FilterMatch[]) => ({ family, matches });
const is = (field: FilterMatch['field'], ...values: readonly string[]): FilterMatch => ({ field, values });
const not = (field: FilterMatch['field'], ...values: readonly string[]): FilterMatch => ({
  field,
  values,
  negated: true,
});

for (const [words, each, kind] of [
  ['tcp dport 179', rule('inet', is('protocol', 'tcp'), is('destination-port', '179')), 'bgp'],
  ['tcp sport 179', rule('inet', is('protocol', 'tcp'), is('source-port', '179')), 'bgp'],
  ['ip protocol 89', rule('inet', is('network', 'ip'), is('protocol', 'ospf')), 'ospf'],
  ['ip6 nexthdr 89', rule('inet', is('network', 'ip6'), is('next-header', 'ospf')), 'ospf'],
  ['@ll,112,16 0xfefe', rule('netdev', is('llc', '65278')), 'isis'],
  ['udp dport 3784', rule('inet', is('protocol', 'udp'), is('destination-port', '3784')), 'bfd'],
  ['everything of ARP', rule('arp'), 'arp'],
  ['ip protocol icmp', rule('inet', is('network', 'ip'), is('protocol', 'icmp')), 'echo'],
  ['icmp type echo-request', rule('ip', is('protocol', 'icmp'), is('icmp-type', 'echo-request')), 'echo'],
  [
    'icmpv6 type packet-too-big',
    rule('inet', is('protocol', 'ipv6-icmp'), is('icmp-type', 'packet-too-big')),
    'too-large',
  ],
  ['tcp dport 80', rule('inet', is('protocol', 'tcp'), is('destination-port', '80')), 'http'],
  ['th dport 53', rule('inet', is('protocol', 'tcp', 'udp'), is('destination-port', '53')), 'dns'],
  ['tcp dport 23', rule('inet', is('protocol', 'tcp'), is('destination-port', '23')), undefined],
  ['tcp dport 1-1024', rule('inet', is('protocol', 'tcp'), is('destination-port', '1-1024')), undefined],
  ['ip daddr 198.19.3.0/24', rule('inet', is('network', 'ip'), is('destination', '198.19.3.0/24')), undefined],
  ['tcp dport != 80', rule('inet', is('protocol', 'tcp'), not('destination-port', '80')), undefined],
  ['everything', rule('inet'), undefined],
] as const) {
  test(`a rule for ${words} is against ${kind ?? 'no single service'}`, () => assert.equal(kindOf(each), kind));
}

test('a table sees the packets of its family only', () => {
  const packet = { network: 'ip6', protocol: 'udp' } as const;
  assert.deepEqual(
    ['ip', 'ip6', 'inet', 'arp', 'bridge', 'netdev'].map((family) => mayTake({ family }, packet)),
    [false, true, true, false, false, true],
  );
});

test('an address that is not known may be any, one that is known decides', () => {
  const one = rule('inet', is('network', 'ip'), is('destination', '198.19.3.0/24'));
  assert.equal(mayTake(one, { network: 'ip', protocol: 'udp' }), true);
  assert.equal(mayTake(one, { network: 'ip', protocol: 'udp', destinations: ['198.19.3.10'] }), true);
  assert.equal(mayTake(one, { network: 'ip', protocol: 'udp', destinations: ['198.19.4.10'] }), false);
});

test('a rule takes a packet for sure only where all its words are read, and the packet is known as far', () => {
  const packet = { network: 'ip', protocol: 'udp', destinations: ['198.19.3.10'], destinationPort: 53 } as const;
  const taken = (matches: readonly FilterMatch[] | undefined, matchesRest?: boolean) =>
    taking(
      { family: 'inet', ...(matches && { matches }), ...(matchesRest === undefined ? {} : { matchesRest }) },
      packet,
    );
  const dns = [is('protocol', 'udp'), is('destination-port', '53')];
  assert.deepEqual(
    [taken(dns, false), taken(dns, true), taken(dns), taken(undefined)],
    [...['yes', 'unknown', 'unknown', 'unknown']],
  );
  assert.equal(taken([is('protocol', 'tcp')], true), 'no', 'what is read excludes it, whatever the rest is');
  for (const match of [is('source', '198.19.1.0/24'), is('source-port', '53'), is('sample', '5/100'), is('in', 'eth1')])
    assert.equal(taken([...dns, match], false), 'unknown', match.field);
  const to = (...values: string[]) => taken([is('destination', ...values)], false);
  assert.deepEqual(
    [to('198.19.3.0-198.19.3.15'), to('198.19.3.11-198.19.3.15'), to('fd00::1-fd00::9')],
    [...['yes', 'no', 'no']],
  );
  assert.equal(to('198.19.9.9', 'a name'), 'unknown');
  assert.equal(taken([not('destination', '198.19.3.10', 'a name')], false), 'no');
  const both = { ...packet, destinations: ['198.19.3.10', '198.19.4.10'] };
  assert.equal(taking({ matches: [is('destination', '198.19.3.0/24')], matchesRest: false }, both), 'unknown');
});

test('a rule is put into words for people', () => {
  const matches = [is('protocol', 'tcp'), not('destination-port', '80', '443')];
  assert.equal(wordsOf({ matches, matchesRest: true }), 'protocol tcp, destination-port not 80 or 443, more');
  assert.equal(wordsOf({ matches: [] }), 'everything');
  const unread = ['ct state new', 'limit rate over 10/second'];
  assert.equal(
    wordsOf({ matches: [is('protocol', 'tcp')], matchesRest: true, unread }),
    'protocol tcp, ct state new, limit rate over 10/second',
  );
});

test('a rule can be removed only as what it said when it was seen, and not where that is unknown [NET-15]', () => {
  const seen = (more: object) => {
    const at = { family: 'inet', table: 'foo', chain: 'input', path: ['input'], hook: 'input', handle: 3 };
    const drop = { ...at, verdict: 'drop', outInterfaces: [], inInterfaces: [], packets: '1', ...more };
    const after = { filters: [drop] } as unknown as NodeState;
    const [fact] = filterFacts('r2', { filters: [] } as unknown as NodeState, after, []);
    return fact?.predicate === 'filter-hits' ? fact.value.places : undefined;
  };
  const ruleSha256 = '7759de0a9abb4af34467f1943bdf68dfe6bd48d5afc4a017e52d38502e0f1a40';
  const place = { family: 'inet', table: 'foo', chain: 'input', handle: 3 };
  assert.deepEqual([seen({ ruleSha256 }), seen({})], [[{ ...place, ruleSha256 }], []]);
});
