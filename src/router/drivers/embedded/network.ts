// A small deterministic network inside one process, for machines without root or Linux and for simulation: nodes, links,
// filters and faults. No time of its own, no sockets.
import type { EmbeddedDescription, EmbeddedFault } from './description.ts';
import { createDevices, type Device, deviceOf, isUp, type Port, peerPortOf } from './devices.ts';
import { applyFault } from './faults.ts';
import { createWire, nextPortOf, ownerOf, type Packet, type PacketTap, type Walk, walk } from './walk.ts';

export type EmbeddedNetwork = {
  readonly nodes: readonly string[];
  /** Rejects an unknown node, listing those that there are. */
  device(node: string): Device;
  /** Sends one packet from `node`; every counter on the way moves. */
  send(node: string, packet: Packet): Walk;
  /** Port towards the owner of `destination`, by the fewest links that are up; undefined without a way. */
  nextPort(node: string, destination: string): Port | undefined;
  /** Node that has `address` as loopback, interface address or SID. */
  ownerOf(address: string): string | undefined;
  /** One IS-IS hello over every link that is up, each way: counters are never still. */
  hello(): void;
  apply(fault: EmbeddedFault): void;
  announce(node: string, tlv: { readonly oui: string; readonly subtype: number; readonly hex: string }): void;
  withdraw(node: string, oui: string, subtype: number): void;
  /** Called for each packet that leaves or enters a port; returns the way to stop. */
  tap(listener: PacketTap): () => void;
  /** Called when LLDP neighbours may have changed; returns the way to stop. */
  onNeighbours(listener: () => void): () => void;
};

const HELLO_BYTES = 1_497;

export function createEmbeddedNetwork(description: EmbeddedDescription): EmbeddedNetwork {
  const devices = createDevices(description);
  const taps = new Set<PacketTap>();
  const watchers = new Set<() => void>();
  const cross = createWire(devices, taps);
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  return {
    nodes: [...devices.keys()],
    device: (node) => deviceOf(devices, node),
    send: (node, packet) => walk(devices, cross, node, packet),
    nextPort: (node, destination) => nextPortOf(devices, node, destination),
    ownerOf: (address) => ownerOf(devices, address),
    hello() {
      for (const device of devices.values()) {
        for (const port of device.ports.values()) {
          if (isUp(port, peerPortOf(devices, port)))
            cross(port, { destination: '', segments: [], bytes: HELLO_BYTES }, HELLO_BYTES);
        }
      }
    },
    apply(fault) {
      applyFault(devices, fault);
      changed();
    },
    announce(node, tlv) {
      deviceOf(devices, node).tlvs.set(`${tlv.oui}/${tlv.subtype}`, tlv);
      changed();
    },
    withdraw(node, oui, subtype) {
      deviceOf(devices, node).tlvs.delete(`${oui}/${subtype}`);
      changed();
    },
    tap: (listener) => subscribe(taps, listener),
    onNeighbours: (listener) => subscribe(watchers, listener),
  };
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
