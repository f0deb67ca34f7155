// Trust lists: only the domain's CA makes one, none replaces a newer one, and what they revoke is revoked. Attacks by registrars, operators and
// thieves of old lists.
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decodePem } from '#codec/pem.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { revoke } from '#mtls/revocation/publish.ts';
import { openTrustList, sealTrustList } from '#mtls/revocation/trust-list.ts';
import { createDomain, systemClock } from '../domain.ts';
import { type ListBed, upLists } from './list-bed.ts';

let bed: ListBed;
let dir: string;
before(async () => {
  bed = await upLists();
  dir = await mkdtemp(join(tmpdir(), 'parley-lists-'));
});
after(async () => {
  await bed?.domain.remove();
  await rm(dir, { recursive: true, force: true });
});

const AT = '2026-11-24T12:00:00.000Z';
const content = (number: number, anchor: Uint8Array, domain = 'lab.example') => ({
  ...{ domain, number, issued: AT, anchors: [Buffer.from(anchor).toString('base64')] },
  revoked: [{ party: 'node/pe1', before: AT, reason: 'x', at: AT }],
});

async function signerOf(folder: string, cert: string, key: string) {
  const der = decodePem(await readFile(join(folder, cert), 'utf8'), 'CERTIFICATE');
  assert.ok(der.ok);
  return { der: der.value, privateKey: createPrivateKey(await readFile(join(folder, key), 'utf8')) };
}
const rootOf = (folder: string) => signerOf(folder, 'ca.pem', 'ca-key.pem');

test('lists are numbered by the CA, one after the other, and each has what the one before had [TS-24]', async () => {
  const first = await bed.revoke('node/pe7');
  const second = await bed.revoke('operator/alice');
  assert.equal(second.number, first.number + 1);
  assert.deepEqual(
    second.revoked.map((each) => ('party' in each ? each.party : each.serial)),
    ['node/pe7', 'operator/alice'],
  );
  const again = await bed.revoke('node/pe7');
  assert.equal(again.revoked.length, 2, 'a party is named once, by the latest time');
});

test('an old list that is replayed replaces no newer one, also after a restart [TS-24]', async () => {
  const [older, newer] = [await bed.revoke('node/pe7'), await bed.revoke('node/pe8')];
  const path = join(dir, 'kept.json');
  const node = await bed.node(path);
  assert.equal((await node.kept.takeUp(newer.text)).outcome, 'taken');
  assert.equal((await node.kept.takeUp(older.text)).outcome, 'older');
  assert.equal((await node.kept.takeUp(newer.text)).outcome, 'same');
  const restarted = await bed.node(path);
  assert.equal(restarted.kept.current?.number, newer.number);
  assert.equal((await restarted.kept.takeUp(older.text)).outcome, 'older');
});

test('a list that a registrar, an operator or another domain signed is refused [TS-24]', async () => {
  const registrar = join(dir, 'registrar');
  await makeRegistrar({ dir: bed.ca, name: 'r1', out: registrar, clock: systemClock });
  await bed.domain.identity('mallory', { kind: 'operator', role: 'admin' });
  const foreign = await createDomain();
  const root = await rootOf(bed.ca);
  const forgers = [
    await signerOf(registrar, 'chain.pem', 'ca-key.pem'),
    await signerOf(join(bed.domain.dir, 'mallory'), 'chain.pem', 'key.pem'),
    await rootOf(join(foreign.dir, 'ca')),
  ];
  const node = await bed.node();
  for (const forger of forgers) {
    // Under its own name as a CA of the domain, and in the name of the CA that there is.
    for (const named of [forger.der, root.der]) {
      const taken = await node.kept.takeUp(sealTrustList(content(99, named), [forger]));
      assert.equal(taken.outcome, 'refused');
    }
    const asRoot = sealTrustList(content(99, root.der), [{ ...forger, der: root.der }]);
    const taken = await node.kept.takeUp(asRoot);
    assert.deepEqual([taken.outcome, 'reason' in taken && /invalid one/.test(taken.reason)], ['refused', true]);
  }
  const other = await node.kept.takeUp(sealTrustList(content(99, root.der, 'other.example'), [root]));
  assert.match('reason' in other ? other.reason : '', /one of other\.example/);
  assert.equal(node.kept.current, undefined);
  await foreign.remove();
});

test('a list in which a byte was changed is refused, wherever the byte is', async () => {
  const { text } = await bed.revoke('node/pe9');
  const envelope = JSON.parse(text);
  const payload = Buffer.from(envelope.payload, 'base64');
  for (let at = 0; at < payload.length; at += 7) {
    const changed = Buffer.from(payload);
    changed[at]! ^= 1;
    const opened = openTrustList(
      JSON.stringify({ ...envelope, payload: changed.toString('base64') }),
      bed.domain.caPem,
      'lab.example',
    );
    assert.equal(opened.ok, false, `byte ${at}`);
  }
});

test('two lists of one number are told apart, and the first stays', async () => {
  const root = await rootOf(bed.ca);
  const node = await bed.node();
  await node.kept.takeUp(sealTrustList(content(7, root.der), [root]));
  assert.equal((await node.kept.takeUp(sealTrustList(content(7, root.der), [root]))).outcome, 'same');
  const other = sealTrustList({ ...content(7, root.der), revoked: [] }, [root]);
  assert.equal((await node.kept.takeUp(other)).outcome, 'forked');
  assert.equal(node.kept.current?.revoked.length, 1);
});

test('a list of the far future is not taken: it would shut out all that follow', async () => {
  const root = await rootOf(bed.ca);
  const node = await bed.node();
  const issued = '2099-01-01T00:00:00.000Z';
  const taken = await node.kept.takeUp(sealTrustList({ ...content(8, root.der), issued }, [root]));
  assert.match('reason' in taken ? taken.reason : '', /is of 2099.*set the clock/);
});

test('revoking a registrar revokes what it certified; one certificate is revoked by its serial number [TS-24]', async () => {
  const { registrarDir, one, two } = await certifiedByRegistrar();
  const node = await bed.node();
  const list = await bed.revoke('registrar/r2');
  assert.equal((await node.kept.takeUp(list.text)).outcome, 'taken');
  assert.match(node.kept.denied(one.chain) ?? '', /^certificate of registrar\/r2 was revoked on .*: stolen$/);
  const direct = await bed.domain.identity('direct');
  assert.equal(node.kept.denied(direct.chain), undefined);
  const bySerial = await revoke({
    ...{ dir: bed.ca, target: { serial: two.serial }, reason: 'wrong name', clock: systemClock },
  });
  const other = await bed.node();
  await other.kept.takeUp(bySerial.text);
  assert.match(other.kept.denied(two.chain.slice(0, 1)) ?? '', /wrong name/);
  assert.equal(other.kept.denied(one.chain.slice(0, 1)), undefined);
  assert.ok(registrarDir);
});

async function certifiedByRegistrar() {
  const { issueFromRegistrar, openRegistrarCa } = await import('#mtls/enrol/registrar-ca.ts');
  const { generateKeyPairSync } = await import('node:crypto');
  const { generateSigningKey } = await import('#sign/signer.ts');
  const { systemRandom } = await import('#base/random.ts');
  const registrarDir = join(dir, 'r2');
  await makeRegistrar({ dir: bed.ca, name: 'r2', out: registrarDir, clock: systemClock });
  const ca = await openRegistrarCa(registrarDir);
  const issue = (name: string) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = { publicKey, signingKey: generateSigningKey().publicKeyRaw };
    return issueFromRegistrar(ca, { kind: 'node', name, ...keys, nowMs: systemClock.nowMs() }, systemRandom);
  };
  return { registrarDir, one: issue('leaf-1'), two: issue('leaf-2') };
}

test('a kept list that was changed on disk does not count, and the next one is taken', async () => {
  const path = join(dir, 'damaged.json');
  const node = await bed.node(path);
  await node.kept.takeUp((await bed.revoke('node/pe1')).text);
  await writeFile(path, '{"payload":"AAAA"}');
  const restarted = await bed.node(path);
  assert.equal(restarted.kept.current, undefined);
  assert.deepEqual(restarted.faults, ['the kept trust list does not verify, and does not count']);
  assert.equal((await restarted.kept.takeUp((await bed.revoke('node/pe1')).text)).outcome, 'taken');
});

test('a full list says so, and forgets what is old when it is told to', async () => {
  const other = await upLists();
  const old = { nowMs: () => systemClock.nowMs() - 400 * 86_400_000 };
  const root = await rootOf(other.ca);
  const many = Array.from({ length: 1_024 }, (_, index) => ({
    ...{ party: `node/n-${index}`, before: AT, reason: 'x', at: new Date(old.nowMs()).toISOString() },
  }));
  await writeFile(join(other.ca, 'trust-list.json'), sealTrustList({ ...content(1, root.der), revoked: many }, [root]));
  await assert.rejects(other.revoke('node/late'), { code: 'caller/trust-list-full', message: /--forget DAYS/ });
  const forgetting = (forgetDays: number) =>
    revoke({ dir: other.ca, target: { party: 'node/late' }, reason: 'x', clock: systemClock, forgetDays });
  await assert.rejects(forgetting(365), { code: 'caller/bad-revocation', message: /would count again/ });
  const list = await forgetting(366);
  assert.deepEqual([list.revoked.length, list.number], [1, 2]);
  await other.domain.remove();
});
