// Links that have no IPv6 addresses of their own: proven by many probes over IPv4, or over an unnumbered link by probes to a loopback
// that both ends forward to over exactly this link. What was not probed is named.

import type { LinkEnd } from '#model/names.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import type { Fact, Proof } from '../engine/facts.ts';
import { LEAST_PROBES } from '../engine/loss-symptom.ts';
import { isUnusable } from '../faults/sessions/unusable.ts';
import { crosses, leavesBy, loopbacksOf, senderOf } from '../network/forwarding.ts';
import { lostRoutesOver } from '../network/lost-routes.ts';
import { nodeRef } from '../network/node-ref.ts';
import { isBeyond } from '../network/other-networks.ts';
import { settingsBefore } from '../network/remembered.ts';
import { routedEnds } from '../network/routed-ends.ts';
import { interfaceOf, type Reach, type World, type WorldLink } from '../network/world.ts';
import { linklessNodes, passesUnseen } from '../observe/linkless.ts';
import { countsAlike } from '../observe/wire.ts';
import { isLossy } from '../symptoms/unanswered-echoes.ts';
import { carriesNothing, countedAt } from './idle-links.ts';

export function plainLinkProof(world: World, facts: readonly Fact[] = []): Proof {
  const lines = world.links
    .filter(({ link }) => link.pointToPoint && link.addresses?.from.includes(':') !== true)
    .filter(({ from, to }) => [from, to].every((end) => interfaceOf(world, end)?.operUp === true))
    .filter(({ from, to }) => ![from, to].every((end) => isBeyond(world, end.node)))
    .map((link) => {
      const routed = routedEnds(world, link);
      const row = probesOver(world, routed);
      // Probes between the same two addresses pass over one port of a bond; no other one is shown by them, and few flows leave it idle.
      const isUnseen = row !== undefined && isOneOfBond(world, link) && !isInUse(world, link);
      const doubt = isUnseen ? doubtOf(world, link) : undefined;
      const unused = row === undefined ? reserveLine(world, link, routed) : undefined;
      // One of several equal ways, or the way of one direction alone.
      const isIdle = row === undefined && unused === undefined && carriesNothing(world, link);
      const isCounted =
        row === undefined && unused === undefined && !isIdle && countsAlike({ facts }, link, { least: LEAST_PROBES });
      const reserve =
        unused ?? (row === undefined && !isIdle && !isCounted ? oneWayLine(world, link, routed) : undefined);
      return { link, routed, row, isUnseen, doubt, reserve, isIdle, isCounted };
    });
  const unseen = linklessNodes(world).filter((node) => passesUnseen(world, node));
  return {
    proven: [
      ...unseen.map(
        (node) =>
          `not tested: the links of ${nodeRef(node)} one by one, as no neighbour of it is known; probes pass over them both ways`,
      ),
      ...lines.flatMap(({ link, routed, row, isUnseen, doubt, reserve, isIdle, isCounted }) =>
        isIdle
          ? [idleLine(link)]
          : isCounted
            ? [
                `not tested: ${endsText(link)} by itself: no probe is known to have crossed it; both ends counted as many packets each way`,
              ]
            : reserve !== undefined
              ? [reserve]
              : row === undefined || doubt !== undefined
                ? []
                : [isUnseen ? unseenLine(link) : probedLine(link, routed, row)],
      ),
    ],
    lacking: lines.flatMap(({ link, row, doubt, reserve, isIdle, isCounted }) => {
      if (doubt !== undefined)
        return [`${endsText(link)}: not known whether a probe crossed it, as its bond has other ports; ${doubt}`];
      return row === undefined && reserve === undefined && !isIdle && !isCounted
        ? [`${endsText(link)}: no probe crossed it in numbers that prove anything`]
        : [];
    }),
  };
}

type Ends = readonly [LinkEnd, LinkEnd];
type Ended = Pick<WorldLink, 'from' | 'to'>;

/** Ports of bridges or bonds at both ends may have others beside them: which of them the probes took is not known. */
function probedLine(link: WorldLink, [from, to]: Ends, { received, sent }: Reach): string {
  const came = `${received} of ${sent} probes`;
  return from.ifname === link.from.ifname || to.ifname === link.to.ifname
    ? `${endsText(link)}: ${came} arrived and came back`
    : `not tested: ${endsText(link)} by itself; ${came} between ${endsText({ from, to })} arrived and came back`;
}

function idleLine(link: Ended): string {
  return `not tested: ${endsText(link)}: neither end has an address there, no protocol runs over it and no route leads over it, and none did as far as both ends remember`;
}

function unseenLine(link: Ended): string {
  return `not tested: ${endsText(link)} by itself: its bond has other ports, and too few packets crossed it both ways`;
}

/** At one end it is a port of a bond with another one that is up. */
function isOneOfBond(world: World, { from, to }: Ended): boolean {
  return [from, to].some((end) => {
    const { master } = interfaceOf(world, end) ?? {};
    const interfaces = world.views.get(end.node)?.state.inventory.interfaces ?? [];
    const up = interfaces.filter((entry) => entry.operUp && entry.master?.name === master?.name);
    return master?.kind === 'bond' && up.some(({ name }) => name !== end.ifname);
  });
}

/** Both ends received as many packets over it as would prove it, if they were probes, while the question was measured. */
function isInUse(world: World, { from, to }: Ended): boolean {
  return [from, to].every((end) => {
    const received = countedAt(world, end)?.('rxPackets');
    return received !== undefined && received >= LEAST_PROBES;
  });
}

const FAULT_COUNTERS = ['rxErrors', 'txErrors', 'rxDropped', 'txDropped'] as const;

/** Why a port of a bond that few packets crossed may not be well: the packets that did cross the bond say nothing of it. */
function doubtOf(world: World, { from, to, link }: WorldLink): string | undefined {
  const deaf = [from, to].find(
    ({ node }) =>
      link.claims.some(({ sign, by }) => sign === 'lldp' && by !== node) &&
      (world.views.get(node)?.state.neighbours ?? []).length > 0,
  );
  if (deaf !== undefined) return `${nodeRef(deaf.node)} hears no LLDP over it, as it does over other ports`;
  const [near, far] = [from, to].map((end) => countedAt(world, end));
  if (near === undefined || far === undefined) return 'its packets were not counted at both ends';
  const faulty = [
    { end: from, counted: near },
    { end: to, counted: far },
  ].find(({ counted }) => FAULT_COUNTERS.some((name) => (counted(name) ?? 0) > 0));
  if (faulty !== undefined) return `${nodeRef(faulty.end.node)} ${faulty.end.ifname} counts errors or drops`;
  const mute = [
    { sender: from, sent: near('txPackets'), receiver: to, received: far('rxPackets') },
    { sender: to, sent: far('txPackets'), receiver: from, received: near('rxPackets') },
  ].find(({ sent = 0, received }) => sent > STRAYS && received === 0);
  if (mute === undefined) return undefined;
  const { sender, sent, receiver } = mute;
  return `${nodeRef(sender.node)} sent ${sent} packets over it, and ${nodeRef(receiver.node)} received none`;
}

/** Packets that one end sent after its own first reading and before that of the other: those of LLDP alone cross an idle port. */
const STRAYS = 1;

/**
 * A link with an adjacency at both ends that carries nothing now, as one with a high metric: both ends looked addresses up, those of each other
 * among them, and none leads over it. Where the two ends contradict each other, or memory saw a route over it that is lost, it is not known why: no line.
 */
function reserveLine(world: World, link: WorldLink, ends: Ends): string | undefined {
  if (!isSoundReserve(world, link, ends) || ends.some((end) => leadsAnything(world, end))) return undefined;
  return `not tested: ${endsText(link)}: no route of either end leads over it; the adjacency is up at both ends${metricsBefore(world, link)}`;
}

/** The same of one direction alone, where probes or their answers crossed the link in the other one. */
function oneWayLine(world: World, link: WorldLink, [one, other]: Ends): string | undefined {
  if (!isSoundReserve(world, link, [one, other])) return undefined;
  const [idle, used] = leadsAnything(world, one) ? [other, one] : [one, other];
  const crossed = crossedOneWay(world, used, idle);
  if (leadsAnything(world, idle) || crossed < LEAST_PROBES) return undefined;
  const way = `${nodeRef(idle.node)} ${idle.ifname} → ${nodeRef(used.node)} ${used.ifname}`;
  return `not tested: ${way}: no route of ${nodeRef(idle.node)} leads over it; the adjacency is up at both ends, and ${crossed} probes or answers crossed it the other way${metricsBefore(world, link)}`;
}

function isSoundReserve(world: World, link: WorldLink, [one, other]: Ends): boolean {
  const [mtu, otherMtu] = [link.from, link.to].map((end) => interfaceOf(world, end)?.mtu);
  return (
    !isUnusable(world, link) &&
    mtu === otherMtu &&
    [one, other].every(({ node, ifname }) => lostRoutesOver(world, node, ifname).length === 0) &&
    [one, other].every((end) => isAdjacent(world, end)) &&
    knowsRouteTo(world, one, other) &&
    knowsRouteTo(world, other, one)
  );
}

function isAdjacent(world: World, { node, ifname: own }: LinkEnd): boolean {
  const state = world.views.get(node)?.state;
  return (
    state?.adjacencies.some(({ ifname, state: is }) => ifname === own && is === 'up') === true ||
    ospfRows(state ?? {}).some(
      ({ ifname, neighbours }) => ifname === own && neighbours.some(({ state: is }) => /^Full/i.test(is)),
    )
  );
}

function knowsRouteTo(world: World, near: LinkEnd, far: LinkEnd): boolean {
  const others = loopbacksOf(world, far.node);
  return routesOf(world, near.node).some(({ destination }) => others.includes(destination));
}

/** An address that was looked up, a route that was set by hand, or a default route: what hosts send may go where no node has an address. */
function leadsAnything(world: World, { node, ifname: own }: LinkEnd): boolean {
  const { staticRoutes = [], defaultRoutes = [] } = world.views.get(node)?.state ?? {};
  return (
    routesOf(world, node).some(({ ifname, ifnames = [] }) => ifname === own || ifnames.includes(own)) ||
    staticRoutes.some(({ ifname }) => ifname === own) ||
    defaultRoutes.some(({ hops }) => hops.some(({ ifname }) => ifname === own))
  );
}

function routesOf(world: World, node: string): readonly RouteAnswer[] {
  return [...(world.lookups.get(node)?.values() ?? [])].filter(({ kind }) => kind === 'unicast');
}

/** Probes from one end to the other that left over this link, and answers to those of the other end: all of them came. */
function crossedOneWay(world: World, from: LinkEnd, to: LinkEnd): number {
  const isOf = (node: string, address: string) => {
    const owners = world.owners.get(address) ?? [];
    return owners.length > 0 && owners.every((owner) => owner.node === node);
  };
  return world.reach
    .filter((row) => {
      if (row.received < row.sent) return false;
      if (row.from === from.node) return isOf(to.node, row.destination) && leavesBy(world, from, row.destination);
      const answered = row.from === to.node && isOf(from.node, row.destination) ? senderOf(world, row) : undefined;
      return answered !== undefined && leavesBy(world, from, answered);
    })
    .reduce((sum, { sent }) => sum + sent, 0);
}

/** Where memory saw another metric at one of its ends: what it carried then may have gone another way since. */
function metricsBefore(world: World, { from, to }: WorldLink): string {
  return [from, to]
    .flatMap(({ node, ifname }) =>
      (['isis', 'ospf', 'ospf6'] as const).flatMap((protocol) => {
        const [was] = settingsBefore(world, node, 'metric', ifname, protocol);
        return was === undefined ? [] : [`; ${nodeRef(node)} ${ifname}: ${protocol} metric was ${was} before`];
      }),
    )
    .join('');
}

/** Enough probes that crossed this link and no other, and were not lost: lost ones are reported end to end. */
function probesOver(world: World, [from, to]: Ends): Reach | undefined {
  const ways = [
    { near: from, far: to },
    { near: to, far: from },
  ];
  return ways
    .flatMap(({ near, far }) => world.reach.filter((row) => row.from === near.node && crosses(world, row, near, far)))
    .find((row) => row.sent >= LEAST_PROBES && (row.received > 0 || isLossy(row)));
}

function endsText({ from, to }: Pick<WorldLink, 'from' | 'to'>): string {
  return `${nodeRef(from.node)} ${from.ifname} – ${nodeRef(to.node)} ${to.ifname}`;
}
