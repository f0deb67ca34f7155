// The optional parts of a node's state: protocols, hand-set routes, neighbour tables, history. Total, like decode.ts: a part
// that is malformed is left out as if the node had not sent it.

import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type {
  BfdSession,
  BgpSession,
  BgpState,
  Daemon,
  History,
  IsisCircuit,
  IsisState,
  NeighbourEntry,
  OspfInterface,
  Qdisc,
  StaticRoute,
  Traffic,
} from '#model/router/control-plane.ts';
import type { FilterDrop } from '#model/router/filter-drops.ts';
import type { Served } from '#model/router/hosts.ts';
import type { NodeState, ReachResult, RouteAnswer } from '#model/router/router-port.ts';
import { decodeHeard, decodeWatchedDhcp } from './decode-dhcp.ts';
import { decodeWatchedHosts } from './decode-host-history.ts';
import { decodeWatch } from './decode-link-monitor.ts';
import { count, counter, oneOf, rows, text, texts } from './readers.ts';

type Optional = Pick<
  NodeState,
  | 'isis'
  | 'bgp'
  | 'bfd'
  | 'ospf'
  | 'staticRoutes'
  | 'noWayTo'
  | 'neighbourTable'
  | 'qdiscs'
  | 'daemons'
  | 'history'
  | 'descriptions'
>;

const LEVELS = ['1', '2', '1-2'] as const;
const PASSWORDS = ['none', 'clear', 'md5'] as const;

export function decodeControlPlane(body: JsonObject): Optional {
  const present = {
    isis: isisOf(body['isis']),
    bgp: bgpOf(body['bgp']),
    bfd: list(body['bfd'], bfdOf),
    ospf: list(body['ospf'], ospfOf),
    staticRoutes: list(body['staticRoutes'], staticOf),
    noWayTo: Array.isArray(body['noWayTo']) ? texts(body['noWayTo'].slice(0, LIMITS.steeredWays)) : undefined,
    neighbourTable: list(body['neighbourTable'], neighbourOf),
    qdiscs: list(body['qdiscs'], qdiscOf),
    daemons: list(body['daemons'], daemonOf),
    history: historyOf(body['history']),
    descriptions: descriptionsOf(body['descriptions']),
  };
  return Object.fromEntries(Object.entries(present).filter(([, value]) => value !== undefined));
}

export function decodeLookups(body: JsonValue | undefined): readonly RouteAnswer[] {
  if (!isJsonObject(body)) return [];
  return rows(body['answers'], (row) => {
    const destination = text(row['destination']);
    const kind = oneOf(row['kind'], ['unicast', 'blackhole', 'unreachable', 'local', 'none']);
    if (destination === undefined || kind === undefined) return undefined;
    const members = texting(row, ['nextHop', 'ifname', 'protocol', 'matched']);
    const ifnames = texts(row['ifnames']);
    const segments = texts(row['segments']);
    return {
      destination,
      kind,
      ...members,
      ...(ifnames.length === 0 ? {} : { ifnames }),
      ...(segments.length === 0 ? {} : { segments }),
    };
  });
}

export function decodeReach(body: JsonValue | undefined): readonly ReachResult[] {
  if (!isJsonObject(body)) return [];
  return rows(body['results'], (row) => {
    const [destination, sent, received] = [text(row['destination']), count(row['sent']), count(row['received'])];
    if (destination === undefined || sent === undefined || received === undefined || received > sent) return undefined;
    return { destination, sent, received, rttMs: typeof row['rttMs'] === 'number' ? row['rttMs'] : null };
  });
}

function isisOf(value: JsonValue | undefined): IsisState | undefined {
  if (!isJsonObject(value)) return undefined;
  const level = oneOf(value['level'], LEVELS);
  if (level === undefined) return undefined;
  return {
    ...texting(value, ['tag']),
    systemId: text(value['systemId']) ?? '',
    areas: texts(value['areas']),
    level,
    areaPassword: oneOf(value['areaPassword'], PASSWORDS) ?? 'none',
    circuits: rows(value['circuits'], circuitOf),
  };
}

function circuitOf(row: JsonObject): IsisCircuit | undefined {
  const [ifname, level] = [text(row['ifname']), oneOf(row['level'], LEVELS)];
  const network = oneOf(row['network'], ['point-to-point', 'broadcast']);
  if (ifname === undefined || level === undefined || network === undefined) return undefined;
  const [rejects, hello, metric] = [counter(row['rejects']), count(row['helloSeconds']), count(row['metric'])];
  return {
    ifname,
    level,
    network,
    passive: row['passive'] === true,
    password: oneOf(row['password'], PASSWORDS) ?? 'none',
    ipv4: row['ipv4'] === true,
    ipv6: row['ipv6'] === true,
    ...(rejects === undefined ? {} : { rejects }),
    ...(hello === undefined ? {} : { helloSeconds: hello }),
    ...(metric === undefined ? {} : { metric }),
  };
}

function bgpOf(value: JsonValue | undefined): BgpState | undefined {
  if (!isJsonObject(value)) return undefined;
  const asn = count(value['asn']);
  if (asn === undefined) return undefined;
  return {
    asn,
    ...texting(value, ['routerId']),
    networks: texts(value['networks']),
    redistribute: texts(value['redistribute']),
    sessions: rows(value['sessions'], sessionOf),
    ownPrefixes: rows(value['ownPrefixes'], (row) => {
      const prefix = text(row['prefix']);
      return prefix === undefined
        ? undefined
        : { prefix, originated: row['originated'] === true, advertisedTo: texts(row['advertisedTo']) };
    }),
  };
}

function sessionOf(row: JsonObject): BgpSession | undefined {
  const [peer, state] = [text(row['peer']), text(row['state'])];
  if (peer === undefined || state === undefined) return undefined;
  return {
    peer,
    state,
    remoteAs: count(row['remoteAs']) ?? 0,
    localAs: count(row['localAs']) ?? 0,
    shutdown: row['shutdown'] === true,
    password: row['password'] === true,
    established: count(row['established']) ?? 0,
    dropped: count(row['dropped']) ?? 0,
    ...(count(row['upMs']) === undefined ? {} : { upMs: count(row['upMs'])! }),
    ...(Array.isArray(row['families'])
      ? { families: texts(row['families']).filter((name) => name === 'ipv4' || name === 'ipv6') }
      : {}),
    policies: texts(row['policies']),
    ...texting(row, ['localAddress', 'lastReset', 'lastError', 'notification']),
  };
}

function bfdOf(row: JsonObject): BfdSession | undefined {
  const [peer, status] = [text(row['peer']), oneOf(row['status'], ['up', 'down', 'init', 'shutdown'])];
  if (peer === undefined || status === undefined) return undefined;
  const diagnostic = text(row['diagnostic']) ?? '';
  const remoteDiagnostic = text(row['remoteDiagnostic']) ?? '';
  return { peer, status, diagnostic, remoteDiagnostic, ...texting(row, ['ifname']) };
}

function ospfOf(row: JsonObject): OspfInterface | undefined {
  const ifname = text(row['ifname']);
  if (ifname === undefined) return undefined;
  const numbers = Object.fromEntries(
    ['helloMs', 'deadMs', 'mtu', 'cost'].flatMap((name) => {
      const value = count(row[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    ifname,
    area: text(row['area']) ?? '',
    network: text(row['network']) ?? '',
    passive: row['passive'] === true,
    ...numbers,
    neighbours: rows(row['neighbours'], (entry) => {
      const [routerId, state] = [text(entry['routerId']), text(entry['state'])];
      return routerId === undefined || state === undefined
        ? undefined
        : { routerId, state, address: text(entry['address']) ?? '' };
    }),
  };
}

function staticOf(row: JsonObject): StaticRoute | undefined {
  const prefix = text(row['prefix']);
  const kind = oneOf(row['kind'], ['unicast', 'blackhole', 'unreachable', 'prohibit']);
  if (prefix === undefined || kind === undefined) return undefined;
  const segments = texts(row['segments']);
  return {
    prefix,
    kind,
    protocol: text(row['protocol']) ?? '',
    ...texting(row, ['nextHop', 'ifname']),
    ...(segments.length === 0 ? {} : { segments }),
  };
}

function neighbourOf(row: JsonObject): NeighbourEntry | undefined {
  const [address, ifname, state] = [text(row['address']), text(row['ifname']), text(row['state'])];
  if (address === undefined || ifname === undefined || state === undefined) return undefined;
  return { address, ifname, state, ...texting(row, ['mac']) };
}

function qdiscOf(row: JsonObject): Qdisc | undefined {
  const [ifname, drops] = [text(row['ifname']), counter(row['drops'])];
  if (ifname === undefined || drops === undefined) return undefined;
  const [handle, parent, packets] = [text(row['handle']), text(row['parent']), counter(row['packets'])];
  return {
    ...{ ifname, drops, kind: text(row['kind']) ?? '', overlimits: counter(row['overlimits']) ?? '0' },
    ...(handle === undefined ? {} : { handle }),
    ...(parent === undefined ? {} : { parent }),
    ...(packets === undefined ? {} : { packets }),
  };
}

function daemonOf(row: JsonObject): Daemon | undefined {
  const name = text(row['name']);
  if (name === undefined || typeof row['alive'] !== 'boolean') return undefined;
  const upMs = count(row['upMs']);
  return { name, alive: row['alive'], ...(upMs === undefined ? {} : { upMs }) };
}

function historyOf(value: JsonValue | undefined): History | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    spanMs: count(value['spanMs']) ?? 0,
    events: rows(value['events'], (row) => {
      const kind = oneOf(row['kind'], ['carrier', 'adjacency', 'session']);
      const [agoMs, subject, changes] = [count(row['agoMs']), text(row['subject']), count(row['changes'])];
      if (kind === undefined || agoMs === undefined || subject === undefined || changes === undefined) return undefined;
      return { kind, agoMs, subject, changes, up: row['up'] === true };
    }),
    lastHeard: rows(value['lastHeard'], (row) => {
      const [ifname, name] = [text(row['ifname']), text(row['name'])];
      return ifname === undefined || name === undefined ? undefined : { ifname, name, ...texting(row, ['port']) };
    }),
    hosts: rows(value['hosts'], (row) => {
      const [ifname, address, mac] = [text(row['ifname']), text(row['address']), text(row['mac'])];
      return ifname === undefined || address === undefined || mac === undefined ? undefined : { ifname, address, mac };
    }).slice(0, LIMITS.hosts),
    ...(Array.isArray(value['filterDrops'])
      ? { filterDrops: rows(value['filterDrops'], filterDropOf).slice(0, LIMITS.filterMemories) }
      : {}),
    ...(Array.isArray(value['services']) ? { services: rows(value['services'], servedOf).slice(0, LIMITS.hosts) } : {}),
    ...(Array.isArray(value['heard']) ? { heard: decodeHeard(value['heard']) } : {}),
    ...watchedHostsOf(value['watchedHosts']),
    ...decodeWatchedDhcp(value['watchedDhcp']),
    ...(Array.isArray(value['traffic'])
      ? { traffic: rows(value['traffic'], trafficOf).slice(0, LIMITS.nodeInterfaces) }
      : {}),
    ...decodeWatch(value),
  };
}

function filterDropOf(row: JsonObject): FilterDrop | undefined {
  const [family, table, chain] = [text(row['family']), text(row['table']), text(row['chain'])];
  const [handle, agoMs] = [count(row['handle']), count(row['agoMs'])];
  return family === undefined ||
    table === undefined ||
    chain === undefined ||
    handle === undefined ||
    agoMs === undefined
    ? undefined
    : { family, table, chain, handle, agoMs };
}

function watchedHostsOf(value: JsonValue | undefined): Pick<History, 'watchedHosts'> {
  const watchedHosts = decodeWatchedHosts(value);
  return watchedHosts === undefined ? {} : { watchedHosts };
}

function servedOf(row: JsonObject): Served | undefined {
  const [ifname, address, agoMs] = [text(row['ifname']), text(row['address']), count(row['agoMs'])];
  const [service, port] = [oneOf(row['service'], ['tcp', 'udp'] as const), count(row['port'])];
  return ifname === undefined ||
    address === undefined ||
    agoMs === undefined ||
    service === undefined ||
    port === undefined
    ? undefined
    : { ifname, address, service, port, agoMs };
}

function trafficOf(row: JsonObject): Traffic | undefined {
  const ifname = text(row['ifname']);
  if (ifname === undefined || !Array.isArray(row['samples'])) return undefined;
  const samples = row['samples'].flatMap((each): Traffic['samples'][number][] => {
    const [agoMs, rxPackets, txPackets] = Array.isArray(each) ? each.map((value) => count(value)) : [];
    return agoMs === undefined || rxPackets === undefined || txPackets === undefined
      ? []
      : [[agoMs, rxPackets, txPackets]];
  });
  return { ifname, samples: samples.slice(0, LIMITS.trafficSamples) };
}

function descriptionsOf(value: JsonValue | undefined): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries.slice(0, LIMITS.nodeInterfaces));
}

function list<T>(value: JsonValue | undefined, decode: (row: JsonObject) => T | undefined): readonly T[] | undefined {
  return Array.isArray(value) ? rows(value, decode) : undefined;
}

/** The members of `names` that are texts. */
function texting<N extends string>(row: JsonObject, names: readonly N[]): { readonly [K in N]?: string } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = text(row[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as { readonly [K in N]?: string };
}
