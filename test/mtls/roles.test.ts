// Roles in certificates: made by the CA, read from the leaf, refused where they do not belong or are not known.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { issueCertificate } from '#mtls/authority.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { partyOf } from '#mtls/party.ts';
import { createDomain, type Domain, systemClock } from './domain.ts';
import { oddIdentity } from './odd-certificates.ts';

let domain: Domain;
before(async () => {
  domain = await createDomain();
});
after(() => domain.remove());

const leafOf = (identity: { readonly chain: readonly string[] }) => partyOf(Buffer.from(identity.chain[0]!, 'base64'));

test('an operator’s certificate names its role; one without a role names none [NET-16]', async () => {
  for (const role of ['observer', 'operator', 'admin'] as const)
    assert.equal((await domain.identity(`ann-${role}`, { kind: 'operator', role })).party.role, role);
  assert.equal((await domain.identity('ann', { kind: 'operator' })).party.role, undefined);
  assert.equal((await domain.identity('pe1')).party.role, undefined);
});

test('another role is another certificate of the same party, with the same signing key [NET-16]', async () => {
  const first = await domain.identity('bob', { kind: 'operator', role: 'observer' });
  const issue = (role?: 'observer' | 'admin') =>
    issueCertificate({
      dir: join(domain.dir, 'ca'),
      kind: 'operator',
      name: 'bob',
      ...(role === undefined ? {} : { role }),
      out: join(domain.dir, 'bob'),
      clock: systemClock,
    });
  assert.equal((await issue('observer')).outcome, 'exists');
  assert.equal((await issue()).outcome, 'exists');
  assert.equal((await issue('admin')).outcome, 'renewed');
  const second = await loadIdentity(join(domain.dir, 'bob'));
  assert.equal(second.party.role, 'admin');
  assert.equal(second.party.signingKey, first.party.signingKey);
});

test('a node or a controller has no role, and the doors of a machine have no certificate [NET-16]', async () => {
  const init = { dir: join(domain.dir, 'ca'), clock: systemClock };
  for (const kind of ['node', 'controller'] as const) {
    const out = join(domain.dir, `odd-${kind}`);
    await assert.rejects(issueCertificate({ ...init, kind, name: 'x', role: 'admin', out }), {
      code: 'caller/bad-role',
    });
  }
  for (const name of ['local', 'loopback']) {
    const out = join(domain.dir, `door-${name}`);
    await assert.rejects(issueCertificate({ ...init, kind: 'operator', name, out }), { code: 'caller/bad-name' });
  }
});

test('a role that is not known, and a role of a node, are refused with the certificate [NET-16]', async () => {
  const like = await domain.identity('carl', { kind: 'operator', role: 'admin' });
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const odd = (uri: string, role: 'admin', to: string) =>
    oddIdentity(domain, { uris: [uri], role, swap: [`0c05${hex('admin')}`, `0c05${hex(to)}`] }, like);
  assert.deepEqual(leafOf(await odd('parley://lab.example/operator/carl', 'admin', 'godly')), {
    ok: false,
    reason: 'expected the role observer, operator or admin, got another',
  });
  const node = await oddIdentity(domain, { uris: ['parley://lab.example/pe9'], role: 'admin' }, like);
  assert.deepEqual(leafOf(node), {
    ok: false,
    reason: "expected a role in operators' certificates only, got one of another kind",
  });
});
