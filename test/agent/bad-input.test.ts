// What strangers and careless operators send to a running agent: refused with the reason in the log and in the audit
// trail, while an open session of somebody else goes on and the process lives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { encodeFrame } from '#codec/frame.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { until } from '../fakes/clock.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';
import { oddIdentity } from '../mtls/odd-certificates.ts';
import { type AgentBed, runParley, upAgents } from './agent-bed.ts';

let bed: AgentBed;
let strangers: Domain;
let expired: Identity;
let operator: Identity;
/** Open for the whole file. */
let bystander: OperatorClient;

before(async () => {
  bed = await upAgents(['pe1', 'p2'], {
    pe1: { peers: { pins: { p2: 'ab'.repeat(32) } } },
    p2: { discovery: { lldp: false, static: [] }, peers: { allow: ['ietf-srv6-ping', 'parley-pears'] } },
  });
  strangers = await createDomain();
  await strangers.identity('p2');
  operator = await bed.domain.identity('ann', { kind: 'operator' });
  const ended = { notBeforeMs: Date.now() - 7_200_000, notAfterMs: Date.now() - 3_600_000 };
  expired = await oddIdentity(bed.domain, { uris: ['parley://lab.example/p2'], ...ended }, operator);
  bystander = await bed.local('pe1');
});
after(async () => {
  await bystander?.close();
  await bed?.down();
  await strangers?.remove();
});

/** Waits for a reason in the log and in the audit trail; then the bystander's session must still answer. */
async function refusedAs(reason: RegExp, event: string): Promise<void> {
  const heard = async () =>
    (await bed.audit('pe1')).some((entry) => entry['event'] === event && reason.test(entry['reason'] ?? ''));
  await until(heard, `an audit record ${event} with ${reason}`);
  const lines = bed
    .log('pe1')
    .split('\n')
    .filter((line) => line.includes('"level":"warn"'));
  const logged = lines.some((line) => reason.test((JSON.parse(line) as { readonly reason?: string }).reason ?? ''));
  assert.ok(logged, `no line of the log says ${reason}`);
  const answer = await bystander.callTool('parley-peers', {});
  assert.equal(answer['node'], 'pe1');
}

/** Opens TLS as `identity` and resolves with the socket when it is up, or closed. */
async function openTls(identity: Identity, alpn: string): Promise<TLSSocket> {
  const socket = connectTls({
    host: '127.0.0.1',
    port: bed.portOf('pe1'),
    cert: identity.certPem,
    key: identity.keyPem,
    ca: bed.domain.caPem,
    ALPNProtocols: [alpn],
    checkServerIdentity: () => undefined,
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('secureConnect', () => resolve());
    socket.once('close', () => resolve());
  });
  return socket;
}

async function closed(socket: TLSSocket): Promise<void> {
  socket.resume();
  await until(() => socket.destroyed || socket.readableEnded, 'the agent hangs up');
  socket.destroy();
}

test('an unknown question ends with 2 and names the forms that are known', async () => {
  const socket = ['--socket', bed.socketOf('pe1')];
  const [text, json] = await Promise.all([
    runParley(['ask', 'make', 'me', 'a', 'coffee', ...socket]),
    runParley(['ask', 'make', 'me', 'a', 'coffee', '--json', ...socket]),
  ]);
  assert.equal(text.exitCode, 2);
  assert.match(text.stderr, /expected a question this agent answers/);
  assert.ok(text.stderr.includes('    Why can pe1 not reach p2?\n'), text.stderr);
  assert.equal(json.exitCode, 2);
  const { error } = JSON.parse(json.stdout);
  assert.equal(error.code, 'caller/unknown-intent');
  assert.equal(error.data.forms.length, 5);
});

test('an unknown node ends with 2 and names the nodes that are known', async () => {
  const asked = await runParley(['ask', 'check loss between PE-1 and PE-9', '--json', '--socket', bed.socketOf('pe1')]);
  assert.equal(asked.exitCode, 2, asked.stdout);
  const { error } = JSON.parse(asked.stdout);
  assert.equal(error.code, 'caller/unknown-node');
  assert.match(error.message, /got PE-9/);
  assert.deepEqual(error.data.known, ['pe1', 'p2', 'pe3']);
});

test('a certificate that the operator pinned otherwise is refused, and the node is untrusted [TS-21]', async () => {
  const asked = await runParley(['ask', 'check loss between PE-1 and P-2', '--json', '--socket', bed.socketOf('pe1')]);
  assert.equal(asked.exitCode, 3, asked.stdout + asked.stderr);
  const outcomes: readonly { readonly node: string; readonly status: string; readonly untrusted?: string }[] =
    JSON.parse(asked.stdout).outcomes;
  const ofPeer = outcomes.filter((outcome) => outcome.node === 'p2');
  assert.ok(ofPeer.length >= 2);
  for (const outcome of ofPeer) {
    assert.equal(outcome.status, 'unreachable');
    assert.match(outcome.untrusted ?? '', /^operator pinned p2 to certificate abab/);
  }
});

test('a certificate of another authority is refused [TS-14]', async () => {
  await closed(await openTls(await loadIdentity(join(strangers.dir, 'p2')), 'mcp'));
  await refusedAs(/^certificate is not from this domain's CA$/, 'connection-refused');
});

test('a certificate that has ended is refused [TS-24]', async () => {
  await closed(await openTls(expired, 'mcp'));
  await refusedAs(/^certificate has expired$/, 'connection-refused');
});

test('no certificate at all is refused [TS-14]', async () => {
  const socket = connectTls({
    host: '127.0.0.1',
    port: bed.portOf('pe1'),
    ca: bed.domain.caPem,
    ALPNProtocols: ['mcp'],
    checkServerIdentity: () => undefined,
  });
  socket.on('error', () => {});
  await closed(socket);
  await refusedAs(/^no client certificate$/, 'connection-refused');
});

test('TLS 1.2 is refused [TS-23]', async () => {
  const files = [
    '-cert',
    join(bed.dir, 'ann/chain.pem'),
    '-key',
    join(bed.dir, 'ann/key.pem'),
    '-CAfile',
    join(bed.dir, 'ca/ca.pem'),
  ];
  const client = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${bed.portOf('pe1')}`, '-tls1_2', ...files], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  client.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const exitCode = await new Promise((resolve) => client.once('close', resolve));
  assert.notEqual(exitCode, 0);
  assert.match(said, /protocol version/);
  await refusedAs(/^TLS version below 1\.3$/, 'connection-refused');
});

test('plain HTTP is refused [TS-23]', async () => {
  const socket = connect({ host: '127.0.0.1', port: bed.portOf('pe1') });
  socket.on('error', () => {});
  socket.write('GET /mcp HTTP/1.1\r\nHost: pe1\r\n\r\n');
  socket.resume();
  await until(() => socket.destroyed, 'the agent hangs up');
  await refusedAs(/^plain text on a TLS port$/, 'connection-refused');
});

test("another node's certificate at a node's address is no session with that node [TS-14]", async () => {
  const reach = ['--connect', `127.0.0.1:${bed.portOf('pe1')}`, '--node', 'pe3', '--identity', join(bed.dir, 'ann')];
  const asked = await runParley(['peers', '--json', ...reach]);
  assert.equal(asked.exitCode, 3);
  const { error } = JSON.parse(asked.stdout);
  assert.equal(error.code, 'peer/wrong-identity');
  assert.match(error.message, /expected node pe3 at 127\.0\.0\.1, got node pe1/);
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { experimental: { parley: { node: 'ann', capabilities: [] } } },
    clientInfo: { name: 'raw', version: '1' },
  },
};
const frame = (text: string) => encodeFrame(Buffer.from(text));

test('a frame larger than 1 MiB is refused before it has arrived [NET-14]', async () => {
  const socket = await openTls(operator, 'mcp');
  socket.write(frame(JSON.stringify(INITIALIZE)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(1_048_577);
  socket.write(length);
  await closed(socket);
  await refusedAs(/^expected a frame of 1 to 1048576 bytes, got 1048577$/, 'refused');
});

test('JSON that is nested too deeply is refused [NET-14]', async () => {
  const socket = await openTls(operator, 'mcp');
  socket.write(frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${'['.repeat(70)}${']'.repeat(70)}}`));
  await closed(socket);
  await refusedAs(/^expected nesting of at most 64, got deeper$/, 'refused');
});

test('a frame that ends before its length is refused [NET-14]', async () => {
  const socket = await openTls(operator, 'mcp');
  socket.write(frame(JSON.stringify(INITIALIZE)));
  socket.end(Buffer.concat([Buffer.from([0, 0, 1, 0]), Buffer.from('{"jsonrpc"')]));
  await closed(socket);
  await refusedAs(/^expected a whole frame, got the end of the stream$/, 'refused');
});

test('a body larger than 1 MiB and a deeply nested one are refused over HTTP', async () => {
  const [large, deep] = await Promise.all([
    post('/mcp', ' '.repeat(1_048_577)),
    post('/mcp', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`),
  ]);
  assert.match(large, /^HTTP\/1\.1 413 /);
  assert.match(deep, /^HTTP\/1\.1 400 /);
  await refusedAs(/^expected a body of at most 1048576 bytes, got more$/, 'refused');
});

/** The head of the answer. */
async function post(path: string, body: string): Promise<string> {
  const socket = await openTls(operator, 'http/1.1');
  const head = `POST ${path} HTTP/1.1\r\nHost: pe1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.write(head + body);
  await until(() => answer.includes('\r\n') || socket.destroyed, 'an answer');
  socket.destroy();
  return answer;
}

test('a capability that is allowed and not offered is told at the start [TS-14a]', () => {
  const lines = bed.log('p2').split('\n');
  const told = lines.find((line) => line.includes('peers.allow names capabilities that this node does not have'));
  assert.deepEqual(JSON.parse(told ?? '{}').unknown, ['parley-pears']);
});

test('a second agent for the same node says why it cannot start, and ends', async () => {
  const second = await runParley(['agent', '--config', bed.configOf('pe1'), '--json']);
  assert.equal(second.exitCode, 3, second.stdout + second.stderr);
  assert.equal(JSON.parse(second.stdout).error.code, 'us/cannot-listen');
});

test('after all of it the agent is the same process, and its audit trail is whole [TS-31]', async () => {
  assert.equal(bed.processOf('pe1').exitCode, null);
  const verified = await runParley(['audit', 'verify', bed.auditOf('pe1'), '--json']);
  assert.equal(verified.exitCode, 0, verified.stdout);
  assert.ok(JSON.parse(verified.stdout).records > 20);
  assert.equal(bystander.closed, false);
});
