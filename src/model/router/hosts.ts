// Hosts are what is connected to a network without an agent of its own. What their first router knows of them, what it is asked to
// measure at them, and what it finds.
import * as z from 'zod';
import { isOfNoHost } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import {
  count,
  flag,
  hostAddress,
  integer,
  interfaceName,
  ipv4Address,
  linkNeighbour,
  listOf,
  oneOf,
  rows,
  someRows,
  text,
  texts,
  type Wire,
} from '../wire/fields.ts';

/** A host that was observed on a port, from the router's own memory. */
export type Host = Wire<typeof host>;
export const host = z.object({
  ifname: text,
  address: text,
  mac: text,
  /** How long ago it last answered a look of the router; absent where it never did, or the router looks at no hosts. */
  answeredAgoMs: count.exactOptional(),
});

/** A service that a host on a port was seen to serve. */
export type Served = Wire<typeof served>;
export const served = z.object({
  ifname: text,
  address: text,
  service: z.enum(['tcp', 'udp']),
  port: count,
  agoMs: count,
});

const scannedPort = z.strictObject(
  { ifname: interfaceName, addresses: listOf(ipv4Address, LIMITS.hostAddresses, 'addresses') },
  { error: 'a port with addresses' },
);

export type HostScanRequest = Wire<typeof hostScanRequest>;
export const hostScanRequest = z.strictObject({
  ports: listOf(scannedPort, LIMITS.hostPorts, 'ports'),
  /** Also ping all nodes of the link (ff02::1), whatever their addresses. */
  census: z.boolean({ error: 'whether a census is wanted' }),
});

/** What one port answered. */
export type HostPort = Wire<typeof hostPort>;
export const hostPort = z.object({
  ifname: text,
  /** Hosts that answered for an address, one of the port's own IPv6 addresses among them; two MAC addresses are two hosts. */
  answers: rows(z.object({ address: text, macs: rows(text) })),
  /** Hosts that answered an echo from `source`, an address off the link; absent when the node has none. */
  echoed: someRows(text),
  source: text.exactOptional(),
  /** ARP requests of the hosts meanwhile. */
  asks: rows(z.object({ mac: text, sender: text, target: text })),
  /** MAC addresses that were observed or answered an echo over IPv6; only of an all-nodes ping. */
  alive: someRows(text),
});

/** Ports of services that all hosts use: DNS, HTTP, HTTPS. What a node tries by itself is one of these. */
export const SERVICE_PORTS = [53, 80, 443, 8080] as const;
export type ServicePort = (typeof SERVICE_PORTS)[number];
export const MOST_PORT = 65_535;

export function isServicePort(port: number): port is ServicePort {
  return SERVICE_PORTS.some((known) => known === port);
}
const SERVICES = ['echo', 'tcp', 'udp'] as const;

/** A name that may be asked for: labels of RFC 1123, two at least, of 253 characters at most (RFC 1035 §2.3.4). */
export function isHostName(name: string): boolean {
  return (
    name.length <= LONGEST_NAME &&
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/.test(name)
  );
}
const LONGEST_NAME = 253;
const SHORTEST_NAME = 3;

const PORT_WORDS = 'a port of a well-known service';

/** One try of a service: an echo, a TCP connection, or a datagram that a closed port refuses. */
export type ServiceProbe = Wire<typeof serviceProbe>;
export const serviceProbe = z.strictObject(
  {
    destination: hostAddress,
    service: oneOf(SERVICES),
    /** Of a well-known service; of TCP another one as well, where an operator's question names it. */
    port: integer(1, MOST_PORT).exactOptional(),
    /** Of echoes: handed to this neighbour on this interface, whatever route the node itself has. */
    via: linkNeighbour.exactOptional(),
    /** Of name servers: this name is asked for, instead of an empty question. */
    record: texts('a host name', SHORTEST_NAME, LONGEST_NAME, isHostName).exactOptional(),
    /** Of name servers: asked several times, with patience, and echoes beside it; each answer's time is reported. */
    timed: z.boolean({ error: 'true or false' }).exactOptional(),
  },
  { error: 'a service probe' },
);

/** Tries of ports that no well-known service has. */
export function otherPorts(
  serviceProbes: readonly Pick<ServiceProbe, 'destination' | 'port'>[],
): readonly Pick<ServiceProbe, 'destination' | 'port'>[] {
  return serviceProbes.filter(({ port }) => port !== undefined && !isServicePort(port));
}

const serviceProbes = listOf(serviceProbe, LIMITS.serviceProbes, 'service probes').refine(
  (each) => each.every(({ service, port }) => service === 'tcp' || port === undefined || isServicePort(port)),
  PORT_WORDS,
);

export type ServiceProbeRequest = Wire<typeof serviceProbeRequest>;
export const serviceProbeRequest = z.strictObject({
  /** Of other ports one, once, at one address of a host; how many such calls a minute, the probe budget of the agent says. */
  serviceProbes: serviceProbes
    .refine((each) => otherPorts(each).length <= 1, 'at most one port of no well-known service, once, at one address')
    .refine((each) => otherPorts(each).every(({ destination }) => !isOfNoHost(destination)), 'the address of a host'),
  /** Sent from this address of the node's own; absent: from its first loopback. Never a host's. */
  source: hostAddress.exactOptional(),
  /** A real answer is wanted, as a user wants one: a web server is sent `GET /`, and the addresses that a name server gives are in the result. */
  whole: z.boolean({ error: 'true or false' }).exactOptional(),
});

/** As another node asks for it. */
export const serviceProbeCall = serviceProbeRequest.extend({
  /** Also at private addresses to which a default route alone leads, where an agent is its next hop; those are named in the answer. */
  alongDefault: z.boolean({ error: 'true or false' }).exactOptional(),
});

/** What a node tries by itself: well-known services alone. */
export const watchServicesRequest = serviceProbeRequest.extend({
  serviceProbes: serviceProbes.refine((each) => otherPorts(each).length === 0, PORT_WORDS),
});

/** What a web server sent in answer to `GET /`: a status line of HTTP, other data, the end of the connection without data, or nothing in time. */
const REPLIES = ['page', 'other', 'closed', 'none'] as const;

const times = someRows(z.number().min(0), LIMITS.timedQueries);

/** `answered`: anything came back, a refusal included; `open`: the service itself did; `found`: it knows the name that was asked for. */
export type ServiceProbeResult = Wire<typeof serviceProbeResult>;
export const serviceProbeResult = z.object({
  destination: text,
  service: z.enum(SERVICES),
  port: count.exactOptional(),
  via: z.object({ ifname: text, mac: text }).exactOptional(),
  record: text.exactOptional(),
  timed: z.boolean().exactOptional(),
  sent: count,
  answered: flag,
  open: flag,
  found: z.boolean().exactOptional(),
  /** Of a web server that accepted a connection, where a real answer was wanted. */
  reply: z.enum(REPLIES).exactOptional(),
  /** Of a name server, where a real answer was wanted: the IPv4 addresses that it gives for the name, sorted. */
  addresses: someRows(text, LIMITS.dnsAddresses),
  /** How long each answer to a datagram took, and each echo beside it where both were asked for. */
  tookMs: times,
  echoMs: times,
});
