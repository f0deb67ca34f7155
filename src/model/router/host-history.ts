// What a node remembers of the hosts on its own ports without having been asked: scans that deviated from the usual, ARP requests for addresses
// that are not on the link, names that a server has lost, and what services gave this node. Ages are by the node's own monotonic clock. Which
// host asked for a name is not in here.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { count, mark, rows, someRows, text, type Wire } from '../wire/fields.ts';
import { hostPort, isHostName, serviceProbeResult } from './hosts.ts';

export type LookedPort = Wire<typeof lookedPort>;
export const lookedPort = z.object({
  ...hostPort.shape,
  /** Addresses that were asked for. */
  asked: rows(text),
});

/** Scans of hosts that found the same, one after another: only what deviates is kept. */
export type HostLook = Wire<typeof hostLook>;
export const hostLook = z.object({
  fromAgoMs: count,
  untilAgoMs: count,
  ports: rows(lookedPort, LIMITS.hostPorts),
  /** Services that refused, and name servers that were timed and late. */
  tries: rows(serviceProbeResult, LIMITS.serviceProbes),
});

/** A host asked on its link for an address that no network of that port has. */
export type FarAsk = Wire<typeof farAsk>;
export const farAsk = z.object({
  ifname: text,
  mac: text,
  sender: text,
  target: text,
  /** How often, since the node remembers. */
  count,
  agoMs: count,
});

/** A name that a server on a port gave this node, or a host behind it, an address for, and later did not give the same client. */
export type LostName = Wire<typeof lostName>;
export const lostName = z.object({
  ifname: text,
  address: text,
  name: z.string().refine(isHostName),
  /** When it last gave an address; less than `lostAgoMs`: it knows the name again. */
  okAgoMs: count,
  lostAgoMs: count,
  /** It was given to others alone, of which none has asked again: this node may be one that it is not for. */
  othersOnly: mark,
});

/** A real answer of a service on a port to this node itself: a page, an answer to a question, an address for a name. */
export type AnsweredService = Wire<typeof answeredService>;
export const answeredService = z.object({
  /** The port behind which it answered last. */
  ifname: text,
  address: text,
  service: z.enum(['tcp', 'udp']),
  port: count,
  /** The name that was asked for. */
  record: z.string().refine(isHostName).exactOptional(),
  okAgoMs: count,
  /** How often, since the node remembers. */
  times: count,
  /** The different answers for the name, the one that was given first coming first. */
  given: someRows(
    z.object({ addresses: rows(text, LIMITS.dnsAddresses), firstAgoMs: count, lastAgoMs: count, times: count }),
    LIMITS.givenAnswers,
  ),
});

/**
 * A host asks for connections that it was given before and, as far as is seen, is not given now: each of the latest requests was sent again for want of an
 * answer, and no use of these connections was seen. Only such pairs leave the node.
 */
export type UnansweredRequests = Wire<typeof unansweredRequests>;
export const unansweredRequests = z.object({
  /** The port where the latest one came in, and the one where those came in that were answered. */
  ifname: text,
  okIfname: text,
  client: text,
  server: text,
  port: count,
  /** Connections that the host used and ended before, and how long ago the last of them ended. */
  okTimes: count,
  okAgoMs: count,
  /** Connections without an answer since then, the first and the latest request of them. */
  times: count,
  sinceAgoMs: count,
  lastAgoMs: count,
});

export type WatchedHosts = Wire<typeof watchedHosts>;
export const watchedHosts = z.object({
  /** For how long hosts have been scanned without a gap; absent: they are not. */
  hostsMs: count.exactOptional(),
  servicesMs: count.exactOptional(),
  asks: rows(farAsk, LIMITS.arpRequests),
  names: rows(lostName, LIMITS.dnsRecords),
  /** What services gave this node itself; absent where there is nothing. */
  answered: someRows(answeredService, LIMITS.answeredServices),
  /** What hosts ask for in vain, though they were answered before; absent where there is nothing. */
  unanswered: someRows(unansweredRequests, LIMITS.unansweredRequests),
  /** Newest first; only where the past was asked for. */
  looks: someRows(hostLook, LIMITS.hostScans),
});

/** What the passive listener hands over since it was last asked: requests, and names that a server is the authority for. */
export type HeardAsk = Pick<FarAsk, 'ifname' | 'mac' | 'sender' | 'target'>;
export type HeardName = Pick<LostName, 'ifname' | 'address' | 'name'> & {
  /** A client that was given an address is now answered that there is none. */
  readonly taken?: true;
};

/** What became of one host's connections to one service since the listener was last asked. */
export type HeardConnections = Pick<UnansweredRequests, 'ifname' | 'client' | 'server' | 'port'> & {
  /** Connections that the client ended, which only one does that was given it. */
  readonly used: number;
  /** Connections whose request came once: it was answered, or the client gave up. */
  readonly once: number;
  /** Connections whose request was sent again, and which the client was not seen to use. */
  readonly unanswered: number;
  /** Requests that were sent again, of any connection. */
  readonly repeats: number;
};
