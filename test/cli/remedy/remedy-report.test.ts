// What a remedy is taken from: reports that a node of the domain has signed, and one finding at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, openReport } from '#cli/remedy/remedy-report.ts';
import { notProvenIn } from '#cli/report/report.ts';
import { assembleReport } from '#report/assemble.ts';
import { sealReport } from '#report/seal.ts';
import { createSigner } from '#sign/signer.ts';
import { type FakeParty, fakeExchange } from '../../fakes/signed-exchange.ts';
import { createDomain } from '../../mtls/domain.ts';
import { evidenceOf, fileOf, reportParts } from '../../report/fixture.ts';

const REMEDY = {
  report: 'urn:one',
  finding: 'mtu_mismatch interface/r2/eth1',
  node: 'r2',
  commit: '00000001-0a0b0c0d',
};
const SAID =
  'that commit 00000001-0a0b0c0d on r2 was a remedy of mtu_mismatch interface/r2/eth1, or was made at all: only the question says so';

test('acts only on what a node of the domain has signed, with a certificate that is in force now [TS-19, TS-24]', async (t) => {
  const [domain, stranger] = [await createDomain(), await createDomain()];
  t.after(() => Promise.all([domain.remove(), stranger.remove()]));
  const fileBy = async ({ identity }: typeof domain) => {
    const { party, chain, signingKey } = await identity('pe1');
    let nonce = 0;
    const nonces = { boot: '1-0011223344556677', next: () => String(++nonce) };
    const pe1: FakeParty = { party, chain, signer: createSigner({ node: 'pe1', privateKey: signingKey }), nonces };
    const exchange = fakeExchange(pe1, pe1, { interfaces: [] });
    const evidence = [evidenceOf(exchange, pe1)];
    const given = reportParts();
    const diagnosis = { ...given.diagnosis, findings: [] };
    const of = { createdMs: Date.now(), creatorChain: chain, outcomes: [exchange.outcome], evidence, diagnosis };
    const parts = { ...given, ...of };
    return fileOf(sealReport(assembleReport(parts), pe1.signer));
  };
  const [ours, theirs] = [await fileBy(domain), await fileBy(stranger)];
  const changed = Buffer.from(ours.toString('latin1').replace(/"payload":"(.)/, '"payload":"f'), 'latin1');
  assert.equal((await openReport(ours, domain.caPem, Date.now())).id, '00000000000074e8');
  const unverified = { code: 'peer/unverified-report' };
  await assert.rejects(openReport(theirs, domain.caPem, Date.now()), unverified);
  await assert.rejects(openReport(changed, domain.caPem, Date.now()), unverified);
  await assert.rejects(openReport(ours, domain.caPem, Date.now() + 3_650 * 86_400_000), unverified);
  assert.equal((await openReport(theirs, undefined, Date.now())).id, '00000000000074e8', 'lends nobody an identity');
});

test('several findings are applied one at a time, by name [TS-19]', () => {
  const [one, two] = [
    { fault: 'mtu_mismatch', resource: 'interface/r2/eth1' },
    { fault: 'bgp_acl_block', resource: 'node/r2' },
  ] as unknown as Parameters<typeof choose>[0];
  const both = [one!, two!];
  assert.deepEqual(choose(both, undefined, false), both);
  assert.deepEqual(choose([one!], undefined, true), [one]);
  assert.deepEqual(choose(both, '2', true), [two]);
  assert.deepEqual(choose(both, 'mtu_mismatch interface/r2/eth1', true), [one]);
  assert.throws(() => choose(both, undefined, true), { code: 'caller/bad-argument' });
  assert.throws(() => choose(both, '3', true), { code: 'caller/no-such-finding' });
});

test('a commit that a report names is its caller’s word, and is shown as that [TS-18]', () => {
  assert.deepEqual(notProvenIn({ kind: 'fault', remedy: REMEDY }), [SAID]);
  assert.deepEqual(notProvenIn({ kind: 'fault' }), []);
});
