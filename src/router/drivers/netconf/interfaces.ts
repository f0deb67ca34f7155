// Interfaces of a NETCONF device from ietf-interfaces, in both of its shapes (RFC 8343, and RFC 7223 with its state beside the
// configuration), with the addresses of ietf-ip. An interface without counters is named as missing, never given zeros. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { InterfaceCounters, InterfaceState } from '#model/router/router-port.ts';

export type ReadInterfaces = {
  readonly interfaces: readonly InterfaceState[];
  readonly missing: readonly { readonly part: string; readonly reason: string }[];
};

const KINDS: Readonly<Record<string, InterfaceState['kind']>> = {
  softwareLoopback: 'loopback',
  ethernetCsmacd: 'physical',
  bridge: 'bridge',
};

export function interfacesOf(data: JsonObject): ReadInterfaces {
  const configured = listOf(data['ietf-interfaces:interfaces'], 'interface');
  const states = listOf(data['ietf-interfaces:interfaces-state'], 'interface');
  const names = [...new Set([...configured, ...states].map(({ name }) => String(name)))];
  const read = names.map((name) => {
    const config = configured.find((entry) => entry['name'] === name) ?? {};
    const state = states.find((entry) => entry['name'] === name) ?? {};
    return { name, state: interfaceOf(name, { ...config, ...state }, config) };
  });
  const named = (part: string, entries: typeof read, reason: string) =>
    entries.length === 0
      ? []
      : [
          {
            part,
            reason: `${reason} ${entries
              .map(({ name }) => name)
              .join(', ')
              .slice(0, 500)}`,
          },
        ];
  const without = read.filter(({ state }) => state === undefined);
  const unsized = read.filter(({ state }) => state?.mtu === 0);
  return {
    interfaces: read.flatMap(({ state }) => (state === undefined ? [] : [state])),
    missing: [...named('interfaces', without, 'no state or counters of'), ...named('mtu', unsized, 'none told of')],
  };
}

function interfaceOf(name: string, entry: JsonObject, config: JsonObject): InterfaceState | undefined {
  const counters = countersOf(entry['statistics']);
  if (counters === undefined || typeof entry['oper-status'] !== 'string') return undefined;
  const adminUp = entry['admin-status'] === undefined ? entry['enabled'] !== false : entry['admin-status'] === 'up';
  const mac = entry['phys-address'];
  const mtus = ['ietf-ip:ipv6', 'ietf-ip:ipv4'].map((family) => memberOf(entry[family] ?? config[family], 'mtu'));
  return {
    name,
    kind: KINDS[String(entry['type']).split(':').at(-1)!] ?? 'other',
    adminUp,
    operUp: entry['oper-status'] === 'up',
    mtu: Number(mtus.find((mtu) => typeof mtu === 'number') ?? 0),
    ...(typeof mac === 'string' ? { mac } : {}),
    addresses: ['ietf-ip:ipv4', 'ietf-ip:ipv6'].flatMap((family) => addressesOf(entry[family])),
    carrierChanges: 0,
    offloads: [],
    counters,
  };
}

/** All of them, or none: half of a ledger is no ledger. */
function countersOf(value: JsonValue | undefined): InterfaceCounters | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const sum = (...leaves: readonly string[]): string | undefined => {
    const found = leaves.map((leaf) => value[leaf]).filter((count) => count !== undefined);
    if (found.length === 0 || !found.every((count) => /^\d{1,20}$/.test(String(count)))) return undefined;
    return String(found.reduce((total, count) => total + BigInt(String(count)), 0n));
  };
  const counters = {
    rxPackets: sum('in-unicast-pkts', 'in-broadcast-pkts', 'in-multicast-pkts'),
    txPackets: sum('out-unicast-pkts', 'out-broadcast-pkts', 'out-multicast-pkts'),
    rxBytes: sum('in-octets'),
    txBytes: sum('out-octets'),
    rxErrors: sum('in-errors'),
    txErrors: sum('out-errors'),
    rxDropped: sum('in-discards'),
    txDropped: sum('out-discards'),
  };
  return Object.values(counters).includes(undefined) ? undefined : (counters as InterfaceCounters);
}

function addressesOf(family: JsonValue | undefined): readonly string[] {
  return listOf(family, 'address').flatMap(({ ip, 'prefix-length': length }) =>
    typeof ip === 'string' && typeof length === 'number' ? [`${ip}/${length}`] : [],
  );
}

function listOf(container: JsonValue | undefined, name: string): readonly JsonObject[] {
  const list = memberOf(container, name);
  return Array.isArray(list) ? list.filter((entry: JsonValue): entry is JsonObject => isJsonObject(entry)) : [];
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) ? value[name] : undefined;
}
