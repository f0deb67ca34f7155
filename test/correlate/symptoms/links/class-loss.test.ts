// A share of one class of traffic that a link loses: a symptom at the second look, with both ends' counters a finding; and what is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose, unsettled, weigh } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, type Scene, sceneOf, stateOf } from '../../scope-scene.ts';

type More = NonNullable<Scene['more']>[number];
type Round = 'first' | 'confirmation' | 'extended';

/** One answer of `node` about r1 – r2, as the helper counts it. */
const answer = (
  node: 'r1' | 'r2',
  round: Round,
  sent: number,
  lost: number,
  traffic: 'tcp' | 'icmp' | 'large-icmp' = 'tcp',
): More => ({
  node,
  purpose: { kind: 'link-classes', traffic, round, run: 1 },
  body: {
    results: [
      {
        destination: node === 'r1' ? '198.18.1.1' : '198.18.1.0',
        sent,
        received: sent - lost,
        rttMs: 0.2,
        traffic,
        ttl: 64,
      },
    ],
  },
});
/** As 15 % loss of TCP looks: six of the first 40, and 27 of 200. */
const LOOKS = [
  answer('r1', 'first', 40, 6),
  answer('r1', 'confirmation', 100, 13),
  answer('r2', 'confirmation', 100, 14),
];
const open = (more: readonly More[], scene: Scene = {}) =>
  diagnose(sceneOf({ ...scene, more })).verdict.reasons.filter((reason) =>
    /TCP connection requests over the link/.test(reason),
  );

test('a share of TCP that two looks lost is an open symptom with its place, and accuses no end', () => {
  assert.deepEqual(open(LOOKS), [
    'r1 eth2 – r2 eth1: 27 of 200 TCP connection requests over the link were lost (13.5 %), and 6 of the first look; other probes over it arrive',
  ]);
  const { verdict, findings } = diagnose(sceneOf({ more: LOOKS }));
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
});

test('what the first look lost is looked at again, and what both lost is for the extended round', () => {
  const states = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
  const { intent, nodeNames, evidence, outcomes } = sceneOf({ more: LOOKS.slice(0, 1) });
  const doubts = doubtsOf(caseFileOf(intent, nodeNames, evidence, outcomes), states, evidence);
  assert.deepEqual(
    doubts.classes.map(({ link, traffic }) => [link.from.node, link.to.node, traffic]),
    [['r1', 'r2', 'tcp']],
  );
  assert.deepEqual(
    unsettled(weigh(sceneOf({ more: LOOKS }))).classes.map(({ link, traffic }) => [
      link.from.node,
      link.to.node,
      traffic,
    ]),
    [['r1', 'r2', 'tcp']],
  );
});

test('a stray, a class that nothing answers, and an agent that sent something else are no symptom', () => {
  assert.deepEqual(open([answer('r1', 'first', 40, 1), answer('r1', 'confirmation', 100, 0)]), [], 'not seen again');
  assert.deepEqual(open([answer('r1', 'first', 40, 1), answer('r1', 'confirmation', 100, 2)]), [], 'too few');
  const silent = [answer('r1', 'first', 40, 40), answer('r1', 'confirmation', 100, 100)];
  assert.deepEqual(open(silent), []);
  const { intent, nodeNames, evidence, outcomes } = sceneOf({ more: silent });
  const { proven } = caseFileOf(intent, nodeNames, evidence, outcomes).planned;
  assert.deepEqual(
    proven.filter((line) => /^TCP/.test(line)),
    ['TCP connection requests: not tested over {r1} eth2 – {r2} eth1, where none was answered'],
  );
  const older = LOOKS.map((each) => {
    const { results } = each.body as { readonly results: readonly Readonly<Record<string, unknown>>[] };
    return { ...each, body: { results: results.map(({ traffic: _, ...row }) => row) } };
  });
  assert.deepEqual(open(older), []);
});

test('a policer of what is for the node itself explains a share, and nothing is open', () => {
  const limited = dropping([{ field: 'protocol', values: ['tcp'] }], 'input', 40);
  const policed = (state: NodeState, phase: 'before' | 'after'): NodeState => {
    const { filters, ...rest } = limited(state, phase);
    return { ...rest, filters: filters.map((rule) => ({ ...rule, matchesRest: true })) };
  };
  assert.deepEqual(open(LOOKS, { states: { r2: policed } }), []);
});

/** States read in quiet, with what each counted on the link meanwhile. */
const counters = (node: 'r1' | 'r2', ifname: string, reading: 'first' | 'last', tx: number, rx: number): More => {
  const state = stateOf(node === 'r1' ? 1 : 2);
  const interfaces = state.inventory.interfaces.map((entry) =>
    entry.name === ifname
      ? { ...entry, counters: { ...entry.counters, txPackets: String(tx), rxPackets: String(rx) } }
      : entry,
  );
  const purpose: PlannedPurpose = { kind: 'counters', reading };
  return {
    node,
    purpose,
    body: { ...state, inventory: { ...state.inventory, interfaces }, countersReadMs: reading === 'first' ? 0 : 900 },
  };
};

/** 600 requests of each end, of which as many are lost; and what both ends counted on the link meanwhile. */
const lookedLong = (lost: number, r1: readonly [number, number], r2: readonly [number, number]): readonly More[] => [
  ...[answer('r1', 'extended', 600, lost), answer('r2', 'extended', 600, lost)],
  ...[counters('r1', 'eth2', 'first', 1_000, 1_000), counters('r2', 'eth1', 'first', 1_000, 1_000)],
  ...[counters('r1', 'eth2', 'last', ...r1), counters('r2', 'eth1', 'last', ...r2)],
];

test('a limiter without a counter that was always there explains a share where the counters of both ends say that the link lost none', () => {
  const rules = (matches: Parameters<typeof dropping>[0]) => (state: NodeState) => {
    const [rule] = dropping(matches, 'input')(state, 'after').filters;
    const { packets: _, ...uncounted } = rule!;
    return [{ ...uncounted, matchesRest: true }];
  };
  const limited =
    (come = false, protocol = 'tcp') =>
    (state: NodeState): NodeState => {
      const filters = rules([{ field: 'protocol', values: [protocol] }])(state);
      const then = { ...stateOf(2), filters: come ? [] : filters };
      return { ...state, filters, past: [{ fromAgoMs: 90_000, untilAgoMs: 60_000, state: then }] };
    };
  const clean = [...LOOKS, ...lookedLong(90, [2_110, 2_110], [2_110, 2_110])];
  assert.equal(open(clean).length, 1, 'without the rule');
  assert.deepEqual(open(clean, { states: { r2: limited() } }), []);
  const { intent, nodeNames, evidence, outcomes } = sceneOf({ more: clean, states: { r2: limited() } });
  const { proven } = caseFileOf(intent, nodeNames, evidence, outcomes).planned;
  assert.match(proven.join('\n'), /TCP connection requests: input of \{r2\} may have dropped some: it has no counter/);
  assert.equal(open(clean, { states: { r2: limited(true) } }).length, 1, 'a rule that has come');
  assert.equal(open(clean, { states: { r2: limited(false, 'udp') } }).length, 1, 'a rule for other packets');
  assert.equal(open(LOOKS, { states: { r2: limited() } }).length, 1, 'nothing says that the link lost none');
  const lossy = [...LOOKS, ...lookedLong(90, [2_205, 2_115], [2_110, 2_025])];
  const { findings } = diagnose(sceneOf({ more: lossy, states: { r2: limited() } }));
  assert.deepEqual(
    findings.map(({ resource, fault }) => [resource, fault]),
    [['interface/r1/eth2', 'packet_loss']],
  );
});

test('where both ends’ counters lack as many in one direction, the sending interface is named', () => {
  // 600 requests of each end; what r1 sends loses 15 %: 90 requests of its own, and 90 answers to those of r2.
  const extended = [
    ...[answer('r1', 'extended', 600, 90), answer('r2', 'extended', 600, 90)],
    ...[counters('r1', 'eth2', 'first', 1_000, 1_000), counters('r2', 'eth1', 'first', 1_000, 1_000)],
    ...[counters('r1', 'eth2', 'last', 2_205, 2_115), counters('r2', 'eth1', 'last', 2_110, 2_025)],
  ];
  const { findings } = diagnose(sceneOf({ more: [...LOOKS, ...extended] }));
  assert.deepEqual(
    findings.map(({ resource, fault, details }) => [resource, fault, details['lossPercent']]),
    [['interface/r1/eth2', 'packet_loss', 15]],
  );
  const clean = extended.map((each) =>
    each.purpose.kind === 'counters' && each.purpose.reading === 'last'
      ? counters(each.node as 'r1' | 'r2', each.node === 'r1' ? 'eth2' : 'eth1', 'last', 2_205, 2_205)
      : each,
  );
  assert.deepEqual(diagnose(sceneOf({ more: [...LOOKS, ...clean] })).findings, [], 'the node itself dropped them');
});

/** Probes of `node` over r1 – r2, small ones and a train of large ones, of which as many came back. */
const overLink = (node: 'r1' | 'r2', small: number, large: number): readonly More[] => {
  const [r1, r2] = [
    { node: 'r1', ifname: 'eth2' },
    { node: 'r2', ifname: 'eth1' },
  ];
  const [from, to] = node === 'r1' ? [r1, r2] : [r2, r1];
  const [source, destination] = node === 'r1' ? ['fd00:1:1::', 'fd00:1:1::1'] : ['fd00:1:1::1', 'fd00:1:1::'];
  const body = (sent: number, received: number) => ({
    ...{ sent, received, duplicates: 0, rttMs: null, sendErrors: 0 },
    ...(received === 0 ? {} : { reflected: received }),
  });
  const run = (purpose: PlannedPurpose, sent: number, received: number, payloadBytes: number): More => ({
    ...{ node, purpose, body: body(sent, received) },
    args: { source, destination, Count: sent, payloadBytes, flows: 1 },
  });
  return [
    run({ kind: 'link-probe', from, to, round: 'first' }, 100, small, 64),
    run({ kind: 'link-train', from, to, train: 1 }, 10, large, 1_452),
  ];
};
const trains = (small: number, large: number) => [...overLink('r1', small, large), ...overLink('r2', small, large)];
/** Large echoes of both ends, of which so many are lost; in the second look with as many small ones. */
const large = (round: Round, sent: number, lost: number) => [
  answer('r1', round, sent, lost, 'large-icmp'),
  answer('r2', round, sent, lost, 'large-icmp'),
];
const echoed = (lost: number) => [
  ...[answer('r1', 'confirmation', 24, 0, 'icmp'), answer('r2', 'confirmation', 24, 0, 'icmp')],
  ...large('confirmation', 24, lost),
];

test('a link that loses trains of large probes and no small ones is asked for small and large echoes', () => {
  const states = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
  const doubtful = (more: readonly More[]) => {
    const { intent, nodeNames, evidence, outcomes } = sceneOf({ more });
    return doubtsOf(caseFileOf(intent, nodeNames, evidence, outcomes), states, evidence).classes.map(
      ({ link, traffic }) => [link.from.node, link.to.node, traffic],
    );
  };
  assert.deepEqual(doubtful(trains(100, 4)), [
    ['r1', 'r2', 'icmp'],
    ['r1', 'r2', 'large-icmp'],
  ]);
  assert.deepEqual(doubtful(trains(100, 10)), []);
  assert.deepEqual(doubtful(trains(60, 4)), [], 'small probes are lost as well');
});

test('a link that loses large packets alone is named, in each direction that both ends’ counters say', () => {
  const looks = [...trains(100, 0), ...echoed(24)];
  const open = diagnose(sceneOf({ more: looks }));
  assert.deepEqual([open.verdict.kind, open.findings], ['inconclusive', []]);
  assert.match(open.verdict.reasons.join('\n'), /48 of 48 echoes as long as its MTU over the link were lost \(100 %\)/);
  // 96 requests of each end in all runs: none arrives, and no answer is sent.
  const both = [
    ...large('extended', 96, 96),
    ...[counters('r1', 'eth2', 'first', 1_000, 1_000), counters('r2', 'eth1', 'first', 1_000, 1_000)],
    ...[counters('r1', 'eth2', 'last', 1_096, 1_000), counters('r2', 'eth1', 'last', 1_096, 1_000)],
  ];
  const { findings, verdict } = diagnose(sceneOf({ more: [...looks, ...both] }));
  assert.deepEqual(
    findings.map(({ resource, fault }) => [resource, fault]),
    [
      ['interface/r1/eth2', 'packet_loss'],
      ['interface/r2/eth1', 'packet_loss'],
    ],
  );
  assert.equal(verdict.kind, 'fault');
  // Half of what r1 sends: its requests, and its answers to r2.
  const half = [
    ...trains(100, 4),
    ...[...echoed(12), ...large('extended', 96, 48)],
    ...[counters('r1', 'eth2', 'first', 1_000, 1_000), counters('r2', 'eth1', 'first', 1_000, 1_000)],
    ...[counters('r1', 'eth2', 'last', 1_192, 1_144), counters('r2', 'eth1', 'last', 1_144, 1_096)],
  ];
  assert.deepEqual(
    diagnose(sceneOf({ more: half })).findings.map(({ resource, fault }) => [resource, fault]),
    [['interface/r1/eth2', 'packet_loss']],
  );
});

test('large echoes that arrive at a second look are no symptom', () => {
  const { verdict } = diagnose(sceneOf({ more: [...trains(100, 9), ...echoed(0)] }));
  assert.doesNotMatch(verdict.reasons.join('\n'), /as long as its MTU over the link were lost/);
});
