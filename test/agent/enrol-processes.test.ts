// Enrolment as an operator does it: an agent that is a registrar, codes and certificates from the command line, each in its own process.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { loadIdentity } from '#mtls/identity.ts';
import { registrarCheck } from '../../src/cli/doctor/registrar.ts';
import { until } from '../fakes/clock.ts';
import { freePort } from '../free-port.ts';
import { dialTo } from '../mtls/domain.ts';
import { type AgentBed, type Ended, runParley, upAgents } from './agent-bed.ts';

let bed: AgentBed;
let port: number;
let kept: string;
let dir: string;
const at = (...path: string[]) => join(bed.dir, ...path);
const json = ({ stdout }: Ended) => JSON.parse(stdout);

before(async () => {
  port = await freePort();
  kept = await mkdtemp(join(tmpdir(), 'parley-registrar-'));
  dir = join(kept, 'registrar');
  // The folder is not there yet: the agent says so, and goes on without it.
  bed = await upAgents(['pe1'], { pe1: { registrar: { dir, host: '127.0.0.1', port } } });
  const made = await runParley(['ca', 'registrar', 'pe1', '--dir', at('ca'), '--out', dir, '--operators']);
  assert.equal(made.exitCode, 0, made.stderr);
});
after(async () => {
  await bed?.down();
  await rm(kept, { recursive: true, force: true });
});

async function code(...options: string[]): Promise<string> {
  const made = await runParley(['registrar', 'code', '--dir', dir, '--json', ...options]);
  assert.equal(made.exitCode, 0, made.stdout);
  await until(() => bed.log('pe1').includes('enrolment port opened'), 'the enrolment port is open');
  return json(made).codes[0].code;
}

const enrol = (node: string, ...options: string[]) =>
  runParley(['enrol', '--registrar', `127.0.0.1:${port}`, '--node', node, '--out', at(node), '--json', ...options]);

test('a node enrols with a code, and then talks to the agents of the domain [TS-24]', async () => {
  const refused = await enrol('leaf-1', '--code', 'AAAAA-AAAAA-AAAAA');
  assert.equal(json(refused).error.code, 'caller/bad-code');
  const closed = await enrol('leaf-1', '--code', '00000-00000-00000');
  assert.equal(json(closed).error.code, 'peer/unreachable');
  assert.match(json(closed).error.message, /listens only while a code of it waits/);

  const enrolled = await enrol('leaf-1', '--code', await code('--node', 'leaf-1'));
  assert.equal(enrolled.exitCode, 0, enrolled.stdout);
  assert.equal(json(enrolled).outcome, 'enrolled');
  const { party } = await dialTo({ port: bed.portOf('pe1') }, await loadIdentity(at('leaf-1')), {
    expectedNode: 'pe1',
  });
  assert.equal(party.name, 'pe1');
  const records = await bed.audit('pe1');
  assert.deepEqual(
    records.filter(({ event }) => event === 'certificate-issued').map((record) => record['party']),
    ['node/leaf-1'],
  );
  assert.equal(json(await enrol('leaf-1', '--code', '00000-00000-00000')).outcome, 'exists');
});

test('codes of another node, and used ones, are refused with what is wrong', async () => {
  const text = await code('--node', 'leaf-2', '--serial', 'SN 2');
  const other = await enrol('leaf-3', '--code', text);
  assert.equal(other.exitCode, 4);
  assert.match(json(other).error.message, /code \w{5} is for node leaf-2, asked for node leaf-3/);
  const device = await enrol('leaf-2', '--code', text, '--serial', 'SN 3');
  assert.match(json(device).error.message, /another serial number, this one stated SN 3/);
  await writeFile(at('code'), `${text.toLowerCase()}\n`, { mode: 0o600 });
  const right = await enrol('leaf-2', '--code-file', at('code'), '--serial', 'SN 2');
  assert.equal(right.exitCode, 0, right.stdout);
  const again = await runParley([
    ...['enrol', '--registrar', `127.0.0.1:${port}`, '--node', 'leaf-2', '--serial', 'SN 2', '--code', text],
    ...['--out', at('thief'), '--json'],
  ]);
  assert.match(json(again).error.message, /was used at .* with another key/);
  const listed = json(await runParley(['registrar', 'list', '--dir', dir, '--json'])).codes;
  assert.deepEqual(
    listed.map((each: { name: string; status: string }) => [each.name, each.status]),
    [
      ['leaf-1', 'used'],
      ['leaf-2', 'used'],
    ],
  );
  const refused = (await bed.audit('pe1')).filter(({ event }) => event === 'enrolment-refused');
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    ['enrolment: other-name', 'enrolment: other-serial', 'enrolment: used'],
  );
});

test('an operator gets a certificate and the file for the browser in one command [TS-24]', async () => {
  const text = await code('--operator', 'alice', '--role', 'admin');
  const made = await runParley([
    ...[
      'operator',
      'enrol',
      'alice',
      '--registrar',
      `127.0.0.1:${port}`,
      '--code',
      text,
      '--out',
      at('alice'),
      '--json',
    ],
  ]);
  assert.equal(made.exitCode, 0, made.stdout);
  const { file, password, role } = json(made);
  assert.equal(role, 'admin');
  const pfx = await readFile(file);
  createSecureContext({ pfx, passphrase: password });
  assert.throws(() => createSecureContext({ pfx, passphrase: 'another' }), /mac verify failure/i);
  const identity = await loadIdentity(at('alice'));
  assert.equal(identity.party.role, 'admin');
  await dialTo({ port: bed.portOf('pe1') }, identity, { expectedNode: 'pe1' });
});

test('doctor looks at the registrar of its node', async () => {
  const said = await runParley(['doctor', '--config', bed.configOf('pe1'), '--json']);
  const { detail } = json(said).checks.find(({ name }: { name: string }) => name === 'registrar');
  assert.match(detail, /^certifies nodes and operators, valid until 20\S+, codes that wait: 0$/);
  const now = Date.now();
  const day = 86_400_000;
  await assert.rejects(registrarCheck(dir, 'other.example', now), /of other\.example in .*, got one of lab\.example/);
  await assert.rejects(registrarCheck(dir, 'lab.example', now + 352 * day), /parley ca registrar/);
  await assert.rejects(registrarCheck(at('none'), 'lab.example', now), { code: 'caller/no-registrar' });
});

test('a machine without a network to the registrar enrols by two files whose fingerprints are compared', async () => {
  const asked = await runParley(['enrol', '--request', at('q'), '--node', 'far-1', '--out', at('far-1'), '--json']);
  assert.equal(asked.exitCode, 0, asked.stdout);
  const sign = (...more: string[]) =>
    runParley(['registrar', 'sign', at('q'), '--dir', dir, '--out', at('a'), '--json', ...more]);
  assert.equal(json(await sign()).error.code, 'caller/fingerprint');
  assert.equal(json(await sign('--fingerprint', 'aaaaa-aaaaa-aaaaa-aaaaa')).error.code, 'caller/fingerprint');
  const signed = await sign('--fingerprint', json(asked).fingerprint, '--dns', 'far-1.lab.example');
  assert.equal(signed.exitCode, 0, signed.stdout);
  const install = (...more: string[]) =>
    runParley(['enrol', '--install', at('a'), '--node', 'far-1', '--out', at('far-1'), '--json', ...more]);
  assert.equal(json(await install()).error.code, 'caller/fingerprint');
  const installed = await install('--fingerprint', json(signed).fingerprint);
  assert.equal(installed.exitCode, 0, installed.stdout);
  const identity = await loadIdentity(at('far-1'));
  assert.equal(identity.party.name, 'far-1');
  assert.match(new X509Certificate(identity.certPem).subjectAltName ?? '', /DNS:far-1\.lab\.example/);
  assert.equal(json(await install('--fingerprint', json(signed).fingerprint)).error.code, 'caller/no-pending');
});
