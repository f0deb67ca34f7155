// Links that have no IPv6 addresses of their own: proven by many probes over IPv4, or over an unnumbered link by probes to a loopback
// that both ends forward to over exactly this link. What was not probed is named.

import type { LinkEnd } from '#model/names.ts';
import type { Proof } from '../engine/facts.ts';
import { LEAST_PROBES } from '../engine/loss-symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, type Reach, type World, type WorldLink } from '../network/world.ts';
import { isLossy } from '../symptoms/unanswered-echoes.ts';

export function plainLinkProof(world: World): Proof {
  const lines = world.links
    .filter(({ link }) => link.pointToPoint && link.addresses?.from.includes(':') !== true)
    .filter(({ from, to }) => [from, to].every((end) => interfaceOf(world, end)?.operUp === true))
    .map((link) => ({ link, row: probesOver(world, link) }));
  return {
    proven: lines.flatMap(({ link, row }) =>
      row === undefined ? [] : [`${ends(link)}: ${row.received} of ${row.sent} probes arrived and came back`],
    ),
    lacking: lines.flatMap(({ link, row }) =>
      row === undefined ? [`${ends(link)}: no probe crossed it in numbers that prove anything`] : [],
    ),
  };
}

/** Enough probes that crossed this link and no other, and were not lost: lost ones are reported end to end. */
function probesOver(world: World, link: WorldLink): Reach | undefined {
  const ways = [
    { near: link.from, far: link.to },
    { near: link.to, far: link.from },
  ];
  return ways
    .flatMap(({ near, far }) =>
      world.reach.filter((row) => row.from === near.node && crosses(world, row.destination, near, far)),
    )
    .find((row) => row.sent >= LEAST_PROBES && (row.received > 0 || isLossy(row)));
}

function crosses(world: World, destination: string, near: LinkEnd, far: LinkEnd): boolean {
  const owners = world.owners.get(destination) ?? [];
  if (owners.length === 0 || owners.some(({ node }) => node !== far.node)) return false;
  // An unnumbered link borrows the address of another port of its node.
  if (owners.length === 1 && owners[0]!.ifname === far.ifname) return true;
  const back = loopbacksOf(world, near.node).some((address) => leavesBy(world, far, address));
  return leavesBy(world, near, destination) && back;
}

/** The node forwards to an address over this interface alone. */
function leavesBy(world: World, { node, ifname }: LinkEnd, address: string): boolean {
  const answer = world.lookups.get(node)?.get(address);
  if (answer?.kind !== 'unicast') return false;
  const ifnames = answer.ifnames ?? (answer.ifname === undefined ? [] : [answer.ifname]);
  return ifnames.length > 0 && ifnames.every((each) => each === ifname);
}

function loopbacksOf(world: World, node: string): readonly string[] {
  return (world.views.get(node)?.state.inventory.loopbacks ?? []).map((address) => address.split('/')[0]!);
}

function ends({ from, to }: WorldLink): string {
  return `${nodeRef(from.node)} ${from.ifname} – ${nodeRef(to.node)} ${to.ifname}`;
}
