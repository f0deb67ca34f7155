// Answers of peers → the node states and probe results that correlation reads. Total: a malformed body gives undefined, a
// malformed row is left out; nothing throws, whatever a peer sends.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Evidence } from '#model/evidence.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import {
  type Adjacency,
  type Counter64,
  FILTER_FIELDS,
  type FilterMatch,
  type FilterRule,
  type InterfaceCounters,
  type InterfaceState,
  type Neighbour,
  type NodeState,
  type PastState,
  type ProbeResult,
  type Sid,
  type TrainTimes,
} from '#model/router/router-port.ts';
import { decodeControlPlane } from './decode-control.ts';
import { count, counter, oneOf, rows, text, texts } from './readers.ts';

const COUNTER_NAMES = [
  'rxPackets',
  'txPackets',
  'rxBytes',
  'txBytes',
  'rxErrors',
  'txErrors',
  'rxDropped',
  'txDropped',
] as const;

/** A node's state, or undefined when the body is not one at all. */
export function decodeNodeState(body: JsonValue | undefined): NodeState | undefined {
  if (!isJsonObject(body) || !isJsonObject(body['inventory'])) return undefined;
  const inventory = body['inventory'];
  const node = text(inventory['node']);
  if (node === undefined || !Array.isArray(inventory['interfaces'])) return undefined;
  const system = isJsonObject(inventory['system']) ? inventory['system'] : {};
  const readMs = body['countersReadMs'];
  const interfaces = inventory['interfaces'];
  const cut = interfaces.length > LIMITS.nodeInterfaces;
  return {
    inventory: {
      node,
      driver: oneOf(inventory['driver'], ['linux-frr', 'netconf', 'embedded']) ?? 'netconf',
      system: {
        kernel: text(system['kernel']) ?? '',
        routing: text(system['routing']) ?? '',
        hostname: text(system['hostname']) ?? '',
      },
      interfaces: rows(interfaces.slice(0, LIMITS.nodeInterfaces), interfaceOf),
      sids: rows(inventory['sids'], sidOf),
      loopbacks: texts(inventory['loopbacks']),
    },
    neighbours: rows(body['neighbours'], neighbourOf),
    adjacencies: rows(body['adjacencies'], adjacencyOf),
    filters: rows(body['filters'], filterOf),
    nodeCounters: countersOf(body['nodeCounters']),
    ...decodeControlPlane(body),
    ...(typeof readMs === 'number' && Number.isFinite(readMs) ? { countersReadMs: readMs } : {}),
    ...(Array.isArray(body['past']) ? { past: rows(body['past'].slice(0, LIMITS.pastStates), pastOf) } : {}),
    missing: [
      ...rows(body['missing'], missingOf),
      ...(cut ? [{ part: 'interfaces', reason: `more than ${LIMITS.nodeInterfaces}` }] : []),
    ],
  };
}

/** A past within a past is left out. */
function pastOf(row: JsonObject): PastState | undefined {
  const [fromAgoMs, untilAgoMs] = [count(row['fromAgoMs']), count(row['untilAgoMs'])];
  const told = row['state'];
  const state = isJsonObject(told) ? decodeNodeState({ ...told, past: null }) : undefined;
  if (fromAgoMs === undefined || untilAgoMs === undefined || state === undefined) return undefined;
  return { fromAgoMs, untilAgoMs, state };
}

function missingOf(row: JsonObject): NodeState['missing'][number] | undefined {
  const part = text(row['part']);
  return part === undefined ? undefined : { part, reason: text(row['reason']) ?? '' };
}

/** The state that an answer tells of, and whose it is: the callee's own, or that of the neighbour it was asked to ask. */
export function decodeToldState(entry: Evidence): { readonly node: string; readonly state: NodeState } | undefined {
  if (entry.kind === 'state') {
    const state = decodeNodeState(entry.body);
    return state === undefined ? undefined : { node: entry.node, state };
  }
  const args = entry.request.params['arguments'];
  const node = isJsonObject(args) ? text(args['node']) : undefined;
  if (entry.kind !== 'relayed' || node === undefined || !isJsonObject(entry.body)) return undefined;
  const state = decodeNodeState(entry.body['state']);
  return state === undefined || state.inventory.node !== node ? undefined : { node, state };
}

/** A probe's result; undefined when the numbers are missing or contradict each other (more received than reflected). */
export function decodeProbeResult(body: JsonValue | undefined): ProbeResult | undefined {
  if (!isJsonObject(body)) return undefined;
  const [sent, received] = [count(body['sent']), count(body['received'])];
  const reflected =
    body['reflected'] === undefined || body['reflected'] === null ? undefined : count(body['reflected']);
  if (sent === undefined || received === undefined || received > sent) return undefined;
  if (reflected === undefined ? received > 0 : reflected > sent || received > reflected) return undefined;
  const sendErrors = count(body['sendErrors']) ?? 0;
  if (sendErrors > sent || Math.max(reflected ?? 0, received) > sent - sendErrors) return undefined;
  const unanswered = Math.min(count(body['reflectorRefused']) ?? 0, (reflected ?? 0) - received);
  const reason = text(body['sendErrorReason']);
  const late = Math.min(count(body['late']) ?? 0, received);
  const train = trainOf(body['train']);
  return {
    sent,
    received,
    ...(reflected === undefined ? {} : { reflected }),
    duplicates: count(body['duplicates']) ?? 0,
    rttMs: rttOf(body['rttMs']),
    ...(train === undefined ? {} : { train }),
    ...(late > 0 ? { late } : {}),
    ...(unanswered > 0 ? { reflectorRefused: unanswered } : {}),
    sendErrors,
    ...(reason === undefined ? {} : { sendErrorReason: reason }),
  };
}

function interfaceOf(row: JsonObject): InterfaceState | undefined {
  const name = text(row['name']);
  const counters = isJsonObject(row['counters']) ? row['counters'] : undefined;
  if (name === undefined || counters === undefined || COUNTER_NAMES.some((key) => counter(counters[key]) === undefined))
    return undefined;
  const mac = text(row['mac']);
  return {
    name,
    kind: oneOf(row['kind'], ['loopback', 'physical', 'bridge', 'other']) ?? 'other',
    adminUp: row['adminUp'] === true,
    operUp: row['operUp'] === true,
    mtu: count(row['mtu']) ?? 0,
    ...(mac === undefined ? {} : { mac }),
    addresses: texts(row['addresses']),
    carrierChanges: count(row['carrierChanges']) ?? 0,
    offloads: texts(row['offloads']),
    counters: Object.fromEntries(COUNTER_NAMES.map((key) => [key, counter(counters[key])!])) as InterfaceCounters,
  };
}

function sidOf(row: JsonObject): Sid | undefined {
  const [sid, behavior] = [text(row['sid']), text(row['behavior'])];
  return sid === undefined || behavior === undefined ? undefined : { sid, behavior };
}

function neighbourOf(row: JsonObject): Neighbour | undefined {
  const [ifname, chassisId, portId] = [text(row['ifname']), text(row['chassisId']), text(row['portId'])];
  if (ifname === undefined || chassisId === undefined || portId === undefined) return undefined;
  const systemName = text(row['systemName']);
  const unknownTlvs = rows(row['unknownTlvs'], ourTlvOf).slice(0, 1);
  return { ifname, chassisId, portId, ...(systemName === undefined ? {} : { systemName }), unknownTlvs };
}

/** Of all that a neighbour announces beside the standard: whether it is an agent. */
function ourTlvOf(row: JsonObject): Neighbour['unknownTlvs'][number] | undefined {
  const [subtype, hex] = [count(row['subtype']), text(row['hex'])];
  if (text(row['oui']) !== PARLEY_OUI || subtype === undefined || hex === undefined) return undefined;
  return { oui: PARLEY_OUI, subtype, hex };
}

function adjacencyOf(row: JsonObject): Adjacency | undefined {
  const [ifname, systemId] = [text(row['ifname']), text(row['systemId'])];
  const state = oneOf(row['state'], ['up', 'initializing', 'down']);
  if (ifname === undefined || systemId === undefined || state === undefined) return undefined;
  const [hostname, holdSeconds] = [text(row['hostname']), count(row['holdSeconds'])];
  return {
    protocol: 'isis',
    ifname,
    systemId,
    ...(hostname === undefined ? {} : { hostname }),
    level: row['level'] === 1 ? 1 : 2,
    state,
    ...(holdSeconds === undefined ? {} : { holdSeconds }),
  };
}

function filterOf(row: JsonObject): FilterRule | undefined {
  const verdict = oneOf(row['verdict'], ['drop', 'reject', 'accept', 'other']);
  const [chain, hook] = [text(row['chain']), text(row['hook'])];
  if (verdict === undefined || chain === undefined || hook === undefined) return undefined;
  const [packets, acl] = [counter(row['packets']), text(row['acl'])];
  const ruleSha256 = text(row['ruleSha256']);
  return {
    family: text(row['family']) ?? '',
    table: text(row['table']) ?? '',
    chain,
    path: texts(row['path']),
    hook,
    handle: count(row['handle']) ?? 0,
    ...(ruleSha256 === undefined ? {} : { ruleSha256 }),
    verdict,
    outInterfaces: texts(row['outInterfaces']),
    inInterfaces: texts(row['inInterfaces']),
    ...(packets === undefined ? {} : { packets }),
    ...(acl === undefined ? {} : { acl }),
    ...matchesOf(row),
    ...(Array.isArray(row['rewrites']) ? { rewrites: texts(row['rewrites']) } : {}),
  };
}

/** A demand that cannot be read is one more that is not known. */
function matchesOf(row: JsonObject): Pick<FilterRule, 'matches' | 'matchesRest'> {
  const said = row['matches'];
  if (!Array.isArray(said)) return {};
  const matches = rows(said.slice(0, LIMITS.filterMatches), matchOf);
  return { matches, matchesRest: row['matchesRest'] !== false || matches.length < said.length };
}

function matchOf(row: JsonObject): FilterMatch | undefined {
  const [field, values] = [oneOf(row['field'], FILTER_FIELDS), row['values']];
  if (field === undefined || !Array.isArray(values) || values.length > LIMITS.filterMatches) return undefined;
  if (texts(values).length < values.length) return undefined;
  return { field, values: texts(values), ...(row['negated'] === true ? { negated: true } : {}) };
}

function countersOf(value: JsonValue | undefined): Readonly<Record<string, Counter64>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => counter(entry[1]) !== undefined),
  );
}

function rttOf(value: JsonValue | undefined): ProbeResult['rttMs'] {
  if (!isJsonObject(value)) return null;
  const [min, avg, max] = [value['min'], value['avg'], value['max']];
  if (typeof min !== 'number' || typeof avg !== 'number' || typeof max !== 'number') return null;
  return min >= 0 && min <= avg && avg <= max ? { min, avg, max } : null;
}

function trainOf(value: JsonValue | undefined): TrainTimes | undefined {
  if (!isJsonObject(value)) return undefined;
  const [sentUs, reachedUs, returnedUs] = [value['sentUs'], value['reachedUs'], value['returnedUs']].map(gapsOf);
  return sentUs === undefined || reachedUs === undefined || returnedUs === undefined
    ? undefined
    : { sentUs, reachedUs, returnedUs };
}

/** Times between arrivals: whole microseconds, as many as a train can have. */
function gapsOf(value: JsonValue | undefined): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length >= LIMITS.probeCount) return undefined;
  const gaps = value.flatMap((gap: JsonValue) => count(gap) ?? []);
  return gaps.length === value.length ? gaps : undefined;
}
