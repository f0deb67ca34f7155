// Two hosts behind one port answer for one address, or a host answers for its router's own. Virtual routers and other routers of the
// network may answer for a gateway; two ports of one host answer for each other's addresses.
import { interfaceResource, isVirtualRouterMac, nodeResource } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { answeredBy, type HostsOnPort, hostPorts, rivalOf } from '../network/host-ports.ts';
import { called } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, type World } from '../network/world.ts';
import type { HostDetail } from './host-settings.ts';

export type ConflictDetail = HostDetail & {
  readonly what: 'conflict';
  /** The address that both have. */
  readonly conflict: string;
  /** The second host is one that was there before. */
  readonly known: boolean;
};

export const addressConflict = defineSymptom<ConflictDetail>('host');

export function addressConflicts(world: World): readonly Symptom<ConflictDetail>[] {
  return hostPorts(world).flatMap((port) => [
    ...port.hosts.flatMap((host) => {
      const rival = rivalOf(port, host);
      return rival === undefined ? [] : [conflictOf(port, host.address, rival)];
    }),
    ...gatewayConflicts(port),
  ]);
}

/** The router's own addresses there that hosts were asked for. The first of an IPv6 subnet is all routers' (RFC 4291 §2.6.1). */
function ownOn({ world, view, ifname, networks }: HostsOnPort): readonly string[] {
  const all = interfaceOf(world, { node: view.node, ifname })?.addresses ?? [];
  const ipv6 = all.filter((own) => own.includes(':'));
  return [...networks, ...ipv6].map((own) => own.split('/')[0]!).filter((address) => !address.endsWith('::'));
}

function gatewayConflicts(port: HostsOnPort): readonly Symptom<ConflictDetail>[] {
  return ownOn(port).flatMap((address) => {
    const [mac] = answeredBy(port, address).filter((each) => !isRouterMac(port.world, each));
    return mac === undefined ? [] : [conflictOf(port, address, mac)];
  });
}

/** Virtual routers of VRRP (RFC 9568 §7.3), and interfaces of nodes with agents: a gateway may be several of them. */
function isRouterMac(world: World, mac: string): boolean {
  const lower = mac.toLowerCase();
  return (
    isVirtualRouterMac(lower) ||
    [...world.views.values()].some(({ state }) =>
      state.inventory.interfaces.some((entry) => entry.mac?.toLowerCase() === lower),
    )
  );
}

function conflictOf(port: HostsOnPort, conflict: string, mac: string): Symptom<ConflictDetail> {
  const { world, view, ifname } = port;
  const { node, sources } = view;
  const second = port.hosts.find((host) => host.mac === mac && host.address !== conflict);
  const address = second?.address ?? conflict;
  const name = called(world, view, ifname, address);
  const also = `also answers for ${conflict}`;
  const place = `${nodeRef(node)} ${ifname}`;
  return addressConflict.raise({
    id: `host:conflict/${node}/${ifname}/${address}`,
    subject: nodeResource(node),
    text:
      second === undefined
        ? `a device (${mac}) on ${place}, which was not heard there before, ${also}`
        : `host ${name.label} on ${place} (${mac}) ${also}`,
    source: [...port.seen.map(({ evidence }) => evidence), ...sources],
    nodes: [node],
    detail: {
      ...{ what: 'conflict', router: node, ifname, address, mac, conflict, known: second !== undefined },
      // The name beside the port is for the host that was there, not for one that was never heard.
      ...(second === undefined
        ? { host: `node/${conflict}`, port: interfaceResource({ node, ifname }) }
        : { host: name.node, port: name.port }),
    },
  });
}
