// Troubles of hosts without an agent, as their first router finds them: a host that was there and does not answer for its address
// although it lives, asks for a gateway that is not there or for what is not on its link, or answers for an address that is another's.
import { covers } from '#base/ip.ts';
import { interfaceResource, nodeResource } from '#model/names.ts';
import type { Station } from '#model/router/hosts.ts';
import type { Trouble } from '../../engine/symptom.ts';
import { type Called, called, ownNetworks, remembered, seenOn } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';
import type { StationsSeen, View, World } from '../../network/world.ts';
import { askedSince } from '../../observe/off-link-arp.ts';

type Port = {
  readonly world: World;
  readonly view: View;
  readonly ifname: string;
  readonly networks: readonly string[];
  readonly seen: readonly StationsSeen[];
  readonly stations: readonly Station[];
};

export function stationTroubles(world: World): readonly Trouble[] {
  return [...world.views.values()].flatMap((view) =>
    view.state.inventory.interfaces.flatMap((entry) => {
      const [networks, seen] = [ownNetworks(entry), seenOn(world, view.node, entry.name)];
      if (!entry.operUp || networks.length === 0 || seen.length === 0) return [];
      const before = { ...view, state: view.before ?? view.state };
      const port = { world, view, ifname: entry.name, networks, seen, stations: remembered(world, before, entry.name) };
      return [...port.stations.flatMap((station) => ofStation(port, station)), ...taken(port)];
    }),
  );
}

/** MAC addresses that answered for an address, whenever it was asked. */
function answeredBy(port: Port, address: string): readonly string[] {
  const macs = port.seen.flatMap((each) => each.answers.filter((answer) => answer.address === address));
  return [...new Set(macs.flatMap((answer) => answer.macs))];
}

function ofStation(port: Port, station: Station): readonly Trouble[] {
  const macs = answeredBy(port, station.address);
  if (macs.length === 0) return silent(port, station);
  const others = macs.filter((mac) => mac !== station.mac);
  const rival = others.find((mac) => !isSameHost(port, station, mac));
  if (rival !== undefined && macs.includes(station.mac)) return [conflict(port, station.address, rival)];
  return macs.includes(station.mac) ? lost(port, station) : [];
}

/** Two ports of one host on a network answer for the addresses of each other, as kernels do that are not told otherwise. */
function isSameHost(port: Port, station: Station, mac: string): boolean {
  const its = port.stations.filter((each) => each.mac === mac && each.address !== station.address);
  return its.length > 0 && its.every((each) => answeredBy(port, each.address).includes(station.mac));
}

/** It lives and no longer has its address: it has another, or none. */
function silent(port: Port, station: Station): readonly Trouble[] {
  const census = port.seen.filter((each) => each.alive !== undefined);
  const known = new Set(port.stations.map((each) => each.address));
  // Where it may live is looked up in a look of its own, after the census that found it alive.
  const now = port.seen
    .flatMap((each) => each.answers)
    .find((answer) => answer.macs.includes(station.mac) && !known.has(answer.address))?.address;
  const asks = port.seen
    .flatMap((each) => each.asks)
    .find((ask) => ask.mac === station.mac && ask.sender !== station.address && ask.sender !== '0.0.0.0');
  const other = now ?? asks?.sender;
  // Another address of the same network is as good: addresses are given out anew all day.
  if (other !== undefined && port.networks.some((own) => covers(own, other))) return [];
  if (other !== undefined) {
    const text = `is no longer ${station.address} but ${other}`;
    return [hostTrouble(port, station, 'address', text, { now: other })];
  }
  if (!census.some((each) => each.alive?.includes(station.mac) === true)) return [];
  return [hostTrouble(port, station, 'missing', `lives and no longer has the address ${station.address}`, {})];
}

/**
 * It has its address. Whom does it ask for, to answer somebody off its link? A router answers for all its addresses, so that a mask that
 * is too short does no harm here and all the more elsewhere; a gateway that is not there does.
 */
function lost(port: Port, station: Station): readonly Trouble[] {
  const tried = port.seen.filter((each) => each.echoed !== undefined);
  const asked = port.seen
    .flatMap((each) => each.asks)
    .filter((ask) => ask.mac === station.mac && ask.sender === station.address)
    .map((ask) => ask.target);
  const sources = tried.flatMap((each) => each.source ?? []);
  const far =
    asked.find(
      (target) =>
        (sources.includes(target) || isUnanswered(port, station, target)) &&
        !port.networks.some((own) => covers(own, target)),
    ) ?? askedSince(port.world, port.view, station)?.target;
  if (far !== undefined) return [shortMask(port, station, far)];
  if (tried.length === 0 || tried.some((each) => each.echoed!.includes(station.address))) return [];
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
  return [hostTrouble(port, station, 'gateway', text, { gateway: wrong, router: own[0]! })];
}

/** A node that is nowhere near tried to reach the host in vain, while the host asked for that node on its link. */
function isUnanswered({ world }: Port, station: Station, target: string): boolean {
  const owners = (world.owners.get(target) ?? []).map((owner) => owner.node);
  const tries = world.knocks.filter(
    (knock) => knock.service === 'echo' && knock.destination === station.address && owners.includes(knock.from),
  );
  return tries.length > 0 && tries.every((knock) => !knock.answered);
}

function shortMask(port: Port, station: Station, far: string): Trouble {
  const text = `asks on its link for ${far}, which is not on it: its mask is too short`;
  return hostTrouble(port, station, 'netmask', text, { asks: far });
}

/** The same trouble of a host that was heard asking for somebody far away. */
export function maskTrouble(world: World, view: View, station: Station, far: string): Trouble {
  const port = { world, view, ifname: station.ifname, networks: [], seen: [], stations: [station] };
  return shortMask(port, station, far);
}

/** Somebody answers for the router's own address. */
function taken(port: Port): readonly Trouble[] {
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

function conflict(port: Port, address: string, mac: string): Trouble {
  const second = port.stations.find((station) => station.mac === mac && station.address !== address);
  const station = second ?? { ifname: port.ifname, address, mac };
  const detail = { conflict: address, known: second !== undefined };
  const trouble = hostTrouble(port, station, 'conflict', `(${mac}) also answers for ${address}`, detail);
  if (second !== undefined) return trouble;
  // Somebody who was never heard there: it is not for the host beside the port that its name stands.
  const { node } = port.view;
  const where = interfaceResource({ node, ifname: port.ifname });
  const text = `somebody (${mac}) on ${mark(node)} ${port.ifname}, who was not heard there before, also answers for ${address}`;
  return { ...trouble, text, detail: { ...trouble.detail, host: `node/${address}`, port: where } };
}

function hostTrouble(port: Port, station: Station, what: string, text: string, detail: Trouble['detail']): Trouble {
  const { node, sources } = port.view;
  const name: Called = called(port.world, port.view, port.ifname, station.address);
  return {
    id: `station:${what}/${node}/${port.ifname}/${station.address}`,
    kind: 'station',
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
      address: station.address,
      mac: station.mac,
      ...detail,
    },
  };
}
