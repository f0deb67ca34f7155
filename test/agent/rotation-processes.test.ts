// Rotation as an operator sees it: agents as processes, one of them a registrar, real TLS between them.
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadIdentity } from '#mtls/identity.ts';
import { sealTrustList } from '#mtls/revocation/trust-list.ts';
import { until } from '../fakes/clock.ts';
import { closed, dialTo, receive } from '../mtls/domain.ts';
import { type AgentBed, type Ended, runParley, upAgents } from './agent-bed.ts';

let bed: AgentBed;
let kept: string;
let dir: string;
const at = (...path: string[]) => join(bed.dir, ...path);
const json = ({ stdout }: Ended) => JSON.parse(stdout);
const socket = (node: 'pe1' | 'p2' | 'pe3') => ['--socket', bed.socketOf(node), '--json'];

before(async () => {
  kept = await mkdtemp(join(tmpdir(), 'parley-rotation-'));
  dir = join(kept, 'registrar');
  const renewal = { registrars: ['pe1'] };
  const trustList = { file: join(kept, 'trust-list.json') };
  const none = { file: join(kept, 'none.json') };
  bed = await upAgents(['pe1', 'p2', 'pe3'], {
    pe1: { registrar: { dir }, trustList: none },
    p2: { renewal, trustList },
    pe3: { renewal, trustList: none },
  });
  const made = await runParley(['ca', 'registrar', 'pe1', '--dir', at('ca'), '--out', dir, '--operators']);
  assert.equal(made.exitCode, 0, made.stderr);
});
after(async () => {
  await bed?.down();
  await rm(kept, { recursive: true, force: true });
});

test('a node renews its certificate by hand at its registrar, and talks on with it [TS-24]', async () => {
  const was = json(await runParley(['identity', ...socket('p2')]));
  assert.deepEqual([was.party, was.state, was.renewal.registrars], ['node/p2', 'in force', ['pe1']]);
  const renewed = await runParley(['renew', ...socket('p2')]);
  assert.equal(renewed.exitCode, 0, renewed.stdout);
  const now = json(renewed);
  assert.notEqual(now.certificate, was.certificate);
  const { subject, serialNumber } = new X509Certificate(await readFile(join(bed.dir, 'p2', 'chain.pem')));
  assert.equal(subject, 'CN=p2');
  const record = JSON.parse(await readFile(join(dir, 'issued', 'node.p2.json'), 'utf8'));
  assert.deepEqual([record.serial, record.renewal.count], [serialNumber.toLowerCase(), 1]);
  const renewals = (await bed.audit('pe1')).filter(({ event }) => event === 'certificate-renewed');
  assert.deepEqual(
    renewals.map(({ party }) => party),
    ['node/p2'],
  );
  // Peers see the new one.
  const { party } = await dialTo({ port: bed.portOf('p2') }, await bed.domain.identity('pe3'), { expectedNode: 'p2' });
  assert.equal(party.thumbprint, now.certificate);
});

test('without its registrar a node says why it was not renewed, and goes on [TS-24]', async () => {
  const refused = await runParley(['renew', ...socket('pe1')]);
  assert.equal(json(refused).error.code, 'us/not-renewed', refused.stdout);
  assert.match(json(refused).error.message, /no registrar is known/);
  const { renewal } = json(await runParley(['identity', ...socket('pe1')]));
  assert.deepEqual(renewal.registrars, []);
});

test('a node that is revoked is cut by every node, by a list that one of them was given [TS-24]', async () => {
  const p2 = await loadIdentity(join(bed.dir, 'p2'));
  const session = await dialTo({ port: bed.portOf('pe1') }, p2, { expectedNode: 'pe1' });
  // What is left unread would keep the end of the connection from being seen.
  session.socket.resume();
  const list = join(kept, 'trust-list.json');
  const revoked = await runParley([
    ...['ca', 'revoke', 'p2', '--reason', 'stolen', '--dir', at('ca'), '--out', join(kept, 'new.json'), '--json'],
  ]);
  assert.equal(revoked.exitCode, 0, revoked.stdout);
  assert.deepEqual([json(revoked).revoked, json(revoked).number], ['node/p2', 1]);
  const older = await readFile(join(kept, 'new.json'));
  const handed = await runParley(['trust-list', join(kept, 'new.json'), ...socket('pe3')]);
  assert.deepEqual([json(handed).outcome, json(handed).number], ['taken', 1]);
  // pe1 has it from pe3.
  await until(() => session.socket.destroyed, 'pe1 has cut p2');
  await assert.rejects(
    dialTo({ port: bed.portOf('pe1') }, p2, { expectedNode: 'pe1' }).then(({ socket }) => receive(socket, 1)),
    /closed after 0 of 1 bytes|ECONNRESET/,
  );
  const refused = async (node: 'pe1' | 'pe3') =>
    (await bed.audit(node)).some(
      ({ event, reason = '' }) => event === 'connection-refused' && /revoked on/.test(reason),
    );
  await until(() => refused('pe1'), 'the refusal is recorded');
  // p2 itself knows by the file.
  await writeFile(list, older);
  await until(() => bed.log('p2').includes('is revoked'), 'p2 knows that it is revoked');
  assert.equal(json(await runParley(['identity', ...socket('p2')])).state, 'revoked');
  const doctor = json(await runParley(['doctor', '--config', bed.configOf('p2'), '--json']));
  const check = doctor.checks.find(({ name }: { name: string }) => name === 'identity');
  assert.match(check.detail, /revoked on .*: stolen/);

  // A newer list, and then the old one again: by file and by hand.
  const second = await runParley([
    ...['ca', 'revoke', 'operator/mallory', '--reason', 'left', '--dir', at('ca'), '--json'],
  ]);
  assert.equal(json(second).number, 2);
  const newer = join(bed.dir, 'ca', 'trust-list.json');
  assert.equal(json(await runParley(['trust-list', newer, ...socket('pe1')])).outcome, 'taken');
  const replayed = await runParley(['trust-list', join(kept, 'new.json'), ...socket('pe1')]);
  assert.deepEqual([json(replayed).outcome, json(replayed).number], ['older', 2]);
});

test('a list that a registrar signed is refused, and recorded [TS-24]', async () => {
  const key = createPrivateKey(await readFile(join(dir, 'ca-key.pem')));
  const [der] = [new X509Certificate(await readFile(join(dir, 'chain.pem'))).raw];
  const content = {
    domain: 'lab.example',
    number: 9,
    issued: new Date().toISOString(),
    anchors: [der.toString('base64')],
  };
  const entry = { party: 'node/pe3', before: new Date().toISOString(), reason: 'x', at: new Date().toISOString() };
  const forged = join(kept, 'forged.json');
  await writeFile(forged, sealTrustList({ ...content, revoked: [entry] }, [{ der, privateKey: key }]));
  const handed = await runParley(['trust-list', forged, ...socket('pe1')]);
  assert.equal(handed.exitCode, 5, handed.stdout);
  assert.match(json(handed).reason, /another certificate|signature of the domain's CA/);
  const records = await bed.audit('pe1');
  assert.ok(records.some(({ event }) => event === 'trust-list-refused'));
});

test('a clock that was set back brings nothing back that has ended, and is said [TS-24]', async () => {
  // As after two hours of which the clock then knows nothing.
  assert.equal(await bed.stop('pe3'), 0);
  const seen = new Date(Date.now() + 7_200_000).toISOString();
  await writeFile(join(bed.dir, 'run-pe3/state/clock-floor'), `${seen}\n`);
  await bed.start('pe3');
  assert.match(bed.log('pe3'), /the clock of this machine is behind a time that this node has seen: set it/);
  const { clock, trustList } = json(await runParley(['identity', ...socket('pe3')]));
  assert.ok(clock.behindSeconds > 7_000, `${clock.behindSeconds}`);
  assert.ok(trustList.number >= 1, 'the list is there after a restart');
  const doctor = json(await runParley(['doctor', '--config', bed.configOf('pe3'), '--json']));
  const check = doctor.checks.find(({ name }: { name: string }) => name === 'identity');
  assert.match(check.detail, /the clock of this machine says .* and this node has seen .*: set the clock/);
  const brief = await bed.domain.identity('brief', { lifetimeMs: 3_600_000 });
  const { socket: session } = await dialTo({ port: bed.portOf('pe3') }, brief, { expectedNode: 'pe3' });
  session.resume();
  await closed(session);
  const ended = async () =>
    (await bed.audit('pe3')).some(
      ({ event, reason = '' }) => event === 'connection-refused' && /certificate of brief ended at/.test(reason),
    );
  await until(ended, 'the refusal is recorded');
});
