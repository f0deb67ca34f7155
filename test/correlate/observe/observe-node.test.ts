// What one node's own filter rules and drop counters say of a window: only what moved in it, and rules that cannot say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterHits } from '#correlate/engine/facts.ts';
import { filterFacts, nodeErrorFacts } from '#correlate/observe/observe-node.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { ruleOf } from '../filter-scene.ts';
import { is } from '../service-scene.ts';

const stateOf = (filters: readonly FilterRule[], nodeCounters: Readonly<Record<string, string>> = {}) =>
  ({ filters, nodeCounters }) as unknown as NodeState;
const UDP = [is('protocol', 'udp')];
const rule = (handle: number, packets: string, change: Partial<FilterRule> = {}) =>
  ruleOf(UDP, packets, { handle, ...change });

function hits(before: readonly FilterRule[], after: readonly FilterRule[]): readonly FilterHits[] {
  const facts = filterFacts('r2', stateOf(before), stateOf(after), ['s']);
  for (const { subject, predicate, source, window } of facts)
    assert.deepEqual([subject, predicate, source, window], ['node/r2', 'filter-hits', ['s'], 'before..after']);
  return facts.map(({ value }) => value as FilterHits);
}

test('a rule that dropped in the window is told with where it stands and what it demands', () => {
  assert.deepEqual(hits([rule(4, '5')], [rule(4, '12')]), [
    {
      ...{ node: 'r2', acl: 'input', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 7, family: 'inet' },
      ...{ matches: UDP, matchesRest: false, rules: ['inet filter input handle 4'] },
      places: [{ family: 'inet', table: 'filter', chain: 'input', handle: 4, ruleSha256: 'a'.repeat(64) }],
    },
  ]);
});

test('rules that stood still, or let packets pass, say nothing; one without a counter may have dropped', () => {
  const moved = (change: Partial<FilterRule>) => hits([rule(4, '5', change)], [rule(4, '9', change)]).length;
  assert.deepEqual([moved({}), moved({ verdict: 'reject' })], [1, 1]);
  assert.deepEqual([moved({ verdict: 'accept' }), moved({ verdict: 'other' })], [0, 0]);
  assert.deepEqual(hits([rule(4, '5')], [rule(4, '5')]), []);
  const { packets: _, ...silent } = rule(4, '0');
  assert.equal(hits([silent], [silent])[0]?.packets, undefined);
  assert.equal(hits([silent], [silent]).length, 1);
});

test('a rule that was not there before has counted all in the window; one is told from another by its place', () => {
  assert.equal(hits([], [rule(4, '3')])[0]?.packets, 3);
  for (const other of [{ family: 'ip' }, { table: 'nat' }, { chain: 'forward' }, { handle: 5 }])
    assert.equal(hits([rule(4, '2', other)], [rule(4, '3')])[0]?.packets, 3, JSON.stringify(other));
  assert.equal(hits([rule(4, '9')], [rule(4, '3')])[0]?.packets, undefined, 'a counter that went backwards cannot say');
});

test('rules that are alike but for their handle are one, and count together', () => {
  const found = hits([rule(4, '5'), rule(5, '1')], [rule(4, '8'), rule(5, '3')]);
  assert.equal(found.length, 1);
  assert.equal(found[0]?.packets, 5);
  assert.deepEqual(found[0]?.rules, ['inet filter input handle 4', 'inet filter input handle 5']);
  assert.deepEqual(
    found[0]?.places?.map(({ handle }) => handle),
    [4, 5],
  );
  const bound = hits([], [rule(4, '8'), rule(5, '3', { inInterfaces: ['eth1'] }), rule(6, '1', { hook: 'forward' })]);
  assert.deepEqual(
    bound.map(({ packets }) => packets),
    [8, 3, 1],
  );
});

test('a rule whose words are not known, or not all, says so', () => {
  const { matches: _, ...wordless } = rule(4, '3');
  assert.equal('matches' in hits([], [wordless])[0]!, false);
  assert.equal('matchesRest' in hits([], [wordless])[0]!, false);
  assert.equal(hits([], [rule(4, '3', { matchesRest: true })])[0]?.matchesRest, true);
});

test('an earlier rule of the chain that lets some of the same through makes it one for the rest', () => {
  const bfd = [is('protocol', 'udp'), is('destination-port', '3784')];
  const drop = ruleOf(bfd, '3', { handle: 5 });
  const lets = (change: Partial<FilterRule>, later = false) => {
    const earlier = ruleOf([...bfd, is('source', '198.18.1.1')], '0', { verdict: 'accept', handle: 4, ...change });
    return hits([], later ? [drop, earlier] : [earlier, drop])[0]?.lets;
  };
  assert.equal(lets({}), true);
  assert.equal(lets({}, true), undefined);
  for (const change of [
    ...[{ verdict: 'other' as const }, { family: 'ip6' }, { table: 'other' }, { chain: 'elsewhere' }],
    ...[{ matchesRest: true }, { inInterfaces: ['lo'] }, { matches: [is('protocol', 'tcp')] }],
  ])
    assert.equal(lets(change), undefined, JSON.stringify(change));
  assert.equal(lets({ inInterfaces: ['lo'], outInterfaces: ['eth1'] }), true);
});

test('a rule is called by its ACL, or its chain, or its handle, in at most 64 plain characters', () => {
  const called = (change: Partial<FilterRule>) => hits([], [rule(4, '3', change)])[0]?.acl;
  assert.equal(called({ acl: 'block-udp' }), 'block-udp');
  assert.equal(called({ acl: ' blo\u0007ck\u00e9 ' }), 'block');
  assert.equal(called({ acl: '\u00e9' }), 'rule 4');
  assert.equal(called({ acl: 'x'.repeat(80) }), 'x'.repeat(64));
});

test('a rule whose names nft would quote has no typed place', () => {
  assert.deepEqual(hits([], [rule(4, '3', { table: 'a b' })])[0]?.places, []);
});

test('each drop counter that moved is told with by how much; old counts and others are not', () => {
  const names = [
    ...['Ip6InDiscards', 'Ip6InHdrErrors', 'Ip6InAddrErrors', 'Ip6InNoRoutes', 'Ip6InTruncatedPkts', 'Ip6OutDiscards'],
    ...['Ip6OutNoRoutes', 'Udp6InErrors', 'Udp6RcvbufErrors', 'Udp6InCsumErrors', 'Icmp6InCsumErrors'],
    ...['IpExtInCsumErrors', 'UdpInCsumErrors', 'TcpInCsumErrors', 'IcmpInCsumErrors'],
  ];
  const counted = (value: string) => Object.fromEntries([...names, 'Ip6InReceives'].map((name) => [name, value]));
  const facts = (before: string, after: string) =>
    nodeErrorFacts('r2', stateOf([], counted(before)), stateOf([], counted(after)), ['s']);
  assert.deepEqual(
    facts('9', '10').map(({ value }) => value),
    names.map((counter) => ({ node: 'r2', counter, packets: 1 })),
  );
  assert.deepEqual(facts('9', '10')[0], {
    ...{ subject: 'node/r2', predicate: 'node-errors', source: ['s'], window: 'before..after' },
    value: { node: 'r2', counter: 'Ip6InDiscards', packets: 1 },
  });
  assert.deepEqual([facts('9', '9'), facts('9', '8')], [[], []]);
});
