// `prompts/get` and `completion/complete`, passed on to the subserver that has the prompt or the template.
import type { JsonObject } from '#base/json.ts';
import { memberText, withMember } from '#codec/json-members.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { invalidParams, toolDegraded } from '../codes.ts';
import type { Caller } from '../leaf/events.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { isOfThisHop, objectOf, timeoutMsOf } from '../names/capability.ts';
import type { Found } from '../tree/resources.ts';
import type { Slot } from '../tree/slot.ts';
import type { View } from '../tree/view.ts';
import { type Answer, errorAnswer, type IncomingRequest } from '../wire/message.ts';

export async function getPrompt(
  view: View,
  request: IncomingRequest,
  signal: AbortSignal,
  caller: Caller,
): Promise<Answer> {
  const entry = view.prompt(String(request.params['name']));
  if (entry === undefined) return invalidParams(`no prompt ${String(request.params['name']).slice(0, 64)}`);
  const paramsText = withMember(memberText(request.text, 'params') ?? '{}', 'name', JSON.stringify(entry.downName));
  return passOn(entry.slot, { method: 'prompts/get', paramsText, params: request.params }, signal, caller);
}

export async function complete(
  { view, find }: { readonly view: View; readonly find: (params: JsonObject) => Found | undefined },
  request: IncomingRequest,
  signal: AbortSignal,
  caller: Caller,
): Promise<Answer> {
  const ref = objectOf(request.params['ref']);
  const paramsText = memberText(request.text, 'params') ?? '{}';
  const pass = (slot: Slot, given: JsonObject) => {
    const text = withMember(paramsText, 'ref', JSON.stringify({ ...ref, ...given }));
    return passOn(slot, { method: 'completion/complete', paramsText: text, params: request.params }, signal, caller);
  };
  if (ref['type'] === 'ref/prompt') {
    const entry = view.prompt(String(ref['name']));
    return entry === undefined ? invalidParams('no such prompt') : pass(entry.slot, { name: entry.downName });
  }
  const found = find(ref);
  return found === undefined ? invalidParams('no such resource') : pass(found.slot, { uri: found.uri });
}

type Passed = { readonly method: string; readonly paramsText: string; readonly params: JsonObject };

/** Passes a request on whose params are already those for the subserver, but for the progress token. */
export async function passOn(
  slot: Slot,
  { method, paramsText, params }: Passed,
  signal: AbortSignal,
  caller: Caller,
): Promise<Answer> {
  const { subserver } = slot;
  if (subserver === undefined) return toolDegraded(slot.sinceMs, AGGREGATE_LIMITS.pingMs);
  if (signal.aborted) return errorAnswer(WIRE_CODES.internal, 'cancelled');
  const sent = subserver.request({
    method,
    paramsText: (id) => withOwnMeta(paramsText, objectOf(params['_meta']), id),
    timeoutMs: timeoutMsOf('standard'),
    caller,
  });
  const onAbort = () => sent.cancel('the client cancelled the request');
  signal.addEventListener('abort', onAbort, { once: true });
  const answer = await sent.answer;
  signal.removeEventListener('abort', onAbort);
  return answer;
}

function withOwnMeta(paramsText: string, given: JsonObject, id: number): string {
  const kept = Object.entries(given).filter(([name]) => !isOfThisHop(name));
  const meta = { ...Object.fromEntries(kept), ...(given['progressToken'] === undefined ? {} : { progressToken: id }) };
  if (Object.keys(given).length === 0) return paramsText;
  return withMember(paramsText, '_meta', JSON.stringify(meta));
}
