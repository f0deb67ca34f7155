// A certificate that is put into the identity folder while the agent runs.
import assert from 'node:assert/strict';
import { cp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { AuditRecord } from '#model/ports.ts';
import { issueCertificate } from '#mtls/authority.ts';
import { createIdentityWatch } from '../../../src/agent/identity/identity-watch.ts';
import { createLiveIdentity } from '../../../src/agent/identity/live-identity.ts';
import { endWarningOf } from '../../../src/agent/identity/renewal.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';
import { createDomain, type Domain } from '../../mtls/domain.ts';

const HOUR = 3_600_000;
const clock = createFakeClock({ nowMs: Date.parse('2026-11-26T12:00:00Z') });
let domain: Domain;

before(async () => {
  domain = await createDomain('lab.example', clock);
});
after(() => domain?.remove());

async function bed(name: string) {
  const identity = await domain.identity(name);
  const dir = join(domain.dir, name);
  const live = createLiveIdentity({ dir, identity, clock });
  const said: { readonly level: string; readonly message: string; readonly fields: JsonObject }[] = [];
  const say =
    (level: string) =>
    (message: string, fields: JsonObject = {}) =>
      void said.push({ level, message, fields });
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error'), child: () => log };
  const records: AuditRecord[] = [];
  const watch = createIdentityWatch({
    ...{ config: { identity: { dir } }, live, trust: clock, clock, log },
    record: (record) => void records.push(record),
  });
  const issue = (out: string) =>
    issueCertificate({ dir: join(domain.dir, 'ca'), kind: 'node', name, renew: true, out, clock });
  return { dir, identity, live, said, records, watch, issue };
}

test('an agent that runs takes up a certificate that "parley ca issue --renew" wrote, and records it [TS-24]', async () => {
  const { dir, identity, live, said, records, watch, issue } = await bed('w1');
  await watch.start();
  const { thumbprint } = await issue(dir);
  await until(async () => {
    await clock.advance(2_000);
    return live.current().thumbprint === thumbprint;
  }, 'the agent shows the new certificate');
  await watch.stop();
  assert.deepEqual(
    said.map(({ level, message }) => [level, message]),
    [['info', 'a new certificate was taken up']],
  );
  assert.deepEqual(
    records.map(({ event, detail }) => [event, (detail as JsonObject)['before']]),
    [['own-certificate-renewed', identity.thumbprint]],
  );
});

test('files that are copied one by one are taken once they fit, and those that never do are told once [TS-24]', async () => {
  const { dir, identity, live, said, watch, issue } = await bed('w2');
  const other = join(domain.dir, 'w2-new');
  await cp(dir, other, { recursive: true });
  const { thumbprint } = await issue(other);
  await cp(join(other, 'chain.pem'), join(dir, 'chain.pem'));
  assert.equal(await watch.look(), false);
  assert.equal(live.current().thumbprint, identity.thumbprint);
  assert.deepEqual(said, []);
  await cp(join(other, 'key.pem'), join(dir, 'key.pem'));
  assert.equal(await watch.look(), true);
  assert.equal(live.current().thumbprint, thumbprint);
  await writeFile(join(dir, 'chain.pem'), 'nothing');
  for (let time = 0; time < 12; time++) await watch.look();
  assert.deepEqual(
    said.map(({ message }) => message),
    ['a new certificate was taken up', 'the certificate in the identity folder cannot be used'],
  );
});

test('a certificate of another node, or with another signing key, is not taken up [TS-24]', async () => {
  const { dir, identity, live, said, watch } = await bed('w3');
  await domain.identity('w4');
  await cp(join(domain.dir, 'w4'), dir, { recursive: true });
  assert.equal(await watch.look(), false);
  await rm(dir, { recursive: true });
  await issueCertificate({ dir: join(domain.dir, 'ca'), kind: 'node', name: 'w3', out: dir, clock });
  assert.equal(await watch.look(), false);
  assert.equal(live.current().thumbprint, identity.thumbprint);
  assert.deepEqual(
    said.map(({ fields }) => fields['reason']),
    ['expected node w3 of lab.example, got node w4 of lab.example', 'it has another signing key: restart to use it'],
  );
});

test('a certificate that came between the loading and the start is taken up [TS-24]', async () => {
  const { dir, live, watch, issue } = await bed('w5');
  const { thumbprint } = await issue(dir);
  await watch.start();
  await until(async () => {
    await clock.advance(2_000);
    return live.current().thumbprint === thumbprint;
  }, 'the agent shows the certificate that was there before it watched');
  await watch.stop();
});

test('a certificate that could not be read is taken up when only rights, or the time, have changed [TS-24]', async () => {
  const { dir, live, said, watch, issue } = await bed('w6');
  const key = join(dir, 'key.pem');
  const { thumbprint } = await issue(dir);
  const good = await readFile(key);
  const { atime, mtime } = await stat(key);
  await writeFile(key, Buffer.alloc(good.length, 'x'));
  await utimes(key, atime, mtime);
  for (let time = 0; time < 12; time++) assert.equal(await watch.look(), false);
  // As with a chown, nothing but the time of the change of the file's record tells of it.
  await writeFile(key, good);
  await utimes(key, atime, mtime);
  assert.equal(await watch.look(), true);
  assert.equal(live.current().thumbprint, thumbprint);

  const early = { nowMs: () => clock.nowMs() + HOUR };
  const init = { dir: join(domain.dir, 'ca'), kind: 'node' as const, name: 'w6', renew: true };
  const next = await issueCertificate({ ...init, out: dir, clock: early });
  for (let time = 0; time < 12; time++) assert.equal(await watch.look(), false, 'it is not in force yet');
  await clock.advance(2 * HOUR);
  let looks = 0;
  while (!(await watch.look())) assert.ok(++looks < 60, 'it is looked at again');
  assert.equal(live.current().thumbprint, next.thumbprint);
  const told = said.filter(({ message }) => message.endsWith('cannot be used'));
  assert.equal(told.length, 2, 'each is told once');
});

test('an answer says that the certificate of its node ends, from two days before on [TS-24]', () => {
  const nowMs = clock.nowMs();
  const life = (leftMs: number) => ({ notBeforeMs: nowMs + leftMs - 7 * 24 * HOUR, notAfterMs: nowMs + leftMs });
  assert.equal(endWarningOf(life(49 * HOUR), nowMs, ['r1']), undefined);
  assert.equal(
    endWarningOf(life(23.5 * HOUR), nowMs, ['r1']),
    'The certificate of this node ends in 23 h and was not renewed: see that r1 can be reached, then run "parley renew".',
  );
  assert.match(
    endWarningOf(life(-HOUR), nowMs, [])!,
    /^The certificate of this node has ended, so that other nodes refuse it/,
  );
});
