// What a measurement puts on the links of a node, as it was asked for: packets and bytes, headers included. Bounds are held against it, those
// of the node and those of each asker.

import type { dhcpRequest } from '../router/dhcp.ts';
import type { HostScanRequest, ServiceProbeRequest } from '../router/hosts.ts';
import { PROBE_MESSAGE_BYTES, type probeRequest, type reachRequest } from '../router/probe-schema.ts';
import type { Wire } from '../wire/fields.ts';
import { HEADER_BYTES } from './probe-bytes.ts';

export type ProbeCost = { readonly packets: number; readonly bytes: number };

/** A list of SIDs: IPv6 around it (40 octets), the routing header (8) and its SIDs. */
const OUTER_BYTES = 48;
const SID_BYTES = 16;
/** The shortest Ethernet frame, which carries ARP. */
const ARP_BYTES = 60;
/** Of a connection that is opened and closed, or a question that is repeated. */
const SERVICE_PACKETS = 4;
const SERVICE_BYTES = 100;
/** DHCPDISCOVER over the flows of two rounds. */
const DHCP_PACKETS = 6;
const DHCP_BYTES = 350;

type ProbeShape = Pick<Wire<typeof probeRequest>, 'count' | 'payloadBytes' | 'segments'>;

/** A packet with a list of SIDs travels from one to the next: its bytes count for each of them. */
export function costOfProbe({ count, payloadBytes, segments }: ProbeShape): ProbeCost {
  const routingBytes = segments.length === 0 ? 0 : OUTER_BYTES + SID_BYTES * segments.length;
  const bytes = Math.max(payloadBytes, PROBE_MESSAGE_BYTES) + HEADER_BYTES + routingBytes;
  return { packets: count, bytes: count * Math.max(1, segments.length) * bytes };
}

export function costOfReach({
  destinations,
  count,
}: Pick<Wire<typeof reachRequest>, 'destinations' | 'count'>): ProbeCost {
  const packets = destinations.length * count;
  return { packets, bytes: packets * (PROBE_MESSAGE_BYTES + HEADER_BYTES) };
}

export function costOfScan({ ports }: Pick<HostScanRequest, 'ports'>): ProbeCost {
  const packets = ports.reduce((sum, { addresses }) => sum + addresses.length, 0);
  return { packets, bytes: packets * ARP_BYTES };
}

export function costOfServices({ serviceProbes }: Pick<ServiceProbeRequest, 'serviceProbes'>): ProbeCost {
  const packets = serviceProbes.length * SERVICE_PACKETS;
  return { packets, bytes: packets * SERVICE_BYTES };
}

export function costOfDhcp({ asks }: Pick<Wire<typeof dhcpRequest>, 'asks'>): ProbeCost {
  const packets = asks.length * DHCP_PACKETS;
  return { packets, bytes: packets * DHCP_BYTES };
}
