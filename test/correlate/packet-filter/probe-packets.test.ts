// Which filter rules the packets of a probe run can come to and match, and what share of like packets a rule takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterHits, ProbeLoss } from '#correlate/engine/facts.ts';
import { canMatch, dropsAllOrNone, type Meeting, sampledShare } from '#correlate/packet-filter/probe-packets.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { is } from '../service-scene.ts';

/** Probes of r1 over r2 to r3, by a segment list. */
const PROBE: ProbeLoss = {
  ...{ scope: 'path', from: 'r1', to: 'r3', measuredBy: 'r1', sent: 100, lost: 50, refused: 0, unanswered: 0 },
  ...{ refusedByFilter: true, directionKnown: true },
  probe: { source: 'fd00::1', destination: 'fd00::3', segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'] },
};
const PLAIN: ProbeLoss = { ...PROBE, probe: { source: 'fd00::1', destination: 'fd00::3', segments: [] } };
const OUT: Meeting = { from: 'r1', to: 'r3', ifname: 'eth1', leaving: true };
const BACK: Meeting = { from: 'r3', to: 'r1', ifname: 'eth1', leaving: true };

type Rule = { readonly node?: string; readonly hook?: string; readonly matches?: readonly FilterMatch[] };
const hitsOf = ({ node = 'r2', hook = 'egress', matches = [] }: Rule): FilterHits => ({
  ...{ node, acl: 'acl', hook, inInterfaces: [], outInterfaces: [], packets: 50, family: 'netdev' },
  ...{ matches, matchesRest: false },
});
const can = (rule: Rule, probe = PROBE, at = OUT) => canMatch(hitsOf(rule), probe, at);

test('a node forwards what is under way, sends what begins there and takes in what ends there', () => {
  for (const [hook, node, isMet] of [
    ['forward', 'r1', false],
    ['forward', 'r2', true],
    ['forward', 'r3', false],
    ['output', 'r1', true],
    ['output', 'r2', false],
    ['input', 'r3', true],
    ['egress', 'r1', true],
    ['ingress', 'r2', true],
  ] as const)
    assert.equal(can({ hook, node }), isMet, `${hook} of ${node}`);
});

test('a node takes in what has its segments, and nothing else under way', () => {
  assert.equal(can({ hook: 'input', node: 'r2' }), true);
  assert.equal(can({ hook: 'input', node: 'r2' }, PLAIN), false);
  const { probe: _, ...unknown } = PROBE;
  assert.equal(can({ hook: 'input', node: 'r2' }, unknown), true, 'which packets they were is not known');
});

test('a rule for all interfaces but the one that the probes pass does not meet them', () => {
  const but = (field: 'in' | 'out', ifname: string, negated = true): FilterMatch[] => [
    { ...is(field, ifname), ...(negated ? { negated } : {}) },
  ];
  assert.equal(can({ matches: but('out', 'eth1') }), false);
  assert.equal(can({ matches: but('out', 'eth2') }), true);
  assert.equal(can({ matches: but('out', 'eth1', false) }), true);
  assert.equal(can({ matches: but('in', 'eth1') }), true, 'they leave by it');
  assert.equal(can({ matches: but('in', 'eth1') }, PROBE, { ...OUT, leaving: false }), false);
  assert.equal(can({ matches: but('out', 'eth1') }, PROBE, { ...OUT, leaving: false }), true);
});

const OUTER = [is('network', 'ip6'), is('next-header', 'ipv6-route'), is('extension', 'srh'), is('protocol', 'ipv6')];
const ROUTED = [is('extension', 'rt')];
const INNER = [is('network', 'ip6'), is('protocol', 'udp'), is('next-header', 'udp'), is('destination-port', '9515')];

test('on the way out a steered probe is an SRv6 packet to its segments', () => {
  assert.equal(can({ matches: OUTER }), true);
  assert.equal(can({ matches: ROUTED }), true);
  assert.equal(can({ matches: INNER }), false);
  assert.equal(can({ matches: [is('source', 'fd00::1')] }), true);
  assert.equal(can({ matches: [is('source', 'fd00::3')] }), false);
  assert.equal(can({ matches: [is('destination', 'fd00:5a:2::e')] }), true);
  assert.equal(can({ matches: [is('destination', 'fd00::3')] }), false);
});

test('where it ends, the node takes in the packet inside as well', () => {
  assert.equal(can({ hook: 'input', node: 'r3', matches: INNER }), true);
  assert.equal(can({ hook: 'input', node: 'r3', matches: OUTER }), true);
  assert.equal(can({ hook: 'input', node: 'r2', matches: INNER }), false);
  assert.equal(can({ hook: 'ingress', node: 'r3', matches: INNER }), false);
});

test('a plain probe is a packet to the reflector’s port, and what comes back is one from it', () => {
  assert.equal(can({ matches: INNER }, PLAIN), true);
  assert.equal(can({ matches: OUTER }, PLAIN), false);
  assert.equal(can({ matches: [is('destination', 'fd00::3')] }, PLAIN), true);
  assert.equal(can({ matches: [is('destination-port', '9516')] }, PLAIN), false);
  for (const probe of [PROBE, PLAIN]) {
    assert.equal(can({ matches: [is('protocol', 'udp'), is('source-port', '9515')] }, probe, BACK), true);
    assert.equal(can({ matches: [is('source-port', '9516')] }, probe, BACK), false);
    assert.equal(can({ matches: [is('source', 'fd00::3'), is('destination', 'fd00::1')] }, probe, BACK), true);
    assert.equal(can({ matches: [is('source', 'fd00::1')] }, probe, BACK), false);
    assert.equal(can({ matches: OUTER }, probe, BACK), false);
  }
});

test('of probes whose packets are not known, either kind may match', () => {
  const { probe: _, ...unknown } = PROBE;
  for (const matches of [OUTER, INNER]) assert.equal(can({ matches }, unknown), true);
  assert.equal(can({ matches: [is('protocol', 'tcp')] }, unknown), false);
});

test('a rule that says all that it demands, and no sample, drops all of them or none', () => {
  const all = (change: Partial<FilterHits>) => dropsAllOrNone({ ...hitsOf({}), ...change });
  assert.equal(all({}), true);
  assert.equal(all({ matchesRest: true }), false);
  assert.equal(all({ matches: [is('sample', '1/2')] }), false);
  const { matches: _, ...wordless } = hitsOf({});
  assert.equal(dropsAllOrNone(wordless), false);
});

test('the share of a sample is read where the rule says all that it demands', () => {
  const share = (value: string, matchesRest = false) =>
    sampledShare({ matches: [is('protocol', 'udp'), is('sample', value)], matchesRest });
  assert.equal(share('1/4'), 0.25);
  assert.equal(share('1/4', true), undefined);
  assert.deepEqual(
    [share('1/0'), share('1'), share('1/-2'), share('1/x')],
    [undefined, undefined, undefined, undefined],
  );
  assert.equal(sampledShare({ matches: [is('protocol', 'udp')] }), undefined);
  assert.equal(sampledShare({}), undefined);
});
