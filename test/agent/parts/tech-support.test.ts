// Tech-support of a running agent (TS-26): made by a signed call, fetched over HTTP/2 under mutual TLS or through the operators' socket,
// and only by whom it was made for.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import type { JsonObject } from '#base/json.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { type AgentBed, upAgents } from '../agent-bed.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');
const run = promisify(execFile);

let bed: AgentBed;
let alice: string;
let bob: string;

before(async () => {
  bed = await upAgents(['pe1']);
  alice = await issue('alice', 'operator');
  bob = await issue('bob', 'operator');
});
after(() => bed.down());

/** The identity folder of a new party of the domain. */
async function issue(name: string, kind: 'operator' | 'node'): Promise<string> {
  await bed.domain.identity(name, { kind });
  return join(bed.domain.dir, name);
}

const cli = async (...args: string[]) =>
  run(process.execPath, ['--conditions=parley-source', MAIN, ...args]).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error) => ({ code: error.code as number, stdout: error.stdout as string }),
  );

/** One HTTP/2 request over mutual TLS with the identity of a folder; the stream is destroyed after `most` octets. */
async function fetchAs(
  identity: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  most = Infinity,
) {
  const read = (name: string) => readFileSync(join(identity, name));
  const socket = connectTls({
    host: '127.0.0.1',
    port: bed.portOf('pe1'),
    cert: read('chain.pem'),
    key: read('key.pem'),
    ca: read('ca.pem'),
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.3',
    checkServerIdentity: () => undefined,
  });
  const session = connect('https://node', { createConnection: () => socket });
  session.on('error', () => {});
  try {
    const stream = session.request({ ':method': method, ':path': path, ...headers });
    stream.end();
    const answer = await new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.once('response', resolve);
      stream.once('error', reject);
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of stream) {
      pieces.push(piece as Buffer);
      bytes += (piece as Buffer).length;
      if (bytes >= most) break;
    }
    return { status: Number(answer[':status']), headers: answer, body: Buffer.concat(pieces) };
  } finally {
    session.destroy();
    socket.destroy();
  }
}

const makeAs = async (identity: string): Promise<JsonObject> => {
  const { openOperatorClient } = await import('#mcp/client/operator-client.ts');
  const { openStream } = await import('#cli/terminal/connect.ts');
  const client = await openOperatorClient(await openStream({ connect: `127.0.0.1:${bed.portOf('pe1')}`, identity }));
  try {
    return await client.callTool('network.tech-support', {});
  } finally {
    await client.close();
  }
};
const spooled = () => readdirSync(join(bed.dir, 'run-pe1/state/spool')).length;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('parley tech-support fetches the file over h2 and holds its SHA-256 against the answer [TS-26] [TS-6]', async () => {
  for (const way of [
    ['--connect', `127.0.0.1:${bed.portOf('pe1')}`, '--identity', alice],
    ['--socket', bed.socketOf('pe1')],
  ]) {
    const out = join(bed.dir, `support-${way.length}.txt`);
    const done = await cli('tech-support', ...way, '--out', out, '--json');
    assert.equal(done.code, 0, done.stdout);
    const told = JSON.parse(done.stdout) as JsonObject;
    const bytes = readFileSync(out);
    assert.deepEqual([told['bytes'], told['sha256']], [bytes.length, sha256(bytes)]);
    assert.match(
      bytes.toString(),
      /^tech-support of pe1, .*\n\n===== agent =====\n[\s\S]*===== counters =====[\s\S]*===== end =====\n$/,
    );
  }
  assert.equal(spooled(), 0);
});

test('a fetch that broke in the middle goes on at its octet, and the whole has the promised SHA-256 [TS-26]', async () => {
  const made = await makeAs(alice);
  const path = String(made['path']);
  const first = await fetchAs(alice, 'GET', path, {}, 1);
  assert.equal(first.status, 200);
  assert.equal(first.headers['content-length'], String(made['bytes']));
  const kept = first.body.subarray(0, 1_000);
  const rest = await fetchAs(alice, 'GET', path, { range: `bytes=${kept.length}-`, 'if-range': `"${made['sha256']}"` });
  assert.equal(rest.status, 206);
  assert.equal(rest.headers['content-range'], `bytes 1000-${Number(made['bytes']) - 1}/${made['bytes']}`);
  assert.equal(sha256(Buffer.concat([kept, rest.body])), made['sha256']);
  assert.equal((await fetchAs(alice, 'GET', path, { range: `bytes=${made['bytes']}-` })).status, 416);
  assert.equal((await fetchAs(alice, 'DELETE', path)).status, 204);
  assert.equal((await fetchAs(alice, 'GET', path)).status, 404);
  assert.equal(spooled(), 0);
});

test('nobody else has it: not another operator, not a neighbour, not a browser, and nobody without a certificate [TS-26]', async () => {
  const path = String((await makeAs(alice))['path']);
  assert.equal((await fetchAs(bob, 'GET', path)).status, 404);
  assert.equal((await fetchAs(await issue('pe9', 'node'), 'GET', path)).status, 403);
  assert.equal((await fetchAs(alice, 'GET', path, { origin: 'https://pages.example' })).status, 403);
  assert.equal((await fetchAs(alice, 'POST', path)).status, 405);
  assert.equal((await fetchAs(alice, 'GET', `${path.slice(0, -1)}x`)).status, 404);
  const whole = await fetchAs(alice, 'GET', path);
  assert.equal(whole.status, 200);
  assert.ok(!existsSync(join(bed.dir, 'nothing')));
});

test('the resource says where a file is, like the tool [TS-6] [TS-26]', async () => {
  const client = await bed.local('pe1');
  const told = (await client.readResource('network:///tech-support')) as JsonObject;
  assert.match(String(told['path']), /^\/files\/[0-9a-f]{32}$/);
  assert.match(String(told['sha256']), /^[0-9a-f]{64}$/);
  assert.ok((await dialLocal(bed.socketOf('pe1'))).destroy());
  await client.close();
});
