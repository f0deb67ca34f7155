// Groups of virtual routers (RFC 9568) as their members' interfaces show them: FRR's vrrpd has a device with the virtual MAC address (§7.3) for each
// group, and takes its carrier away while another router is active. Two groups of one number and address may be on two networks that never meet; so
// a group counts only where one of its members was seen to become active, or to cease to be.
import { isVirtualRouterMac } from '#model/names.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import type { View, World } from '../../network/world.ts';

export type Member = {
  readonly node: string;
  readonly ifname: string;
  readonly isActive: boolean;
  /** How long ago it became so, as far as its node remembers; absent: always was. */
  readonly sinceMs?: number;
};

export type Group = { readonly address: string; readonly id: number; readonly members: readonly Member[] };

/** Of two nodes or more, all of which run vrrpd. */
export function groupsIn(world: World): readonly Group[] {
  const rows = [...world.views.values()].filter(runsVrrp).flatMap((view) =>
    view.state.inventory.interfaces.flatMap((entry) =>
      virtualAddresses(entry).map((address) => ({
        address,
        mac: entry.mac!.toLowerCase(),
        member: memberOf(view, entry),
      })),
    ),
  );
  return [...Map.groupBy(rows, ({ address, mac }) => `${mac} ${address}`).values()].flatMap((group) => {
    const [{ address, mac }] = group as [(typeof rows)[number]];
    const members = group.map(({ member }) => member);
    const nodes = new Set(members.map(({ node }) => node));
    return nodes.size < 2 ? [] : [{ address, id: Number.parseInt(mac.slice(-2), 16), members }];
  });
}

/** Other systems have that MAC address at every router of a network at once, by intent, and run no vrrpd. */
function runsVrrp({ state }: View): boolean {
  return state.daemons?.some(({ name, alive }) => name === 'vrrpd' && alive) === true;
}

function virtualAddresses({ mac = '', adminUp, addresses }: InterfaceState): readonly string[] {
  if (!adminUp || !isVirtualRouterMac(mac)) return [];
  return addresses.map((each) => each.split('/')[0]!).filter((address) => !/^fe80:/i.test(address));
}

function memberOf({ node, state }: View, { name: ifname, operUp: isActive }: InterfaceState): Member {
  const turns = (state.history?.events ?? []).filter(
    ({ kind, subject, up }) => kind === 'carrier' && subject === ifname && up === isActive,
  );
  const sinceMs = turns.length === 0 ? undefined : Math.min(...turns.map(({ agoMs }) => agoMs));
  return { node, ifname, isActive, ...(sinceMs === undefined ? {} : { sinceMs }) };
}
