// A fixed neighbour entry of a host in whose name another MAC address answers. The host may have a new card, or another device may answer in its name, against
// which such entries are written: nothing that is measured tells the two apart, so it is a reason and accuses no node.
import { seenOn } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';

/**
 * Words for the entry that the node has of the address on the port, where nothing shows that it works: since `sinceMs` no service of the host was seen
 * to answer, and what this node itself tried over the entry did not answer. Echoes alone are often dropped, and an entry may be meant to lead elsewhere,
 * as to a balancer.
 */
export function contestedEntry(
  world: World,
  node: string,
  ifname: string,
  address: string,
  sinceMs: number,
): string | undefined {
  const state = world.views.get(node)?.state;
  const fixed = (state?.neighbourTable ?? []).find(
    (row) => row.ifname === ifname && row.address === address && /PERMANENT/.test(row.state),
  )?.mac;
  const scans = seenOn(world, node, ifname);
  const heard = scans.flatMap(({ answers }) => answers.filter((each) => each.address === address));
  const [own, ...others] = [...new Set(heard.flatMap(({ macs }) => macs.map((each) => each.toLowerCase())))];
  if (fixed === undefined || own === undefined || others.length > 0 || own === fixed.toLowerCase()) return undefined;
  const isEchoed = scans.some(({ echoed }) => echoed === undefined || echoed.includes(address));
  const tries = world.serviceProbes.filter((each) => each.destination === address && each.via === undefined);
  const isTried = tries.some((each) => each.from === node && each.service !== 'echo');
  const isServed = (state?.history?.services ?? []).some((each) => each.address === address && each.agoMs <= sinceMs);
  if (isEchoed || isServed || !isTried || tries.some(({ answered }) => answered)) return undefined;
  return `${nodeRef(node)} has a fixed entry on ${ifname} that ${address} is at ${fixed}, and ${own} answers for it there: the entry is old, or another device answers in the name of the host`;
}
