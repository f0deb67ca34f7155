// The calls about hosts without agents: each router asks those that it remembers on its ports, and others try services through a
// router that filters some. Asks nobody that was never heard, unless one of them has gone. Pure.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { hostNetworksOf, hostPorts, isInside, likelyPlaces } from '#model/hosts/host-places.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import type { HostScanAim, PurposeOf, ServiceProbeReason } from '#model/purpose.ts';
import type { ServiceProbe } from '#model/router/hosts.ts';
import { demands, mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule, InterfaceState, NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import type { States } from '../states.ts';

/** Nodes that try services through one that filters. */
const PROBING_NODES = 4;
/** Hosts of one router at which services are tried. */
const PROBED_HOSTS = 4;

export function planHostScan(states: States): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const ports = hostPorts(state.inventory).flatMap((entry) => {
      const hosts = hostsOn(states, state, entry);
      const own = hostNetworksOf(entry).map(({ address }) => address);
      return hosts.length === 0 ? [] : [{ ifname: entry.name, addresses: [...hosts, ...own] }];
    });
    return ports.length === 0 ? [] : [hostScanCall(node, 'known', ports)];
  });
}

/** A second look where somebody who was there did not answer, or nobody from afar, or a host asked for somebody: who else is there. */
export function planHostConfirmation(
  states: States,
  measured: readonly Evidence[],
  unansweredFromAfar: readonly string[] = [],
): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const ports = measured
      .filter((entry) => entry.kind === 'host-scan' && entry.node === node && isJsonObject(entry.body))
      .flatMap((entry) => (isJsonObject(entry.body) && Array.isArray(entry.body['ports']) ? entry.body['ports'] : []))
      .flatMap((port) => {
        if (!isJsonObject(port)) return [];
        const entry = state.inventory.interfaces.find((each) => each.name === port['ifname']);
        const answers = Array.isArray(port['answers']) ? port['answers'] : [];
        const answered = new Set(answers.flatMap((answer) => (isJsonObject(answer) ? String(answer['address']) : [])));
        const hosts = entry === undefined ? [] : hostsOn(states, state, entry);
        const gone = hosts.filter((address) => !answered.has(address));
        const sought = entry === undefined ? [] : soughtBy(port, entry, hosts);
        const far = hosts.some((address) => unansweredFromAfar.includes(address));
        if (entry === undefined || (gone.length + sought.length === 0 && !far)) return [];
        return [
          {
            ifname: entry.name,
            addresses: [...hosts, ...sought].slice(0, LIMITS.hostAddresses),
          },
        ];
      });
    return ports.length === 0 ? [] : [hostScanCall(node, 'confirmation', ports)];
  });
}

/**
 * A third look only for hosts that live and no longer have their address, as all IPv6 nodes of the link were heard: where else they may
 * be. A host that is switched off is looked for by nobody.
 */
export function planHostSearch(states: States, census: readonly Evidence[]): readonly PlannedCall[] {
  return census.flatMap(({ kind, node, body }) => {
    const state = states.get(node);
    if (kind !== 'host-scan' || state === undefined || !isJsonObject(body) || !Array.isArray(body['ports'])) return [];
    const ports = body['ports'].flatMap((port) => {
      if (!isJsonObject(port)) return [];
      const entry = state.inventory.interfaces.find((each) => each.name === port['ifname']);
      const gone = entry === undefined ? [] : livingWithout(state, port, hostsOn(states, state, entry));
      if (entry === undefined || gone.length === 0) return [];
      return [
        {
          ifname: entry.name,
          addresses: [...gone, ...likelyPlaces(hostNetworksOf(entry), gone)].slice(0, LIMITS.hostAddresses),
        },
      ];
    });
    return ports.length === 0 ? [] : [hostScanCall(node, 'search', ports)];
  });
}

/** Whether anybody answers for these addresses on a port, beside the hosts there. */
export function planSought(
  states: States,
  sought: readonly { readonly node: string; readonly ifname: string; readonly addresses: readonly string[] }[],
): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const ports = state.inventory.interfaces.flatMap((entry) => {
      const wanted = sought
        .filter((each) => each.node === node && each.ifname === entry.name)
        .flatMap(({ addresses }) => addresses)
        .filter((address) => hostNetworksOf(entry).some((network) => isInside(network, address)));
      const addresses = [...new Set([...wanted, ...hostsOn(states, state, entry)])];
      return wanted.length === 0 ? [] : [{ ifname: entry.name, addresses: addresses.slice(0, LIMITS.hostAddresses) }];
    });
    return ports.length === 0 ? [] : [hostScanCall(node, 'offered', ports)];
  });
}

/** Addresses of hosts that were heard alive, and of which no address that was asked for answered. */
function livingWithout(state: NodeState, port: JsonObject, hosts: readonly string[]): readonly string[] {
  const alive = new Set(Array.isArray(port['alive']) ? port['alive'].map(String) : []);
  const answers = (Array.isArray(port['answers']) ? port['answers'] : []).filter(isJsonObject);
  const seen = new Set(answers.flatMap(({ macs }) => (Array.isArray(macs) ? macs.map(String) : [])));
  return (state.history?.hosts ?? [])
    .filter(
      ({ ifname, address, mac }) =>
        ifname === port['ifname'] && hosts.includes(address) && alive.has(mac) && !seen.has(mac),
    )
    .map(({ address }) => address);
}

/** Whom hosts that did not answer from afar asked for, in the port's own network: is anybody there? */
function soughtBy(port: JsonObject, entry: InterfaceState, hosts: readonly string[]): readonly string[] {
  const echoed = new Set(Array.isArray(port['echoed']) ? port['echoed'] : hosts);
  const own = hostNetworksOf(entry).map(({ address }) => address);
  const asks = Array.isArray(port['asks']) ? port['asks'] : [];
  const targets = asks.flatMap((ask) =>
    isJsonObject(ask) && hosts.includes(String(ask['sender'])) && !echoed.has(String(ask['sender']))
      ? [String(ask['target'])]
      : [],
  );
  return [...new Set(targets)].filter(
    (target) => !own.includes(target) && hostNetworksOf(entry).some((network) => isInside(network, target)),
  );
}

function hostScanCall(
  node: string,
  aim: HostScanAim,
  ports: readonly { readonly ifname: string; readonly addresses: readonly string[] }[],
): PlannedCall {
  const args = {
    ports: ports.slice(0, LIMITS.hostPorts).map((port) => ({ ...port, addresses: [...port.addresses] })),
    census: aim === 'confirmation' || aim === 'search',
  };
  return callFor(node, { kind: 'host-scan', aim }, args, LIMITS.measureCallMs);
}

/** Addresses that were heard on a port and that no node with an agent has. */
function hostsOn(states: States, state: NodeState, entry: InterfaceState): readonly string[] {
  const networks = hostNetworksOf(entry);
  const owned = ownedIn(states);
  const heard = (state.history?.hosts ?? []).filter((host) => host.ifname === entry.name);
  return [...new Set(heard.map((host) => host.address))].filter(
    (address) => !owned.has(address) && networks.some((network) => isInside(network, address)),
  );
}

/** States do not change: what they own is gathered once. */
const OWNED = new WeakMap<States, ReadonlySet<string>>();

function ownedIn(states: States): ReadonlySet<string> {
  const known = OWNED.get(states);
  if (known !== undefined) return known;
  const owned = new Set(
    [...states.values()].flatMap(({ inventory }) =>
      // An address of a loopback says nothing of who is on a link.
      inventory.interfaces
        .filter((each) => each.kind !== 'loopback')
        .flatMap((each) => each.addresses.map((address) => address.split('/')[0]!)),
    ),
  );
  OWNED.set(states, owned);
  return owned;
}

const ECHO: Packet = { network: 'ip', protocol: 'icmp', icmpType: 'echo-request' };
const SERVICES: readonly (Omit<ServiceProbe, 'destination'> & { readonly packet: Packet })[] = [
  { service: 'echo', packet: ECHO },
  { service: 'tcp', port: 80, packet: { network: 'ip', protocol: 'tcp', destinationPort: 80 } },
  { service: 'tcp', port: 443, packet: { network: 'ip', protocol: 'tcp', destinationPort: 443 } },
  { service: 'tcp', port: 8_080, packet: { network: 'ip', protocol: 'tcp', destinationPort: 8_080 } },
  { service: 'udp', port: 53, packet: { network: 'ip', protocol: 'udp', destinationPort: 53 } },
];

/** Tries of what a router's filters may drop, by others, at its hosts and beyond it. */
export function planServiceProbes(states: States): readonly PlannedCall[] {
  const links = allLinks([...states].map(([node, state]) => ({ node, state })));
  const near = (node: string) => [
    ...new Set(links.flatMap(({ from, to }) => (from.node === node ? to.node : to.node === node ? from.node : []))),
  ];
  const wanted = new Map<string, ServiceProbe[]>();
  for (const [node, state] of states) {
    const rules = state.filters.filter(dropsSome);
    const services = SERVICES.filter(({ packet }) => rules.some((rule) => mayTake(rule, packet)));
    if (services.length === 0) continue;
    const around = near(node);
    const others = [...states.keys()].filter((other) => other !== node && !around.includes(other));
    const goals = [
      ...hostsOf(states, node),
      ...around.flatMap((other) => [...hostsOf(states, other), ...loopback4(states, other)]),
    ];
    for (const from of [...around, ...others].slice(0, PROBING_NODES)) {
      const own = new Set([...hostsOf(states, from), ...loopback4(states, from)]);
      const serviceProbes = goals
        .filter((destination) => !own.has(destination))
        .flatMap((destination) =>
          services.map(({ packet: _, ...serviceProbe }): ServiceProbe => ({ ...serviceProbe, destination })),
        );
      wanted.set(from, [...(wanted.get(from) ?? []), ...serviceProbes]);
    }
  }
  for (const [node, state] of states) {
    for (const { from, serviceProbes } of handedOver(states, node, state, links))
      wanted.set(from, [...(wanted.get(from) ?? []), ...serviceProbes]);
  }
  return [...wanted].map(([node, serviceProbes]) => serviceProbeCall(node, 'filters', serviceProbes));
}

/**
 * A filter against some addresses meets only what comes that way: a neighbour hands the router echoes for them, and sends the same
 * by its own way to see that they are there.
 */
function handedOver(
  states: States,
  node: string,
  state: NodeState,
  links: readonly Link[],
): readonly { readonly from: string; readonly serviceProbes: readonly ServiceProbe[] }[] {
  const rules = state.filters.filter(
    (rule) => dropsSome(rule) && rule.hook === 'forward' && demands(rule, 'destination') && !demands(rule, 'source'),
  );
  if (rules.length === 0) return [];
  const goals = [...states]
    .filter(([other]) => other !== node)
    .flatMap(([other, { inventory }]) => [
      ...hostsOf(states, other),
      ...inventory.interfaces.flatMap((entry) => hostNetworksOf(entry).map(({ address }) => address)),
    ])
    .filter((address) => rules.some((rule) => mayTake(rule, { ...ECHO, destinations: [address] })))
    .slice(0, PROBED_HOSTS);
  return links
    .flatMap((link) => {
      const [mine, theirs] = link.from.node === node ? [link.from, link.to] : [link.to, link.from];
      const mac = state.inventory.interfaces.find((entry) => entry.name === mine.ifname)?.mac;
      if (mine.node !== node || mac === undefined) return [];
      const serviceProbes = goals.flatMap((destination): ServiceProbe[] => [
        { destination, service: 'echo', via: { ifname: theirs.ifname, mac } },
        { destination, service: 'echo' },
      ]);
      return [{ from: theirs.node, serviceProbes }];
    })
    .slice(0, PROBING_NODES);
}

/** A rule in the way of what is forwarded, or of a whole protocol. */
function dropsSome(rule: FilterRule): boolean {
  return (rule.verdict === 'drop' || rule.verdict === 'reject') && rule.family !== 'arp' && rule.family !== 'bridge';
}

export function hostsOf(states: States, node: string): readonly string[] {
  const state = states.get(node);
  if (state === undefined) return [];
  return state.inventory.interfaces.flatMap((entry) => hostsOn(states, state, entry)).slice(0, PROBED_HOSTS);
}

export function loopback4(states: States, node: string): readonly string[] {
  return (states.get(node)?.inventory.loopbacks ?? []).filter((address) => !address.includes(':')).slice(0, 1);
}

export function serviceProbeCall(
  node: string,
  reason: ServiceProbeReason,
  serviceProbes: readonly ServiceProbe[],
  round: PurposeOf<'service-probe'>['round'] = 'first',
): PlannedCall {
  const each = [...new Map(serviceProbes.map((serviceProbe) => [JSON.stringify(serviceProbe), serviceProbe])).values()];
  const args = { serviceProbes: each.slice(0, LIMITS.serviceProbes).map((serviceProbe) => ({ ...serviceProbe })) };
  return callFor(node, { kind: 'service-probe', reason, round }, args, LIMITS.measureCallMs);
}
