// Probes, captures and route lookups: what a node is asked to measure on the wire, and what it answers.
import * as z from 'zod';
import { parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import {
  count,
  filledRows,
  hexOctets,
  integer,
  interfaceName,
  ipAddress,
  linkNeighbour,
  listOf,
  mark,
  nodeAddress,
  number,
  oneOf,
  probeAddress,
  rows,
  text,
} from '../wire/fields.ts';

/** What a probe itself has to say needs this much room, however little was asked for. */
export const PROBE_MESSAGE_BYTES = 64;
const LEAST_PAYLOAD_BYTES = 32;
const LONGEST_INTERVAL_MS = 1_000;
const KEY_BYTES = 16;

/** The collaboration domain id of the question that a probe belongs to, whose key its nodes know. */
const question = hexOctets(KEY_BYTES, KEY_BYTES);
/** 16 octets in hexadecimal, new for each question. */
export const probeKey = hexOctets(KEY_BYTES, KEY_BYTES);
export const probeKeyRequest = z.strictObject({ question, key: probeKey });

export function isQuestion(sessionId: string): boolean {
  return question.safeParse(sessionId).success;
}

export const probeRequest = z
  .strictObject({
    /** Address of the reflector at the tail. */
    destination: probeAddress,
    source: probeAddress.exactOptional(),
    /** SIDs in the order they are visited; empty for a plain probe, and always over IPv4. */
    segments: listOf(nodeAddress, LIMITS.probeSegments, 'SIDs'),
    count: integer(1, LIMITS.probeCount),
    intervalMs: number(1_000 / LIMITS.probesPerSecond, LONGEST_INTERVAL_MS),
    payloadBytes: integer(LEAST_PAYLOAD_BYTES, LIMITS.probePayloadBytes),
    /** Payloads of the probes in turn, in place of `payloadBytes`, which queries keep: packets of some lengths may be lost alone. */
    eachPayloadBytes: listOf(
      integer(LEAST_PAYLOAD_BYTES, LIMITS.probePayloadBytes),
      MODEL_LIMITS.probeLengths,
      'lengths',
    )
      .min(1, 'at least one length')
      .exactOptional(),
    /** UDP source ports that the probes use in turn, one when absent: a fault may hit some flows and spare all others. */
    flows: integer(1, LIMITS.probeFlows).exactOptional(),
    /** Traffic class of its packets (RFC 8200 §7), 0 when absent: DSCP and two bits for ECN. */
    trafficClass: integer(0, 255).exactOptional(),
    /** Handed to this neighbour on the link itself, whatever the routes are: for the first link to a node that routing has lost. */
    via: linkNeighbour.exactOptional(),
    /** How long to wait for reflections after the last probe. */
    lingerMs: integer(0, MODEL_LIMITS.probeLingerMs),
    /** All of them back to back and timed by the kernels on arrival; the interval counts for nothing, `LIMITS.probeTrainBytes` bounds them. */
    train: z.boolean({ error: 'true or false' }).exactOptional(),
    question: question.exactOptional(),
  })
  .refine((probe) => probe.train !== true || trainBytesOf(probe) <= LIMITS.probeTrainBytes, {
    error: `a train of at most ${LIMITS.probeTrainBytes} bytes`,
  })
  .refine(({ destination, source, segments }) => {
    const families = [destination, source ?? destination, ...segments].map((address) => address.includes(':'));
    return families.every((isIpv6) => isIpv6) || (segments.length === 0 && !families.includes(true));
  }, 'addresses of one family, and SIDs with IPv6 alone')
  // A list that names nodes again and again would carry one packet many times over the same link.
  .refine(({ segments }) => new Set(segments.map((segment) => parsePrefix(segment)?.value)).size === segments.length, {
    error: 'each SID once',
    path: ['segments'],
  })
  // Handed to a neighbour past the routes, a probe must return to its sender: it never is a packet to another node by another route.
  .refine(
    ({ via, segments, destination, source }) => via === undefined || (segments.length > 0 && destination === source),
    {
      error: 'a loop from and to one own address',
      path: ['destination'],
    },
  )
  .refine((probe) => probe.count * probe.intervalMs + probe.lingerMs <= LIMITS.probeRunMs, {
    error: `a probe run of at most ${LIMITS.probeRunMs} ms`,
  });

type Sizes = {
  readonly count: number;
  readonly payloadBytes: number;
  readonly eachPayloadBytes?: readonly number[];
};

/** As if each probe were as long as the longest. */
function trainBytesOf({ count, payloadBytes, eachPayloadBytes = [] }: Sizes): number {
  return count * Math.max(payloadBytes, ...eachPayloadBytes, PROBE_MESSAGE_BYTES);
}

/** One fewer than the probes. */
const gaps = z.array(count).max(LIMITS.probeCount - 1);

/** How a train of probes passed, in microseconds: a bottleneck link lets them out one by one, however close they were sent. */
export const trainTimes = z.object({
  /** Times between handing one to the stack and the next, and until the last was handed over. */
  sentUs: gaps,
  /** Times between one arrival and the next, in order: at the reflector, by its kernel, and of the reflections here. */
  reachedUs: gaps,
  returnedUs: gaps,
});

const roundTrip = z
  .object({ min: z.number(), avg: z.number(), max: z.number() })
  .refine(({ min, avg, max }) => min >= 0 && min <= avg && avg <= max);

/**
 * Result of a probe in the manner of RFC 8762 (stateful reflector): the reflector numbers what it receives, so the
 * forward and the reverse loss are known apart from each other.
 */
export const probeResult = z
  .object({
    /** Probes that were handed to the local stack, those that it refused (`sendErrors`) included: lost = sent - received. */
    sent: count,
    /** Probes that reached the reflector; undefined when nothing came back at all. */
    reflected: count.exactOptional(),
    received: count,
    duplicates: count.catch(0),
    rttMs: roundTrip.nullable().catch(null),
    /** Reflections that arrived after the asked wait, because the reflector or this node was busy: they are among `received`. */
    late: count.exactOptional(),
    /** Where lengths were asked for: of the payloads that left this node and did not come back, ascending; an agent that does not know them sends none. */
    lostPayloadBytes: z.array(count).max(LIMITS.probeCount).exactOptional(),
    /** Of those that the local stack refused to send, or the reflector had no place for. */
    untestedPayloadBytes: z.array(count).max(LIMITS.probeCount).exactOptional(),
    /** Of a train, where at least two arrived and the reflector's kernel reported when. */
    train: trainTimes.exactOptional(),
    /** Probes that reached the reflector and were not answered because of its rate limit: no loss of the network. */
    reflectorRefused: count.exactOptional(),
    /** Probes that the local stack refused to send (a filter of this node, no route), with the first reason. */
    sendErrors: count.catch(0),
    sendErrorReason: text.exactOptional(),
  })
  // More received than sent or reflected, or more reflected than left this node: it contradicts itself.
  .refine(({ sent, reflected, received, sendErrors }) => {
    if (reflected === undefined && received > 0) return false;
    return received <= (reflected ?? 0) && (reflected ?? 0) <= sent - sendErrors && sendErrors <= sent;
  });

const CAPTURE_FILTERS = ['probe', 'handshake', 'srv6', 'udp-port', 'tcp-port'] as const;
const port = integer(1, 65_535);

/**
 * `probe`: the flow of our own probes and their reflections, headers only. `handshake`: SYN and RST of one TCP port, which carry no
 * data. Neighbours see the first, and of the second BGP's.
 */
export const captureFilter = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('probe') }),
    z.strictObject({ kind: z.literal('handshake'), port }),
    z.strictObject({ kind: z.literal('srv6') }),
    z.strictObject({ kind: z.literal('udp-port'), port }),
    z.strictObject({ kind: z.literal('tcp-port'), port }),
  ],
  { error: `one of ${CAPTURE_FILTERS.join(', ')}` },
);

export const captureRequest = z.strictObject({
  ifname: interfaceName,
  /** Of a closed set, built by the caller from typed fields: never a filter expression. */
  filter: captureFilter,
  packetCount: integer(1, LIMITS.capturePackets),
  timeoutMs: integer(1, LIMITS.captureMs),
  /** An admin's signed consent to payloads of packets as well; without it they are cut off. */
  decision: z.record(z.string(), z.unknown()).exactOptional(),
});

/** What a tool takes of a capture: any driver's interface by its name in the inventory. */
export const captureArguments = z.object({
  interface: z.string().min(1).max(64),
  filter: oneOf(CAPTURE_FILTERS).default('probe'),
  port: port.exactOptional(),
  packetCount: captureRequest.shape.packetCount.default(20),
  timeoutMs: captureRequest.shape.timeoutMs.default(2_000),
});

const REACH_TRAFFIC = ['tcp', 'icmp', 'large-icmp'] as const;
/** A small Ethernet frame's packet, and what a jumbo frame carries. */
const LEAST_PACKET_BYTES = 64;
const MOST_HOPS = 255;
/** IPv4 and IPv6. */
const FAMILIES = 2;

export const reachRequest = z.strictObject({
  destinations: listOf(ipAddress, LIMITS.reachDestinations, 'addresses'),
  count: integer(1, LIMITS.reachProbes),
  /** Absent: UDP, which the reflectors of agents answer. TCP connection requests, or echoes, small or as long as `packetBytes`: the kernel of any node or host answers. */
  traffic: oneOf(REACH_TRAFFIC).exactOptional(),
  /** Length of each packet of `large-icmp`, its IP header included. */
  packetBytes: integer(LEAST_PACKET_BYTES, LIMITS.echoPayloadBytes).exactOptional(),
  /**
   * The node's own addresses that probes to destinations on none of its links are sent from, one of a family at most; absent, and for a family
   * without one: its loopback's. To a neighbour on a link it is always the link's.
   */
  sources: listOf(probeAddress, FAMILIES, 'addresses')
    .refine((all) => new Set(all.map((each) => each.includes(':'))).size === all.length, 'one address of a family')
    .exactOptional(),
  question: question.exactOptional(),
});

/** A few probes to one address, IPv4 or IPv6, as the node's own routing sends them. */
export const reachResult = z
  .object({
    destination: text,
    sent: count,
    received: count,
    rttMs: z.number().nullable().catch(null),
    /** As asked for; an agent that does not know it answers without, and has sent UDP. */
    traffic: oneOf(REACH_TRAFFIC).exactOptional(),
    /** Lowest TTL of the answers as they arrived, over IPv4. */
    ttl: integer(0, MOST_HOPS).exactOptional(),
  })
  .refine(({ sent, received }) => received <= sent);

export const lookupsRequest = z.object({ destinations: listOf(ipAddress, LIMITS.lookups, 'addresses') });

/** What the routing daemon says it installed; `discard`: it throws such packets away. */
export const ribRoute = z.object({
  prefix: text,
  protocol: text,
  nextHops: z
    .array(
      z.object({
        address: text.exactOptional(),
        ifname: text.exactOptional(),
        discard: z.literal(true).exactOptional(),
      }),
    )
    .min(1),
});

/** How the kernel would forward a packet of a neighbour, such as a host of an edge, that came in by `ifname`: by its policy rules, unlike its own packets. */
export const inputRoute = z.object({
  ifname: text,
  source: text,
  kind: z.enum(['unicast', 'blackhole', 'unreachable', 'prohibit', 'none', 'local']),
  nextHop: text.exactOptional(),
  /** Interface by which it would leave. */
  out: text.exactOptional(),
});

/** The best path of BGP for one destination, on a node that checks where prefixes come from. */
export const routeOrigin = z.object({
  prefix: text,
  /** Empty where the node brings the prefix into BGP itself. */
  asPath: rows(count),
  /** Against the RPKI (RFC 6811 §2.1). */
  validity: z.enum(['valid', 'invalid', 'not-found']),
});

/** Route of one destination, asked of the kernel and the routing daemon; never the whole table. */
export const routeAnswer = z.object({
  destination: text,
  kind: z.enum(['unicast', 'blackhole', 'unreachable', 'local', 'none']),
  nextHop: text.exactOptional(),
  ifname: text.exactOptional(),
  protocol: text.exactOptional(),
  segments: filledRows(text),
  /** Prefix of the route that matched; of IPv6 not known. */
  matched: text.exactOptional(),
  /** Of IPv6: prefix of the route by which the routing daemon forwards there, as the kernel does. */
  ribPrefix: text.exactOptional(),
  /** Interfaces of all equally good next hops, where there are several. */
  ifnames: filledRows(text),
  /** Where the routing daemon says that it installed another way than the kernel has: what it says, read twice. */
  rib: ribRoute.exactOptional(),
  /** Of routes that BGP brought, where the node is connected to an RPKI cache. */
  origin: routeOrigin.exactOptional(),
  /** The node is connected to a cache, and bgpd was not asked of this route, or did not answer. */
  originUnread: mark,
  /** On a node with policy rules that take packets of its neighbours: the routes of those. */
  inputs: filledRows(inputRoute),
});
