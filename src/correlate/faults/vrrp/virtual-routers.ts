// Groups of virtual routers (RFC 9568) as their members' interfaces show them: FRR's vrrpd has a device with the virtual MAC address (§7.3) for each
// group, and takes its carrier away while another router is active. Two groups of one number and address may be on two networks that never meet: only
// members that are shown to be on one LAN are one group (same-lan.ts). The others of that number and address are told apart, and accuse no node.
import { covers } from '#base/ip.ts';
import { isVirtualRouterMac, type LinkEnd } from '#model/names.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import type { View, World } from '../../network/world.ts';
import { isOnOneLan } from './same-lan.ts';

export type Member = {
  readonly node: string;
  readonly isActive: boolean;
  /** How long ago it became so, as far as its node remembers; absent: always was. */
  readonly sinceMs?: number;
  /** Ports of its node in the network of the virtual address. */
  readonly ports: readonly LinkEnd[];
};

export type Group = {
  readonly address: string;
  readonly id: number;
  readonly members: readonly Member[];
  /** All of them are on one LAN. False: no two of them are shown to be. */
  readonly isOneLan: boolean;
};

/** Of two nodes or more, all of which run vrrpd. */
export function groupsIn(world: World): readonly Group[] {
  const rows = [...world.views.values()].filter(runsVrrp).flatMap((view) =>
    view.state.inventory.interfaces.flatMap((entry) =>
      virtualAddresses(entry).map((address) => ({
        address,
        mac: entry.mac!.toLowerCase(),
        member: memberOf(view, entry, address),
      })),
    ),
  );
  return [...Map.groupBy(rows, ({ address, mac }) => `${mac} ${address}`).values()].flatMap((alike) => {
    const [{ address, mac }] = alike as [(typeof rows)[number]];
    const id = Number.parseInt(mac.slice(-2), 16);
    const lans = lansOf(
      world,
      alike.map(({ member }) => member),
    );
    const [shown, alone] = [lans.filter((lan) => lan.length > 1), lans.filter((lan) => lan.length === 1)];
    return [
      ...shown.map((members) => ({ address, id, members, isOneLan: true })),
      ...(alone.length > 1 ? [{ address, id, members: alone.flat(), isOneLan: false }] : []),
    ].filter(({ members }) => nodesIn(members).length > 1);
  });
}

/** Each member with those that are on its LAN, directly or by way of another. */
function lansOf(world: World, members: readonly Member[]): readonly (readonly Member[])[] {
  return members.reduce<readonly (readonly Member[])[]>((lans, member) => {
    const isOf = (lan: readonly Member[]) => lan.some((each) => isOnOneLan(world, each.ports, member.ports));
    return [...lans.filter((lan) => !isOf(lan)), [...lans.filter(isOf).flat(), member]];
  }, []);
}

/** Other systems have that MAC address at every router of a network at once, by intent, and run no vrrpd. */
function runsVrrp({ state }: View): boolean {
  return state.daemons?.some(({ name, alive }) => name === 'vrrpd' && alive) === true;
}

function virtualAddresses({ mac = '', adminUp, addresses }: InterfaceState): readonly string[] {
  if (!adminUp || !isVirtualRouterMac(mac)) return [];
  return addresses.map((each) => each.split('/')[0]!).filter((address) => !/^fe80:/i.test(address));
}

function memberOf({ node, state }: View, { name, operUp: isActive }: InterfaceState, address: string): Member {
  const turns = (state.history?.events ?? []).filter(
    ({ kind, subject, up }) => kind === 'carrier' && subject === name && up === isActive,
  );
  const sinceMs = turns.length === 0 ? undefined : Math.min(...turns.map(({ agoMs }) => agoMs));
  const ports = portsFor(state.inventory.interfaces, address).map((ifname) => ({ node, ifname }));
  return { node, isActive, ports, ...(sinceMs === undefined ? {} : { sinceMs }) };
}

/** Ports in the network of the address, devices of virtual routers left out. */
export function portsFor(interfaces: readonly InterfaceState[], address: string): readonly string[] {
  return interfaces
    .filter(({ kind, adminUp, mac = '' }) => kind !== 'loopback' && adminUp && !isVirtualRouterMac(mac))
    .filter(({ addresses }) => addresses.some((own) => covers(own, address)))
    .map(({ name }) => name);
}

export function nodesIn(members: readonly Member[]): readonly string[] {
  return [...new Set(members.map(({ node }) => node))];
}
