// A client's end of ALPN `mcp`, written from the text of the drafts: TLS 1.3 with a certificate, a length of four octets before each JSON
// object. Shares no code with src/: what both got wrong alike would be seen by neither.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonRecord = { readonly [name: string]: Json };

export type Credentials = { readonly ca: string; readonly cert: string; readonly key: string };

/** PEM files of a folder. */
export function credentialsIn(dir: string): Credentials {
  const read = (name: string) => readFileSync(join(dir, name), 'utf8');
  return { ca: read('ca.pem'), cert: read('chain.pem'), key: read('key.pem') };
}

/** Rejects where either side does not accept the other's certificate. */
export async function openTls(port: number, credentials: Credentials, alpn: 'mcp' | 'http/1.1'): Promise<TLSSocket> {
  const socket = connect({
    ...credentials,
    ...{ host: '127.0.0.1', port, minVersion: 'TLSv1.3', ALPNProtocols: [alpn] },
    // The drafts identify a device by its certificate, and name no host.
    checkServerIdentity: () => undefined,
  });
  await once(socket, 'secureConnect');
  return socket;
}

export type FrameClient = {
  /** Sends a request and gives the message with its id; what is pushed meanwhile waits in `heard`. */
  ask(request: JsonRecord): Promise<JsonRecord>;
  /** The next message that is no answer, such as a notification. */
  heard(): Promise<JsonRecord>;
  /** Answers requests of the other side. */
  serve(answer: (request: JsonRecord) => Json): void;
  /** Resolves when the other side has ended the connection. */
  readonly ended: Promise<void>;
  close(): void;
};

/** Only what hangs takes so long. */
const ANSWER_MS = 100_000;

export async function openFrames(port: number, credentials: Credentials): Promise<FrameClient> {
  const socket = await openTls(port, credentials, 'mcp');
  const waiting = new Map<Json, (message: JsonRecord) => void>();
  const pushed: JsonRecord[] = [];
  const listeners: ((message: JsonRecord) => void)[] = [];
  let answer: ((request: JsonRecord) => Json) | undefined;
  const take = (message: JsonRecord) => {
    const { id, method } = message;
    const waiter = method === undefined && id !== undefined ? waiting.get(id) : undefined;
    if (waiter !== undefined) return waiter(message);
    if (method !== undefined && id !== undefined && answer !== undefined)
      return write(socket, { jsonrpc: '2.0', id, result: answer(message) });
    const listener = listeners.shift();
    if (listener === undefined) pushed.push(message);
    else listener(message);
  };
  readFrames(socket, take);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  return {
    ended,
    ask: (request) =>
      inTime(`an answer to ${JSON.stringify(request).slice(0, 120)}`, (resolve) => {
        waiting.set(request['id']!, resolve);
        write(socket, request);
      }),
    heard: () =>
      inTime('a message of the other side', (resolve) => {
        const first = pushed.shift();
        if (first === undefined) listeners.push(resolve);
        else resolve(first);
      }),
    serve: (given) => {
      answer = given;
    },
    close: () => socket.destroy(),
  };
}

/** A deadline for tests, which would hang else. */
function inTime<T>(what: string, work: (resolve: (value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`expected ${what}, got nothing`)), ANSWER_MS);
    work((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

function write(socket: TLSSocket, message: JsonRecord): void {
  const text = Buffer.from(JSON.stringify(message), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  socket.write(Buffer.concat([length, text]));
}

function readFrames(socket: TLSSocket, take: (message: JsonRecord) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0);
      const text = rest.subarray(4, end).toString('utf8');
      rest = rest.subarray(end);
      take(JSON.parse(text) as JsonRecord);
    }
  });
}
