// What agent and helper say to each other: one request per connection, then events, then one answer, each a JSON frame
// (codec/frame.ts). Closing the connection ends the operation: an agent that dies leaves nothing running (TS-22).
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { encodeFrame } from '#codec/frame.ts';

export type HelperRequest = { readonly operation: string; readonly arguments: JsonObject };

/** An operation of every helper: answers with null, and does nothing. */
export const PING = 'ping';

export type HelperMessage =
  | { readonly kind: 'event'; readonly event: string }
  | { readonly kind: 'answer'; readonly value: JsonValue }
  | { readonly kind: 'failure'; readonly code: string; readonly message: string };

export function encodeMessage(message: HelperMessage | HelperRequest): Uint8Array {
  return encodeFrame(Buffer.from(JSON.stringify(message)));
}

export function decodeRequest(bytes: Uint8Array): Result<HelperRequest> {
  const value = parseObject(bytes);
  if (value === undefined) return bad('expected a JSON object, got something else');
  const { operation, arguments: args } = value;
  if (typeof operation !== 'string' || args === undefined || !isJsonObject(args))
    return bad('expected operation and arguments, got something else');
  return ok({ operation, arguments: args });
}

export function decodeMessage(bytes: Uint8Array): Result<HelperMessage> {
  const value = parseObject(bytes);
  switch (value?.['kind']) {
    case 'event':
      return ok({ kind: 'event', event: String(value['event']) });
    case 'answer':
      return ok({ kind: 'answer', value: value['value'] ?? null });
    case 'failure':
      return ok({ kind: 'failure', code: String(value['code']), message: String(value['message']) });
    default:
      return bad('expected an event, an answer or a failure, got something else');
  }
}

/** The error that a failure stands for; a code of unknown form is the node's. */
export function errorOf(failure: { readonly code: string; readonly message: string }): ParleyError {
  const known = /^(caller|peer|node|us)\/[a-z0-9-]+$/.test(failure.code);
  return new ParleyError(known ? (failure.code as ParleyError['code']) : 'node/helper-failed', failure.message);
}

function parseObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
    ) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
