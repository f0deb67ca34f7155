// One `tools/call` on its way down and back (AX-9): looked up as it stands, charged, gated, and passed on. Arguments and result are passed on
// byte for byte; only the name and `_meta` change. Nothing is sent twice.
import type { JsonObject } from '#base/json.ts';
import type { Result } from '#base/result.ts';
import { memberSpans, withFirst, withMember } from '#codec/json-members.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { SESSION_META, TRACE_META } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { Asked } from '../asked/asked.ts';
import { budgetExceeded, invalidParams, noSuchTool, toolDegraded } from '../codes.ts';
import { describedAs } from '../gates/changes.ts';
import { type GatedCall, proofIn } from '../gates/gates.ts';
import type { Caller } from '../leaf/events.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { isOfThisHop, META, objectOf, raisedClass, timeoutMsOf } from '../names/capability.ts';
import type { Core } from '../tree/core.ts';
import type { ToolEntry } from '../tree/entries.ts';
import { ownNodeOf } from '../tree/slot.ts';
import type { View } from '../tree/view.ts';
import { type Answer, errorAnswer } from '../wire/message.ts';
import { tokenDenial, toolTarget } from './token-rights.ts';

export type ToolCall = {
  /** The JSON text of the request's params. */
  readonly paramsText: string;
  readonly params: JsonObject;
  readonly party: Party;
  /** False: only tools that say that they change nothing. */
  readonly mayChange: boolean;
  readonly account: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Who stands behind it, for our own agents below; undefined without an identity of this aggregator. */
  readonly asked: () => Result<Asked> | undefined;
  /** How this client is told that a call waits for approval. */
  readonly toldOf: (waiting: Answer) => Answer;
};

export async function callTool(core: Core, view: View, call: ToolCall): Promise<Answer> {
  const { name } = call.params;
  if (typeof name !== 'string') return invalidParams('expected the name of a tool');
  const entry = view.tool(name);
  if (entry === undefined) return noSuchTool(name);
  const refusal = routeFault(call.params, entry);
  if (refusal !== undefined) return refusal;
  const { slot, claims } = entry;
  const who = ownNodeOf(slot) === undefined ? undefined : call.asked();
  if (who?.ok === false) return refusedAsker(who.reason);
  const asked = who?.value;
  const changes = claims.safety !== 'read';
  const denied =
    tokenDenial(call.party, toolTarget(entry.name, claims.safety)) ?? (changes ? denialOf(entry, call) : undefined);
  if (denied !== undefined) return errorAnswer(WIRE_CODES.accessDenied, 'Network.AccessDenied', { detail: denied });
  const reached = core.budgets.take(call.account, { isMutable: changes, cost: claims.cost });
  if (reached !== undefined) return budgetExceeded(reached);
  if (slot.subserver === undefined) return toolDegraded(slot.sinceMs, AGGREGATE_LIMITS.pingMs);
  const passage = entry.isGated ? core.gates.pass(gatedCall(entry, call)) : undefined;
  if (passage?.passes === false) {
    await core.record(recordOf(entry.name, call, asked, { event: 'request', status: 'waits' }));
    return call.toldOf(passage.answer);
  }
  // The consent of this gate has shown the admin the tool as it is now; one of a gate above has shown what stands there.
  if (passage?.accepts === true) core.accept(entry);
  const record = recordOf(name, call, asked, {
    event: 'request',
    ...(passage === undefined ? {} : { status: 'approved' }),
  });
  // What may change something is on record before it happens; where it cannot be recorded, it does not happen.
  if (changes) await core.record(record);
  else core.note(record);
  return dispatch(core, entry, { ...call, statedFor: asked }, passage?.proof);
}

export function refusedAsker(detail: string): Answer {
  return errorAnswer(WIRE_CODES.accessDenied, 'Network.AccessDenied', { detail });
}

export function recordOf(
  name: string,
  { account, params, party }: Pick<ToolCall, 'account' | 'params' | 'party'>,
  asked: Asked | undefined,
  more: Pick<AuditRecord, 'event' | 'status' | 'intent'>,
): AuditRecord {
  const meta = objectOf(params['_meta']);
  const { sessionId = meta[SESSION_META], traceparent = meta[TRACE_META], label } = asked ?? {};
  return {
    ...more,
    party: account,
    ...(label === undefined ? {} : { asker: label }),
    direction: 'in',
    method: `tools/call ${name}`,
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...detailOf(party, traceparent),
  };
}

function detailOf({ token }: Party, traceparent: unknown): Pick<AuditRecord, 'detail'> {
  const given = token === undefined ? {} : { token: `${token.id} of ${token.issuer}` };
  const detail = typeof traceparent === 'string' ? { ...given, traceparent } : given;
  return Object.keys(detail).length === 0 ? {} : { detail };
}

function denialOf({ slot, name }: ToolEntry, { mayChange, party }: ToolCall): string | undefined {
  if (slot.rules.scope === 'read')
    return `${slot.segment} is open for reading only, and ${name} does not say that it changes nothing`;
  return mayChange
    ? undefined
    : `${party.kind}/${party.name} may only read, and ${name} does not say that it changes nothing`;
}

function gatedCall(entry: ToolEntry, { account, party, params }: ToolCall): GatedCall {
  const { claims, route, state } = entry;
  return {
    account,
    caller: party,
    route,
    arguments: objectOf(params['arguments']),
    capability: claims.capability ?? { mutable: true, reversible: false },
    definition: describedAs({ definition: entry.definition, safety: claims.safety }),
    isChanged: state === 'changed',
    proof: proofIn(objectOf(params['_meta']), META.proof),
  };
}

/** A route that came with the call must lead where the name leads: two readers of one call must not reach two tools. */
function routeFault(params: JsonObject, entry: ToolEntry): Answer | undefined {
  const { [META.route]: route, [META.cursor]: cursor } = objectOf(params['_meta']);
  if (!Array.isArray(route)) return undefined;
  const left = route.slice(Number.isSafeInteger(cursor) ? Number(cursor) : 0);
  if (JSON.stringify(left) === JSON.stringify(entry.route)) return undefined;
  return invalidParams('expected a route and a cursor that lead to the tool that is named');
}

type StatedCall = ToolCall & { readonly statedFor: Asked | undefined };

async function dispatch(
  core: Core,
  entry: ToolEntry,
  call: StatedCall,
  proof: JsonObject | undefined,
): Promise<Answer> {
  const { slot, claims } = entry;
  const startedMs = core.clock.monotonicMs();
  const subserver = slot.subserver!;
  const sent = subserver.request({
    method: 'tools/call',
    paramsText: downParams(core, entry, call, proof),
    timeoutMs: timeoutMsOf(raisedClass(claims.latencyClass, subserver.roundTripMs)),
    caller: call.caller,
  });
  const onAbort = () => sent.cancel('the client cancelled the call');
  call.signal.addEventListener('abort', onAbort, { once: true });
  const answer = await sent.answer;
  call.signal.removeEventListener('abort', onAbort);
  if (answer.kind === 'error') return answer;
  return { kind: 'result', text: withLatency(answer.text, core.clock.monotonicMs() - startedMs) };
}

/** The params for the subserver: every member as it came, but `name` and `_meta`. */
function downParams(
  core: Core,
  entry: ToolEntry,
  call: StatedCall,
  proof: JsonObject | undefined,
): (id: number) => string {
  const { paramsText, params, statedFor } = call;
  const parts: string[] = [`"name":${JSON.stringify(entry.downName)}`];
  for (const [member, { start, end }] of memberSpans(paramsText)) {
    if (member === 'name' || member === '_meta') continue;
    // What was approved is what was parsed: bytes that parse alike but differ, such as numbers beyond 2^53, must not go down in its place.
    const text = entry.isGated ? JSON.stringify(params[member]) : paramsText.slice(start, end);
    parts.push(`${JSON.stringify(member)}:${text}`);
  }
  const given = objectOf(params['_meta']);
  const { _meta: _, ...rest } = params;
  const content = { method: 'tools/call', params: { ...rest, name: entry.downName } } as const;
  const stated = statedFor === undefined ? {} : core.vouching?.metaFor(statedFor, content);
  return (id) => {
    const own = downMeta(given, entry, proof, id);
    const meta = statedFor === undefined ? own : { ...own, ...stated };
    return `{${parts.join(',')}${meta === undefined ? '' : `,"_meta":${JSON.stringify(meta)}`}}`;
  };
}

/** Nothing that is meant for this hop goes further: no credentials, no approvals for foreign servers, no routing for leaves. */
function downMeta(
  given: JsonObject,
  entry: ToolEntry,
  proof: JsonObject | undefined,
  id: number,
): JsonObject | undefined {
  const meta: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!isOfThisHop(name)) meta[name] = value;
  }
  if (given['progressToken'] !== undefined) meta['progressToken'] = id;
  if (entry.slot.isAggregator) {
    const { [META.route]: route, [META.cursor]: cursor } = given;
    meta[META.route] = Array.isArray(route) ? route : entry.route;
    meta[META.cursor] = (Number.isSafeInteger(cursor) ? Number(cursor) : 0) + 1;
    if (proof !== undefined) meta[META.proof] = proof;
  }
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** AX-9: `_meta` grows by the time that the answer took, and stays as it is otherwise. */
function withLatency(resultText: string, latencyMs: number): string {
  const span = memberSpans(resultText).get('_meta');
  const latency = String(Math.round(latencyMs));
  if (span === undefined) return withFirst(resultText, '_meta', `{"${META.latency}":${latency}}`);
  const meta = resultText.slice(span.start, span.end);
  if (!meta.startsWith('{')) return resultText;
  return resultText.slice(0, span.start) + withMember(meta, META.latency, latency) + resultText.slice(span.end);
}
