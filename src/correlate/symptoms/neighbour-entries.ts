// Entries of neighbour tables (ARP, ND) that contradict the neighbour: another MAC address than the neighbour says it has, or none.
import { nodeResource } from '#model/names.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, linkOn, otherEnd, sourcesOf, type World } from '../network/world.ts';

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
};

export const entrySymptom = defineSymptom<EntryDetail>('entry');

export function wrongEntries(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.neighbourTable ?? []).flatMap((row) => wrongEntry(world, node, row)),
  );
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
