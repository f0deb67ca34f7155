// Fetching a file that an answer promised (TS-26): goes on where a connection broke, and keeps nothing that is not what was promised.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type Http2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { fetchFile } from '#mcp/client/fetch-file.ts';

const CONTENT = Buffer.alloc(300_000, 'parley ');
const FILE = { path: '/files/x', bytes: CONTENT.length, sha256: createHash('sha256').update(CONTENT).digest('hex') };

/** Breaks the connection of the first `broken` fetches after 100,000 octets; records what was asked. */
async function serve(t: TestContext, broken: number, content = CONTENT): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server: Http2Server = createServer((request, response) => {
    const range = request.headers['range'];
    asked.push(`${request.method} ${range ?? 'all'}`);
    if (request.method === 'DELETE') return void response.writeHead(204).end();
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === undefined ? 200 : 206);
    if (asked.length > broken) return void response.end(content.subarray(start));
    response.write(content.subarray(start, start + 100_000), () =>
      setImmediate(() => request.stream.session?.socket.destroy()),
    );
  });
  server.on('session', (session) => session.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

const fetchFrom = async (port: number) => {
  const pieces: Uint8Array[] = [];
  await fetchFile(
    FILE,
    async () => connect(port, '127.0.0.1'),
    async (piece) => void pieces.push(piece),
  );
  return Buffer.concat(pieces);
};

test('a fetch goes on at the octet at which its connection was killed, and lets the file go when it is whole [TS-26]', async (t) => {
  const { port, asked } = await serve(t, 2);
  assert.equal(Buffer.compare(await fetchFrom(port), CONTENT), 0);
  assert.equal(asked[0], 'GET all');
  assert.equal(asked.at(-1), 'DELETE all');
  for (const range of asked.slice(1, -1)) assert.match(range, /^GET (all|bytes=\d+-)$/);
  assert.ok(asked.length >= 4);
});

test('a fetch that breaks again and again ends with what it has, and says so [TS-26]', async (t) => {
  const { port } = await serve(t, 99, CONTENT.subarray(0, 1_000));
  await assert.rejects(fetchFrom(port), { code: 'peer/unreachable' });
});

test('other bytes than the answer promised are refused [TS-26]', async (t) => {
  const { port } = await serve(t, 0, Buffer.alloc(CONTENT.length, 'x'));
  await assert.rejects(fetchFrom(port), { code: 'peer/wrong-file' });
});
