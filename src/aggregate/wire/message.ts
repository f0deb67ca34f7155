// One JSON-RPC message with the text that it came in, so that its parts can be passed on byte for byte. Strict JSON only.
import { bad, type Result } from '#base/result.ts';
import { memberSpans } from '#codec/json-members.ts';
import { readStrictJson } from '#codec/strict-json.ts';
import { parseRpcMessage, type RpcId, type RpcMessage } from '#mcp/protocol/rpc.ts';

export type Incoming = RpcMessage & { readonly text: string };
export type IncomingRequest = Extract<RpcMessage, { kind: 'request' }> & { readonly text: string };
export type IncomingNotification = Extract<RpcMessage, { kind: 'notification' }> & { readonly text: string };

/** The JSON text of a result or of an error object. */
export type Answer = {
  readonly kind: 'result' | 'error';
  readonly text: string;
  /** This very object answers many requests, as a page of a list does. Its text has no line breaks. */
  readonly isKept?: true;
};

export function decodeMessage(bytes: Uint8Array): Result<Incoming> {
  const read = readStrictJson(bytes);
  if (!read.ok) return read;
  const message = parseRpcMessage(read.value.value);
  return message.ok ? { ok: true, value: { ...message.value, text: read.value.text } } : message;
}

/** JSON texts of answers that are given many times, as bytes: encoded once, and kept as long as the answer is. */
const ENCODED = new WeakMap<Answer, Buffer>();

export function encodedOf(answer: Answer): Buffer {
  const known = ENCODED.get(answer) ?? Buffer.from(answer.text);
  ENCODED.set(answer, known);
  return known;
}

/** The answer in a response; its id has been read from `raw`. */
export function answerOf(text: string): Result<Answer> {
  const spans = memberSpans(text);
  for (const kind of ['result', 'error'] as const) {
    const span = spans.get(kind);
    if (span !== undefined) return { ok: true, value: { kind, text: text.slice(span.start, span.end) } };
  }
  return bad('expected a result or an error');
}

export function requestText(id: RpcId, method: string, paramsText: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${paramsText}}`;
}

export function notificationText(method: string, paramsText = '{}'): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${paramsText}}`;
}

export function responseText(id: RpcId, answer: Answer): string {
  return `${responseHead(id, answer)}${answer.text}}`;
}

/** What stands before the text of the answer; behind it stands one brace. */
export function responseHead(id: RpcId, { kind }: Answer): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${kind}":`;
}

export function resultAnswer(value: unknown): Answer {
  return { kind: 'result', text: JSON.stringify(value) };
}

export function errorAnswer(code: number, message: string, data?: unknown): Answer {
  return { kind: 'error', text: JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) }) };
}
