// Packets of some lengths that a link or a path loses: what is looked at again, which end is named, and what is no such loss.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { lengthProof } from '#correlate/health/proof-lengths.ts';
import { lengthPacketsOver } from '#correlate/observe/length-probes.ts';
import { heldUpRates } from '#correlate/symptoms/links/bottleneck.ts';
import { lengthLosses, lengthLossSymptom } from '#correlate/symptoms/links/length-loss.ts';
import { callFor } from '#measure/call.ts';
import { lengthsIn } from '#measure/lengths.ts';
import type { Evidence } from '#model/evidence.ts';
import { linkResource } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { exchange, type Filter, type Scene } from './builder.ts';
import { fact } from './fact-scene.ts';
import { linkOf, pairWorld } from './pair-scene.ts';

const NODES = ['pe1', 'p2', 'pe3'];
const ENDS = { p2: { node: 'p2', ifname: 'eth1' }, pe3: { node: 'pe3', ifname: 'eth0' } } as const;
const KEY = linkResource(ENDS.p2, ENDS.pe3);
const HEADERS = 48;
const WHOLE = { least: 80, most: 1_452 };
const AROUND = { least: 450, most: 720 };

type Hole = { readonly out?: readonly [number, number]; readonly back?: readonly [number, number] };
type Answer = { readonly body: JsonObject; readonly args: JsonObject };

/** What a run over a link answers that loses packets of these lengths, headers included, on the way out or back. */
function answerOf(payloads: readonly number[], { out, back }: Hole): Answer {
  const isIn = (payload: number, hole: Hole['out']) =>
    hole !== undefined && payload + HEADERS >= hole[0] && payload + HEADERS <= hole[1];
  const reached = payloads.filter((each) => !isIn(each, out));
  const received = reached.filter((each) => !isIn(each, back));
  const lost = payloads.filter((each) => !received.includes(each)).sort((one, other) => one - other);
  const counts = { sent: payloads.length, reflected: reached.length, received: received.length };
  return {
    body: { ...counts, duplicates: 0, rttMs: null, sendErrors: 0, lostPayloadBytes: lost },
    args: {
      Count: payloads.length,
      payloadBytes: 64,
      eachPayloadBytes: payloads,
      destination: 'fd00:2::1',
      segments: [],
    },
  };
}

/** Of which those that were sent in these turns were lost on the way back. */
function lostOf(payloads: readonly number[], turns: readonly number[]): Answer {
  const { body, args } = answerOf(payloads, {});
  const lost = turns.map((turn) => payloads[turn]!).sort((one, other) => one - other);
  return { args, body: { ...body, received: payloads.length - lost.length, lostPayloadBytes: lost } };
}
/** The same, lost on the way out. */
const outOf = ({ body, args }: Answer): Answer => ({ args, body: { ...body, reflected: body['received']! } });

function evidenceOf(purpose: PlannedPurpose, node: string, { body, args }: Answer): Evidence {
  const { id, evidence: kind, phase } = callFor(node, purpose, {}, 0);
  const request = { method: 'tools/call', params: { arguments: args } };
  return { id, purpose, node, kind, phase, request, body } as unknown as Evidence;
}
const other = { p2: 'pe3', pe3: 'p2' } as const;
const over = (from: 'p2' | 'pe3', round: 'first' | 'confirmation', answer: Answer) =>
  evidenceOf({ kind: 'length-probe', from: ENDS[from], to: ENDS[other[from]], round }, from, answer);
const first = (hole: Hole) => over('p2', 'first', answerOf(lengthsIn(WHOLE), hole));
const again = (from: 'p2' | 'pe3', hole: Hole, phase = 0) =>
  over(from, 'confirmation', answerOf(lengthsIn(AROUND, phase), hole));
const along = (hole: Hole) =>
  evidenceOf({ kind: 'path-lengths', from: 'pe1', to: 'pe3' }, 'pe1', answerOf(lengthsIn(WHOLE), hole));

const HOLE = [560, 720] as const;
/** Lost from pe3 to p2, in both looks. */
const LOSSY = [first({ back: HOLE }), again('p2', { back: HOLE }), again('pe3', { out: HOLE }, 0.5)];

/** The counters of pe3 → p2 lack so many packets, or those of p2 → pe3 have so many too many. */
const lacking = (pe3ToP2: number, p2ToPe3 = 0): Pick<Scene, 'touch'> => ({
  touch: (state, node, phase) => {
    const fewer = phase === 'before' ? 0 : { p2: pe3ToP2, pe3: p2ToPe3 }[node];
    const interfaces = state.inventory.interfaces.map((port) => {
      const isEnd = port.name === (node === 'p2' ? 'eth1' : 'eth0');
      const rxPackets = String(BigInt(port.counters.rxPackets!) - BigInt(isEnd ? (fewer ?? 0) : 0));
      return { ...port, counters: { ...port.counters, rxPackets } };
    });
    return { ...state, inventory: { ...state.inventory, interfaces } } as unknown as JsonObject;
  },
});
/** As many as LOSSY lost. */
const SHOWN = lacking(40);

function inputOf(evidence: readonly Evidence[], scene: Partial<Scene> = {}) {
  const whole = exchange({ nodes: NODES, seed: 7, load: 400, ...scene });
  const answered = evidence.map(({ id, purpose, node, phase }) => ({
    ...{ callId: id, purpose, node, phase, name: '', status: 'answered' as const, elapsedMs: 10 },
  }));
  return { ...whole, evidence: [...whole.evidence, ...evidence], outcomes: [...whole.outcomes, ...answered] };
}
const said = (evidence: readonly Evidence[], scene: Partial<Scene> = {}) => {
  const { verdict, findings } = diagnose(inputOf(evidence, scene));
  return { kind: verdict.kind, reasons: verdict.reasons.join('\n'), findings };
};
const doubted = (evidence: readonly Evidence[], scene: Partial<Scene> = {}) => {
  const input = inputOf(evidence, scene);
  const before = input.evidence.filter(({ phase }) => phase === 'before');
  const states = new Map(before.map(({ node, body }) => [node, body as unknown as NodeState]));
  const file = caseFileOf(input.intent, input.nodeNames, input.evidence, input.outcomes);
  return doubtsOf(file, states, input.evidence).lengths;
};

test('lengths that all came back are a line of the proof', () => {
  const { kind, reasons } = said([first({}), along({})]);
  assert.equal(kind, 'healthy', reasons);
  assert.match(reasons, /^probes of 128 to 1471 octets: 24 of 24 over 1 link came back$/m);
  assert.match(reasons, /^PE-1 → PE-3 and back: 24 of 24 probes of 128 to 1471 octets arrived$/m);
});

test('a link that lost some is looked at again around them, and one whose small probes are lost as well is not', () => {
  const [doubt, ...others] = doubted([first({ back: HOLE })]) ?? [];
  assert.deepEqual(others, []);
  assert.deepEqual([doubt?.link.from.node, doubt?.link.to.node].sort(), ['p2', 'pe3']);
  assert.ok(doubt!.least > 400 && doubt!.least < 560 - HEADERS, `${doubt?.least}`);
  assert.ok(doubt!.most > 720 - HEADERS && doubt!.most < 800, `${doubt?.most}`);
  assert.deepEqual(doubted([first({})]), []);
  assert.deepEqual(doubted([first({ back: HOLE })], { loss: { 'p2>pe3': 0.05 } }), []);
});

test('the link that lost the most is looked at first', () => {
  const [near, far] = [
    { node: 'pe1', ifname: 'eth1' },
    { node: 'p2', ifname: 'eth0' },
  ];
  const purpose = { kind: 'length-probe', from: near, to: far, round: 'first' } as const;
  const stray = evidenceOf(purpose, 'pe1', lostOf(lengthsIn(WHOLE), [3]));
  const ends = doubted([stray, first({ back: HOLE })])?.map(({ link }) => [link.from.node, link.to.node].sort());
  assert.deepEqual(ends, [['p2', 'pe3'], ['p2', 'pe1'].sort()]);
});

test('where both ends lost them in one direction, the sending interface is named with the lengths', () => {
  const { kind, reasons, findings } = said(LOSSY, SHOWN);
  assert.equal(kind, 'fault', reasons);
  const [finding] = findings;
  assert.deepEqual(
    findings.map(({ fault, resource, confidence }) => [fault, resource, confidence]),
    [['packet_loss', 'interface/pe3/eth0', 'likely']],
  );
  const words = JSON.stringify(finding);
  assert.match(words, /packet loss 100 % of packets of 56\d to 7[12]\d octets/);
  assert.match(words, /those of up to 55\d and of 72\d and more octets arrive/);
});

test('where small probes are lost as well, or those of full size with the longest, no lengths are named', () => {
  const words = (evidence: readonly Evidence[], scene: Partial<Scene> = {}) =>
    JSON.stringify(said(evidence, scene).findings);
  const raised = (scene: Partial<Scene>) => {
    const { intent, nodeNames, evidence, outcomes } = inputOf(LOSSY, scene);
    return lengthLossSymptom.of(caseFileOf(intent, nodeNames, evidence, outcomes)).length;
  };
  assert.deepEqual([raised({}), raised({ loss: { 'pe3>p2': 0.05 } })], [1, 0]);
  const longest = { back: [1_300, 9_000] } as const;
  const range = { least: 1_150, most: 1_452 };
  const tail = [
    first(longest),
    over('p2', 'confirmation', answerOf(lengthsIn(range), longest)),
    over('pe3', 'confirmation', answerOf(lengthsIn(range, 0.5), { out: longest.back })),
  ];
  assert.match(words(tail, SHOWN), /of packets of 1[34]\d\d to 14\d\d octets/);
  const full = {
    body: { sent: 48, reflected: 48, received: 20, duplicates: 0, rttMs: null, sendErrors: 0 },
    args: {
      Tail: 'pe3',
      Count: 48,
      payloadBytes: 1_452,
      segments: [],
      source: 'fd00::1',
      destination: 'fd00:0:0:3::1',
    },
  };
  const lost = said([...tail, evidenceOf({ kind: 'path-full', from: 'pe1', to: 'pe3' }, 'pe1', full)], SHOWN);
  assert.deepEqual([lost.kind, lost.findings], ['inconclusive', []]);
});

const named = (scene: Partial<Scene>, evidence: readonly Evidence[] = LOSSY) => {
  const { kind, reasons, findings } = said(evidence, scene);
  return { kind, reasons, resources: findings.map(({ fault, resource }) => `${fault} ${resource}`) };
};

test('of a link without addresses of its own, of which full size is not measured apart, the longest are lengths as well', () => {
  const bare = linkOf('a-b');
  const run = (measuredBy: string, round: string, tested: readonly number[], lost: readonly number[]) =>
    fact('link-lengths', { link: bare.key, round, measuredBy, headerBytes: HEADERS, tested, lost } as never);
  const facts = [
    run('a', 'first', [128, 600, 1_100, 1_471], [1_471]),
    ...['a', 'b'].map((end) => run(end, 'confirmation', [1_120, 1_250, 1_400], [1_120, 1_250, 1_400])),
    fact('large-probes', { link: bare.key, from: 'a', to: 'b', sent: 45, received: 0, bytes: 68_130 } as never),
  ];
  const found = (addresses?: object) => {
    const link = { ...bare, link: { ...bare.link, ...(addresses === undefined ? {} : { addresses }) } };
    return lengthLosses(pairWorld([], { a: { now: {} }, b: { now: {} } }, { links: [link] }), facts).length;
  };
  assert.deepEqual([found(), found({ from: 'fd00::a', to: 'fd00::b' })], [1, 0]);
});

test('where the counters of both ends do not lack them, or one end was read late, no end is named', () => {
  for (const scene of [{}, lacking(10), lacking(40, -40)]) {
    const { kind, resources, reasons } = named(scene);
    assert.deepEqual([kind, resources], ['inconclusive', []], reasons);
    assert.match(reasons, /of 56\d to 7[12]\d octets over the link were lost in a second look/);
  }
  assert.deepEqual(named({ ...SHOWN, load: 0 }).resources, ['packet_loss interface/pe3/eth0']);
});

const POLICER: Filter = {
  ...{ node: 'p2', acl: 'police', hook: 'input', family: 'inet', old: 5, job: 55 },
  matches: [
    { field: 'protocol', values: ['udp'] },
    { field: 'destination-port', values: ['9515'] },
  ],
};

test('a filter of what is addressed to its own node that took them is said, and accuses no link', () => {
  const counted = named({ filters: [{ ...POLICER, limits: true }] });
  assert.deepEqual([counted.kind, counted.resources], ['healthy', []], counted.reasons);
  assert.match(counted.reasons, /; police of P-2 dropped some, and takes only what is for its own node$/m);
  const silent = named({ filters: [{ ...POLICER, limits: true, counterless: true }] });
  assert.deepEqual([silent.kind, silent.resources], ['healthy', []], silent.reasons);
  assert.match(
    silent.reasons,
    /; police of P-2 may have dropped some: it limits only what is for its own node, and the l/,
  );
  const either = named({ ...SHOWN, filters: [{ ...POLICER, limits: true, counterless: true }] });
  assert.deepEqual([either.kind, either.resources], ['inconclusive', []], either.reasons);
  const shown = named({ ...lacking(200), filters: [{ ...POLICER, limits: true }] });
  assert.deepEqual(shown.resources, ['packet_loss interface/pe3/eth0'], 'the link lost them');
});

test('a limiter takes no range of lengths: where the counters of a link cannot be compared, it explains none', () => {
  const lan: NonNullable<Scene['touch']> = (state, node) => {
    const interfaces = state.inventory.interfaces.map((port) => {
      const isEnd = port.name === { p2: 'eth1', pe3: 'eth0' }[node];
      return isEnd ? { ...port, addresses: port.addresses.map((each) => each.replace(/[/]127$/, '/64')) } : port;
    });
    const told = { ...state, neighbours: [], adjacencies: [], inventory: { ...state.inventory, interfaces } };
    return told as unknown as JsonObject;
  };
  assert.deepEqual(named({ touch: lan }).resources, ['packet_loss interface/pe3/eth0']);
  for (const node of ['p2', 'pe3']) {
    const { kind, resources } = named({ touch: lan, filters: [{ ...POLICER, node, limits: true }] });
    assert.deepEqual([kind, resources], ['inconclusive', []], node);
  }
  // The shortest, the longest and most between, while others of each arrive.
  const spread = (payloads: readonly number[]) =>
    lostOf(
      payloads,
      payloads.map((_, turn) => turn).filter((turn) => turn % 3 !== 1),
    );
  const evidence = [
    over('p2', 'first', spread(lengthsIn(WHOLE))),
    over('p2', 'confirmation', spread(lengthsIn(WHOLE))),
    over('pe3', 'confirmation', outOf(spread(lengthsIn(WHOLE, 0.5)))),
  ];
  const judged = (filters: readonly Filter[]) => {
    const { findings, reasons } = said(evidence, { touch: lan, filters });
    return [findings.map(({ fault }) => fault), /police of P-2 dropped some, and takes only/.test(reasons)];
  };
  assert.deepEqual(judged([{ ...POLICER, limits: true }]), [[], true]);
  assert.deepEqual(judged([]), [['packet_loss'], false]);
});

test('a gap in time is no range of lengths: an answer that has no finding, and is not healthy', () => {
  const stray = lostOf(lengthsIn(WHOLE), [3]);
  const gap = (from: 'p2' | 'pe3', phase: number) => {
    const answer = lostOf(lengthsIn(AROUND, phase), [8, 9, 10]);
    return over(from, 'confirmation', from === 'p2' ? answer : outOf(answer));
  };
  const { kind, resources, reasons } = named(lacking(14), [over('p2', 'first', stray), gap('p2', 0), gap('pe3', 0.5)]);
  assert.deepEqual([kind, resources], ['inconclusive', []], reasons);
  assert.match(reasons, /1 probe of \d+ octets was lost, and of 48 in a second look 6$/m);
});

test('a link that holds trains back is looked at again, and one that then loses lengths is not healthy', () => {
  const { intent, nodeNames, evidence, outcomes } = inputOf(LOSSY, SHOWN);
  const file = caseFileOf(intent, nodeNames, evidence, outcomes);
  const held = { heldMs: 30, megabits: 10, mostMegabits: 10, loose: false };
  const trains = (['p2', 'pe3'] as const).map((from) => {
    const value = { link: KEY, from, to: other[from], sent: 45, received: 45, bytes: 67_500, there: held };
    return { subject: KEY, predicate: 'large-probes', source: [], window: {}, value } as unknown as Fact;
  });
  const facts = [...file.facts, ...trains];
  assert.deepEqual([...heldUpRates(facts).keys()], [KEY]);
  assert.deepEqual(lengthLosses(file.world, facts), []);
  assert.match(
    lengthProof({ world: file.world, facts }, []).lacking.join('\n'),
    /octets were lost, and of 48 in a second/,
  );
  const before = inputOf([first({ back: HOLE })]);
  const told = before.evidence.filter(({ phase }) => phase === 'before');
  const states = new Map(told.map(({ node, body }) => [node, body as unknown as NodeState]));
  const one = caseFileOf(before.intent, before.nodeNames, before.evidence, before.outcomes);
  const doubts = doubtsOf({ ...one, facts: [...one.facts, ...trains] }, states, before.evidence);
  assert.equal(doubts.lengths?.length, 1);
});

test('where the shortest and the longest are lost, no others are said to arrive', () => {
  const turns = Array.from({ length: 24 }, (_, turn) => turn).filter((turn) => turn !== 2 && turn !== 3);
  const mostOf = (phase: number) => lostOf(lengthsIn(AROUND, phase), turns);
  const evidence = [
    over('p2', 'first', lostOf([560, 600], [0])),
    over('p2', 'confirmation', mostOf(0)),
    over('pe3', 'confirmation', outOf(mostOf(0.5))),
  ];
  const { intent, nodeNames, evidence: whole, outcomes } = inputOf(evidence, SHOWN);
  const [symptom] = lengthLossSymptom.of(caseFileOf(intent, nodeNames, whole, outcomes));
  assert.match(symptom?.text ?? '', /were lost in a second look$/);
});

test('an end that alone reports the loss names no interface, and the answer is not healthy', () => {
  const { kind, reasons, findings } = said([first({ back: HOLE }), again('p2', { back: HOLE }), again('pe3', {}, 0.5)]);
  assert.deepEqual([kind, findings], ['inconclusive', []], reasons);
  assert.match(reasons, /3 probes of 576 to 699 octets were lost, and of 48 in a second look 1\d$/m);
});

test('one that does not come again is a stray, and several without a second look are no proof', () => {
  const sound = [again('p2', {}), again('pe3', {}, 0.5)];
  const stray = said([first({ back: HOLE }), ...sound]);
  assert.equal(stray.kind, 'healthy', stray.reasons);
  assert.match(stray.reasons, /3 probes of 576 to 699 octets were lost, and of 48 in a second look 0$/m);
  const open = said([first({ back: HOLE })]);
  assert.equal(open.kind, 'inconclusive');
  assert.match(open.reasons, /octets were lost, and there was no second look/);
});

test('of an agent that does not know lengths, or tells what cannot be, the proof says that it was not tested', () => {
  const { body, args } = answerOf(lengthsIn(WHOLE), {});
  const { lostPayloadBytes: _, ...old } = body;
  const dead = answerOf(lengthsIn(WHOLE), { out: [0, 9_000] }).body;
  for (const told of [old, { ...body, lostPayloadBytes: [999] }, dead]) {
    const { kind, reasons } = said([over('p2', 'first', { body: told, args })]);
    assert.equal(kind, 'healthy', reasons);
    assert.match(reasons, /^not tested: packets between small and full size over P-2 eth1 – PE-3 eth0$/m);
  }
});

test('what the own node refused to send was not tested, and is not lost', () => {
  const { body, args } = answerOf(lengthsIn(WHOLE), {});
  const [refused] = lengthsIn(WHOLE).filter((each) => each > 1_400);
  const told = { ...body, reflected: 23, received: 23, sendErrors: 1, untestedPayloadBytes: [refused!] };
  const { kind, reasons } = said([over('p2', 'first', { body: told, args })]);
  assert.equal(kind, 'healthy', reasons);
  assert.match(reasons, /^probes of 128 to 1\d+ octets: 23 of 23 over 1 link came back$/m);
});

test('a path that loses some lengths while no hop is seen to is not healthy', () => {
  const { kind, reasons, findings } = said([along({ out: HOLE })]);
  assert.deepEqual([kind, findings], ['inconclusive', []], reasons);
  assert.match(
    reasons,
    /PE-1 → PE-3 and back: 2\d of 24 probes of 128 to 1471 octets arrived; \d probes of 5\d\d to 699 octets were lost/,
  );
});

test('one lost probe along a path is a stray where each hop had a run of its own, and open where one had none', () => {
  const small = along({ out: [690, 710] });
  const bare = said([small]);
  assert.deepEqual([bare.kind, bare.findings], ['inconclusive', []], bare.reasons);
  assert.match(bare.reasons, /23 of 24 probes of 128 to 1471 octets arrived; 1 probe of 699 octets was lost/);
  assert.equal(said([small, first({})]).kind, 'inconclusive', 'pe1 – p2 had none');
  const [near, far] = [
    { node: 'pe1', ifname: 'eth1' },
    { node: 'p2', ifname: 'eth0' },
  ];
  const other = { kind: 'length-probe', from: near, to: far, round: 'first' } as const;
  const both = said([small, first({}), evidenceOf(other, 'pe1', answerOf(lengthsIn(WHOLE), {}))]);
  assert.equal(both.kind, 'healthy', both.reasons);
});

test('they are known packets of their link, each way as far as they were seen', () => {
  const { intent, nodeNames, evidence, outcomes } = inputOf(LOSSY);
  const { world } = caseFileOf(intent, nodeNames, evidence, outcomes);
  const rows = (from: string) =>
    lengthPacketsOver(world, evidence, KEY, from).map(({ probesSent, probesArrived }) => [probesSent, probesArrived]);
  assert.deepEqual(
    rows('p2')
      .map(([sent]) => sent)
      .slice(0, 2),
    [24, 24],
  );
  assert.ok(
    rows('pe3').every(([sent, arrived]) => arrived! < sent!),
    JSON.stringify(rows('pe3')),
  );
});
