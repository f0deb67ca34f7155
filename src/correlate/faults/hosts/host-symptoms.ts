// Symptoms of hosts without an agent, as their first router finds them: a host that was there and does not answer for its address
// although it lives, asks for a gateway that is not there or for what is not on its link, or answers for an address that is another's.
import { covers } from '#base/ip.ts';
import { interfaceResource, nodeResource } from '#model/names.ts';
import type { Host } from '#model/router/hosts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { type Called, called, ownNetworks, remembered, seenOn } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';
import type { HostScanSeen, View, World } from '../../network/world.ts';
import { askedSince } from '../../observe/off-link-arp.ts';

type Port = {
  readonly world: World;
  readonly view: View;
  readonly ifname: string;
  readonly networks: readonly string[];
  readonly seen: readonly HostScanSeen[];
  readonly hosts: readonly Host[];
};

export function hostSymptoms(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap((view) =>
    view.state.inventory.interfaces.flatMap((entry) => {
      const [networks, seen] = [ownNetworks(entry), seenOn(world, view.node, entry.name)];
      if (!entry.operUp || networks.length === 0 || seen.length === 0) return [];
      const before = { ...view, state: view.before ?? view.state };
      const port = { world, view, ifname: entry.name, networks, seen, hosts: remembered(world, before, entry.name) };
      return [...port.hosts.flatMap((host) => ofHost(port, host)), ...taken(port)];
    }),
  );
}

/** MAC addresses that answered for an address, whenever it was asked. */
function answeredBy(port: Port, address: string): readonly string[] {
  const macs = port.seen.flatMap((each) => each.answers.filter((answer) => answer.address === address));
  return [...new Set(macs.flatMap((answer) => answer.macs))];
}

function ofHost(port: Port, host: Host): readonly Symptom[] {
  const macs = answeredBy(port, host.address);
  if (macs.length === 0) return silent(port, host);
  const others = macs.filter((mac) => mac !== host.mac);
  const rival = others.find((mac) => !isSameHost(port, host, mac));
  if (rival !== undefined && macs.includes(host.mac)) return [conflict(port, host.address, rival)];
  return macs.includes(host.mac) ? lost(port, host) : [];
}

/** Two ports of one host on a network answer for the addresses of each other, as kernels do that are not told otherwise. */
function isSameHost(port: Port, host: Host, mac: string): boolean {
  const its = port.hosts.filter((each) => each.mac === mac && each.address !== host.address);
  return its.length > 0 && its.every((each) => answeredBy(port, each.address).includes(host.mac));
}

/** It lives and no longer has its address: it has another, or none. */
function silent(port: Port, host: Host): readonly Symptom[] {
  const census = port.seen.filter((each) => each.alive !== undefined);
  const known = new Set(port.hosts.map((each) => each.address));
  // Where it may live is looked up in a look of its own, after the census that found it alive.
  const now = port.seen
    .flatMap((each) => each.answers)
    .find((answer) => answer.macs.includes(host.mac) && !known.has(answer.address))?.address;
  const asks = port.seen
    .flatMap((each) => each.asks)
    .find((ask) => ask.mac === host.mac && ask.sender !== host.address && ask.sender !== '0.0.0.0');
  const other = now ?? asks?.sender;
  // Another address of the same network is as good: addresses are given out anew all day.
  if (other !== undefined && port.networks.some((own) => covers(own, other))) return [];
  if (other !== undefined) {
    const text = `is no longer ${host.address} but ${other}`;
    return [hostSymptom(port, host, 'address', text, { now: other })];
  }
  if (!census.some((each) => each.alive?.includes(host.mac) === true)) return [];
  return [hostSymptom(port, host, 'missing', `lives and no longer has the address ${host.address}`, {})];
}

/**
 * It has its address. Whom does it ask for, to answer somebody off its link? A router answers for all its addresses, so that a mask that
 * is too short does no harm here and all the more elsewhere; a gateway that is not there does.
 */
function lost(port: Port, host: Host): readonly Symptom[] {
  const tried = port.seen.filter((each) => each.echoed !== undefined);
  const asked = port.seen
    .flatMap((each) => each.asks)
    .filter((ask) => ask.mac === host.mac && ask.sender === host.address)
    .map((ask) => ask.target);
  const sources = tried.flatMap((each) => each.source ?? []);
  const far =
    asked.find(
      (target) =>
        (sources.includes(target) || isUnanswered(port, host, target)) &&
        !port.networks.some((own) => covers(own, target)),
    ) ?? askedSince(port.world, port.view, host)?.target;
  if (far !== undefined) return [shortMask(port, host, far)];
  if (tried.length === 0 || tried.some((each) => each.echoed!.includes(host.address))) return [];
  const own = port.networks.map((network) => network.split('/')[0]!);
  const wrong = asked.find(
    (target) =>
      !own.includes(target) &&
      port.networks.some((network) => covers(network, target)) &&
      port.seen.some((each) => each.asked.includes(target)) &&
      answeredBy(port, target).length === 0,
  );
  if (wrong === undefined) return [];
  const text = `answers others by way of ${wrong}, which is not its router (${own.join(', ')})`;
  return [hostSymptom(port, host, 'gateway', text, { gateway: wrong, router: own[0]! })];
}

/** A node that is nowhere near tried to reach the host in vain, while the host asked for that node on its link. */
function isUnanswered({ world }: Port, host: Host, target: string): boolean {
  const owners = (world.owners.get(target) ?? []).map((owner) => owner.node);
  const tries = world.serviceProbes.filter(
    (serviceProbe) =>
      serviceProbe.service === 'echo' &&
      serviceProbe.destination === host.address &&
      owners.includes(serviceProbe.from),
  );
  return tries.length > 0 && tries.every((serviceProbe) => !serviceProbe.answered);
}

function shortMask(port: Port, host: Host, far: string): Symptom {
  const text = `asks on its link for ${far}, which is not on it: its mask is too short`;
  return hostSymptom(port, host, 'netmask', text, { asks: far });
}

/** The same symptom of a host that was heard asking for somebody far away. */
export function maskSymptom(world: World, view: View, host: Host, far: string): Symptom {
  const port = { world, view, ifname: host.ifname, networks: [], seen: [], hosts: [host] };
  return shortMask(port, host, far);
}

/** Somebody answers for the router's own address. */
function taken(port: Port): readonly Symptom[] {
  return port.networks.flatMap((network) => {
    const address = network.split('/')[0]!;
    const [mac] = answeredBy(port, address).filter((each) => !isRouterMac(port.world, each));
    return mac === undefined ? [] : [conflict(port, address, mac)];
  });
}

/** Virtual routers of VRRP (RFC 9568 §7.3), and interfaces of nodes with agents: a gateway may be several of them. */
function isRouterMac(world: World, mac: string): boolean {
  const lower = mac.toLowerCase();
  return (
    /^00:00:5e:00:0[12]:/.test(lower) ||
    [...world.views.values()].some(({ state }) =>
      state.inventory.interfaces.some((entry) => entry.mac?.toLowerCase() === lower),
    )
  );
}

function conflict(port: Port, address: string, mac: string): Symptom {
  const second = port.hosts.find((host) => host.mac === mac && host.address !== address);
  const host = second ?? { ifname: port.ifname, address, mac };
  const detail = { conflict: address, known: second !== undefined };
  const symptom = hostSymptom(port, host, 'conflict', `(${mac}) also answers for ${address}`, detail);
  if (second !== undefined) return symptom;
  // Somebody who was never heard there: it is not for the host beside the port that its name stands.
  const { node } = port.view;
  const where = interfaceResource({ node, ifname: port.ifname });
  const text = `somebody (${mac}) on ${mark(node)} ${port.ifname}, who was not heard there before, also answers for ${address}`;
  return { ...symptom, text, detail: { ...symptom.detail, host: `node/${address}`, port: where } };
}

function hostSymptom(port: Port, host: Host, what: string, text: string, detail: Symptom['detail']): Symptom {
  const { node, sources } = port.view;
  const name: Called = called(port.world, port.view, port.ifname, host.address);
  return {
    id: `host:${what}/${node}/${port.ifname}/${host.address}`,
    kind: 'host',
    subject: nodeResource(node),
    text: `host ${name.label} on ${mark(node)} ${port.ifname} ${text}`,
    source: [...port.seen.map((each) => each.evidence), ...sources],
    nodes: [node],
    detail: {
      what,
      host: name.node,
      port: name.port,
      router: node,
      ifname: port.ifname,
      address: host.address,
      mac: host.mac,
      ...detail,
    },
  };
}
