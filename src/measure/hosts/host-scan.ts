// Which hosts answer on the ports of each router: those that it remembers; where one did not answer, who else is there; where one lives without
// its address, likely places of it; and routers that DHCP offered. Asks nothing of hosts that were never heard, unless one has gone or the question names it as
// the one that asks. Pure.
import type { IpPrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { hostNetworksOf, hostPorts, isInside, likelyPlaces } from '#model/hosts/host-places.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { HostScanAim } from '#model/purpose.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { decodeHostScan } from '../decode/decode-measurements.ts';
import type { HostScanned } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import type { States } from '../states.ts';
import { unansweredFromAfar } from './far-echoes.ts';
import { hostsOn } from './known-hosts.ts';

export const hostScan = defineMeasurement({
  kinds: ['host-scan'],
  rounds: {
    first: ({ states, intent }) => planHostScan(states, intent),
    confirmation: ({ states }, { scans, tries }) =>
      planHostConfirmation(states, scans, unansweredFromAfar(scans, tries)),
    followUp: ({ states }, { scans }) => planHostSearch(states, scans),
  },
  read: decodeHostScan,
});

/** `intent`: of a question in which a host asks, whose router is the first that it names. */
export function planHostScan(
  states: States,
  { path: [first], fromHost }: Partial<Pick<Intent, 'fromHost'>> & Pick<Intent, 'path'> = { path: [] },
): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const asking = first?.key === nodeKey(node) ? fromHost?.address : undefined;
    const ports = hostPorts(state.inventory).flatMap((entry) => {
      const isAsking = (network: IpPrefix) => asking !== undefined && isInside(network, asking);
      const named = hostNetworksOf(entry).some(isAsking) ? [asking!] : [];
      const hosts = [...new Set([...named, ...hostsOn(states, state, entry)])];
      const own = hostNetworksOf(entry).map(({ address }) => address);
      return hosts.length === 0 ? [] : [{ ifname: entry.name, addresses: [...hosts, ...own] }];
    });
    return ports.length === 0 ? [] : [hostScanCall(node, 'known', ports)];
  });
}

/** A second scan where a known host did not answer, or did not answer from afar, or a host sent an ARP request: which other hosts are there. */
export function planHostConfirmation(
  states: States,
  scans: readonly HostScanned[],
  unansweredFromAfar: readonly string[] = [],
): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const ports = scans
      .filter((port) => port.node === node)
      .flatMap((port) => {
        const entry = state.inventory.interfaces.find((each) => each.name === port.ifname);
        if (entry === undefined) return [];
        const answered = new Set(port.answers.map(({ address }) => address));
        const hosts = hostsOn(states, state, entry);
        const gone = hosts.filter((address) => !answered.has(address));
        const sought = soughtBy(port, entry, hosts);
        const far = hosts.some((address) => unansweredFromAfar.includes(address));
        if (gone.length + sought.length === 0 && !far) return [];
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
 * be. No host looks for one that is switched off.
 */
export function planHostSearch(states: States, scans: readonly HostScanned[]): readonly PlannedCall[] {
  return [...Map.groupBy(scans, ({ node }) => node)].flatMap(([node, mine]) => {
    const state = states.get(node);
    if (state === undefined) return [];
    const ports = mine.flatMap((port) => {
      const entry = state.inventory.interfaces.find((each) => each.name === port.ifname);
      const gone = entry === undefined ? [] : livingWithout(state, port, hostsOn(states, state, entry));
      if (entry === undefined || gone.length === 0) return [];
      const addresses = [...gone, ...likelyPlaces(hostNetworksOf(entry), gone)];
      return [{ ifname: entry.name, addresses: addresses.slice(0, LIMITS.hostAddresses) }];
    });
    // Two neighbours may have told of the same port.
    const each = [...new Map(ports.map((port) => [port.ifname, port])).values()];
    return each.length === 0 ? [] : [hostScanCall(node, 'search', each)];
  });
}

/** Whether any device answers for these addresses on a port, beside the hosts there. */
export function planSought(
  states: States,
  aim: 'offered' | 'moved',
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
    return ports.length === 0 ? [] : [hostScanCall(node, aim, ports)];
  });
}

/** Addresses of hosts that were heard alive, and of which no address that was asked for answered. */
function livingWithout(state: NodeState, port: HostScanned, hosts: readonly string[]): readonly string[] {
  const alive = new Set(port.alive);
  const seen = new Set(port.answers.flatMap(({ macs }) => macs));
  return (state.history?.hosts ?? [])
    .filter(
      ({ ifname, address, mac }) =>
        ifname === port.ifname && hosts.includes(address) && alive.has(mac) && !seen.has(mac),
    )
    .map(({ address }) => address);
}

/** Addresses in the port's own network that hosts which did not answer from afar asked for: does a device have them? */
function soughtBy(port: HostScanned, entry: InterfaceState, hosts: readonly string[]): readonly string[] {
  const echoed = new Set(port.echoed ?? hosts);
  const own = hostNetworksOf(entry).map(({ address }) => address);
  const targets = port.asks
    .filter(({ sender }) => hosts.includes(sender) && !echoed.has(sender))
    .map(({ target }) => target);
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
  return callFor(node, { kind: 'host-scan', aim }, args, MEASURE_LIMITS.measureCallMs);
}
