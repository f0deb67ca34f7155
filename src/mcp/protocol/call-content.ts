// A tools/call, resources/read, resources/write or prompts/get request as the peer sent it: the content that `requestSha256` covers, and
// the members of `_meta`. Refuses params that the method does not allow.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { CallContent } from '#model/call.ts';
import {
  ASKER_META,
  ENVELOPE_META,
  type PayloadType,
  SESSION_META,
  type SignedEnvelope,
  TRACE_META,
  traceparentIn,
} from '#model/envelope.ts';

export type CallRequest = {
  readonly content: CallContent;
  readonly envelope: SignedEnvelope | undefined;
  readonly asker?: SignedEnvelope;
  readonly sessionId: string | undefined;
  readonly traceparent?: string;
};

/** Characters of a collaboration domain's id. */
const SESSION_ID_CHARS = 128;

export type CallMethod = 'tools/call' | 'resources/read' | 'resources/write' | 'prompts/get';
const CALL_METHODS: readonly string[] = ['tools/call', 'resources/read', 'resources/write', 'prompts/get'];

export function isCallMethod(method: string): method is CallMethod {
  return CALL_METHODS.includes(method);
}

/** Characters of a cursor or a content id. */
const TAG_CHARS = 1_024;

export function parseCallRequest(method: CallMethod, params: JsonObject): Result<CallRequest> {
  const { _meta: meta, ...rest } = params;
  if (method === 'tools/call' || method === 'prompts/get') {
    if (typeof rest['name'] !== 'string') return bad('expected params.name to be a string, got something else');
    if (rest['arguments'] !== undefined && !isJsonObject(rest['arguments'])) {
      return bad('expected params.arguments to be an object, got something else');
    }
  } else if (typeof rest['uri'] !== 'string') return bad('expected params.uri to be a string, got something else');
  for (const name of ['cursor', 'content-id', 'accept', 'previousContextId']) {
    const value = rest[name];
    if (value !== undefined && (typeof value !== 'string' || value.length > TAG_CHARS)) {
      return bad(`expected params.${name} to be a string of at most ${TAG_CHARS} characters, got something else`);
    }
  }
  const limit = rest['limit'];
  if (limit !== undefined && (!Number.isSafeInteger(limit) || (limit as number) < 1))
    return bad('expected params.limit to be a positive integer, got something else');
  if (meta !== undefined && !isJsonObject(meta))
    return bad('expected params._meta to be an object, got something else');
  const envelope = parseEnvelope(meta?.[ENVELOPE_META]);
  if (!envelope.ok) return envelope;
  const asker = parseEnvelope(meta?.[ASKER_META]);
  if (!asker.ok) return asker;
  const sessionId = meta?.[SESSION_META];
  if (sessionId !== undefined && (typeof sessionId !== 'string' || sessionId.length > SESSION_ID_CHARS)) {
    return bad(`expected a session id of at most ${SESSION_ID_CHARS} characters, got something else`);
  }
  const named = asker.value === undefined ? {} : { asker: asker.value };
  const traceparent = traceparentIn(meta?.[TRACE_META]);
  const traced = traceparent === undefined ? {} : { traceparent };
  return ok({ content: { method, params: rest }, envelope: envelope.value, ...named, sessionId, ...traced });
}

/** Checks the shape of an envelope only; `sign/` verifies it. */
export function parseEnvelope(value: JsonValue | undefined): Result<SignedEnvelope | undefined> {
  if (value === undefined) return ok(undefined);
  if (!isJsonObject(value)) return bad('expected an envelope object, got something else');
  const { payloadType, payload, signature } = value;
  if (typeof payloadType !== 'string' || typeof payload !== 'string' || typeof signature !== 'string') {
    return bad('expected an envelope of payloadType, payload and signature, got something else');
  }
  return ok({ payloadType: payloadType as PayloadType, payload, signature });
}

export function envelopeJson(envelope: SignedEnvelope): JsonObject {
  return { payloadType: envelope.payloadType, payload: envelope.payload, signature: envelope.signature };
}
