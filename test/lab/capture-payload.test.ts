// The privileged helper as a process of its own, asked over its socket as a compromised agent would: no payload of a packet leaves it, but
// with an admin's consent that it verifies itself.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isoTime } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { createHelperClient } from '#router/protocol/client.ts';
import { signDecision } from '#sign/decision.ts';
import { createSigner } from '#sign/signer.ts';
import { until } from '../fakes/clock.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';

const NAMESPACE = `hd-${randomBytes(2).toString('hex')}`;
const SECRET = 'patient 4711';
const HELPER = join(import.meta.dirname, '../../src/agent/privileged-helper.ts');

let domain: Domain;
let stop: () => Promise<void> = async () => {};
let capture: (decision?: JsonObject) => Promise<string>;

before(async () => {
  domain = await createDomain();
  execFileSync('ip', ['netns', 'add', NAMESPACE]);
  execFileSync('ip', ['-n', NAMESPACE, 'link', 'set', 'lo', 'up']);
  // Root's own folder, below folders that root alone may change.
  const authority = `/run/${NAMESPACE}`;
  mkdirSync(authority, { mode: 0o755 });
  writeFileSync(join(authority, 'consent.yaml'), 'node: pe1\nconsent: required\n', { mode: 0o644 });
  writeFileSync(join(authority, 'ca.pem'), domain.caPem, { mode: 0o644 });
  const socket = join(domain.dir, 'helper.sock');
  const state = join(domain.dir, 'used');
  const options = ['--socket', socket, '--node', 'pe1', '--authority', authority, '--state', state];
  const program = [process.execPath, '--conditions=parley-source', HELPER, ...options];
  const child = spawn('ip', ['netns', 'exec', NAMESPACE, ...program], { stdio: ['ignore', 'ignore', 'inherit'] });
  stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
    execFileSync('rm', ['-r', authority]);
  };
  await until(() => existsSync(socket), 'the helper listens');
  const client = createHelperClient(socket);
  const request = { ifname: 'lo', filter: { kind: 'udp-port', port: 5353 }, packetCount: 1, timeoutMs: 5_000 };
  const send = () =>
    execFileSync('ip', ['netns', 'exec', NAMESPACE, 'bash', '-c', `echo '${SECRET}' > /dev/udp/127.0.0.1/5353`]);
  capture = async (decision) => {
    const onEvent = (event: string) => void (event === 'listening' && send());
    const asked = decision === undefined ? request : { ...request, decision };
    const { pcap, packets } = (await client.call('capture', asked, { onEvent, timeoutMs: 20_000 })) as JsonObject;
    assert.equal(packets, 1);
    return Buffer.from(String(pcap), 'base64').toString('latin1');
  };
});
after(async () => {
  await stop();
  execFileSync('ip', ['netns', 'del', NAMESPACE]);
  await domain.remove();
});

async function signed(name: string, role: 'admin' | 'operator', over: JsonObject = {}): Promise<JsonObject> {
  const { party, signingKey, chain } = await domain.identity(name, { kind: 'operator', role });
  const args = { interface: 'lo', protocol: 'udp', port: 5353, count: 1, payload: true, ...over };
  const expires = isoTime(Date.now() + 60_000);
  const consent = { id: `c-${name}-${Object.keys(over)}`, node: 'pe1', tool: 'tcpdump', arguments: args, expires };
  const signer = createSigner({ node: party.name, privateKey: signingKey });
  return signDecision({ signer, chain, decision: 'approve', consent, nowMs: Date.now() }) as unknown as JsonObject;
}

test('no payload leaves the privileged helper but with a consent that it verifies itself [TS-32, TS-28]', async () => {
  const headers = await capture();
  assert.doesNotMatch(headers, /patient/);
  assert.ok(headers.length > 24 + 16);
  await assert.rejects(capture(await signed('olaf', 'operator')), { code: 'caller/not-approver' });
  await assert.rejects(capture(await signed('amy', 'admin', { interface: 'eth1' })), { code: 'caller/bad-consent' });
  await assert.rejects(capture({}), { code: 'caller/bad-consent' });
  const agreed = await signed('ann', 'admin');
  assert.match(await capture(agreed), new RegExp(SECRET));
  await assert.rejects(capture(agreed), { code: 'caller/bad-consent' });
});
