// The operations of the privileged helper as one table: what each takes, as a schema by which the helper checks it, and what it answers. Client and
// helper get their types from here, so that a name that only one of them knows does not compile.
import * as z from 'zod';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { isNodeName } from '#model/names.ts';
import type { Daemon } from '#model/router/control-plane.ts';
import type { CrashFile, EchoResult } from '#model/router/device-port.ts';
import { echoRequest } from '#model/router/device-schema.ts';
import { type DhcpAnswer, dhcpRequest, type Heard } from '#model/router/dhcp.ts';
import type { DhcpSign } from '#model/router/dhcp-history.ts';
import type { HeardAsk, HeardConnections, HeardName } from '#model/router/host-history.ts';
import {
  type HostPort,
  hostScanRequest,
  type Served,
  type ServiceProbeResult,
  serviceProbeRequest,
  watchServicesRequest,
} from '#model/router/hosts.ts';
import { linkWatchRequest, type WatchCounts, type WatchWays } from '#model/router/link-monitor.ts';
import { captureRequest, probeKeyRequest, probeRequest, reachRequest } from '#model/router/probe-schema.ts';
import type { ProbeResult, ReachResult } from '#model/router/router-port.ts';
import {
  hexOctets,
  integer,
  interfaceName,
  ipAddress,
  ipPrefix,
  listOf,
  oneOf,
  texts,
  type Wire,
} from '#model/wire/fields.ts';
import { ROUTER_LIMITS } from '../limits.ts';

/** What may be asked of FRR's daemons; the helper has the one literal command for each. */
export const FRR_QUERIES = [
  'isis-interfaces',
  'isis-hostnames',
  'isis-config',
  'bgp-config',
  /** All at once, for an agent of an earlier version: too much for one read where there are a hundred. */
  'bgp-neighbours',
  'bgp-summary-ipv4',
  'bgp-summary-ipv6',
  'bgp-summary-evpn',
  'bgp-summary-vpnv4',
  'bgp-summary-vpnv6',
  'bfd-peers',
  'ospf-interfaces',
  'ospf-neighbours',
  'ospf6-instance',
  'ospf6-interfaces',
  'ospf6-neighbours',
  /** Without link-local addresses, and without the LSAs that are being exchanged. */
  'ospf6-neighbour-states',
  'ospf6-config',
  'descriptions',
  'version',
] as const;
export type FrrQuery = (typeof FRR_QUERIES)[number];

/** Modules of FRR's own northbound. */
export const NATIVE_MODULES = ['frr-interface', 'frr-vrf', 'frr-isisd', 'frr-routing'] as const;
export type NativeModuleName = (typeof NATIVE_MODULES)[number];

/** Most interfaces of one offload read. */
const OFFLOAD_INTERFACES = 4_096;
const SYSTEM_ID_BYTES = 6;
const OUI_BYTES = 3;
const AREA_BYTES = 13;
const NODE_NAME_CHARS = 63;

const nothing = z.strictObject({});
const ports = z.strictObject({ ifnames: listOf(interfaceName, LIMITS.hostPorts, 'ports') });
const tlv = { oui: hexOctets(OUI_BYTES, OUI_BYTES), subtype: integer(0, 255) };
const CONFIGURATIONS = ['running', 'startup'] as const;

export const READ_REQUESTS = {
  frr: z.strictObject({ query: oneOf(FRR_QUERIES) }),
  'bgp-prefix': z.strictObject({ prefix: ipPrefix }),
  'bgp-neighbours': z.strictObject({
    peers: listOf(z.union([ipAddress, interfaceName]), ROUTER_LIMITS.bgpNeighbours, 'neighbours'),
  }),
  'rib-routes': z.strictObject({ destinations: listOf(ipAddress, ROUTER_LIMITS.ribRoutes, 'addresses') }),
  'bgp-origins': z.strictObject({ destinations: listOf(ipAddress, ROUTER_LIMITS.bgpOrigins, 'addresses') }),
  daemons: nothing,
  filters: nothing,
  offloads: z.strictObject({ interfaces: listOf(interfaceName, OFFLOAD_INTERFACES, 'interfaces') }),
  probe: probeRequest,
  reach: reachRequest,
  'probe-key': probeKeyRequest,
  'host-scan': hostScanRequest,
  'watch-hosts': hostScanRequest,
  'service-probe': serviceProbeRequest,
  'watch-services': watchServicesRequest,
  served: ports,
  heard: ports,
  dhcp: dhcpRequest,
  'watch-dhcp': dhcpRequest,
  'link-watch': linkWatchRequest,
  capture: captureRequest,
  'isis-speak': z.strictObject({
    ifname: interfaceName,
    node: texts('a node name', 1, NODE_NAME_CHARS, isNodeName),
    systemId: hexOctets(SYSTEM_ID_BYTES, SYSTEM_ID_BYTES),
    area: hexOctets(1, AREA_BYTES).exactOptional(),
    information: hexOctets(1, LIMITS.lldpInfoBytes),
  }),
  'isis-announce': z.strictObject({ ifname: interfaceName, information: hexOctets(1, LIMITS.lldpInfoBytes) }),
  'lldp-neighbours': nothing,
  'lldp-local': nothing,
  'lldp-announce': z.strictObject({ ...tlv, information: hexOctets(0, LIMITS.lldpInfoBytes) }),
  'lldp-withdraw': z.strictObject(tlv),
  'lldp-watch': nothing,
  show: z.strictObject({ form: z.string(), places: z.record(z.string(), z.string()) }),
  native: z.strictObject({ module: oneOf(NATIVE_MODULES), datastore: oneOf(['running', 'operational']) }),
  facts: nothing,
  configuration: z.strictObject({ which: oneOf(CONFIGURATIONS) }),
  crashes: nothing,
  log: z.strictObject({ count: integer(1, LIMITS.logLines) }),
  'log-watch': nothing,
  echo: echoRequest,
} satisfies Record<string, z.ZodType>;

/** A round of the link monitor as the helper counted it. */
export type MonitorRound = {
  readonly ifname: string;
  readonly round: number;
  /** How long ago it ended, with its last probe. */
  readonly agoMs: number;
  /** From its first probe to its last. */
  readonly forMs: number;
  readonly counts: WatchCounts;
  /** Absent where the reflector reported no time, or this node had none itself. */
  readonly ways?: WatchWays;
};

/** Services, names, ARP requests and connection requests that passed on the ports since the call before. */
export type HostSigns = {
  readonly services: readonly Omit<Served, 'agoMs'>[];
  readonly names: readonly HeardName[];
  readonly asks: readonly HeardAsk[];
  readonly connections: readonly HeardConnections[];
};

export type HeardRow = Omit<Heard, 'agoMs'>;
/** DNS questions and DHCP messages that passed on the ports since the call before. */
export type HeardNow = { readonly rows: readonly HeardRow[]; readonly signs: readonly DhcpSign[] };

/**
 * `ip` and `ip6`: what `iptables-legacy-save -c` and its like for IPv6 print, where the kernel has such tables. `legacyUnread`:
 * families of which the helper may not know whether there are such tables. `listed`: what `nft -a -t list ruleset` prints, where a rule of
 * iptables-nft demands something of the connection.
 */
export type FilterText = {
  readonly ruleset: string;
  readonly netdevChains: string;
  readonly listed?: string;
  readonly legacy?: { readonly ip?: string; readonly ip6?: string };
  readonly legacyUnread?: readonly ('ip' | 'ip6')[];
};

type ReadAnswers = {
  /** What the daemon prints. */
  readonly frr: string;
  readonly 'bgp-prefix': string;
  /** What bgpd prints for each neighbour that it has, as far as it is read. */
  readonly 'bgp-neighbours': JsonObject;
  /** What zebra prints for each destination, in the order asked. */
  readonly 'rib-routes': readonly string[];
  /** The best path that bgpd prints for each destination, in the order asked, empty where it did not in time; nothing where it is not connected to an RPKI cache. */
  readonly 'bgp-origins': readonly string[];
  readonly daemons: readonly Daemon[];
  readonly filters: FilterText;
  readonly offloads: Readonly<Record<string, readonly string[]>>;
  readonly probe: ProbeResult;
  readonly reach: readonly ReachResult[];
  readonly 'probe-key': null;
  readonly 'host-scan': readonly HostPort[];
  readonly 'watch-hosts': readonly HostPort[];
  readonly 'service-probe': readonly ServiceProbeResult[];
  readonly 'watch-services': readonly ServiceProbeResult[];
  readonly served: HostSigns;
  readonly heard: HeardNow;
  readonly dhcp: readonly DhcpAnswer[];
  readonly 'watch-dhcp': readonly DhcpAnswer[];
  readonly 'link-watch': readonly MonitorRound[];
  /** `pcap` in base64. */
  readonly capture: { readonly pcap: string; readonly packets: number; readonly truncated: boolean };
  readonly 'isis-speak': null;
  /** Whether a speaker runs there. */
  readonly 'isis-announce': boolean;
  /** What lldpd prints. */
  readonly 'lldp-neighbours': string;
  readonly 'lldp-local': string;
  readonly 'lldp-announce': null;
  readonly 'lldp-withdraw': null;
  readonly 'lldp-watch': null;
  readonly show: string;
  readonly native: string;
  readonly facts: { readonly daemons: readonly string[]; readonly log: boolean };
  readonly configuration: string;
  readonly crashes: readonly CrashFile[];
  readonly log: readonly string[];
  readonly 'log-watch': null;
  readonly echo: EchoResult;
};

export type ReadOperations = {
  readonly [Name in keyof typeof READ_REQUESTS]: {
    readonly request: Wire<(typeof READ_REQUESTS)[Name]>;
    readonly answer: ReadAnswers[Name];
  };
};
