// Interfaces as `ietf-interfaces` (RFC 8343, RFC 8344) and as `openconfig-interfaces`, from what the router reports. Pure.
// `running` holds only what is configuration there; counters are 64-bit and travel as strings (RFC 7951 §6.1).
import type { JsonObject } from '#base/json.ts';
import type { InterfaceState } from '#model/router/router-port.ts';

export type Datastore = 'running' | 'operational';

const TYPES: Readonly<Record<InterfaceState['kind'], string>> = {
  loopback: 'iana-if-type:softwareLoopback',
  physical: 'iana-if-type:ethernetCsmacd',
  bridge: 'iana-if-type:bridge',
  other: 'iana-if-type:other',
};

export function ietfInterfaces(interfaces: readonly InterfaceState[], datastore: Datastore, since: string): JsonObject {
  return {
    'ietf-interfaces:interfaces': { interface: interfaces.map((entry) => ietfInterface(entry, datastore, since)) },
  };
}

function ietfInterface(entry: InterfaceState, datastore: Datastore, since: string): JsonObject {
  const config = { name: entry.name, type: TYPES[entry.kind], enabled: entry.adminUp, ...ipOf(entry) };
  if (datastore === 'running') return config;
  return {
    ...config,
    'admin-status': entry.adminUp ? 'up' : 'down',
    'oper-status': entry.operUp ? 'up' : 'down',
    ...(entry.mac === undefined ? {} : { 'phys-address': entry.mac }),
    statistics: {
      'discontinuity-time': since,
      'in-octets': entry.counters.rxBytes,
      'in-unicast-pkts': entry.counters.rxPackets,
      'in-discards': entry.counters.rxDropped,
      'in-errors': entry.counters.rxErrors,
      'out-octets': entry.counters.txBytes,
      'out-unicast-pkts': entry.counters.txPackets,
      'out-discards': entry.counters.txDropped,
      'out-errors': entry.counters.txErrors,
    },
  };
}

export function openconfigInterfaces(interfaces: readonly InterfaceState[], datastore: Datastore): JsonObject {
  return {
    'openconfig-interfaces:interfaces': { interface: interfaces.map((entry) => openconfigInterface(entry, datastore)) },
  };
}

export function openconfigInterface(entry: InterfaceState, datastore: Datastore): JsonObject {
  const config = { name: entry.name, type: TYPES[entry.kind], enabled: entry.adminUp, mtu: entry.mtu };
  const addresses = subinterfaces(entry);
  if (datastore === 'running') return { name: entry.name, config, ...addresses };
  return {
    name: entry.name,
    config,
    state: {
      ...config,
      'admin-status': entry.adminUp ? 'UP' : 'DOWN',
      'oper-status': entry.operUp ? 'UP' : 'DOWN',
      counters: {
        'in-octets': entry.counters.rxBytes,
        'in-pkts': entry.counters.rxPackets,
        'in-discards': entry.counters.rxDropped,
        'in-errors': entry.counters.rxErrors,
        'out-octets': entry.counters.txBytes,
        'out-pkts': entry.counters.txPackets,
        'out-discards': entry.counters.txDropped,
        'out-errors': entry.counters.txErrors,
        'carrier-transitions': String(entry.carrierChanges),
      },
    },
    ...addresses,
  };
}

type Address = { readonly ip: string; readonly 'prefix-length': number };

function addressesOf(entry: InterfaceState, family: 'ipv4' | 'ipv6'): Address[] {
  return entry.addresses
    .filter((address) => address.includes(':') === (family === 'ipv6'))
    .map((address) => ({ ip: address.split('/')[0]!, 'prefix-length': Number(address.split('/')[1]) }));
}

function ipOf(entry: InterfaceState): JsonObject {
  const parts = (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const address = addressesOf(entry, family);
    // RFC 8344: `mtu` of ipv4 is 16 bits wide; the loopback's 65,536 does not fit.
    const mtu = family === 'ipv6' || entry.mtu <= 65_535 ? { mtu: entry.mtu } : {};
    return address.length === 0 ? [] : [[`ietf-ip:${family}`, { ...mtu, address }] as const];
  });
  return Object.fromEntries(parts);
}

function subinterfaces(entry: InterfaceState): JsonObject {
  const parts = (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const address = addressesOf(entry, family).map((one) => ({ ip: one.ip, config: one }));
    return address.length === 0 ? [] : [[`openconfig-if-ip:${family}`, { addresses: { address } }] as const];
  });
  if (parts.length === 0) return {};
  return { subinterfaces: { subinterface: [{ index: 0, config: { index: 0 }, ...Object.fromEntries(parts) }] } };
}
