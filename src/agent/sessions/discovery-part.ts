// The discovery mechanisms that the configuration names, as one part of the agent: static peers, LLDP, IS-IS, OSPF. Wiring only.
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { createOutage, type Log, type Outage } from '#base/log.ts';
import type { Config } from '#config/schema.ts';
import { isDialable } from '#discovery/address.ts';
import { createIsisDiscovery } from '#discovery/isis/discovery.ts';
import { parseArea, parseSystemId, speakerSystemId } from '#discovery/isis/system-id.ts';
import type { Descriptor } from '#discovery/lldp/descriptor.ts';
import { createLldpDiscovery } from '#discovery/lldp/discovery.ts';
import { createStaticDiscovery } from '#discovery/static.ts';
import { hashCapabilities } from '#mcp/protocol/negotiation.ts';
import { isVirtualRouterMac } from '#model/names.ts';
import type { Discovery, PeerTable } from '#model/peer.ts';
import type { IsisPort, RouterPort } from '#model/router/router-port.ts';
import type { Part } from '../lifecycle.ts';
import type { OpenedRouter } from '../parts/open-router.ts';
import { createOspfDiscovery, type MeetNode } from './ospf-discovery.ts';

export type DiscoveryParts = {
  readonly config: Config;
  readonly identity: () => { readonly thumbprint: string };
  readonly peers: PeerTable;
  readonly meet: MeetNode;
  readonly clock: Clock;
  readonly log: Log;
};

/** A node whose own state cannot be read yet announces no addresses and goes on. */
export function createDiscoveryPart(
  parts: DiscoveryParts,
  { router, lldp, isis }: Omit<OpenedRouter, 'device'>,
  capabilities: readonly string[],
): Part {
  const { config, identity, peers, clock, log } = parts;
  let addresses: readonly string[] = [];
  const own = () => ({
    node: config.node,
    port: config.listen.port,
    thumbprint: identity().thumbprint,
    capabilitiesHash: hashCapabilities(capabilities),
    capabilities,
    addresses,
  });
  const stateOutage = createOutage({
    ...{ log, clock },
    broken: 'the state of this node could not be read',
    back: 'the state of this node can be read again',
  });
  const ended = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  const mechanisms: Discovery[] = [createStaticDiscovery({ peers: config.discovery.static, table: peers, clock })];
  // A NETCONF device has its own LLDP: this machine's LLDP would announce the wrong place in the network.
  if (config.discovery.lldp && lldp !== undefined)
    mechanisms.push(createLldpDiscovery({ port: lldp, table: peers, clock, log, own }));
  /** Loopback addresses may change while the agent runs; each mechanism announces the current ones at its next refresh. */
  const keepReading = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(LIMITS.lldpRefreshMs, ended.signal).catch(() => {});
      if (!ended.signal.aborted) addresses = (await loopbacksOf(router, stateOutage)) ?? addresses;
    }
  };
  const overIsis = isisOf(parts, isis, own);
  if (overIsis !== undefined) mechanisms.push(overIsis);
  const announces = mechanisms.length > 1;
  // The neighbours of a NETCONF device are not on networks of this machine.
  if (config.discovery.ospf && config.driver.kind === 'linux-frr')
    mechanisms.push(createOspfDiscovery({ ...parts, router, table: peers, port: config.listen.port }));
  return {
    name: 'discovery',
    start: async () => {
      if (announces) addresses = (await loopbacksOf(router, stateOutage)) ?? [];
      for (const mechanism of mechanisms) await mechanism.start();
      if (announces) loop = keepReading();
    },
    stop: async () => {
      ended.abort();
      await loop;
      for (const mechanism of [...mechanisms].reverse()) await mechanism.stop();
    },
  };
}

function isisOf(parts: DiscoveryParts, port: IsisPort | undefined, own: () => Descriptor): Discovery | undefined {
  const { config, peers, clock, log } = parts;
  const { isis } = config.discovery;
  if (isis === 'off') return undefined;
  if (port === undefined) {
    log.warn('this driver has no IS-IS: discovery.isis is ignored', { driver: config.driver.kind });
    return undefined;
  }
  const area = isis.area === undefined ? undefined : parseArea(isis.area);
  return createIsisDiscovery({
    port,
    table: peers,
    node: config.node,
    ifname: isis.interface,
    systemId: parseSystemId(isis.systemId ?? '') ?? speakerSystemId(config.domain, config.node),
    ...(area === undefined ? {} : { area }),
    own,
    clock,
    log,
  });
}

/** Of a node without a loopback address. */
const ANNOUNCED_OF_PORTS = 4;

/**
 * The addresses that can be dialled: a link-local or reserved address among them must not keep the node from announcing the rest. Of a node
 * without a loopback address some of its ports': without any, no neighbour could tell others of it.
 */
async function loopbacksOf(router: RouterPort, outage: Outage): Promise<readonly string[] | undefined> {
  try {
    const { loopbacks, interfaces } = (await router.state()).inventory;
    outage.worked();
    const own = loopbacks.map(withoutLength).filter(isDialable);
    if (own.length > 0) return own;
    const ofPorts = interfaces
      .filter(({ operUp, mac = '' }) => operUp && !isVirtualRouterMac(mac))
      .flatMap(({ addresses }) => addresses);
    return ofPorts.map(withoutLength).filter(isDialable).slice(0, ANNOUNCED_OF_PORTS);
  } catch (error) {
    outage.failed(error);
    return undefined;
  }
}

function withoutLength(address: string): string {
  return address.split('/')[0]!;
}
