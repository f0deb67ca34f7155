// The nodes of an embedded network: their ports, SIDs, filters and counters, and who owns which address.
import { ParleyError } from '#base/error.ts';
import { sameIpv6 } from '../../native/addresses.ts';
import { createSeededRandom, type EmbeddedDescription, type EmbeddedEnd, type EmbeddedNode } from './description.ts';

export type Port = {
  readonly node: string;
  readonly ifname: string;
  readonly address: string;
  readonly mtu: number;
  readonly delayMs: number;
  readonly peer: EmbeddedEnd;
  up: boolean;
  carrierChanges: number;
  lossPercent: number;
  /** Packets of so many octets or fewer are not lost. */
  lossOverBytes: number;
  readonly random: () => number;
  readonly counters: { rxPackets: number; txPackets: number; rxBytes: number; txBytes: number; txDropped: number };
};

export type Acl = {
  readonly name: string;
  readonly ifname: string;
  readonly percent: number;
  readonly handle: number;
  packets: number;
  bytes: number;
};

export type Device = {
  readonly description: EmbeddedNode;
  readonly index: number;
  readonly ports: Map<string, Port>;
  readonly sidCounters: Map<string, { packets: number; bytes: number }>;
  readonly acls: Map<string, Acl>;
  readonly tlvs: Map<string, { readonly oui: string; readonly subtype: number; readonly hex: string }>;
  readonly ip: { received: number; forwarded: number; transmitted: number; noRoutes: number };
};

export type Devices = ReadonlyMap<string, Device>;

const DEFAULT_MTU = 9_000;
const DEFAULT_DELAY_MS = 0.1;

export function createDevices(description: EmbeddedDescription): Devices {
  const devices = new Map(description.nodes.map((node, index) => [node.name, createDevice(node, index)]));
  for (const [index, link] of description.links.entries()) {
    for (const [own, peer] of [
      [link.a, link.b],
      [link.b, link.a],
    ] as const) {
      const seed = description.seed * 1_000_003 + index * 2 + (own === link.a ? 0 : 1);
      deviceOf(devices, own.node).ports.set(
        own.ifname,
        createPort(own, peer, link.mtu ?? DEFAULT_MTU, link.delayMs ?? DEFAULT_DELAY_MS, seed),
      );
    }
  }
  return devices;
}

export function deviceOf(devices: Devices, node: string): Device {
  const device = devices.get(node);
  if (device !== undefined) return device;
  throw new ParleyError(
    'caller/bad-argument',
    `expected one of the nodes ${[...devices.keys()].join(', ')}, got ${node}`,
  );
}

export function peerPortOf(devices: Devices, port: Port): Port {
  return deviceOf(devices, port.peer.node).ports.get(port.peer.ifname)!;
}

export function isUp(port: Port, peer: Port): boolean {
  return port.up && peer.up;
}

export function owns(device: Device, address: string): boolean {
  const { loopback, sids } = device.description;
  if (sameIpv6(loopback, address) || sids.some(({ sid }) => sameIpv6(sid, address))) return true;
  return [...device.ports.values()].some((port) => sameIpv6(port.address.split('/')[0]!, address));
}

/** Breadth first over links that are up at both ends; the first port in the order of the description wins. */
export function firstPortTowards(devices: Devices, from: string, to: string): Port | undefined {
  const seen = new Set([from]);
  let edge: { readonly node: string; readonly first: Port | undefined }[] = [{ node: from, first: undefined }];
  while (edge.length > 0) {
    const next: typeof edge = [];
    for (const { node, first } of edge) {
      for (const port of deviceOf(devices, node).ports.values()) {
        const peer = peerPortOf(devices, port);
        if (!isUp(port, peer) || seen.has(port.peer.node)) continue;
        if (port.peer.node === to) return first ?? port;
        seen.add(port.peer.node);
        next.push({ node: port.peer.node, first: first ?? port });
      }
    }
    edge = next;
  }
  return undefined;
}

function createDevice(description: EmbeddedNode, index: number): Device {
  const sidCounters = new Map(description.sids.map(({ sid }) => [sid, { packets: 0, bytes: 0 }]));
  const ip = { received: 0, forwarded: 0, transmitted: 0, noRoutes: 0 };
  return { description, index, ports: new Map(), sidCounters, acls: new Map(), tlvs: new Map(), ip };
}

function createPort(own: EmbeddedEnd, peer: EmbeddedEnd, mtu: number, delayMs: number, seed: number): Port {
  const counters = { rxPackets: 0, txPackets: 0, rxBytes: 0, txBytes: 0, txDropped: 0 };
  return {
    ...own,
    mtu,
    delayMs,
    peer,
    up: true,
    carrierChanges: 2,
    lossPercent: 0,
    lossOverBytes: 0,
    random: createSeededRandom(seed),
    counters,
  };
}
