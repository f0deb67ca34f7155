// Packets of some lengths that a link or a path loses: what is looked at again, which end is named, and what is no such loss.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import { lengthPacketsOver } from '#correlate/observe/length-probes.ts';
import { lengthLossSymptom } from '#correlate/symptoms/links/length-loss.ts';
import { callFor } from '#measure/call.ts';
import { lengthsIn } from '#measure/lengths.ts';
import type { Evidence } from '#model/evidence.ts';
import { linkResource } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { exchange, type Scene } from './builder.ts';

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

test('where both ends lost them in one direction, the sending interface is named with the lengths', () => {
  const { kind, reasons, findings } = said(LOSSY);
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
  assert.match(words(tail), /of packets of 1[34]\d\d to 14\d\d octets/);
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
  const lost = said([...tail, evidenceOf({ kind: 'path-full', from: 'pe1', to: 'pe3' }, 'pe1', full)]);
  assert.deepEqual([lost.kind, lost.findings], ['inconclusive', []]);
});

test('an end that alone reports the loss names no interface, and the answer is not healthy', () => {
  const { kind, reasons, findings } = said([first({ back: HOLE }), again('p2', { back: HOLE }), again('pe3', {}, 0.5)]);
  assert.deepEqual([kind, findings], ['inconclusive', []], reasons);
  assert.match(reasons, /probes of 56\d to 7[12]\d octets over the link were lost in a second look/);
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
