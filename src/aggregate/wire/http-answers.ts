// Whole answers over HTTP.
import type { ServerResponse } from 'node:http';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { type Answer, encodedOf, errorAnswer, responseHead } from './message.ts';

export function refuse(
  response: ServerResponse,
  status: number,
  detail: string,
  code: number = WIRE_CODES.invalidRequest,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { text } = errorAnswer(code, detail);
  respond(response, status, `{"jsonrpc":"2.0","id":null,"error":${text}}`, { ...headers, connection: 'close' });
}

export function respond(response: ServerResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** A response whose answer is kept as bytes: nothing of it is copied. */
export function respondKept(
  response: ServerResponse,
  id: RpcId,
  answer: Answer,
  headers: Record<string, string>,
): void {
  const head = responseHead(id, answer);
  const bytes = encodedOf(answer);
  const length = Buffer.byteLength(head) + bytes.length + 1;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, ...headers });
  response.cork();
  response.write(head);
  response.write(bytes);
  response.end('}');
  response.uncork();
}
