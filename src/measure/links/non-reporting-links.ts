// Probes over the links of a router whose agent gives no state and whose kernel forwards: each neighbour sends some back to itself over its link, and
// some to the next neighbour and the one before, so that every direction of every link is crossed twice. Asks the
// silent router for nothing. Pure.
import type { PlannedCall } from '#model/call.ts';
import { linksOfNonReporting, type NonReportingLink } from '#model/links/non-reporting-links.ts';
import { nodeKey } from '#model/names.ts';
import type { PlannedPurpose, PurposeOf } from '#model/purpose.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { defineMeasurement } from '../measurement.ts';
import { type ProbeWay, probeCall } from '../probe-call.ts';
import { withoutRoutes } from '../scope.ts';
import { decapSid, loopback } from '../sids.ts';
import type { Mute, States } from '../states.ts';

/** As over a link between two that answer, and half as many again. */
const PROBES = 300;
const FLOWS = 16;
/** Links of one non-reporting router that are tried. */
const MOST_LINKS = 8;

export const nonReportingLinks = defineMeasurement({
  kinds: ['non-reporting-transit'],
  rounds: {
    first: (scope) => planNonReportingLinks(scope.nodes, scope.states, withoutRoutes(scope)),
    confirmation: (scope, { nonReporting }) =>
      planNonReportingLinksAgain(scope.nodes, scope.states, withoutRoutes(scope), nonReporting),
  },
  read: decodeProbeResult,
});

/** `nodes` are all of the scope: those without a state are non-reporting. */
export function planNonReportingLinks(nodes: readonly string[], states: States, mute: Mute): readonly PlannedCall[] {
  return linksOfSilent(nodes, states, mute).flatMap((links) => around(states, links, 'first'));
}

/** The same once more, where probes of the first round were lost: what is lost once may be a node that had no time. */
export function planNonReportingLinksAgain(
  nodes: readonly string[],
  states: States,
  mute: Mute,
  lossy: ReadonlySet<string>,
): readonly PlannedCall[] {
  const inDoubt = nodes.filter((node) => states.has(node) || lossy.has(nodeKey(node)));
  return linksOfSilent(inDoubt, states, mute).flatMap((links) => around(states, links, 'confirmation'));
}

/** Of each non-reporting router, its links at nodes that can be asked to measure. */
export function linksOfSilent(
  nodes: readonly string[],
  states: States,
  mute: Mute,
): readonly (readonly NonReportingLink[])[] {
  const nonReporting = nodes.filter((node) => !states.has(node));
  return [...linksOfNonReporting(nonReporting, states).values()].map((each) =>
    each.filter(({ near }) => !mute.has(near.node)),
  );
}

type Round = PurposeOf<'non-reporting-transit'>['round'];

function around(states: States, all: readonly NonReportingLink[], round: Round): readonly PlannedCall[] {
  const links = all.slice(0, MOST_LINKS);
  if (links.length < 2) return [];
  return links.flatMap((from, index) => {
    const others = [1, links.length - 1].map((step) => links[(index + step) % links.length]!);
    return [...loop(states, from, round), ...[...new Set(others)].map((to) => crossing(from, to, round))];
  });
}

/** Handed to the non-reporting router, which forwards it to this node's own SID. */
function loop(states: States, link: NonReportingLink, round: Round): readonly PlannedCall[] {
  const state = states.get(link.near.node)!;
  const [own, sid] = [loopback(state), decapSid(state)];
  if (own === undefined || sid === undefined) return [];
  const via = { ifname: link.near.ifname, mac: link.mac };
  return [
    probe(transit(link, link, round), [link, link], PROBES, {
      destination: own,
      source: own,
      segments: [sid],
      via,
      flows: FLOWS,
    }),
  ];
}

/** By this node's own routing: that it leads over the link is seen from its lookups. */
function crossing(from: NonReportingLink, to: NonReportingLink, round: Round): PlannedCall {
  const way = { destination: to.address, source: from.address, segments: [] };
  return probe(transit(from, to, round), [from, to], PROBES, { ...way, flows: FLOWS });
}

function transit(from: NonReportingLink, to: NonReportingLink, round: Round): PlannedPurpose {
  return { kind: 'non-reporting-transit', from: from.near, through: from.router, to: to.near, round };
}

function probe(
  purpose: PlannedPurpose,
  [from, to]: readonly [NonReportingLink, NonReportingLink],
  count: number,
  way: ProbeWay,
): PlannedCall {
  return probeCall(purpose, [from.near.node, to.near.node], { count }, { 'SID List': [from.router], ...way });
}
