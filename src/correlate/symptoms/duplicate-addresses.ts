// Addresses that two nodes have. Refuses what is meant to be in several places: anycast, and networks that lie inside each node.
import { interfaceResource, isVirtualRouterMac, type LinkEnd, nodeResource, type ResourceId } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { settingsBefore } from '../network/remembered.ts';
import { interfaceOf, linkOn, sourcesOf, type World } from '../network/world.ts';

export type DuplicateDetail = { readonly address: string; readonly owners: readonly ResourceId[] };

export const duplicateAddressSymptom = defineSymptom<DuplicateDetail>('duplicate');

export function duplicateAddresses(world: World): readonly Symptom[] {
  return [...world.owners].flatMap(([address, owners]) => {
    const nodes = [...new Set(owners.map((owner) => owner.node))];
    if (nodes.length < 2 || MEANT.some((isMeant) => isMeant(world, address, owners))) return [];
    return [
      duplicateAddressSymptom.raise({
        id: `duplicate:${address}`,
        subject: nodeResource(nodes[0]!),
        text: `${address} is on ${owners.map((owner) => `${nodeRef(owner.node)} ${owner.ifname}`).join(' and ')}`,
        source: sourcesOf(world, ...nodes),
        nodes,
        detail: { address, owners: owners.map((owner) => interfaceResource(owner)) },
      }),
    ];
  });
}

/** A host address on the loopbacks of several nodes is meant to be there (RFC 4786). */
function isAnycast(world: World, address: string, owners: readonly LinkEnd[]): boolean {
  return owners.every((owner) => {
    const found = interfaceOf(world, owner);
    return (
      found?.kind === 'loopback' &&
      found.addresses.some((each) => each === `${address}/32` || each === `${address}/128`)
    );
  });
}

/** VRRP's virtual address is on every router of the group (RFC 9568 §7.3 names its MAC address). */
function isVirtualRouter(world: World, _: string, owners: readonly LinkEnd[]): boolean {
  return owners.every((owner) => isVirtualRouterMac(interfaceOf(world, owner)?.mac ?? ''));
}

/** A private network behind each of several nodes (RFC 1918), on ports that no link joins and to which no other node has a route. */
function isBehindEach(world: World, address: string, owners: readonly LinkEnd[]): boolean {
  const isRouted = [...world.lookups].some(([node, answers]) => {
    const answer = owners.some((owner) => owner.node === node) ? undefined : answers.get(address);
    return answer?.kind === 'unicast' && answer.matched !== 'default';
  });
  return !isRouted && isPrivate(address) && owners.every((owner) => linkOn(world, owner).length === 0);
}

/** Of the three blocks of RFC 1918 §3. */
function isPrivate(address: string): boolean {
  const [first, second = 0] = address.split('.').map(Number);
  return first === 10 || (first === 172 && second >> 4 === 1) || (first === 192 && second === 168);
}

/** The same address and length on bridges that no link joins: a network inside each node, or a gateway that all of them are. */
function isLocal(world: World, address: string, owners: readonly LinkEnd[]): boolean {
  const lengths = owners.map((owner) => {
    const found = interfaceOf(world, owner);
    const own = found?.addresses.find((each) => each.startsWith(`${address}/`));
    return found?.kind === 'bridge' && linkOn(world, owner).length === 0 ? own : undefined;
  });
  return lengths[0] !== undefined && new Set(lengths).size === 1;
}

/** The gateway of a subnet, also as a host address of its own where a machine of that subnet has moved to: on ports that no link joins. */
function isMovedGateway(world: World, address: string, owners: readonly LinkEnd[]): boolean {
  const bare = owners.filter((owner) => {
    const found = interfaceOf(world, owner);
    const isNew = settingsBefore(world, owner.node, 'address', owner.ifname).some((was) => !hasAddress(was, address));
    return found?.addresses.some((each) => each === `${address}/32` || each === `${address}/128`) === true && !isNew;
  });
  return bare.length === owners.length - 1 && owners.every((owner) => linkOn(world, owner).length === 0);
}

function hasAddress(addresses: string, address: string): boolean {
  return addresses.split(' ').some((each) => each.split('/')[0] === address);
}

const MEANT = [isAnycast, isLocal, isVirtualRouter, isBehindEach, isMovedGateway];
