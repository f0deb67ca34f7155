// Entries of neighbour tables (ARP, ND) that contradict the neighbour: another MAC address than the neighbour says it has, or none; and fixed entries
// of hosts that answer from another MAC address, where a service that the node itself tries is not answered and others ask for the host in vain.
import { nodeResource } from '#model/names.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { called, seenOn } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, linkOn, otherEnd, sourcesOf, type View, type World } from '../network/world.ts';
import { askedInVain } from './asked-in-vain.ts';

export type EntryDetail = {
  readonly node: string;
  readonly ifname: string;
  readonly address: string;
  /** The neighbour that has the address, the interface that it has it on, and its MAC address there. */
  readonly owner: string;
  readonly ownerInterface: string;
  readonly ownerMac: string;
  /** The entry's MAC address; absent where the kernel has none. */
  readonly mac?: string;
  readonly unresolved: boolean;
  /** Set by hand: the kernel does not replace it. */
  readonly fixed: boolean;
  /** The neighbour is a host: what it answered to address resolution is its word, and `owner` how findings call it. */
  readonly host?: true;
};

export const entrySymptom = defineSymptom<EntryDetail>('entry');

export function wrongEntries(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.neighbourTable ?? []).flatMap((row) => [
      ...wrongEntry(world, node, row),
      ...wrongHostEntry(world, node, row),
    ]),
  );
}

/**
 * A fixed entry may be meant to lead elsewhere than to the host that answers for the address, as to a balancer. It is wrong only where a service that
 * this node itself tries over it is not answered, and hosts ask the host in vain for what it gave them: echoes alone are often dropped.
 */
function wrongHostEntry(
  world: World,
  node: string,
  { ifname, address, mac, state }: NeighbourEntry,
): readonly Symptom[] {
  const view = world.views.get(node);
  if (view === undefined || mac === undefined || !/PERMANENT/.test(state) || world.owners.has(address)) return [];
  const scans = seenOn(world, node, ifname);
  const heard = scans.flatMap(({ answers }) => answers.filter((each) => each.address === address));
  const [own, ...others] = [...new Set(heard.flatMap(({ macs }) => macs.map((each) => each.toLowerCase())))];
  if (own === undefined || others.length > 0 || own === mac.toLowerCase()) return [];
  const isEchoed = scans.some(({ echoed }) => echoed === undefined || echoed.includes(address));
  const tries = world.serviceProbes.filter((each) => each.destination === address && each.via === undefined);
  const isTried = tries.some((each) => each.from === node && each.service !== 'echo');
  if (isEchoed || !isTried || tries.some(({ answered }) => answered) || !isAskedInVain(world, view, address)) return [];
  const { label } = called(world, view, ifname, address);
  return [
    entrySymptom.raise({
      id: `entry:${node}/${ifname}/${address}`,
      subject: nodeResource(node),
      text: `${nodeRef(node)} ${ifname}: a fixed entry says that ${address} is at ${mac}, ${label === address ? 'the host' : label} answers from ${own}, and a service that was tried over the entry did not answer`,
      source: [...scans.map(({ evidence }) => evidence), ...sourcesOf(world, node)],
      nodes: [node],
      detail: {
        ...{ node, ifname, address, owner: label, ownerInterface: '', ownerMac: own, mac, unresolved: false },
        ...{ fixed: true, host: true as const },
      },
    }),
  ];
}

/** Hosts ask it for what it gave them before, and since the first of these requests no service of it was seen to answer: an answer would show that the entry works. */
function isAskedInVain(world: World, { state }: View, address: string): boolean {
  const asked = askedInVain(world).filter(({ server }) => server === address);
  const sinceMs = Math.max(...asked.map(({ sinceAgoMs }) => sinceAgoMs));
  const served = (state.history?.services ?? []).filter((each) => each.address === address);
  return asked.length > 0 && served.every(({ agoMs }) => agoMs > sinceMs);
}

function wrongEntry(world: World, node: string, row: NeighbourEntry): readonly Symptom[] {
  const { ifname, address } = row;
  const owners = (world.owners.get(address) ?? []).filter((owner) => owner.node !== node);
  const links = linkOn(world, { node, ifname });
  const near = links.map((link) => otherEnd(link, node));
  const owner = owners.find((each) => near.some((end) => end.node === each.node && end.ifname === each.ifname));
  const ownerMac = owner === undefined ? undefined : interfaceOf(world, owner)?.mac;
  if (owner === undefined || owners.length !== 1 || ownerMac === undefined) return [];
  const unresolved = row.mac === undefined && /FAILED|INCOMPLETE/.test(row.state);
  if (!unresolved && (row.mac === undefined || row.mac.toLowerCase() === ownerMac.toLowerCase())) return [];
  if (row.mac !== undefined && /STALE|FAILED/.test(row.state)) return [];
  if (![{ node, ifname }, owner].every((end) => interfaceOf(world, end)?.operUp === true)) return [];
  const text = unresolved
    ? `${nodeRef(node)} ${ifname}: ${address} of ${nodeRef(owner.node)} cannot be resolved`
    : `${nodeRef(node)} ${ifname}: ${address} is said to be at ${row.mac}, ${nodeRef(owner.node)} has ${ownerMac}`;
  const [link] = links;
  return [
    entrySymptom.raise({
      id: `entry:${node}/${ifname}/${address}`,
      subject: nodeResource(node),
      text,
      source: sourcesOf(world, node, owner.node),
      nodes: [node, owner.node],
      ...(link === undefined ? {} : { link }),
      detail: {
        ...{ node, ifname, address, owner: owner.node, ownerInterface: owner.ifname, unresolved },
        fixed: /PERMANENT/.test(row.state),
        ...(row.mac === undefined ? {} : { mac: row.mac }),
        ownerMac,
      },
    }),
  ];
}
