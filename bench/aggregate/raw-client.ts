// A client that costs little itself: JSON-RPC over kept-alive sockets of its own, one a worker, in one MCP session. Reads JSON bodies and
// single events.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { percentile } from '../statistics.ts';

export type Load = { readonly callsPerSecond: number; readonly p50Ms: number; readonly p99Ms: number };

export type RawSession = {
  /** Runs `count` requests, `concurrency` at a time; the first error ends it. */
  run(method: string, params: object, count: number, concurrency: number): Promise<Load>;
  ask(method: string, params: object): Promise<{ readonly text: string; readonly ms: number }>;
  close(): void;
};

/** `tls`: certificate, key and CA of the client, for mutual TLS. */
export async function openRawSession(port: number, path: string, tls?: ConnectionOptions): Promise<RawSession> {
  const sockets: Worker[] = [await openWorker(port, path, tls)];
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const first = await sockets[0]!.post(message('initialize', params, 1));
  const session = /^mcp-session-id: *(\S+)/im.exec(first.head)?.[1];
  if (session === undefined) throw new Error(`expected a session, got ${first.head.split('\r\n')[0]}: ${first.body}`);
  const headers = `mcp-session-id: ${session}\r\nmcp-protocol-version: 2025-11-25\r\n`;
  await sockets[0]!.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), headers);
  let nextId = 2;
  const ask = async (worker: Worker, method: string, given: object) => {
    const startedMs = performance.now();
    const { body } = await worker.post(message(method, given, nextId++), headers);
    if (!body.includes('"result"') || body.includes('"isError":true'))
      throw new Error(`expected a result, got ${body.slice(0, 300)}`);
    return { text: body, ms: performance.now() - startedMs };
  };
  return {
    ask: (method, given) => ask(sockets[0]!, method, given),
    async run(method, given, count, concurrency) {
      while (sockets.length < concurrency) sockets.push(await openWorker(port, path, tls));
      const times: number[] = [];
      let left = count;
      const startedMs = performance.now();
      const work = async (worker: Worker) => {
        while (left-- > 0) times.push((await ask(worker, method, given)).ms);
      };
      await Promise.all(sockets.slice(0, concurrency).map(work));
      const seconds = (performance.now() - startedMs) / 1_000;
      return { callsPerSecond: count / seconds, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
    },
    close() {
      for (const { socket } of sockets) socket.destroy();
    },
  };
}

function message(method: string, params: object, id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

type Reply = { readonly head: string; readonly body: string };
type Worker = { readonly socket: Socket; post(body: string, headers?: string): Promise<Reply> };

async function openWorker(port: number, path: string, tls: ConnectionOptions | undefined): Promise<Worker> {
  const to = { host: '127.0.0.1', port };
  const socket = tls === undefined ? connect(to) : connectTls({ ...to, ...tls, checkServerIdentity: () => undefined });
  await once(socket, tls === undefined ? 'connect' : 'secureConnect');
  socket.setNoDelay(true);
  let waiting: PromiseWithResolvers<Reply> | undefined;
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const reply = replyIn(received);
    if (reply === undefined) return;
    received = '';
    waiting?.resolve(reply);
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the connection has ended')));
  return {
    socket,
    post(body, headers = '') {
      waiting = Promise.withResolvers<Reply>();
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return waiting.promise;
    },
  };
}

/** A whole answer; bodies are ASCII here, so that characters are bytes. */
function replyIn(text: string): Reply | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length) ? { head, body } : undefined;
  if (/^transfer-encoding: *chunked/im.test(head)) return body.endsWith('0\r\n\r\n') ? { head, body } : undefined;
  return { head, body };
}
