// One JSON-RPC message with the text that it came in, so that its parts can be passed on byte for byte. Strict JSON only.
import { bad, type Result } from '#base/result.ts';
import { memberSpans } from '#codec/json-members.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { parseRpcMessage, type RpcId, type RpcMessage } from '#mcp/protocol/rpc.ts';

export type Incoming = RpcMessage & { readonly text: string };
export type IncomingRequest = Extract<RpcMessage, { kind: 'request' }> & { readonly text: string };
export type IncomingNotification = Extract<RpcMessage, { kind: 'notification' }> & { readonly text: string };

/** The JSON text of a result or of an error object. */
export type Answer = { readonly kind: 'result' | 'error'; readonly text: string };

export function decodeMessage(bytes: Uint8Array): Result<Incoming> {
  const value = decodeStrictJson(bytes);
  if (!value.ok) return value;
  const message = parseRpcMessage(value.value);
  if (!message.ok) return message;
  // The strict decoder has seen that these bytes are UTF-8.
  return {
    ok: true,
    value: { ...message.value, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() },
  };
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
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${answer.kind}":${answer.text}}`;
}

export function resultAnswer(value: unknown): Answer {
  return { kind: 'result', text: JSON.stringify(value) };
}

export function errorAnswer(code: number, message: string, data?: unknown): Answer {
  return { kind: 'error', text: JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) }) };
}
