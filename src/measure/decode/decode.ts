// Answers of peers → the node states and probe results that correlation reads. Total: a malformed body gives undefined, a malformed row is
// left out; nothing throws, whatever a peer sends. What an answer must look like is in its schema (model/router); here is what follows from it.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Evidence } from '#model/evidence.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import { probeResult } from '#model/router/probe-schema.ts';
import type { FilterRule, Neighbour, NodeState, PastState, ProbeResult } from '#model/router/router-port.ts';
import { filterRule, inventory, nodeState, readingAges, sid } from '#model/router/state-schema.ts';
import { rows } from '#model/wire/fields.ts';
import { readerOf } from '#model/wire/read.ts';

/** What is not needed of a peer is not kept: comments of its rules, and the use of its SIDs. */
const readState = readerOf(
  nodeState.omit({ logSigns: true, filters: true, inventory: true }).extend({
    inventory: inventory.extend({ sids: rows(sid.pick({ sid: true, behavior: true, table: true, emptyTable: true })) }),
  }),
);
const readRule = readerOf(filterRule.omit({ bytes: true, comment: true }));
const readProbe = readerOf(probeResult);
const readAges = readerOf(readingAges);

/** A node's state, or undefined when the body is not one at all. */
export function decodeNodeState(body: JsonValue | undefined): NodeState | undefined {
  const state = stateOf(body);
  if (state === undefined || !isJsonObject(body) || !Array.isArray(body['past'])) return state;
  return { ...state, past: body['past'].slice(0, LIMITS.pastStates).flatMap((row: JsonValue) => pastOf(row) ?? []) };
}

/** Without the states before it. */
function stateOf(body: JsonValue | undefined): NodeState | undefined {
  const state = readState(body);
  if (state === undefined || !isJsonObject(body)) return undefined;
  const rows = Array.isArray(body['filters']) ? body['filters'] : [];
  const filters = rows.flatMap((row: JsonValue) => ruleOf(row) ?? []);
  const { filtersInOrder, ...rest } = state;
  const cut = interfaceCount(body['inventory']) > LIMITS.nodeInterfaces;
  return {
    ...rest,
    ...(filtersInOrder === true && filters.length === rows.length ? { filtersInOrder } : {}),
    neighbours: state.neighbours.map(withOurTlv),
    filters,
    missing: cut
      ? [...state.missing, { part: 'interfaces', reason: `more than ${LIMITS.nodeInterfaces}` }]
      : state.missing,
  } as NodeState;
}

function interfaceCount(inventory: JsonValue | undefined): number {
  const interfaces = isJsonObject(inventory) ? inventory['interfaces'] : undefined;
  return Array.isArray(interfaces) ? interfaces.length : 0;
}

function pastOf(row: JsonValue): PastState | undefined {
  if (!isJsonObject(row)) return undefined;
  const ages = readAges(row);
  const state = stateOf(row['state']);
  return ages === undefined || state === undefined ? undefined : { ...ages, state };
}

/** Of all that a neighbour announces beside the standard: its agent. */
function withOurTlv(neighbour: Neighbour): Neighbour {
  return { ...neighbour, unknownTlvs: neighbour.unknownTlvs.filter(({ oui }) => oui === PARLEY_OUI).slice(0, 1) };
}

/** A demand that cannot be read, or is one too many, is one more that is not known. */
function ruleOf(row: JsonValue): FilterRule | undefined {
  if (!isJsonObject(row)) return undefined;
  // A newer peer may name an end that this program does not know: the rule decides, and how is not known.
  const isKnown = row['ends'] === undefined || readRule(row)?.ends !== undefined;
  const rule = (isKnown ? readRule(row) : undefined) ?? readRule({ ...row, verdict: 'other', ends: 'unknown' });
  if (rule === undefined) return undefined;
  const { matches, matchesRest, unread, ...rest } = rule;
  const [demanded, words] = [row['matches'], row['unread']];
  const isLess = (list: JsonValue | undefined, read: readonly unknown[] = []) =>
    list !== undefined && (!Array.isArray(list) || read.length < list.length);
  // Of more than is read, the words that are do not tell all either.
  const told = unread === undefined || isLess(demanded, matches) || isLess(words, unread) ? {} : { unread };
  if (matches === undefined || !Array.isArray(demanded)) return { ...rest, ...told };
  const isMore = matchesRest !== false || isLess(demanded, matches) || isLess(words, unread);
  return { ...rest, ...told, matches, matchesRest: isMore };
}

/** The state in an answer, and whose it is: the callee's own, or that of the neighbour it was asked to ask. */
export function decodeToldState(entry: Evidence): { readonly node: string; readonly state: NodeState } | undefined {
  if (entry.kind === 'state') {
    const state = decodeNodeState(entry.body);
    return state === undefined ? undefined : { node: entry.node, state };
  }
  const args = entry.request.params['arguments'];
  const node = isJsonObject(args) ? args['node'] : undefined;
  if (entry.kind !== 'relayed' || typeof node !== 'string' || !isJsonObject(entry.body)) return undefined;
  const state = decodeNodeState(entry.body['state']);
  return state === undefined || state.inventory.node !== node ? undefined : { node, state };
}

/** A probe's result; undefined when the numbers are missing or contradict each other (more received than reflected). */
export function decodeProbeResult(body: JsonValue | undefined): ProbeResult | undefined {
  const result = readProbe(body);
  if (result === undefined) return undefined;
  const { late = 0, reflectorRefused = 0, ...rest } = result;
  // More than there can have been is as many as there can have been.
  const lateHere = Math.min(late, rest.received);
  const refused = Math.min(reflectorRefused, (rest.reflected ?? 0) - rest.received);
  return {
    ...rest,
    ...(lateHere > 0 ? { late: lateHere } : {}),
    ...(refused > 0 ? { reflectorRefused: refused } : {}),
  };
}
