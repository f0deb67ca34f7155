// Pure steps between the stages: states out of evidence, probes for whatever part of the path answered, notes about peers.
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { decodeProbeResult, decodeToldState } from '#correlate/decode/decode.ts';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { doubtfulTrains } from '#correlate/symptoms/bottleneck.ts';
import { lossyReaches } from '#correlate/health/proof-reach.ts';
import { echoesOver } from '#correlate/network/world.ts';
import { planDhcp, planDhcpDoubts, planOfferedNames, planOfferedRouters } from '#measure/hosts/dhcp.ts';
import { planFarDoubts, planFarEchoes, unansweredFromAfar } from '#measure/hosts/far-echoes.ts';
import { planHostConfirmation, planHostScan, planHostSearch, planServiceProbes } from '#measure/hosts/hosts.ts';
import { planAskedNames, planNameTimes } from '#measure/hosts/names.ts';
import { planSeenServices, planService } from '#measure/hosts/services.ts';
import { planSecondLook } from '#measure/links/confirmation.ts';
import { planAsked, planPlainLinks, planReachAgain } from '#measure/links/end-to-end.ts';
import { planLoops } from '#measure/links/loops.ts';
import { planSilentLinks, planSilentLinksAgain } from '#measure/links/non-reporting-links.ts';
import { planSrv6Tries } from '#measure/links/srv6-probes.ts';
import { planCapture, planHandshakes } from '#measure/nodes/capture.ts';
import { planLogs } from '#measure/nodes/logs.ts';
import { planCrossings } from '#measure/nodes/transit-probes.ts';
import { planProbes } from '#measure/path-plan.ts';
import { type Relays, throughRelays } from '#measure/relays.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import { planSecondLookups, planSweep } from '#measure/scope-plan.ts';
import type { Outcome, PlannedCall } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import type { Link } from '#model/links/links.ts';
import { asTold } from '#model/links/relayed.ts';
import type { PeerTable } from '#model/peer.ts';
import type { FarEnd, Purpose } from '#model/purpose.ts';
import type { PeerNote } from '#model/report.ts';
import type { NodeState } from '#model/router/router-port.ts';

export type States = ReadonlyMap<string, NodeState>;

/** State of each node that gave one, in path order. */
export function statesOf(nodes: readonly string[], evidence: readonly Evidence[]): States {
  const found = nodes.flatMap((node): [string, NodeState][] => {
    const told = evidence.map(decodeToldState).find((each) => each?.node === node);
    const state = told?.state;
    return state === undefined ? [] : [[node, state]];
  });
  return new Map(found);
}

type Asker = { readonly probeCount: number; readonly known: readonly string[]; readonly home: string };
/** Of `relays` each name is a node that told its state through a neighbour alone: it is asked what that neighbour can ask. */
type Scope = { readonly nodes: readonly string[]; readonly states: States; readonly relays: Relays };

/** What is measured between the two states: along a named path, or on every link of the scope at once. */
export function planMeasurements(intent: Intent, scope: Scope, asker: Asker): readonly PlannedCall[] {
  const { nodes, states, relays } = scope;
  if (intent.kind === 'path-loss') return planStretches(intent, nodes, states, asker);
  const calls = [
    ...planSweep(states, relays),
    ...planSilentLinks(nodes, states, relays),
    ...planPlainLinks(states, scopeLinks(states)),
    ...planHostScan(states),
    ...planServiceProbes(states),
    ...planFarEchoes(states),
    ...planDhcp(states),
    ...planAskedNames(states),
    ...planSrv6Tries(states),
    ...planCrossings(states),
    ...planService(intent, states, asker.home),
    ...planAsked(intent, states, asker.home),
    ...planSeenServices(states),
    ...planHandshakes(intent, states),
  ];
  return throughRelays(calls, relays);
}

/** Symptoms of which the logs of both ends may tell the reason. */
const ROUTING: ReadonlySet<string> = new Set(['isis', 'ospf', 'bgp']);

/** A second look: longer at links that lost a probe at the first, and again at routes where a way failed. */
export function planDoubts(
  intent: Intent,
  { nodes, states, relays }: Scope,
  answers: readonly Evidence[],
  gathered: { readonly evidence: readonly Evidence[]; readonly outcomes: readonly Outcome[] },
  probeCount: number,
): readonly PlannedCall[] {
  if (intent.kind === 'path-loss') return [];
  const measured = answers.map(asTold);
  const file = caseFileOf(intent, nodes, gathered.evidence, gathered.outcomes);
  const linked = (keys: ReadonlySet<string>) =>
    scopeLinks(states)
      .filter((link) => keys.has(keyOf(link)))
      .slice(0, SECOND_LOOKS);
  const slow = file.symptoms.flatMap((symptom) =>
    symptom.kind === 'slow' && symptom.link ? keyOf(symptom.link.link) : [],
  );
  const trains = doubtfulTrains(file.facts);
  const scoped = new Map(scopeLinks(states).map((link) => [keyOf(link), link]));
  const linkOf = (key: string) =>
    file.world.links.flatMap((each) => (each.key === key ? (scoped.get(keyOf(each.link)) ?? []) : []));
  const suspects = {
    ...lossyLinks(states, measured),
    pinged: file.world.links
      .filter((link) => echoesOver(file.world, link).lost > 0)
      .map(({ link }) => link)
      .slice(0, SECOND_LOOKS),
    slow: linked(new Set(slow)),
    narrow: [...trains.suspects, ...trains.others.map((key) => [key, {}] as const)].flatMap(([key, passage]) =>
      linkOf(key).map((link) => ({ link, ...passage })),
    ),
  };
  const unanswered = unansweredFromAfar(measured);
  const calls = [
    ...planSecondLook(states, suspects, probeCount),
    ...planReachAgain(lossyReaches(file.world)),
    ...planHostConfirmation(states, measured, unanswered),
    ...planFarDoubts(states, unanswered),
    ...planSilentLinksAgain(nodes, states, relays, silentInDoubt(file)),
    ...planLoops(states, suspects.slow, relays),
    ...planDhcpDoubts(states, file.world.dhcp),
    ...planOfferedNames(states, file.world.dhcp, intent.sinceMs !== undefined),
    ...(intent.sinceMs === undefined ? [] : planOfferedRouters(states)),
    ...planNameTimes(states, file.world.serviceProbes),
    ...planLogs(
      states,
      file.symptoms.filter(({ kind }) => ROUTING.has(kind)).flatMap(({ nodes: ends }) => ends),
    ),
    ...(file.symptoms.some((symptom) => symptom.kind === 'route') ? planSecondLookups(states) : []),
  ];
  return throughRelays(calls, relays);
}

/** Keys of silent routers through which probes were lost. */
function silentInDoubt({ symptoms }: Pick<CaseFile, 'symptoms'>): ReadonlySet<string> {
  return new Set(symptoms.filter(({ kind }) => kind === 'silent-link').map(({ detail }) => String(detail['silent'])));
}

/** A third look for hosts that live and no longer have their address. */
export function planSearch({ states, relays }: Scope, doubted: readonly Evidence[]): readonly PlannedCall[] {
  return throughRelays(planHostSearch(states, doubted.map(asTold)), relays);
}

/** Links that lost probes at the first look, the worst first. */
function lossyLinks(states: States, measured: readonly Evidence[]) {
  const worst = new Map<string, number>();
  for (const { kind, purpose, body } of measured) {
    const result = kind === 'probe' ? decodeProbeResult(body) : undefined;
    if (result === undefined || result.sent === 0 || result.received >= result.sent) continue;
    // That large probes alone are lost is a matter of sizes.
    if (purpose.kind === 'link-train' && result.received === 0) continue;
    const key = linkKeyOf(purpose);
    if (key === undefined) continue;
    worst.set(key, Math.max(worst.get(key) ?? 0, 1 - result.received / result.sent));
  }
  const worstLoss = (link: Link) => worst.get(keyOf(link)) ?? 0;
  const links = scopeLinks(states)
    .filter((link) => worstLoss(link) > 0)
    .sort((one, other) => worstLoss(other) - worstLoss(one));
  const [lossy, dead] = [links.filter((link) => worstLoss(link) < 1), links.filter((link) => worstLoss(link) === 1)];
  return { lossy: lossy.slice(0, SECOND_LOOKS), dead: dead.slice(0, SECOND_LOOKS) };
}

/** Of probes over one link; undefined for all others. */
function linkKeyOf(purpose: Purpose): string | undefined {
  switch (purpose.kind) {
    case 'link-probe':
    case 'link-train':
    case 'srv6-probe':
    case 'dscp-probe':
      return keyOf(purpose);
    default:
      return undefined;
  }
}

function keyOf({ from, to }: { readonly from: FarEnd; readonly to: FarEnd }): string {
  return [`${from.node}:${from.ifname}`, `${to.node}:${to.ifname}`].sort().join(' ');
}

/** Links that are looked at twice: where everything loses packets, a few are enough. */
const SECOND_LOOKS = 6;

/**
 * Probes for every stretch of the path whose nodes all answered, and a capture at its head. Throws `caller/no-path` when all nodes
 * answered and yet there is no way along them; it names every node that the asker knows.
 */
function planStretches(
  intent: Intent,
  nodes: readonly string[],
  states: States,
  asker: { readonly probeCount: number; readonly known: readonly string[] },
): readonly PlannedCall[] {
  const calls = stretchesOf(nodes, states).flatMap(({ from, to }) => {
    const part: Intent = { ...intent, path: intent.path.slice(from, to) };
    const known = new Map(nodes.slice(from, to).map((node) => [node, states.get(node)!]));
    const planned = planProbes(part, known, asker);
    if (planned.ok) return [...planned.calls, ...planCapture(known)];
    if (states.size < nodes.length) return [];
    throw noPath(planned.problem, planned.between, [...new Set([...nodes, ...asker.known])]);
  });
  return calls;
}

/** Runs of at least two neighbouring path nodes whose state is known; `to` is exclusive. */
function stretchesOf(
  nodes: readonly string[],
  states: States,
): readonly { readonly from: number; readonly to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (let from = 0; from < nodes.length; from++) {
    let to = from;
    while (to < nodes.length && states.has(nodes[to]!)) to++;
    if (to - from >= 2) stretches.push({ from, to });
    from = Math.max(from, to);
  }
  return stretches;
}

function noPath(
  problem: string,
  between: { readonly over: readonly string[] } | undefined,
  known: readonly string[],
): ParleyError {
  const over = between?.over ?? [];
  const hint = over.length === 0 ? problem : `${problem}; the way may lead over ${over.join(', ')}: name it with "via"`;
  return new ParleyError('caller/no-path', hint, { data: { known } });
}

/** Remarks about peers: silent, malformed, lying, outdated (TS-13). A report must stay readable, however many there are. */
export function peerNotesOf(peers: PeerTable): readonly PeerNote[] {
  const notes = peers
    .list()
    .flatMap((record) => record.remarks.map(({ kind, detail }) => ({ node: record.node, kind, detail })));
  const rest = notes.length - LIMITS.reportPeerNotes;
  if (rest <= 0) return notes;
  return [...notes.slice(0, LIMITS.reportPeerNotes), { node: '', kind: 'more', detail: `${rest} more remarks` }];
}
