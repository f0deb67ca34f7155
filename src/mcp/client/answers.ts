// Reads a peer's answer in the MCP dialect back into the body that its signature covers. Accepts only the expected shape; verifies
// nothing.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import type { CallKind, RawAnswer } from '#model/call.ts';
import { ENVELOPE_META, type SignedEnvelope } from '#model/envelope.ts';
import { parseEnvelope } from '../protocol/call-content.ts';
import { withReason } from '../protocol/rpc.ts';

const encoder = new TextEncoder();

/** A tool's or a resource's result. */
export function readAnswer(kind: CallKind, result: JsonObject): Result<RawAnswer> {
  const meta = result['_meta'];
  const envelope = parseEnvelope(isJsonObject(meta) ? meta[ENVELOPE_META] : undefined);
  if (!envelope.ok) return envelope;
  if (kind === 'resource') return readContents(result['contents'], envelope.value);
  const body = result['structuredContent'];
  if (!isJsonObject(body)) return bad('expected structuredContent to be an object, got something else');
  if (result['isError'] === true) return readFailedTool(body, envelope.value);
  return ok({ status: 'answered', body, ...withEnvelope(envelope.value) });
}

/** A JSON-RPC error; its envelope travels in `data`. */
export function readRefusal(error: {
  readonly code: number;
  readonly message: string;
  readonly data: JsonValue | undefined;
}): Result<RawAnswer> {
  const { code } = error;
  const message = nameIn(error.message, error.data);
  if (!isJsonObject(error.data)) {
    const body = { code, message, ...(error.data === undefined ? {} : { data: error.data }) };
    return ok({ status: 'refused', code, reason: message, body });
  }
  const { [ENVELOPE_META]: carried, ...data } = error.data;
  const envelope = parseEnvelope(carried);
  if (!envelope.ok) return envelope;
  return ok({
    status: 'refused',
    code,
    reason: withReason(message, data),
    body: { code, message, data },
    ...withEnvelope(envelope.value),
  });
}

/** The name that the signature covers: the message may have the reason behind it. */
function nameIn(message: string, data: JsonValue | undefined): string {
  const detail = data !== undefined && isJsonObject(data) ? data['detail'] : undefined;
  const suffix = typeof detail === 'string' ? `: ${detail}` : '';
  return suffix !== '' && message.endsWith(suffix) ? message.slice(0, -suffix.length) : message;
}

function readContents(contents: JsonValue | undefined, envelope: SignedEnvelope | undefined): Result<RawAnswer> {
  // A page may be followed by a link to the rest.
  const first = Array.isArray(contents) ? (contents[0] as JsonValue | undefined) : undefined;
  if (first === undefined || !isJsonObject(first) || typeof first['text'] !== 'string')
    return bad('expected resource content with text, got something else');
  const mimeType = String(first['mimeType'] ?? '');
  if (mimeType.startsWith('text/') || mimeType.endsWith('xml'))
    return ok({ status: 'answered', body: first['text'], ...withEnvelope(envelope) });
  const body = decodeStrictJson(encoder.encode(first['text']));
  return body.ok ? ok({ status: 'answered', body: body.value, ...withEnvelope(envelope) }) : body;
}

function readFailedTool(body: JsonObject, envelope: SignedEnvelope | undefined): Result<RawAnswer> {
  const { code, name, data } = body;
  if (typeof code !== 'number' || typeof name !== 'string' || !isJsonObject(data)) {
    return bad('expected a failure of code, name and data, got something else');
  }
  return ok({
    status: 'refused',
    code,
    reason: withReason(name, data),
    body: { code, message: name, data },
    ...withEnvelope(envelope),
  });
}

function withEnvelope(envelope: SignedEnvelope | undefined): { readonly envelope?: SignedEnvelope } {
  return envelope === undefined ? {} : { envelope };
}
