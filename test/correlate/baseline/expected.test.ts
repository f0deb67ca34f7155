// Held against a baseline: what is missing is named, what is new is no fault, and what rules find without a baseline stays as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { Expectation } from '#model/baseline.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { recorded } from '../../narrate/evaluation/cases.ts';
import { remarksTold } from '../remarks.ts';

const healthy = recorded('healthy');
const BASELINE: Expectation = { name: 'baseline of then', source: 'report', profile: profileIn(healthy) };

function profileIn({ intent, nodeNames, evidence, outcomes }: DiagnoseInput) {
  return profileOf(caseFileOf(intent, nodeNames, evidence, outcomes));
}

/** The healthy recording with every state of one node changed. */
function changed(node: string, change: (state: NodeState) => NodeState, input = healthy): DiagnoseInput {
  const touch = (entry: Evidence): Evidence =>
    entry.node === node && entry.kind === 'state'
      ? { ...entry, body: change(structuredClone(entry.body) as unknown as NodeState) as unknown as JsonValue }
      : entry;
  return { ...input, evidence: input.evidence.map(touch) };
}

const against = (input: DiagnoseInput, expected: Expectation = BASELINE) =>
  diagnose({ ...input, expected: [expected] });
const named = (input: DiagnoseInput, expected?: Expectation) =>
  against(input, expected).findings.map(({ fault, resource }) => `${fault} ${resource}`);

test('a healthy network is healthy against its own baseline', () => {
  const { verdict, findings } = against(healthy);
  assert.deepEqual([verdict.kind, findings], ['healthy', []]);
  assert.deepEqual(verdict.reasons, diagnose(healthy).verdict.reasons);
});

for (const name of ['arp', 'bgpasn', 'bgpnbr', 'blackhole', 'frr', 'isispw', 'mtu']) {
  test(`"${name}" has the same findings with a baseline as without one`, () => {
    assert.deepEqual(against(recorded(name)).findings, diagnose(recorded(name)).findings);
    assert.deepEqual(against(recorded(name)).verdict.kind, 'fault');
  });
}

test('a prefix that the baseline has announced, and a policy keeps back, is a fault', () => {
  assert.deepEqual(named(recorded('policy')), ['route_policy_misconfig node/r3']);
});

test('ways that are lost with expected sessions are their results', () => {
  const keep = (peers: readonly string[]) => (state: NodeState) => ({
    ...state,
    bgp: { ...state.bgp!, sessions: state.bgp!.sessions.filter(({ peer }) => peers.includes(peer)) },
    bfd: [],
  });
  const cut = changed('r4', keep(['198.18.3.0']), changed('r2', keep(['198.18.2.1']), changed('r1', keep([]))));
  const none = (entry: Evidence): Evidence => {
    const body = JSON.parse(JSON.stringify(entry.body)) as { readonly answers: readonly { destination: string }[] };
    const answers = body.answers.map((route) =>
      route.destination.startsWith('198.19.') ? { destination: route.destination, kind: 'none' } : route,
    );
    return entry.kind === 'lookups' && entry.node === 'r1' ? { ...entry, body: { ...body, answers } } : entry;
  };
  const evidence = cut.evidence.map((entry) => (entry.kind === 'lookups' ? none(entry) : entry));
  const { verdict, findings } = against({ ...cut, evidence });
  assert.deepEqual(
    findings.map(({ resource }) => resource),
    ['node/r1', 'node/r2', 'node/r4'],
  );
  assert.ok(!verdict.reasons.some((reason) => reason.includes('and had one')), verdict.reasons.join('\n'));
});

const withoutInterface = (ifname: string) => (state: NodeState) => ({
  ...state,
  adjacencies: state.adjacencies.filter((each) => each.ifname !== ifname),
  neighbours: state.neighbours.filter((each) => each.ifname !== ifname),
  inventory: {
    ...state.inventory,
    interfaces: state.inventory.interfaces.filter((each) => each.name !== ifname),
  },
});

test('an interface that is gone from its node is named, also when the node has no history', () => {
  const input = changed('r1', (state) => {
    const { history: _history, isis, ...rest } = withoutInterface('eth1')(state) as NodeState;
    return { ...rest, isis: { ...isis!, circuits: isis!.circuits.filter((each) => each.ifname !== 'eth1') } };
  });
  assert.ok(named(input).includes('link_detach interface/r1/eth1'), named(input).join());
  assert.ok(!named(input).some((finding) => /r3|r4/.test(finding)), named(input).join());
});

test('IS-IS that both ends of a link have switched off is missed, where without a baseline it looks intended', () => {
  const off = (ifname: string) => (state: NodeState) => ({
    ...state,
    adjacencies: state.adjacencies.filter((each) => each.ifname !== ifname),
    isis: { ...state.isis!, circuits: state.isis!.circuits.filter((each) => each.ifname !== ifname) },
  });
  const input = changed('r2', off('eth1'), changed('r1', off('eth1')));
  assert.deepEqual(diagnose(input).findings, []);
  assert.deepEqual(named(input), [
    'isis_neighbor_missing interface/r1/eth1',
    'isis_neighbor_missing interface/r2/eth1',
  ]);
});

const withMtu = (ifname: string, mtu: number) => (state: NodeState) => ({
  ...state,
  inventory: {
    ...state.inventory,
    interfaces: state.inventory.interfaces.map((each) => (each.name === ifname ? { ...each, mtu } : each)),
  },
});

test('both ends with a smaller MTU than expected are named; a larger one carries all that was expected', () => {
  const small = changed('r2', withMtu('eth1', 1_500), changed('r1', withMtu('eth1', 1_500)));
  assert.deepEqual(named(small), ['mtu_mismatch interface/r1/eth1', 'mtu_mismatch interface/r2/eth1']);
  assert.equal(against(changed('r2', withMtu('lan0', 9_000))).verdict.kind, 'healthy');
});

test('a round trip far beyond its expected band is slow, whatever the siblings do', () => {
  const band = BASELINE.profile.roundTrips.map((each) => ({ ...each, minMs: 0.1 }));
  const now = BASELINE.profile.roundTrips[0]!;
  const slow = healthy.evidence.map((entry) =>
    entry.kind === 'probe'
      ? { ...entry, body: { ...(entry.body as object), rttMs: { min: 40, avg: 41, max: 42 } } as unknown as JsonValue }
      : entry,
  );
  const expected = { ...BASELINE, profile: { ...BASELINE.profile, roundTrips: band } };
  const findings = named({ ...healthy, evidence: slow }, expected);
  assert.equal(diagnose({ ...healthy, evidence: slow }).verdict.kind, 'healthy');
  assert.ok(findings.length > 0 && findings.every((finding) => finding.startsWith('high_latency interface/')));
  assert.ok(findings.some((finding) => finding.includes(`/${now.from}/`)));
});

test('what is new is a remark and no fault', () => {
  const { profile } = BASELINE;
  const entries = profile.entries.filter(({ part, subject }) => part !== 'session' || !subject.includes('198.18.1.1'));
  const told = against(healthy, { ...BASELINE, profile: { ...profile, entries } });
  assert.deepEqual([told.verdict.kind, told.findings], ['healthy', []]);
  assert.ok(remarksTold(told).includes('not in the baseline of then, and no fault: session bgp r1 to 198.18.1.1'));
});

test('a node that did not answer lacks nothing: nobody could see', () => {
  const input = { ...healthy, evidence: healthy.evidence.filter(({ node }) => node !== 'r2') };
  const { verdict, findings } = against(input);
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.deepEqual(verdict.reasons, diagnose(input).verdict.reasons);
});

const wires = (pairs: readonly (readonly [string, string, string, string])[]): Expectation => ({
  name: 'topology lab',
  source: 'topology',
  profile: {
    nodes: [...new Set(pairs.flatMap(([a, , b]) => [a, b]))],
    told: [],
    roundTrips: [],
    entries: pairs.map(([a, aIf, b, bIf]) => ({
      part: 'link',
      subject: `link/${a}:${aIf}--${b}:${bIf}`,
      nodes: [a, b],
      value: 'up',
      resource: `link/${a}:${aIf}--${b}:${bIf}`,
      ends: [
        { node: a, ifname: aIf },
        { node: b, ifname: bIf },
      ],
    })),
  },
});

test('a topology file expects its links and nothing else; other names of interfaces accuse nobody', () => {
  const ring = wires([
    ['r1', 'eth1', 'r2', 'eth1'],
    ['r1', 'eth2', 'r4', 'eth2'],
    ['r2', 'eth2', 'r3', 'eth1'],
    ['r3', 'eth2', 'r4', 'eth1'],
  ]);
  assert.deepEqual([against(healthy, ring).verdict.kind, named(healthy, ring)], ['healthy', []]);
  const crossed = wires([['r1', 'lan0', 'r3', 'lan0']]);
  const { verdict, findings } = against(healthy, crossed);
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(verdict.reasons[0]!, /^r1 lan0 – r3 lan0: no link is seen where one is expected \(topology lab\)/);
  const vendor = wires([['r1', 'Ethernet1/1', 'r3', 'Ethernet1/1']]);
  assert.equal(against(healthy, vendor).verdict.kind, 'healthy');
});

test('eight additions are named and the rest is counted, nodes first', () => {
  const more = (count: number) => {
    const { profile } = BASELINE;
    const gone = profile.entries.filter(({ part }) => part === 'session').slice(0, count);
    const entries = profile.entries.filter((entry) => !gone.includes(entry));
    const told = remarksTold(against(healthy, { ...BASELINE, profile: { ...profile, entries } }));
    return told.filter((line) => line.startsWith('not in the baseline of then, and no fault: '));
  };
  assert.equal(more(0).length, 0);
  assert.equal(more(1).length, 1);
  assert.deepEqual([more(8).length, more(8).some((line) => / \d+ more$/.test(line))], [8, false]);
  assert.deepEqual([more(9).length, more(9).at(-1)?.split(': ')[1]], [9, '1 more']);
  assert.deepEqual([more(11).length, more(11).at(-1)?.split(': ')[1]], [9, '3 more']);
  const nodes = BASELINE.profile.nodes.filter((node) => node !== 'r4');
  const told = remarksTold(against(healthy, { ...BASELINE, profile: { ...BASELINE.profile, nodes } }));
  assert.ok(told.includes('not in the baseline of then, and no fault: r4 (node/r4)'), told.join('\n'));
});
