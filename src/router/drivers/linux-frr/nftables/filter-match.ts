// What one match of an nftables rule demands of a packet, in the words of `FilterMatch`. Says so when it cannot tell; never
// guesses. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { FilterField, FilterMatch } from '#model/router/router-port.ts';
import { textOf } from '../kernel/ip-command.ts';

/** `rest`: there is more to the match than `demands` say. */
export type Demand = { readonly demands: readonly FilterMatch[]; readonly rest: boolean };
export type ResolveSet = (name: string) => readonly JsonValue[];

const UNREAD: Demand = { demands: [], rest: true };
/** IANA protocol numbers, in the words of /etc/protocols. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  '41': 'ipv6',
  '43': 'ipv6-route',
  '44': 'ipv6-frag',
  '58': 'ipv6-icmp',
  '89': 'ospf',
  '132': 'sctp',
  icmpv6: 'ipv6-icmp',
};
const NETWORKS: Readonly<Record<string, string>> = { ipv4: 'ip', ipv6: 'ip6' };
const META: Readonly<Record<string, FilterField>> = {
  nfproto: 'network',
  protocol: 'network',
  l4proto: 'protocol',
  oifname: 'out',
  oif: 'out',
  iifname: 'in',
  iif: 'in',
};
/** Octets of the frame at which an 802.3 frame has its LLC header, in bits from its start. */
const LLC_OFFSET = 112;
const LLC_BITS = 16;
const ADDRESSES: Readonly<Record<string, FilterField>> = { saddr: 'source', daddr: 'destination' };
const PORTS: Readonly<Record<string, FilterField>> = { sport: 'source-port', dport: 'destination-port' };

/** `match` as nft prints it: `op`, `left`, `right`. */
export function demandOf(match: JsonObject, resolveSet: ResolveSet): Demand {
  const { left, op, right } = match;
  if (left === undefined || !isJsonObject(left)) return UNREAD;
  const { meta, payload, exthdr, numgen } = left;
  if (isJsonObject(numgen)) return sampleOf(numgen, op, right);
  if (isJsonObject(exthdr)) return extensionOf(exthdr, right);
  const compared = { op, values: valuesOf(right, resolveSet) };
  if (isJsonObject(meta)) {
    const field = META[textOf(meta['key']) ?? ''];
    return field === undefined ? UNREAD : compare(field, compared);
  }
  return isJsonObject(payload) ? payloadOf(payload, compared) : UNREAD;
}

type Compared = { readonly op: JsonValue | undefined; readonly values: readonly string[] | undefined };

function compare(field: FilterField, { op, values }: Compared): Demand {
  if (values === undefined || (op !== '==' && op !== '!=')) return UNREAD;
  const said = values.map((value) => wordFor(field, value));
  // A service's name instead of its number cannot be compared.
  if (field.endsWith('-port') && said.some((value) => !/^\d+(?:-\d+)?$/.test(value))) return UNREAD;
  return { demands: [{ field, values: said, ...(op === '!=' ? { negated: true as const } : {}) }], rest: false };
}

/** A match on a header's field demands the header as well: `tcp dport != 22` matches TCP alone. */
function payloadOf(payload: JsonObject, compared: Compared): Demand {
  if (payload['base'] !== undefined) return rawOf(payload, compared);
  const [protocol, field] = [textOf(payload['protocol']), textOf(payload['field']) ?? ''];
  if (protocol === 'ip' || protocol === 'ip6') {
    const inner =
      ADDRESSES[field] ?? (field === 'protocol' ? 'protocol' : field === 'nexthdr' ? 'next-header' : undefined);
    return joined({ field: 'network', values: [protocol] }, inner, compared);
  }
  if (protocol === 'arp') return { demands: [{ field: 'network', values: ['arp'] }], rest: true };
  if (protocol === 'th') return compare(PORTS[field] ?? 'source-port', compared);
  if (protocol === undefined || protocol === 'ether' || protocol === 'vlan') return UNREAD;
  const inner = /^icmp/.test(protocol) && field === 'type' ? 'icmp-type' : PORTS[field];
  return joined({ field: 'protocol', values: [wordFor('protocol', protocol)] }, inner, compared);
}

/** `@ll,112,16 0xfefe`: of raw octets only those of the LLC header can be told. */
function rawOf(payload: JsonObject, compared: Compared): Demand {
  const { base, offset, len } = payload;
  return base === 'll' && offset === LLC_OFFSET && len === LLC_BITS ? compare('llc', compared) : UNREAD;
}

function joined(header: FilterMatch, field: FilterField | undefined, compared: Compared): Demand {
  const { demands, rest } = field === undefined ? UNREAD : compare(field, compared);
  return { demands: [header, ...demands], rest };
}

/** `exthdr rt exists`, `exthdr rt missing`; a field of it demands the header and more. */
function extensionOf(exthdr: JsonObject, right: JsonValue | undefined): Demand {
  const name = textOf(exthdr['name']);
  if (name === undefined) return UNREAD;
  const demand = { field: 'extension', values: [name] } as const;
  if (exthdr['field'] !== undefined) return { demands: [demand], rest: true };
  if (typeof right !== 'boolean') return UNREAD;
  return { demands: [right ? demand : { ...demand, negated: true }], rest: false };
}

/** `numgen random mod 100 < 5`: five of a hundred packets, whatever they are. */
function sampleOf(numgen: JsonObject, op: JsonValue | undefined, right: JsonValue | undefined): Demand {
  const [mod, offset] = [numgen['mod'], numgen['offset']];
  if (typeof mod !== 'number' || (offset !== 0 && offset !== undefined)) return UNREAD;
  const taken =
    op === '<' && typeof right === 'number' ? right : op === '==' && typeof right === 'number' ? 1 : undefined;
  if (taken === undefined) return UNREAD;
  return { demands: [{ field: 'sample', values: [`${taken}/${mod}`] }], rest: false };
}

function wordFor(field: FilterField, value: string): string {
  if (field === 'protocol' || field === 'next-header') return PROTOCOLS[value] ?? value;
  return field === 'network' ? (NETWORKS[value] ?? value) : value;
}

/** Undefined when one of the values cannot be read, or there are more than are passed on. */
function valuesOf(right: JsonValue | undefined, resolveSet: ResolveSet): readonly string[] | undefined {
  const elements =
    typeof right === 'string' && right.startsWith('@')
      ? resolveSet(right.slice(1))
      : right !== undefined && isJsonObject(right) && Array.isArray(right['set'])
        ? right['set']
        : [right];
  const values = elements.map((element: JsonValue | undefined) => wordOf(element));
  if (values.length === 0 || values.length > LIMITS.filterMatches) return undefined;
  return values.every((value) => value !== undefined) ? (values as string[]) : undefined;
}

function wordOf(element: JsonValue | undefined): string | undefined {
  if (typeof element === 'string' || typeof element === 'number') return String(element);
  if (element === undefined || !isJsonObject(element)) return undefined;
  const { prefix, range, elem } = element;
  if (isJsonObject(elem)) return wordOf(elem['val']);
  if (isJsonObject(prefix)) return `${textOf(prefix['addr'])}/${String(prefix['len'])}`;
  return Array.isArray(range) && range.length === 2 ? range.map(String).join('-') : undefined;
}
