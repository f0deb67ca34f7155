// What "parley ca issue" takes from a folder that is another user's.
import assert from 'node:assert/strict';
import { copyFile, cp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { initAuthority } from '#mtls/authority.ts';
import { ca, clock, DAY_MS, dir, issue, NOW_MS } from './authority-bed.ts';

test('a role and names in a folder count only by a certificate of this CA [TS-24]', async () => {
  const [foreign, out] = [join(dir, 'foreign'), join(dir, 'mallory')];
  await initAuthority({ dir: foreign, domain: 'lab.example', clock });
  await issue('mallory', { kind: 'operator' });
  const forged = join(dir, 'forged');
  await issue('mallory', { dir: foreign, kind: 'operator', role: 'admin', dnsNames: ['bank.example'], out: forged });
  await cp(forged, out, { recursive: true });
  const refusal = {
    code: 'caller/identity-exists',
    message: /by this CA or nothing .*: choose another folder, or move/,
  };
  for (const renew of [true, false])
    await assert.rejects(issue('mallory', { kind: 'operator', renew }), refusal, `${renew}`);
  const later = { nowMs: () => NOW_MS + 8 * DAY_MS };
  await assert.rejects(issue('mallory', { kind: 'operator', clock: later }), refusal, 'ended');
  const register = JSON.parse(await readFile(join(ca, 'register.json'), 'utf8'));
  await rm(out, { recursive: true });
  assert.equal((await issue('mallory', { kind: 'operator' })).party.role, undefined);
  assert.ok(register.issued['operator/mallory'], 'nothing was issued meanwhile');
});

test('an earlier certificate that is put back gives no role back [TS-24]', async () => {
  const [out, aside] = [join(dir, 'nina'), join(dir, 'nina-admin')];
  await issue('nina', { kind: 'operator', role: 'admin' });
  await cp(out, aside, { recursive: true });
  await issue('nina', { kind: 'operator', role: 'observer' });
  await cp(aside, out, { recursive: true });
  await assert.rejects(issue('nina', { kind: 'operator', renew: true }), {
    code: 'caller/bad-role',
    message: /is not the last one that this CA issued to nina, .* --role/,
  });
  const said = await issue('nina', { kind: 'operator', renew: true, role: 'observer' });
  assert.equal(said.party.role, 'observer');
});

test('a signing key is kept where the certificate binds it, and none is read through a link [TS-24]', async () => {
  await issue('root-admin', { kind: 'operator', role: 'admin' });
  const admins = join(dir, 'root-admin', 'signing-key.pem');
  const [key, chain] = ['signing-key.pem', 'chain.pem'].map((file) => join(dir, 'eve', file)) as [string, string];
  const renewed = () => issue('eve', { kind: 'operator', renew: true });
  await issue('eve', { kind: 'operator' });
  await rm(key);
  await symlink(admins, key);
  const refused = (message: RegExp) => ({ code: 'caller/identity-exists', message });
  await assert.rejects(renewed(), refused(/signing-key\.pem as a file that its owner can read .*ELOOP/));
  await rm(key);
  await copyFile(admins, key);
  await assert.rejects(renewed(), refused(/expected the key that the certificate binds in signing-key\.pem/));
  await rm(key);
  assert.equal((await renewed()).outcome, 'renewed', 'without one it gets another');
  await cp(chain, join(dir, 'eve-chain.pem'));
  await rm(chain);
  await symlink(join(dir, 'eve-chain.pem'), chain);
  await assert.rejects(renewed(), refused(/chain\.pem as a file/));
});

test('what is read in an identity folder is read as its owner', async () => {
  await issue('owned');
  let [depth, runs] = [0, 0];
  const asOwner = async <Value>(work: () => Promise<Value>) => {
    [depth, runs] = [depth + 1, runs + 1];
    // What only this makes readable is found.
    await cp(join(dir, 'owned-away'), join(dir, 'owned'), { recursive: true });
    try {
      return await work();
    } finally {
      depth -= 1;
      await rm(join(dir, 'owned'), { recursive: true });
    }
  };
  await cp(join(dir, 'owned'), join(dir, 'owned-away'), { recursive: true });
  await rm(join(dir, 'owned'), { recursive: true });
  assert.equal((await issue('owned', { asOwner })).outcome, 'exists');
  assert.deepEqual([depth, runs], [0, 1]);
});
