// Full-size probes along a path: what they prove, which hop lost them, and what is no fault of any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import { areWiresSound } from '#correlate/health/proof-full-size.ts';
import { hopPacketsOver } from '#correlate/observe/full-size.ts';
import { classPacketsOver } from '#correlate/observe/link-classes.ts';
import type { ProbePackets } from '#correlate/observe/wire.ts';
import { callFor } from '#measure/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { linkResource } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { exchange } from './builder.ts';
import { fact } from './fact-scene.ts';
import { pairWorld } from './pair-scene.ts';

const NODES = ['pe1', 'p2', 'pe3'];
const COUNT = 48;

type Counts = { readonly out?: number; readonly back?: number };
const resultOf = ({ out = 0, back = 0 }: Counts): JsonObject => ({
  ...{ sent: COUNT, reflected: COUNT - out, received: COUNT - out - back, duplicates: 0, rttMs: null, sendErrors: 0 },
});

function evidenceOf(purpose: PlannedPurpose, node: string, body: JsonObject, args: JsonObject): Evidence {
  const { id, evidence: kind, phase } = callFor(node, purpose, {}, 0);
  const request = { method: 'tools/call', params: { arguments: args } };
  return { id, purpose, node, kind, phase, request, body } as unknown as Evidence;
}

const args = (tail: string, destination: string): JsonObject => ({
  ...{ Tail: tail, Count: COUNT, payloadBytes: 1_452, segments: [] },
  ...{ source: 'fd00::1', destination },
});
const whole = (lost: Counts) =>
  evidenceOf({ kind: 'path-full', from: 'pe1', to: 'pe3' }, 'pe1', resultOf(lost), args('pe3', 'fd00:0:0:3::1'));

/** The link of p2 and pe3, from either end. */
const ENDS = { p2: { node: 'p2', ifname: 'eth1' }, pe3: { node: 'pe3', ifname: 'eth0' } } as const;
const hop = (from: 'p2' | 'pe3', lost: Counts) => {
  const to = from === 'p2' ? 'pe3' : 'p2';
  const purpose = { kind: 'hop-full', from: ENDS[from], to: ENDS[to], family: 6 } as const;
  return evidenceOf(purpose, from, resultOf(lost), args(to, 'fd00:2::1'));
};
/** Echoes of both sizes over a link, from its first node. */
const echoes = (node: string, destination: string, lost: number) =>
  (['icmp', 'large-icmp'] as const).map((traffic) => {
    const gone = traffic === 'icmp' ? 0 : lost;
    const row = { destination, sent: COUNT, received: COUNT - gone, rttMs: 1, traffic, ttl: 64 };
    return evidenceOf({ kind: 'link-classes', traffic, round: 'confirmation', run: 1 }, node, { results: [row] }, {});
  });
const overBoth = (first: number, second: number) => [
  ...echoes('pe1', 'fd00:1::1', first),
  ...echoes('p2', 'fd00:2::1', second),
];

const inputOf = (...more: readonly Evidence[]) => {
  const scene = exchange({ nodes: NODES, seed: 7, load: 400 });
  return { ...scene, evidence: [...scene.evidence, ...more] };
};
/** Every interface of every node has this MTU. */
function withMtus(mtu: number, ...more: readonly Evidence[]) {
  const scene = inputOf(...more);
  const evidence = scene.evidence.map((entry) => {
    if (entry.kind !== 'state') return entry;
    const body = entry.body as unknown as NodeState;
    const interfaces = body.inventory.interfaces.map((each) => ({ ...each, mtu }));
    return { ...entry, body: { ...body, inventory: { ...body.inventory, interfaces } } as unknown as JsonObject };
  });
  return { ...scene, evidence };
}
const said = (...more: readonly Evidence[]) => {
  const { verdict, findings } = diagnose(inputOf(...more));
  return { kind: verdict.kind, reasons: verdict.reasons.join('\n'), findings };
};

test('full-size probes that arrived are part of the proof, each way', () => {
  const { kind, reasons } = said(whole({}));
  assert.equal(kind, 'healthy', reasons);
  assert.match(reasons, /^PE-1 → PE-3: 48 of 48 probes of 1500 octets arrived$/m);
  assert.match(reasons, /^PE-3 → PE-1: 48 of 48 probes of 1500 octets arrived$/m);
});

test('where none of full size was planned, as the MTU of a hop is not known, the proof says so', () => {
  const { verdict } = diagnose(withMtus(0));
  assert.equal(verdict.kind, 'healthy', verdict.reasons.join('\n'));
  assert.ok(verdict.reasons.includes('not tested: packets of full size, as the MTU of a hop is not known'));
  assert.doesNotMatch(diagnose(withMtus(1_500, whole({}))).verdict.reasons.join('\n'), /^not tested: packets/m);
});

test('where links of the path take larger packets than were tested, the proof says which', () => {
  const { verdict } = diagnose(withMtus(9_000, whole({})));
  assert.equal(verdict.kind, 'healthy', verdict.reasons.join('\n'));
  assert.ok(
    verdict.reasons.includes(
      'not tested: packets of more than 1500 octets, of which links of the path take up to 9000',
    ),
    verdict.reasons.join('\n'),
  );
});

test('a path that loses full-size probes is not healthy, though every small one arrived', () => {
  for (const lost of [{ back: 21 }, { out: 48 }, { out: 1 }]) {
    const { kind, findings } = said(whole(lost));
    assert.deepEqual([kind, findings], ['inconclusive', []], JSON.stringify(lost));
  }
  assert.match(said(whole({ back: 21 })).reasons, /PE-3 → PE-1: 27 of 48 probes of 1500 octets arrived/);
  assert.match(said(whole({ out: 48 })).reasons, /PE-1 → PE-3: 0 of 48 probes of 1500 octets came back/);
});

test('every hop of such a path is looked at again in both sizes, and none of a path that lost none', () => {
  const looked = (lost: Counts) => {
    const { intent, nodeNames, evidence, outcomes } = inputOf(whole(lost));
    const before = evidence.filter(({ phase }) => phase === 'before');
    const states = new Map(before.map(({ node, body }) => [node, body as unknown as NodeState]));
    const { classes } = doubtsOf(caseFileOf(intent, nodeNames, evidence, outcomes), states, evidence);
    return classes.map(({ link, traffic }) => `${link.from.node} ${link.to.node} ${traffic}`).sort();
  };
  assert.deepEqual(looked({ back: 1 }), [...['p2 pe1 icmp', 'p2 pe1 large-icmp', 'p2 pe3 icmp', 'p2 pe3 large-icmp']]);
  assert.deepEqual(looked({}), []);
});

test('a hop that lost small probes as well is not looked at again, and the others are', () => {
  const scene = exchange({ nodes: NODES, seed: 7, load: 400, loss: { 'pe1>p2': 0.05 } });
  const evidence = [...scene.evidence, whole({ out: 30 })];
  const before = evidence.filter(({ phase }) => phase === 'before');
  const states = new Map(before.map(({ node, body }) => [node, body as unknown as NodeState]));
  const file = caseFileOf(scene.intent, scene.nodeNames, evidence, scene.outcomes);
  const { classes } = doubtsOf(file, states, evidence);
  assert.deepEqual([...new Set(classes.map(({ link }) => [link.from.node, link.to.node].join(' ')))], ['p2 pe3']);
});

test('probes of a second look over a hop are known packets of it, each way as far as they were seen', () => {
  const scene = inputOf(whole({ back: 21 }), ...overBoth(0, 20), hop('p2', { back: 22 }), hop('pe3', { out: 19 }));
  const { world } = caseFileOf(scene.intent, scene.nodeNames, scene.evidence, scene.outcomes);
  const key = linkResource(ENDS.p2, ENDS.pe3);
  const rows = (packets: readonly ProbePackets[]) =>
    packets.map(({ probesSent, probesArrived }) => [probesSent, probesArrived]);
  assert.deepEqual(rows(hopPacketsOver(world, scene.evidence, key, 'p2')), [
    [48, 48],
    [29, 29],
  ]);
  assert.deepEqual(rows(hopPacketsOver(world, scene.evidence, key, 'pe3')), [
    [48, 26],
    [48, 29],
  ]);
  assert.deepEqual(rows(classPacketsOver(world, scene.evidence, key)), [
    [48, 48],
    [28, 28],
  ]);
});

test('the sender of the hop whose both ends lost them in one direction is named, as likely', () => {
  const { kind, findings } = said(
    whole({ back: 21 }),
    ...overBoth(0, 20),
    hop('p2', { back: 22 }),
    hop('pe3', { out: 19 }),
  );
  assert.equal(kind, 'fault');
  assert.deepEqual(
    findings.map(({ fault, resource, confidence }) => [fault, resource, confidence]),
    [['packet_loss', 'interface/pe3/eth0', 'likely']],
  );
});

test('what one end alone says, or small ones share, names no interface', () => {
  const alone = said(whole({ back: 21 }), ...overBoth(0, 20), hop('p2', { back: 22 }), hop('pe3', {}));
  assert.deepEqual([alone.kind, alone.findings], ['inconclusive', []]);
  assert.match(alone.reasons, /20 of 48 echoes as long as its MTU over the link were lost/);
  const turned = said(whole({ back: 21 }), ...overBoth(0, 20), hop('p2', { out: 22 }), hop('pe3', { out: 19 }));
  assert.deepEqual(turned.findings, [], 'the two ends contradict each other');
});

test('a few that are lost are a stray where every hop carries echoes of that size; more are lost at an unknown place', () => {
  const stray = said(whole({ out: 2 }), ...overBoth(0, 0));
  assert.equal(stray.kind, 'healthy', stray.reasons);
  assert.match(stray.reasons, /46 of 48 probes of 1500 octets arrived; the rest is a stray/);
  const more = said(whole({ out: 20 }), ...overBoth(0, 0));
  assert.equal(more.kind, 'inconclusive');
  assert.match(
    more.reasons,
    /28 of 48 probes of 1500 octets arrived, though .* where the others were lost is not known/,
  );
  assert.equal(said(whole({ out: 2 }), ...echoes('pe1', 'fd00:1::1', 0)).kind, 'inconclusive', 'one hop was not seen');
});

test('full-size probes that were planned and did not come are lacking', () => {
  const scene = inputOf();
  const purpose = { kind: 'path-full', from: 'pe1', to: 'pe3' } as const;
  const outcome = {
    ...scene.outcomes[0]!,
    callId: 'x',
    purpose,
    node: 'pe1',
    phase: 'probe' as const,
    status: 'timed-out' as const,
  };
  const { verdict } = diagnose({ ...scene, outcomes: [...scene.outcomes, outcome] });
  assert.equal(verdict.kind, 'inconclusive');
  assert.match(verdict.reasons.join('\n'), /PE-1: no full-size probes to PE-3/);
});

/** A node limits what is for itself, and did before: what it took of the probes stands in its counter. */
function limitedAt(
  node: string,
  lost: Counts,
  { more = [] as readonly Evidence[], counted = 400, unread = LIMIT } = {},
) {
  const scene = inputOf(whole(lost), ...more);
  const evidence = scene.evidence.map((entry) => {
    if (entry.kind !== 'state' || entry.node !== node) return entry;
    const state = entry.body as unknown as NodeState;
    const rule = {
      ...{ family: 'inet', table: 'copp', chain: 'input', path: ['input'], hook: 'input', handle: 4, verdict: 'drop' },
      ...{ inInterfaces: [], outInterfaces: [], matches: [{ field: 'protocol', values: ['udp'] }], matchesRest: true },
      ...{ unread: [unread], packets: String(entry.phase === 'after' ? counted : 0) },
    };
    const past = [{ state: { ...state, filters: [rule] }, fromAgoMs: 90_000, untilAgoMs: 30_000 }];
    return { ...entry, body: { ...state, filters: [rule], past } as unknown as JsonObject };
  });
  return { ...scene, evidence };
}
const LIMIT = 'limit rate over 100/second';
const again = (lost: Counts) =>
  evidenceOf({ kind: 'path-full-again', from: 'pe1', to: 'pe3' }, 'pe1', resultOf(lost), args('pe3', 'fd00:0:0:3::1'));

test('full-size probes that came in part to a node that limits what is for itself are sent again', () => {
  const limited = ({ intent, nodeNames, evidence, outcomes }: ReturnType<typeof limitedAt>) =>
    doubtsOf(caseFileOf(intent, nodeNames, evidence, outcomes), new Map(), evidence).limited;
  const way = [{ from: 'pe1', to: 'pe3' }];
  assert.deepEqual(limited(limitedAt('pe3', { out: 42 })), way);
  assert.deepEqual(limited(limitedAt('pe1', { back: 42 })), way, 'what came back');
  assert.deepEqual(limited(limitedAt('pe1', { out: 42 })), [], 'none of those came to it');
  assert.deepEqual(limited(limitedAt('pe3', { out: 48 })), [], 'none arrived');
  assert.deepEqual(limited(limitedAt('pe3', { out: 42 }, { unread: 'ct state invalid' })), [], 'no limiter');
  assert.deepEqual(limited(inputOf(whole({ out: 42 }))), []);
});

test('where all of them arrive then, they prove the path; not where the limiter counted none, or a hop lost some', () => {
  const concluded = (lost: Counts, how: Parameters<typeof limitedAt>[2] = {}, first: Counts = { out: 42 }) => {
    const { verdict } = diagnose(limitedAt('pe3', first, { ...how, more: [again(lost), ...(how.more ?? [])] }));
    return {
      kind: verdict.kind,
      reasons: verdict.reasons.filter((reason) => reason.includes('of 1500 octets arrived')),
    };
  };
  assert.deepEqual(concluded({}), {
    kind: 'healthy',
    reasons: [
      'PE-3 → PE-1: 6 of 6 probes of 1500 octets arrived',
      'PE-1 → PE-3: 48 of 48 probes of 1500 octets arrived when they were sent again, half as fast; at first 42 were lost, and input of PE-3 limits what is for that node',
    ],
  });
  for (const lost of [{ out: 1 }, { back: 1 }]) assert.equal(concluded(lost).kind, 'healthy', 'a stray');
  for (const lost of [{ out: 2 }, { back: 2 }]) assert.equal(concluded(lost).kind, 'inconclusive');
  for (const counted of [0, 1, 30]) assert.equal(concluded({}, { counted }).kind, 'inconclusive', `${counted} of 42`);
  assert.equal(concluded({}, { unread: 'ct state invalid' }).kind, 'inconclusive');
  assert.equal(concluded({}, { more: [hop('p2', { out: 4 })] }).kind, 'inconclusive');
  assert.equal(concluded({}, {}, { back: 42 }).kind, 'inconclusive', 'it takes nothing that it sends');
});

test('a link that is down says nothing of the wires of a path; one that is up and not counted leaves them open', () => {
  const port = (name: string, operUp: boolean) => ({ name, kind: 'physical', adminUp: operUp, operUp });
  const link = (name: string) => ({ from: { node: 'a', ifname: name }, to: { node: 'b', ifname: name } });
  const wires = (name: string, comparable: boolean, lostAtLeast = 0) => {
    const { from, to } = link(name);
    return [
      { from, to },
      { from: to, to: from },
    ].map((ends) => fact('wire', { ...ends, comparable, lostAtLeast } as never));
  };
  const isSound = (isUp: boolean, second = wires('eth2', false)) => {
    const state = { now: { inventory: { interfaces: [port('eth1', true), port('eth2', isUp)], loopbacks: [] } } };
    const facts = [
      ...['eth1', 'eth2'].map((name) => fact('link', link(name) as never)),
      ...[...wires('eth1', true), ...second],
    ];
    return areWiresSound({ world: pairWorld([], { a: state, b: state }), facts });
  };
  assert.equal(isSound(false), true);
  assert.equal(isSound(true), false);
  assert.equal(isSound(true, wires('eth2', true)), true);
  assert.equal(isSound(true, wires('eth2', true, 4)), false);
});
