// `POST https://[P-2]:9514/mcp/tool/call` of the troubleshooting draft (§5 Step-3), over one TLS connection: HTTP/1.1 by hand.
import type { TLSSocket } from 'node:tls';
import { type Credentials, type JsonRecord, openTls } from './frames.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: JsonRecord;
};

export type PostClient = {
  post(path: string, body: JsonRecord, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  close(): void;
};

export async function openPost(port: number, credentials: Credentials): Promise<PostClient> {
  const socket = await openTls(port, credentials, 'http/1.1');
  socket.on('error', () => {});
  return {
    post(path, body, headers = {}) {
      const text = JSON.stringify(body);
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ];
      const answered = readAnswer(socket);
      socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
      return answered;
    },
    close: () => socket.destroy(),
  };
}

function readAnswer(socket: TLSSocket): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let all = Buffer.alloc(0);
    const settle = (work: () => void) => {
      socket.off('data', onData).off('close', onClose);
      work();
    };
    const onClose = () => settle(() => reject(new Error(`expected a response, got the end after ${all.length} bytes`)));
    const onData = (chunk: Buffer) => {
      all = Buffer.concat([all, chunk]);
      const headEnd = all.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const [first = '', ...lines] = all.subarray(0, headEnd).toString('latin1').split('\r\n');
      const headers = new Map(
        lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const length = Number(headers.get('content-length'));
      if (all.length < headEnd + 4 + length) return;
      const text = all.subarray(headEnd + 4, headEnd + 4 + length).toString('utf8');
      settle(() => resolve({ status: Number(first.split(' ')[1]), headers, body: JSON.parse(text) as JsonRecord }));
    };
    socket.on('data', onData).on('close', onClose);
  });
}
