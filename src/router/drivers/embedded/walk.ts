// How a packet walks an embedded network: every interface on the way counts it, wires lose some in one direction, filters
// drop some and count those.
import { sameIpv6 } from '../../native/addresses.ts';
import { type Device, type Devices, deviceOf, firstPortTowards, owns, type Port, peerPortOf } from './devices.ts';

export type Packet = { readonly destination: string; readonly segments: readonly string[]; readonly bytes: number };
export type Walk =
  | { readonly kind: 'delivered'; readonly node: string; readonly delayMs: number }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly reason: string };

export type PacketTap = (node: string, ifname: string, packet: Packet) => void;

const HOP_LIMIT = 64;
/** Octets of the outer IPv6 header with SRH, for what the wire carries. */
const ENCAPSULATION_BYTES = 48;
const SEGMENT_BYTES = 16;

export type Wire = (port: Port, packet: Packet, wireBytes: number) => boolean;

/** Carries a packet over one link; the result is false when the wire lost it. */
export function createWire(devices: Devices, taps: ReadonlySet<PacketTap>): Wire {
  return (port, packet, wireBytes) => {
    port.counters.txPackets += 1;
    port.counters.txBytes += wireBytes;
    for (const listener of taps) listener(port.node, port.ifname, packet);
    if (wireBytes > port.lossOverBytes && port.random() * 100 < port.lossPercent) return false;
    const far = peerPortOf(devices, port);
    far.counters.rxPackets += 1;
    far.counters.rxBytes += wireBytes;
    for (const listener of taps) listener(far.node, far.ifname, packet);
    return true;
  };
}

/** Sends one packet from node `from`. */
export function walk(devices: Devices, cross: Wire, from: string, packet: Packet): Walk {
  const srv6 = packet.segments.length > 0;
  const wireBytes = packet.bytes + (srv6 ? ENCAPSULATION_BYTES + SEGMENT_BYTES * packet.segments.length : 0);
  const stops = [...packet.segments, packet.destination];
  let node = from;
  let delayMs = 0;
  for (let hops = 0; hops <= HOP_LIMIT; ) {
    const device = deviceOf(devices, node);
    const stop = stops[0]!;
    if (owns(device, stop)) {
      countSid(device, stop, wireBytes);
      stops.shift();
      if (stops.length === 0) return { kind: 'delivered', node, delayMs };
      continue;
    }
    const port = nextPortOf(devices, node, stop);
    const local = node === from;
    const dropped = port === undefined ? 'ENETUNREACH' : refusal(device, port, srv6, wireBytes);
    if (port === undefined) device.ip.noRoutes += 1;
    if (port === undefined || dropped !== undefined)
      return local ? { kind: 'refused', reason: dropped ?? 'ENETUNREACH' } : { kind: 'lost' };
    if (!local) device.ip.forwarded += 1;
    device.ip.transmitted += 1;
    if (!cross(port, packet, wireBytes)) return { kind: 'lost' };
    delayMs += port.delayMs;
    node = port.peer.node;
    deviceOf(devices, node).ip.received += 1;
    hops += 1;
  }
  return { kind: 'lost' };
}

export function ownerOf(devices: Devices, address: string): string | undefined {
  return [...devices.values()].find((device) => owns(device, address))?.description.name;
}

export function nextPortOf(devices: Devices, node: string, destination: string): Port | undefined {
  const owner = ownerOf(devices, destination);
  return owner === undefined ? undefined : firstPortTowards(devices, node, owner);
}

function countSid(device: Device, address: string, wireBytes: number): void {
  for (const [sid, counters] of device.sidCounters) {
    if (!sameIpv6(sid, address)) continue;
    counters.packets += 1;
    counters.bytes += wireBytes;
  }
}

/** What this node itself does to a packet on its way out: a filter counts what it drops, and no interface counter moves. */
function refusal(device: Device, port: Port, srv6: boolean, wireBytes: number): string | undefined {
  for (const acl of device.acls.values()) {
    if (acl.ifname !== port.ifname || !srv6 || port.random() * 100 >= acl.percent) continue;
    acl.packets += 1;
    acl.bytes += wireBytes;
    return 'EPERM';
  }
  return wireBytes > port.mtu ? 'EMSGSIZE' : undefined;
}
