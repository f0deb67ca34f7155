// What a measurement puts on the links of a node, as it was asked for: packets and bytes, headers included, in all and in its busiest second.
// Bounds are held against it, those of the node and those of each asker.
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import type { EchoRequest } from '../router/device-port.ts';
import type { dhcpRequest } from '../router/dhcp.ts';
import { type HostScanRequest, otherPorts, type ServiceProbeRequest } from '../router/hosts.ts';
import { PROBE_MESSAGE_BYTES, type probeRequest, type reachRequest } from '../router/probe-schema.ts';
import type { Wire } from '../wire/fields.ts';
import { HEADER_BYTES, OUTER_BYTES, SID_BYTES } from './probe-bytes.ts';

export type ProbeAmount = { readonly packets: number; readonly bytes: number };

export type ProbeCost = ProbeAmount & {
  /** What it sends in its busiest second. */
  readonly perSecond: ProbeAmount;
  /** It counts for at least a second, however soon it is over. */
  readonly isBurst?: true;
  /** How many probe runs it counts as; 1 when absent. */
  readonly runs?: number;
  /** TCP ports that no well-known service has, and that it tries. */
  readonly ports?: number;
};

const SECOND_MS = 1_000;
/** The shortest Ethernet frame: ARP, and an echo or a datagram without data. */
const FRAME_BYTES = 60;
/** To an address that is asked for: two ARP probes. To a host that answers them: three echoes and three datagrams. */
const SCAN_ARPS = 2;
const SCAN_OF_HOST = 6;
/** On a port: neighbour solicitations for its own addresses, and echoes to all nodes of the link. */
const SCAN_OF_PORT = 20;
/** Of a connection that is opened, asked for a page and closed, or of questions and echoes that are timed. */
const SERVICE_PACKETS = 8;
const SERVICE_BYTES = 100;
/** Each DHCPDISCOVER with an echo request, and who has the address, asked twice. */
const DHCP_PACKETS = 2 * MODEL_LIMITS.dhcpAttempts + 2;
const DHCP_BYTES = 350;
/** Each ping is a process of its own. */
const ECHO_RUNS = 12;
/** Search for the path's MTU: halving 9,000, and as many answers that name a next link. */
const MTU_PACKETS = 28;

type ProbeShape = Pick<Wire<typeof probeRequest>, 'count' | 'payloadBytes' | 'segments'> &
  Partial<Pick<Wire<typeof probeRequest>, 'intervalMs' | 'train' | 'eachPayloadBytes'>>;

/** A packet with a list of SIDs travels from one to the next: its bytes count for each of them. A train is all of its packets at once. */
export function costOfProbe(probe: ProbeShape): ProbeCost {
  const { count, segments, intervalMs, train, payloadBytes, eachPayloadBytes: lengths } = probe;
  const routingBytes = segments.length === 0 ? 0 : OUTER_BYTES + SID_BYTES * segments.length;
  const bytesOf = (payload: number) =>
    Math.max(1, segments.length) * (Math.max(payload, PROBE_MESSAGE_BYTES) + HEADER_BYTES + routingBytes);
  const isBurst = train === true || intervalMs === undefined;
  if (lengths !== undefined) return inTurn(count, lengths.map(bytesOf), isBurst ? undefined : SECOND_MS / intervalMs);
  if (isBurst) return burst(count, bytesOf(payloadBytes), count);
  return evenly(count, bytesOf(payloadBytes), SECOND_MS / intervalMs);
}

/** Packets of these sizes in turn, all at once where no rate is given; the busiest second has the longest that may follow each other. */
function inTurn(count: number, sizes: readonly number[], packetsPerSecond?: number): ProbeCost {
  const all = { packets: count, bytes: sumFrom(sizes, 0, count) };
  if (packetsPerSecond === undefined) return { ...all, perSecond: all, isBurst: true };
  const most = Math.min(count, packetsPerSecond);
  const window = Math.ceil(most);
  const starts = sizes.map((_, start) => start).filter((start) => start + window <= count);
  return {
    ...all,
    perSecond: { packets: most, bytes: Math.max(...starts.map((start) => sumFrom(sizes, start, window))) },
  };
}

/** Of so many from this one on, again and again from the first. */
function sumFrom(sizes: readonly number[], start: number, packets: number): number {
  const round = sizes.reduce((sum, each) => sum + each, 0);
  const rest = Array.from({ length: packets % sizes.length }, (_, index) => sizes[(start + index) % sizes.length]!);
  return Math.floor(packets / sizes.length) * round + rest.reduce((sum, each) => sum + each, 0);
}

export function costOfReach({
  destinations,
  count,
  packetBytes = 0,
}: Pick<Wire<typeof reachRequest>, 'destinations' | 'count' | 'packetBytes'>): ProbeCost {
  return burst(destinations.length * count, Math.max(packetBytes, PROBE_MESSAGE_BYTES + HEADER_BYTES));
}

/** At most so many hosts of a port answer as a node remembers. */
export function costOfScan({ ports }: Pick<HostScanRequest, 'ports'>): ProbeCost {
  const packets = ports.map(
    ({ addresses }) =>
      SCAN_ARPS * addresses.length + SCAN_OF_HOST * Math.min(addresses.length, LIMITS.hosts) + SCAN_OF_PORT,
  );
  return burst(
    packets.reduce((sum, each) => sum + each, 0),
    FRAME_BYTES,
  );
}

export function costOfServices({ serviceProbes }: Pick<ServiceProbeRequest, 'serviceProbes'>): ProbeCost {
  const ports = otherPorts(serviceProbes).length;
  return { ...burst(serviceProbes.length * SERVICE_PACKETS, SERVICE_BYTES), ...(ports === 0 ? {} : { ports }) };
}

export function costOfDhcp({ asks }: Pick<Wire<typeof dhcpRequest>, 'asks'>): ProbeCost {
  return burst(asks.length * DHCP_PACKETS, DHCP_BYTES);
}

export function costOfEchoes({
  count,
  payloadBytes,
  intervalMs,
}: Pick<EchoRequest, 'count' | 'payloadBytes' | 'intervalMs'>): ProbeCost {
  return { ...evenly(count, payloadBytes + HEADER_BYTES, SECOND_MS / intervalMs), runs: ECHO_RUNS };
}

/** Echoes one after the other, each behind the answer to the one before. `findsMtu`: then large ones as well. */
export function costOfTrace({ hops, findsMtu }: { readonly hops: number; readonly findsMtu: boolean }): ProbeCost {
  const large = findsMtu ? MTU_PACKETS : 0;
  const amount = {
    packets: hops + large,
    bytes: hops * (FRAME_BYTES + HEADER_BYTES) + large * LIMITS.echoPayloadBytes,
  };
  return { ...amount, perSecond: amount, runs: ECHO_RUNS };
}

function evenly(packets: number, bytes: number, packetsPerSecond: number): ProbeCost {
  const most = Math.min(packets, packetsPerSecond);
  return { packets, bytes: packets * bytes, perSecond: { packets: most, bytes: most * bytes } };
}

/** As fast as they may be sent: so many of them in a second. */
function burst(
  packets: number,
  bytes: number,
  packetsPerSecond: number = MODEL_LIMITS.burstPacketsPerSecond,
): ProbeCost {
  return { ...evenly(packets, bytes, packetsPerSecond), isBurst: true };
}
