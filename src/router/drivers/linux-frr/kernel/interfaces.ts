// Interfaces with addresses, counters and carrier changes from one `ip -j -s -s -d addr`. Pure parser; offloads come from
// the helper and are put in by name.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { InterfaceCounters, InterfaceState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { counterOf, textOf } from './ip-command.ts';

export type Offloads = Readonly<Record<string, readonly string[]>>;

export function parseInterfaces(rows: readonly JsonObject[], offloads: Offloads = {}): readonly InterfaceState[] {
  return rows.filter((row) => textOf(row['ifname']) !== undefined).map((row) => parseInterface(row, offloads));
}

/** Names of dummy interfaces. */
export function parseDummies(rows: readonly JsonObject[]): readonly string[] {
  return rows.flatMap((row) =>
    objectOf(row['linkinfo'])['info_kind'] === 'dummy' ? (textOf(row['ifname']) ?? []) : [],
  );
}

/** `show interface description` of zebra: name, status, protocol, and the rest of the line. */
export function parseDescriptions(text: string): Readonly<Record<string, string>> {
  const rows = text.split('\n').flatMap((line) => {
    const found = /^(\S+)\s+(?:up|down)\s+(?:up|down)\s+(\S.*)$/.exec(line.trimEnd());
    return found === null ? [] : [[found[1]!, found[2]!.slice(0, DRIVER_LIMITS.descriptionChars)] as const];
  });
  return Object.fromEntries(rows);
}

/** Addresses of the node itself: global ones of the loopback, IPv6 first, without prefix length. */
export function loopbacksOf(interfaces: readonly InterfaceState[]): readonly string[] {
  const addresses = interfaces
    .filter((entry) => entry.kind === 'loopback')
    .flatMap((entry) => entry.addresses)
    .map((address) => address.split('/')[0]!)
    .filter((address) => address !== '::1' && !address.startsWith('127.') && !address.startsWith('fe80:'));
  return [
    ...addresses.filter((address) => address.includes(':')),
    ...addresses.filter((address) => !address.includes(':')),
  ];
}

function parseInterface(row: JsonObject, offloads: Offloads): InterfaceState {
  const name = textOf(row['ifname']) ?? '';
  const flags = Array.isArray(row['flags']) ? row['flags'] : [];
  const stats = objectOf(row['stats64']);
  const mac = textOf(row['address']);
  return {
    name,
    kind: kindOf(row),
    adminUp: flags.includes('UP'),
    operUp: flags.includes('UP') && flags.includes('LOWER_UP') && row['operstate'] !== 'DOWN',
    mtu: typeof row['mtu'] === 'number' ? row['mtu'] : 0,
    ...(mac === undefined || row['link_type'] !== 'ether' ? {} : { mac }),
    ...masterOf(row),
    addresses: addressesOf(row['addr_info']),
    carrierChanges: Number(counterOf(objectOf(stats['tx'])['carrier_changes'])),
    offloads: offloads[name] ?? [],
    counters: countersOf(objectOf(stats['rx']), objectOf(stats['tx'])),
  };
}

/** A veth is what an Ethernet port is in a namespace. */
function kindOf(row: JsonObject): InterfaceState['kind'] {
  if (row['link_type'] === 'loopback') return 'loopback';
  const kind = textOf(objectOf(row['linkinfo'])['info_kind']);
  if (kind === 'bridge') return 'bridge';
  return row['link_type'] === 'ether' && (kind === undefined || kind === 'veth') ? 'physical' : 'other';
}

function masterOf(row: JsonObject): Pick<InterfaceState, 'master'> {
  const name = textOf(row['master']);
  if (name === undefined) return {};
  const kind = MASTER_KINDS.find((each) => each === objectOf(row['linkinfo'])['info_slave_kind']) ?? 'other';
  return { master: { name, kind } };
}

const MASTER_KINDS = ['bridge', 'bond', 'vrf'] as const;

/** Deprecated ones last (RFC 4862 §5.5.4): the first is what others send to, and an anycast address is made deprecated. */
function addressesOf(value: JsonValue | undefined): readonly string[] {
  const entries = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return [
    ...entries.filter((entry) => entry['deprecated'] !== true),
    ...entries.filter((entry) => entry['deprecated'] === true),
  ]
    .filter((entry) => textOf(entry['local']) !== undefined)
    .map((entry) => `${entry['local']}/${entry['prefixlen']}`);
}

function countersOf(rx: JsonObject, tx: JsonObject): InterfaceCounters {
  return {
    rxPackets: counterOf(rx['packets']),
    txPackets: counterOf(tx['packets']),
    rxBytes: counterOf(rx['bytes']),
    txBytes: counterOf(tx['bytes']),
    rxErrors: counterOf(rx['errors']),
    txErrors: counterOf(tx['errors']),
    rxDropped: counterOf(rx['dropped']),
    txDropped: counterOf(tx['dropped']),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
