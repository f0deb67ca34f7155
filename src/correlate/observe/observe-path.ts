// Evidence → typed facts (docs/design.md §7, step 2). Only counters that moved between the two states speak; what a peer left out
// or garbled becomes a `missing` fact.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { decodeToldState } from '#measure/decode/decode.ts';
import { readingsOf } from '#measure/measurement.ts';
import { pathProbes } from '#measure/path/path-measurement.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Link } from '#model/links/links.ts';
import { linkResource, nodeKey, nodeResource } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import type { ProbeResult } from '#model/router/router-port.ts';
import type { Fact, ProbeLoss } from '../engine/facts.ts';
import { mark } from '../network/node-ref.ts';
import type { LinkFact } from '../network/topology.ts';
import { linkFact, pathLinks } from '../network/topology.ts';
import type { StateEntry } from '../network/world.ts';
import { filterFacts, nodeErrorFacts } from './observe-node.ts';
import { compareWire, type Reading } from './wire.ts';

export const WINDOW = 'before..after';

type Probe = {
  readonly from: string;
  readonly to: string;
  readonly result: ProbeResult;
  readonly source: string;
  /** Addresses that were asked for. */
  readonly probe: NonNullable<ProbeLoss['probe']>;
  /** Source ports in turn; plain probes over one link, when more than one. */
  readonly flows: number;
};

/** All facts about the path. `path` are resolved node names, head first. */
export function pathFacts(
  path: readonly string[],
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
): readonly Fact[] {
  const before = statesOf(evidence, 'before');
  const after = statesOf(evidence, 'after');
  const probes = probesOf(path, evidence);
  const latest = new Map([...before, ...after].map(([node, entry]) => [node, entry.state]));
  const links = pathLinks(path, latest).map((link) => ({ link, fact: linkFact(link, latest) }));
  const readings = new Map<string, Reading>();
  for (const [node, entry] of before) {
    const end = after.get(node);
    if (end === undefined) continue;
    readings.set(node, {
      before: entry.state,
      after: end.state,
      beforeMs: elapsed(outcomes, entry.id),
      afterMs: elapsed(outcomes, end.id),
    });
  }
  const sources = (node: string) => [before.get(node)?.id, after.get(node)?.id].filter((id) => id !== undefined);
  const facts: Fact[] = [
    ...missingFacts(path, before, after, probes, { evidence, outcomes }),
    ...probes.flatMap((probe) => probeFacts(path, probe)),
    ...links.map(({ fact }) => linkFactOf(fact, sources)),
    ...links.flatMap(({ link, fact }) => wireFacts(link, fact, { readings, probes, outcomes, sources, path })),
    ...[...readings].flatMap(([node, reading]) => [
      ...filterFacts(node, reading.before, reading.after, sources(node)),
      ...nodeErrorFacts(node, reading.before, reading.after, sources(node)),
    ]),
  ];
  return facts;
}

export function statesOf(evidence: readonly Evidence[], phase: 'before' | 'after'): ReadonlyMap<string, StateEntry> {
  const states = new Map<string, StateEntry>();
  for (const entry of evidence) {
    const told = entry.phase === phase ? decodeToldState(entry) : undefined;
    // What a node says itself goes before what a neighbour says of it.
    if (told !== undefined && (entry.kind === 'state' || !states.has(told.node)))
      states.set(told.node, { id: entry.id, state: told.state });
  }
  return states;
}

/**
 * Where a probe went, and how many there had to be, is read from the request that we signed, never from the answer: who sent
 * another number than asked has measured something else.
 */
function probesOf(path: readonly string[], evidence: readonly Evidence[]): readonly Probe[] {
  return readingsOf(pathProbes, evidence).flatMap(({ node: from, value: result, args, source }) => {
    const [tail, asked] = [args['Tail'], args['Count']];
    const to = typeof tail === 'string' ? path.find((node) => nodeKey(node) === nodeKey(tail)) : undefined;
    if (to === undefined || result.sent === 0 || !path.includes(from)) return [];
    if (asked !== undefined && result.sent !== asked) return [];
    return [{ from, to, result, source, probe: addressesOf(args), flows: Number(args['flows'] ?? 1) }];
  });
}

/** True for probes along all of a path of several segments. */
function isWhole(path: readonly string[], { from, to, flows }: Probe): boolean {
  return path.length > 2 && flows === 1 && from === path[0] && to === path.at(-1);
}

function addressesOf(args: JsonObject): Probe['probe'] {
  const { source, destination, segments } = args;
  return {
    ...(typeof source === 'string' ? { source } : {}),
    ...(typeof destination === 'string' ? { destination } : {}),
    segments: Array.isArray(segments) ? segments.filter((sid) => typeof sid === 'string') : [],
  };
}

function probeFacts(path: readonly string[], probe: Probe): readonly Fact[] {
  const { from, to, result } = probe;
  const scope = isWhole(path, probe) ? 'path' : 'segment';
  const source = [probe.source];
  const { sent, sendErrors: refused, reflected = 0, reflectorRefused: unanswered = 0 } = result;
  const reason = result.sendErrorReason;
  const refusedByFilter = reason === undefined || /EPERM|EACCES|not permitted/i.test(reason);
  const common = {
    ...({ scope, measuredBy: from, probe: probe.probe, refusedByFilter, unanswered } as const),
    ...(probe.flows > 1 ? { flows: probe.flows } : {}),
  };
  const facts: Fact[] = [];
  const add = (start: string, end: string, counts: Pick<ProbeLoss, 'sent' | 'lost' | 'refused' | 'directionKnown'>) => {
    const value = { ...common, from: start, to: end, ...counts };
    facts.push({ subject: `path/${start}>${end}`, predicate: 'probe-loss', value, source, window: WINDOW });
  };
  if (reflected === 0) {
    // What was never sent is no riddle: it is lost where it was refused.
    add(from, to, { sent, lost: sent, refused, directionKnown: refused === sent });
  } else {
    const answered = reflected - unanswered;
    add(from, to, { sent, lost: sent - reflected, refused, directionKnown: true });
    add(to, from, { sent: answered, lost: answered - result.received, refused: 0, directionKnown: true });
  }
  const subject = `path/${from}>${to}`;
  if (result.rttMs !== null)
    facts.push({ subject, predicate: 'round-trip', value: { from, to, ...result.rttMs }, source });
  if (result.late !== undefined)
    facts.push({ subject, predicate: 'late-probes', value: { from, to, late: result.late, sent }, source });
  if (result.sendErrors > 0)
    facts.push({ subject, predicate: 'send-errors', value: { from, to, packets: result.sendErrors }, source });
  return facts;
}

export function linkFactOf(fact: LinkFact, sources: (node: string) => readonly string[]): Fact {
  const source = [...sources(fact.from.node), ...sources(fact.to.node)];
  return { subject: linkResource(fact.from, fact.to), predicate: 'link', value: fact, source };
}

type WireContext = {
  readonly path: readonly string[];
  readonly readings: ReadonlyMap<string, Reading>;
  readonly probes: readonly Probe[];
  readonly outcomes: readonly Outcome[];
  readonly sources: (node: string) => readonly string[];
};

function wireFacts(link: Link, fact: LinkFact, context: WireContext): readonly Fact[] {
  return [
    { from: link.from, to: link.to },
    { from: link.to, to: link.from },
  ].flatMap((way) => {
    const [sender, receiver] = [context.readings.get(way.from.node), context.readings.get(way.to.node)];
    if (sender === undefined || receiver === undefined) return [];
    const value = compareWire({
      ...way,
      sender,
      receiver,
      ...probePackets(context, way.from.node, way.to.node),
      probeMs: probePhaseMs(context.outcomes),
      ...(fact.confirmed
        ? {}
        : { distrust: fact.shared ?? fact.symptoms[0] ?? 'the link is not confirmed from both ends' }),
    });
    const source = [...context.sources(way.from.node), ...context.sources(way.to.node)];
    return [
      { subject: `interface/${way.from.node}/${way.from.ifname}`, predicate: 'wire', value, source, window: WINDOW },
    ];
  });
}

type ProbePackets = { readonly probesSent: number; readonly probesArrived: number; readonly probesPerhaps: number };

/** Probe packets that surely crossed the link in this direction inside the window, and those that may have. */
function probePackets(context: WireContext, from: string, to: string): ProbePackets {
  const { path, probes } = context;
  const forward = path.indexOf(from) < path.indexOf(to);
  const sum = { probesSent: 0, probesArrived: 0, probesPerhaps: 0 };
  for (const probe of probes) {
    const { received, reflected = 0, reflectorRefused = 0 } = probe.result;
    const sent = probe.result.sent - probe.result.sendErrors;
    const answered = reflected - reflectorRefused;
    const whole = isWhole(path, probe);
    if (probe.from === from && probe.to === to) add(sum, sent, reflected, 0);
    else if (probe.from === to && probe.to === from) add(sum, answered, received, 0);
    else if (whole && forward) add(sum, reflected, reflected, 0);
    else if (whole) add(sum, 0, 0, answered);
  }
  return sum;
}

function add(
  sum: { -readonly [K in keyof ProbePackets]: number },
  sent: number,
  arrived: number,
  perhaps: number,
): void {
  sum.probesSent += sent;
  sum.probesArrived += arrived;
  sum.probesPerhaps += perhaps;
}

function missingFacts(
  path: readonly string[],
  before: ReadonlyMap<string, StateEntry>,
  after: ReadonlyMap<string, StateEntry>,
  probes: readonly Probe[],
  said: { readonly evidence: readonly Evidence[]; readonly outcomes: readonly Outcome[] },
): readonly Fact[] {
  const missing = (node: string, what: string, isFor: IsFor): Fact => {
    const value = { node, what, why: otherCount(said.evidence, isFor) ?? whyMissing(said.outcomes, isFor) };
    return { subject: nodeResource(node), predicate: 'missing', value, source: [] };
  };
  const facts: Fact[] = [];
  for (const [phase, states] of [
    ['before', before],
    ['after', after],
  ] as const) {
    const lacking = path.filter((node) => !states.has(node));
    facts.push(...lacking.map((node) => missing(node, `state ${phase} the probes`, isStateOf(node, phase))));
  }
  const pairs = path.slice(1).map((to, index) => [path[index]!, to] as const);
  const wanted = path.length > 2 ? [[path[0]!, path.at(-1)!] as const, ...pairs] : pairs;
  for (const [from, to] of wanted) {
    if (probes.some((probe) => probe.from === from && probe.to === to)) continue;
    const isFor: IsFor = (call) => {
      const probe = purposeOf(call, 'path-probe');
      return probe?.from === from && probe.to === to;
    };
    facts.push(missing(from, `probe to ${mark(to)}`, isFor));
  }
  return facts;
}

/** What was planned for one purpose at one node. */
export type IsFor = (call: Pick<Outcome, 'node' | 'purpose'>) => boolean;

export function isStateOf(node: string, when: 'before' | 'after'): IsFor {
  return (call) => call.node === node && purposeOf(call, 'state')?.when === when;
}

function otherCount(evidence: readonly Evidence[], isFor: IsFor): string | undefined {
  const [probe] = readingsOf(pathProbes, evidence).filter(isFor);
  if (probe === undefined || probe.value.sent === probe.args['Count']) return undefined;
  return `asked to send ${String(probe.args['Count'])}, it says it sent ${probe.value.sent}`;
}

export function whyMissing(outcomes: readonly Outcome[], isFor: IsFor): string {
  const outcome = outcomes.find(isFor);
  if (outcome === undefined) return 'not asked';
  if (outcome.status === 'answered') return outcome.untrusted ?? 'the answer could not be used';
  return outcome.reason === undefined ? outcome.status : `${outcome.status}: ${outcome.reason}`;
}

/** How long the asker waited for a call; the longest wait there is when nobody says. */
export function elapsed(outcomes: readonly Outcome[], callId: string): number {
  return outcomes.find((entry) => entry.callId === callId)?.elapsedMs ?? LIMITS.callMs;
}

export function probePhaseMs(outcomes: readonly Outcome[]): number {
  return Math.max(
    1,
    ...outcomes
      .filter((entry) => entry.phase === 'probe' && entry.status === 'answered')
      .map((entry) => entry.elapsedMs),
  );
}
