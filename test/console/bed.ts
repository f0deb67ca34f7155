// The operators' page behind a real HTTP server on loopback, over a handler that the test writes.
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { silentLog } from '#base/log.ts';
import { createConsole } from '#console/console.ts';
import type { Party } from '#model/identity.ts';
import type { CallGate } from '#model/ports.ts';
import { type Bench, OPERATOR, openBench } from '../mcp/harness.ts';

export type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

export type ConsoleBed = Bench & {
  readonly port: number;
  /** For HTTP/2. */
  readonly port2: number;
  /** Over HTTP/1.1; `open` resolves at the headers. */
  send(init: SendInit): Promise<Reply>;
  open(init: SendInit): Promise<IncomingMessage>;
  /** The same over HTTP/2. */
  sendHttp2(init: SendInit): Promise<Reply>;
};

export type SendInit = {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export async function openConsoleBed(handler: CallGate, party: Party = OPERATOR): Promise<ConsoleBed> {
  const calls: Parameters<CallGate>[0][] = [];
  const recording: CallGate = (call) => {
    calls.push(call);
    return handler(call);
  };
  const pages = createConsole({ node: 'pe1', names: ['pe1', 'pe1.example.net'], gate: recording, log: silentLog });
  const bench = await openBench({ pages });
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, party));
  const port2 = await bench.listen((socket) => bench.server.serveHttp2(socket, party));
  const open = async ({ path, method = 'GET', headers = {}, body }: SendInit) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    return response;
  };
  return {
    ...bench,
    calls,
    port,
    port2,
    open,
    async send(init) {
      const response = await open(init);
      return { status: response.statusCode!, headers: response.headers, body: await textOf(response) };
    },
    async sendHttp2({ path, method = 'GET', headers = {}, body }) {
      const session = connectHttp2(`http://127.0.0.1:${port2}`);
      const stream = session.request({ ':path': path, ':method': method, ...headers });
      stream.end(body);
      const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
      const text = await textOf(stream);
      session.close();
      return { status: head[':status'], headers: head, body: text };
    },
  };
}

/** As a browser sends a question from the page itself. */
export function question(port: number, intent: unknown, more: Readonly<Record<string, string>> = {}): SendInit {
  const host = `127.0.0.1:${port}`;
  const headers = {
    host,
    origin: `https://${host}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  };
  return { path: '/console/ask', method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify({ intent }) };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
