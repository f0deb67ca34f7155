// The state of an embedded node as RouterPort reports it. Pure.
import type {
  Adjacency,
  FilterRule,
  InterfaceState,
  Neighbour,
  NodeState,
  RouteAnswer,
  Sid,
} from '#model/router/router-port.ts';
import { ipv6Bytes } from '../../native/addresses.ts';
import { type Device, isUp, type Port } from './devices.ts';
import type { EmbeddedNetwork } from './network.ts';

export function interfacesOf(network: EmbeddedNetwork, device: Device): readonly InterfaceState[] {
  const none = {
    rxPackets: '0',
    txPackets: '0',
    rxBytes: '0',
    txBytes: '0',
    rxErrors: '0',
    txErrors: '0',
    rxDropped: '0',
    txDropped: '0',
  };
  const loopback: InterfaceState = {
    name: 'lo',
    kind: 'loopback',
    adminUp: true,
    operUp: true,
    mtu: 65_536,
    addresses: [`${device.description.loopback}/128`],
    carrierChanges: 0,
    offloads: [],
    counters: none,
  };
  return [loopback, ...[...device.ports.values()].map((port) => interfaceOf(network, port))];
}

export function sidsOf(device: Device): readonly Sid[] {
  return device.description.sids.map((sid) => {
    const counters = device.sidCounters.get(sid.sid)!;
    return { ...sid, ifname: 'sr0', packets: String(counters.packets), bytes: String(counters.bytes), errors: '0' };
  });
}

export function nodeStateOf(network: EmbeddedNetwork, device: Device, monotonicMs: number): NodeState {
  const { name, loopback } = device.description;
  const up = [...device.ports.values()].filter((port) => isUp(port, peerOf(network, port)));
  return {
    inventory: {
      node: name,
      driver: 'embedded',
      system: { kernel: 'embedded', routing: 'embedded', hostname: name },
      interfaces: interfacesOf(network, device),
      sids: sidsOf(device),
      loopbacks: [loopback],
    },
    neighbours: up.map((port) => neighbourOf(network, port)),
    adjacencies: up.map((port) => adjacencyOf(network, port)),
    filters: [...device.acls.values()].map(
      (acl): FilterRule => ({
        family: 'ip6',
        table: 'filter',
        chain: acl.name,
        path: ['postrouting', acl.name],
        hook: 'postrouting',
        handle: acl.handle,
        verdict: 'drop',
        outInterfaces: [acl.ifname],
        inInterfaces: [],
        matches: [
          { field: 'extension', values: ['rt'] },
          { field: 'sample', values: [`${acl.percent}/100`] },
        ],
        matchesRest: false,
        packets: String(acl.packets),
        bytes: String(acl.bytes),
        acl: acl.name,
      }),
    ),
    filtersInOrder: true,
    nodeCounters: {
      Ip6InReceives: String(device.ip.received),
      Ip6OutForwDatagrams: String(device.ip.forwarded),
      Ip6OutTransmits: String(device.ip.transmitted),
      Ip6OutNoRoutes: String(device.ip.noRoutes),
    },
    countersReadMs: monotonicMs,
    missing: [],
  };
}

export function routeOf(network: EmbeddedNetwork, device: Device, destination: string): RouteAnswer {
  if (device.description.blackholes?.some((prefix) => within(destination, prefix)) === true) {
    return { destination, kind: 'blackhole', protocol: 'static' };
  }
  const owner = network.ownerOf(destination);
  if (owner === device.description.name) return { destination, kind: 'local', ifname: 'lo', protocol: 'kernel' };
  const port = network.nextPort(device.description.name, destination);
  if (port === undefined) return { destination, kind: 'none' };
  return {
    destination,
    kind: 'unicast',
    nextHop: peerOf(network, port).address.split('/')[0]!,
    ifname: port.ifname,
    protocol: 'isis',
  };
}

export function neighboursOf(network: EmbeddedNetwork, device: Device): readonly Neighbour[] {
  return [...device.ports.values()]
    .filter((port) => isUp(port, peerOf(network, port)))
    .map((port) => neighbourOf(network, port));
}

function interfaceOf(network: EmbeddedNetwork, port: Port): InterfaceState {
  const { rxPackets, txPackets, rxBytes, txBytes, txDropped } = port.counters;
  return {
    name: port.ifname,
    kind: 'physical',
    adminUp: port.up,
    operUp: isUp(port, peerOf(network, port)),
    mtu: port.mtu,
    addresses: [port.address],
    carrierChanges: port.carrierChanges,
    offloads: [],
    counters: {
      rxPackets: String(rxPackets),
      txPackets: String(txPackets),
      rxBytes: String(rxBytes),
      txBytes: String(txBytes),
      rxErrors: '0',
      txErrors: '0',
      rxDropped: '0',
      txDropped: String(txDropped),
    },
  };
}

function neighbourOf(network: EmbeddedNetwork, port: Port): Neighbour {
  const peer = network.device(port.peer.node);
  return {
    ifname: port.ifname,
    chassisId: port.peer.node,
    portId: port.peer.ifname,
    systemName: port.peer.node,
    unknownTlvs: [...peer.tlvs.values()],
  };
}

function adjacencyOf(network: EmbeddedNetwork, port: Port): Adjacency {
  const peer = network.device(port.peer.node);
  const systemId = `0000.0000.${(peer.index + 1).toString(16).padStart(4, '0')}`;
  return {
    protocol: 'isis',
    ifname: port.ifname,
    systemId,
    hostname: port.peer.node,
    level: 2,
    state: 'up',
    holdSeconds: 3,
  };
}

function peerOf(network: EmbeddedNetwork, port: Port): Port {
  return network.device(port.peer.node).ports.get(port.peer.ifname)!;
}

function within(address: string, prefix: string): boolean {
  const [base = '', length = '128'] = prefix.split('/');
  const [one, other] = [ipv6Bytes(address), ipv6Bytes(base)];
  if (one === undefined || other === undefined) return false;
  const bits = (bytes: Uint8Array) =>
    [...bytes]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .slice(0, Number(length));
  return bits(one) === bits(other);
}
