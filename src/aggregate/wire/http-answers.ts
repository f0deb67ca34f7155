// Whole answers over HTTP.
import type { ServerResponse } from 'node:http';
import { WIRE_CODES } from '#model/definition.ts';
import { errorAnswer } from './message.ts';

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
