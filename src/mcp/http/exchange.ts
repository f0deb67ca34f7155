// One HTTP request and its response, the same over HTTP/1.1 and HTTP/2. A JSON body from a peer is bounded in bytes and time while it
// is read, and parsed strictly.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Clock } from '#base/clock.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { whenClosed } from '#base/when-closed.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { errorResponse, nameOfCode, REQUEST_BOUNDS, type RpcId } from '../protocol/rpc.ts';

export type HttpExchange = {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
  readonly party: Party;
};

export type HttpRefusal = {
  readonly status: number;
  readonly code: number;
  readonly reason: string;
  /** What of the reason the peer may learn: what it must do otherwise. */
  readonly told?: string;
  /** Of the refused request, where it is known. */
  readonly id?: RpcId | null;
  readonly headers?: Readonly<Record<string, string>>;
};

export type HttpBody =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly refusal: HttpRefusal };

/** Reads one JSON object. */
export async function readJsonBody(exchange: HttpExchange, clock: Clock): Promise<HttpBody> {
  const bytes = await readBody(exchange, clock, 'application/json');
  if (!(bytes instanceof Uint8Array)) return bytes;
  const value = decodeStrictJson(bytes, REQUEST_BOUNDS);
  if (!value.ok) return no(400, WIRE_CODES.parse, value.reason);
  if (Array.isArray(value.value))
    return no(400, WIRE_CODES.invalidRequest, 'expected one JSON-RPC message, got a batch');
  if (!isJsonObject(value.value))
    return no(400, WIRE_CODES.invalidRequest, 'expected a JSON object, got something else');
  return { ok: true, value: value.value };
}

/** The body of this media type. A declared length over the bound is refused before a byte is read. */
export async function readBody(
  { request }: HttpExchange,
  clock: Clock,
  mediaType: string,
): Promise<Uint8Array | ReturnType<typeof no>> {
  const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== mediaType) return no(415, WIRE_CODES.invalidRequest, `expected ${mediaType}, got another media type`);
  const tooLarge = no(413, WIRE_CODES.invalidRequest, `expected a body of at most ${LIMITS.bodyBytes} bytes, got more`);
  if (Number(header(request, 'content-length') ?? 0) > LIMITS.bodyBytes) return tooLarge;
  const bytes = await collect(request, clock);
  if (bytes === 'too-large') return tooLarge;
  if (bytes === 'cut-off') return no(400, WIRE_CODES.parse, 'expected the whole body, got the end of the connection');
  if (bytes === 'too-slow')
    return no(408, WIRE_CODES.timeout, `expected the body within ${LIMITS.httpRequestMs} ms, got less`);
  return bytes;
}

export function header(request: HttpExchange['request'], name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function reply(
  { request, response }: HttpExchange,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  // What is left of a refused body is not read: the connection ends instead (HTTP/2 resets the stream by itself).
  const ending: Record<string, string> =
    status >= 400 && request.httpVersionMajor === 1 && !request.complete ? { connection: 'close' } : {};
  (response as ServerResponse).writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    ...ending,
    ...headers,
  });
  (response as ServerResponse).end(text);
}

/** The exact reason stays here, and a peer learns the code's name; a request that is none is told what is wrong with it, another what it lacks. */
export function replyRefusal(exchange: HttpExchange, refusal: HttpRefusal): void {
  const { status, code, reason, told, id = null, headers } = refusal;
  const name = nameOfCode(code);
  const message = code === WIRE_CODES.invalidRequest ? `${name}: ${reason}` : name;
  const data = told === undefined ? {} : { data: { detail: told, retryPossible: false } };
  reply(exchange, status, errorResponse(id, { code, message, ...data }), headers);
}

function no(status: number, code: number, reason: string): { readonly ok: false; readonly refusal: HttpRefusal } {
  return { ok: false, refusal: { status, code, reason } };
}

type Collected = Uint8Array | 'too-large' | 'too-slow' | 'cut-off';

/** Stops reading at the bound and leaves the connection open, so that the refusal can still be sent. */
function collect(request: HttpExchange['request'], clock: Clock): Promise<Collected> {
  const done = new AbortController();
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  return new Promise((resolve) => {
    const settle = (collected: Collected) => {
      if (done.signal.aborted) return;
      done.abort();
      request.off('data', onData);
      request.pause();
      resolve(collected);
    };
    const onData = (chunk: Uint8Array) => {
      byteCount += chunk.length;
      chunks.push(chunk);
      if (byteCount > LIMITS.bodyBytes) settle('too-large');
    };
    request.on('data', onData);
    request.once('end', () => settle(Buffer.concat(chunks)));
    whenClosed(request, () => settle('cut-off'));
    request.on('error', () => settle('cut-off'));
    clock.sleep(LIMITS.httpRequestMs, done.signal).then(
      () => settle('too-slow'),
      () => {},
    );
  });
}
