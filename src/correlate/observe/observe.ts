// Evidence → typed facts (docs/design.md §7, step 2), for every question. Its scope is data: along a path the links of its hops count,
// else all links between the nodes. Only counters that moved between the two states speak; what a peer left out or garbled becomes a
// `missing` fact.
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { type LinkEnd, linkResource, nodeResource } from '#model/names.ts';
import type { Purpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile, Fact } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { isBehindEdge, isBeyond } from '../network/other-networks.ts';
import { linkFact, pathLinks } from '../network/topology.ts';
import { directionsOf, interfaceOf, sourcesOf, type World, type WorldLink } from '../network/world.ts';
import { clockFacts } from './clocks.ts';
import { type IsFor, isStateOf, probePhaseMs, statesRead, WINDOW, whyMissing } from './exchange.ts';
import { extendedFacts } from './extended-measurement.ts';
import { hopFullFacts, hopPacketsOver } from './full-size.ts';
import { handshakeFacts } from './handshakes.ts';
import { lengthFacts, lengthPacketsOver, lengthTrips } from './length-probes.ts';
import { classFacts, classPacketsOver } from './link-classes.ts';
import { isLong, type LinkProbe, linkPacketsOver, linkProbeFacts, loopFacts, readLinkProbes } from './link-probes.ts';
import { linklessNodes, passesUnseen } from './linkless.ts';
import { filterFacts, nodeErrorFacts } from './observe-node.ts';
import { nonReportingFacts, silentEchoFacts } from './observe-non-reporting.ts';
import { srv6Facts } from './observe-srv6.ts';
import { crossingFacts } from './observe-transit.ts';
import {
  missingPathProbes,
  networkReachFacts,
  pathPacketsOver,
  pathProbeFacts,
  readPathProbes,
} from './path-probes.ts';
import { latelyFacts } from './recent-filter-drops.ts';
import { compareWire, type ProbePackets, type Reading } from './wire.ts';

export type Scope = Pick<CaseFile, 'path' | 'world'>;

export function factsIn(scope: Scope, evidence: readonly Evidence[], outcomes: readonly Outcome[]): readonly Fact[] {
  const { path, world } = scope;
  const latest = new Map([...world.views].map(([node, view]) => [node, view.state]));
  const links =
    path.length === 0
      ? world.links
      : pathLinks(path, latest).map((link) => ({ ...link, key: linkResource(link.from, link.to), link }));
  const readings = statesRead(world, outcomes);
  const [alongPath, overLinks] = [readPathProbes(path, evidence), readLinkProbes(world, evidence)];
  const distrust = (link: WorldLink) => distrustOf(link, latest);
  const probesOver = (link: WorldLink, from: string, to: string) => [
    ...linkPacketsOver(link.key, overLinks, from),
    ...pathPacketsOver(path, alongPath, from, to),
    ...lengthPacketsOver(world, evidence, link.key, from),
    ...(path.length === 0
      ? []
      : [...hopPacketsOver(world, evidence, link.key, from), ...classPacketsOver(world, evidence, link.key)]),
  ];
  return [
    ...missingStates(world, outcomes),
    ...(path.length === 0
      ? missingParts(world, overLinks, outcomes)
      : missingPathProbes(path, alongPath, evidence, outcomes)),
    ...alongPath.flatMap((probe) => pathProbeFacts(path, probe)),
    ...hopFullFacts(world, evidence),
    ...lengthFacts(world, evidence),
    ...lengthTrips(world, evidence, new Set(overLinks.flatMap(({ link, large }) => (large ? [] : [link.key])))),
    ...networkReachFacts(path, evidence),
    ...linkProbeFacts(links, overLinks),
    ...loopFacts(evidence),
    ...srv6Facts(evidence),
    ...crossingFacts(evidence),
    ...nonReportingFacts(world, evidence),
    ...silentEchoFacts(world, evidence),
    ...links.map(({ link }) => factOfLink(world, link, latest)),
    ...links.flatMap((link) =>
      wireFacts(world, link, {
        probesOver,
        readings,
        probeMs: probePhaseMs(outcomes, path.length > 0),
        why: distrust(link),
      }),
    ),
    ...extendedFacts(overLinks.filter(isLong), evidence, outcomes, distrust),
    ...classFacts(world, evidence, outcomes, distrust),
    ...handshakeFacts(world, evidence),
    ...clockFacts(evidence),
    ...[...readings].flatMap(([node, { before, after }]) => {
      const sources = sourcesOf(world, node);
      return [
        ...filterFacts(node, before, after, sources),
        ...latelyFacts(node, before, after, sources),
        ...nodeErrorFacts(node, before, after, sources),
      ];
    }),
  ];
}

function factOfLink(world: World, link: WorldLink['link'], latest: ReadonlyMap<string, NodeState>): Fact {
  const { from, to } = link;
  const source = sourcesOf(world, from.node, to.node);
  return { subject: linkResource(from, to), predicate: 'link', value: linkFact(link, latest), source };
}

type WireContext = {
  readonly probesOver: (link: WorldLink, from: string, to: string) => readonly ProbePackets[];
  readonly readings: ReadonlyMap<string, Reading>;
  readonly probeMs: number;
  readonly why: string | undefined;
};

function wireFacts(
  world: World,
  link: WorldLink,
  { probesOver, readings, probeMs, why }: WireContext,
): readonly Fact[] {
  return directionsOf(link).flatMap((way): readonly Fact[] => {
    const [sender, receiver] = [readings.get(way.from.node), readings.get(way.to.node)];
    if (sender === undefined || receiver === undefined) return [];
    const packets = { probesSent: 0, probesArrived: 0, probesPerhaps: 0, probesRouted: 0 };
    for (const each of probesOver(link, way.from.node, way.to.node)) {
      packets.probesSent += each.probesSent;
      packets.probesArrived += each.probesArrived;
      packets.probesPerhaps += each.probesPerhaps;
      packets.probesRouted += each.probesRouted ?? 0;
    }
    const value = compareWire({
      ...way,
      sender,
      receiver,
      ...packets,
      probeMs,
      ...(why === undefined ? {} : { distrust: why }),
    });
    const source = sourcesOf(world, way.from.node, way.to.node);
    return [
      { subject: `interface/${way.from.node}/${way.from.ifname}`, predicate: 'wire', value, source, window: WINDOW },
    ];
  });
}

/** Why the counters of the two ends say nothing of what passes between them. */
function distrustOf({ link }: WorldLink, latest: ReadonlyMap<string, NodeState>): string | undefined {
  const { confirmed, symptoms, shared } = linkFact(link, latest);
  return confirmed ? undefined : (shared ?? symptoms[0] ?? 'the link is not confirmed from both ends');
}

function missing(node: string, what: string, why: string): Fact {
  return { subject: nodeResource(node), predicate: 'missing', value: { node, what, why }, source: [] };
}

function missingStates(world: World, outcomes: readonly Outcome[]): readonly Fact[] {
  return world.nodes.flatMap((node) => {
    const view = world.views.get(node);
    const when = view?.before === undefined ? 'before' : view.after === undefined ? 'after' : undefined;
    if (when === undefined || world.agentless?.has(node) || isBehindEdge(world, node)) return [];
    return [missing(node, `state ${when} the probes`, whyMissing(outcomes, isStateOf(node, when)))];
  });
}

/** Links that no probe crossed, parts of states that could not be read, and nodes without a link. */
function missingParts(world: World, probes: readonly LinkProbe[], outcomes: readonly Outcome[]): readonly Fact[] {
  const unprobed = world.links.filter(
    (link) =>
      link.link.addresses?.from.includes(':') === true &&
      [link.from, link.to].every((end) => interfaceOf(world, end)?.operUp === true) &&
      ![link.from, link.to].every((end) => isBeyond(world, end.node)) &&
      !probes.some((probe) => probe.link.key === link.key),
  );
  const alone = linklessNodes(world).filter((node) => !passesUnseen(world, node));
  return [
    ...unprobed.map(({ from, to }) => {
      const isFor: IsFor = ({ purpose }) => startsAt(from, purpose);
      return missing(from.node, `probe to ${nodeRef(to.node)} over ${from.ifname}`, whyMissing(outcomes, isFor));
    }),
    ...[...world.views.values()].flatMap(({ node, state }) =>
      state.missing.filter(isNeeded).map(({ part, reason }) => missing(node, part, reason)),
    ),
    ...alone.map((node) => missing(node, 'link to any known node', 'not asked')),
  ];
}

/** Small or large probes over a link, from this end of it. */
function startsAt({ node, ifname }: LinkEnd, purpose: Purpose): boolean {
  const isOver = purpose.kind === 'link-probe' || purpose.kind === 'link-train';
  return isOver && purpose.from.node === node && purpose.from.ifname === ifname;
}

/** Whether a node forwards matters of those that others send packets through, and what a state has no room for is not tested (health/proof-forwarding.ts). */
function isNeeded({ part }: NodeState['missing'][number]): boolean {
  return part !== 'forwarding';
}
