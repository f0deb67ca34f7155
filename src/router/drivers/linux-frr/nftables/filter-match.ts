// What one match of an nftables rule demands of a packet, in the words of `FilterMatch`. Where it cannot tell it says of what; it never
// guesses. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { FilterField, FilterMatch } from '#model/router/router-port.ts';
import { textOf } from '../kernel/ip-command.ts';
import { matchWords } from './unread-words.ts';

/** `unread`: there is more to the match than `demands` say, in nft's words. */
export type Demand = { readonly demands: readonly FilterMatch[]; readonly unread?: string };
/** The elements of a set or map; of a map each is a pair; undefined where there is none of that name. */
export type ResolveSet = (name: string) => readonly JsonValue[] | undefined;

type Read = { readonly demands: readonly FilterMatch[]; readonly rest: boolean };
const UNREAD: Read = { demands: [], rest: true };
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
const MOST_PORT = 65_535;
const PORTS: Readonly<Record<string, FilterField>> = { sport: 'source-port', dport: 'destination-port' };

/** `match` as nft prints it: `op`, `left`, `right`. */
export function demandOf(match: JsonObject, resolveSet: ResolveSet): Demand {
  const { demands, rest } = read(match, resolveSet);
  return rest ? { demands, unread: matchWords(match) } : { demands };
}

function read(match: JsonObject, resolveSet: ResolveSet): Read {
  const { left, op, right } = match;
  if (left === undefined || !isJsonObject(left)) return UNREAD;
  const { meta, payload, exthdr, numgen, concat, '&': masked, 'tcp option': option } = left;
  if (Array.isArray(concat)) return concatOf(concat, match, resolveSet);
  // Of some bits of a field only the header is told that must be there.
  if (Array.isArray(masked))
    return { ...read({ left: masked[0] ?? null, op: 'in', right: null }, resolveSet), rest: true };
  if (option !== undefined) return { demands: [{ field: 'protocol', values: ['tcp'] }], rest: true };
  if (isJsonObject(numgen)) return sampleOf(numgen, op, right);
  if (isJsonObject(exthdr)) return extensionOf(exthdr, right);
  if (isJsonObject(meta)) {
    const field = META[textOf(meta['key']) ?? ''];
    if (field === undefined) return UNREAD;
    // Interfaces become those of the rule, however many; those that it must not be stay a demand.
    const most = (field === 'in' || field === 'out') && op !== '!=' ? Number.POSITIVE_INFINITY : LIMITS.filterMatches;
    return compare(field, { op: op === 'in' ? '==' : op, values: valuesOf(right, resolveSet, most) });
  }
  const compared = { op, values: valuesOf(right, resolveSet) };
  return isJsonObject(payload) ? payloadOf(payload, compared) : UNREAD;
}

type Compared = { readonly op: JsonValue | undefined; readonly values: readonly string[] | undefined };

function compare(field: FilterField, compared: Compared): Read {
  const { op, values } = field.endsWith('-port') ? ordered(compared) : compared;
  if (values === undefined || (op !== '==' && op !== '!=')) return UNREAD;
  const said = values.map((value) => wordFor(field, value));
  // A service's name instead of its number cannot be compared.
  if (field.endsWith('-port') && said.some((value) => !/^\d+(?:-\d+)?$/.test(value))) return UNREAD;
  return { demands: [{ field, values: said, ...(op === '!=' ? { negated: true as const } : {}) }], rest: false };
}

/** `tcp dport >= 1024` is a range. */
function ordered(compared: Compared): Compared {
  const { op, values = [] } = compared;
  const bound = Number(values[0]);
  if (values.length !== 1 || !Number.isInteger(bound)) return compared;
  const [low, high] =
    op === '>=' ? [bound, MOST_PORT] : op === '>' ? [bound + 1, MOST_PORT] : op === '<=' ? [0, bound] : [0, bound - 1];
  return op === '==' || op === '!=' || op === 'in' || low > high
    ? compared
    : { op: '==', values: [low === high ? String(low) : `${low}-${high}`] };
}

/**
 * `ip saddr . tcp dport { 192.0.2.1 . 22, 192.0.2.2 . 80 }`: each field is one of its own values, and all of them together are one of the rows, which
 * is a demand of its own where more than one of them differs from row to row. Of what is none of the rows nothing can be told of one field but the
 * headers.
 */
function concatOf(fields: readonly JsonValue[], { op, right }: JsonObject, resolveSet: ResolveSet): Read {
  const elements = elementsOf(right, resolveSet);
  // Nothing is in a set without elements, and everything is not.
  if (elements?.length === 0 && (op === '==' || op === '!='))
    return { demands: op === '==' ? [{ field: 'network', values: [] }] : [], rest: false };
  const columns = columnsOf(elements ?? []);
  if (columns?.length !== fields.length) return UNREAD;
  const reads = fields.map((left, index) => read({ left, op: '==', right: { set: [...columns[index]!] } }, resolveSet));
  const isWhole = columns.filter((values) => values.length > 1).length < 2 && reads.every(({ rest }) => !rest);
  const demands = reads.flatMap((each) => each.demands);
  const rows = isWhole && op === '==' ? undefined : rowsOf(fields, elements ?? [], resolveSet);
  if (op === '==')
    return {
      demands: rows === undefined ? demands : [...demands, { field: 'row', values: rows }],
      rest: rows === undefined && !isWhole,
    };
  const headers = demands.filter(({ field }) => field === 'network' || field === 'protocol');
  return rows === undefined || op !== '!='
    ? { demands: headers, rest: true }
    : { demands: [...headers, { field: 'row', values: rows, negated: true }], rest: false };
}

/** Each row in words, `source 192.0.2.1 . destination-port 22`; undefined where they are too many, or one is not read whole. */
function rowsOf(
  fields: readonly JsonValue[],
  elements: readonly JsonValue[],
  resolveSet: ResolveSet,
): readonly string[] | undefined {
  if (elements.length > LIMITS.filterMatches) return undefined;
  const rows = elements.map((element) => {
    const parts = partsOf(element)?.map((part, index) =>
      read({ left: fields[index]!, op: '==', right: part }, resolveSet),
    );
    if (parts === undefined || parts.some(({ rest }) => rest)) return undefined;
    const demands = parts.flatMap((each) => each.demands);
    const isPlain = demands.every(({ field, values }) => values.length === 1 && field !== 'row');
    return isPlain ? demands.map(({ field, values }) => `${field} ${values[0]}`).join(' . ') : undefined;
  });
  return rows.every((row) => row !== undefined) ? (rows as string[]) : undefined;
}

type Columns = readonly (readonly JsonValue[])[];

/** Of each elements of a set: many ways may lead to its rule. */
const columnsRead = new WeakMap<readonly JsonValue[], { readonly columns: Columns | undefined }>();

/** The different values of each field; undefined where the rows are none, or not alike. */
function columnsOf(elements: readonly JsonValue[]): Columns | undefined {
  const known = columnsRead.get(elements);
  if (known !== undefined) return known.columns;
  const rows = elements.map(partsOf);
  const count = rows[0]?.length ?? 0;
  const columns = rows.every((row) => row?.length === count)
    ? Array.from({ length: count }, (_, at) => [
        ...new Map(rows.map((row) => [JSON.stringify(row![at]), row![at]!])).values(),
      ])
    : undefined;
  columnsRead.set(elements, { columns });
  return columns;
}

function partsOf(row: JsonValue): readonly JsonValue[] | undefined {
  const value = isJsonObject(row) && row['elem'] !== undefined && isJsonObject(row['elem']) ? row['elem']['val'] : row;
  const parts = value !== undefined && isJsonObject(value) ? value['concat'] : undefined;
  return Array.isArray(parts) ? parts : undefined;
}

/** A match on a header's field demands the header as well: `tcp dport != 22` matches TCP alone. */
function payloadOf(payload: JsonObject, compared: Compared): Read {
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
function rawOf(payload: JsonObject, compared: Compared): Read {
  const { base, offset, len } = payload;
  return base === 'll' && offset === LLC_OFFSET && len === LLC_BITS ? compare('llc', compared) : UNREAD;
}

function joined(header: FilterMatch, field: FilterField | undefined, compared: Compared): Read {
  const { demands, rest } = field === undefined ? UNREAD : compare(field, compared);
  return { demands: [header, ...demands], rest };
}

/** `exthdr rt exists`, `exthdr rt missing`; a field of it demands the header and more. */
function extensionOf(exthdr: JsonObject, right: JsonValue | undefined): Read {
  const name = textOf(exthdr['name']);
  if (name === undefined) return UNREAD;
  const demand = { field: 'extension', values: [name] } as const;
  if (exthdr['field'] !== undefined) return { demands: [demand], rest: true };
  if (typeof right !== 'boolean') return UNREAD;
  return { demands: [right ? demand : { ...demand, negated: true }], rest: false };
}

/** `numgen random mod 100 < 5`: five of a hundred packets, whatever they are. */
function sampleOf(numgen: JsonObject, op: JsonValue | undefined, right: JsonValue | undefined): Read {
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
function valuesOf(
  right: JsonValue | undefined,
  resolveSet: ResolveSet,
  most: number = LIMITS.filterMatches,
): readonly string[] | undefined {
  const elements = elementsOf(right, resolveSet);
  if (elements === undefined || elements.length > most) return undefined;
  const values = elements.map((element) => wordOf(element));
  return values.every((value) => value !== undefined) ? (values as string[]) : undefined;
}

/** Of a set with a name or without, or the one value. */
export function elementsOf(right: JsonValue | undefined, resolveSet: ResolveSet): readonly JsonValue[] | undefined {
  if (typeof right === 'string' && right.startsWith('@')) return resolveSet(right.slice(1));
  if (right === undefined) return undefined;
  return isJsonObject(right) && Array.isArray(right['set']) ? right['set'] : [right];
}

function wordOf(element: JsonValue | undefined): string | undefined {
  if (typeof element === 'string' || typeof element === 'number') return String(element);
  if (element === undefined || !isJsonObject(element)) return undefined;
  const { prefix, range, elem } = element;
  if (isJsonObject(elem)) return wordOf(elem['val']);
  if (isJsonObject(prefix)) return `${textOf(prefix['addr'])}/${String(prefix['len'])}`;
  return Array.isArray(range) && range.length === 2 ? range.map(String).join('-') : undefined;
}
