// A report whose parties have real certificates of a real domain CA, all made in memory for this test.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { assembleReport } from '#report/assemble.ts';
import { sealReport } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { createSigner } from '#sign/signer.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { type FakeParty, fakeExchange } from '../fakes/signed-exchange.ts';
import { evidenceOf, fileOf, reportParts } from './fixture.ts';

const clock = createFakeClock();

async function partiesOf(
  dir: string,
  names: readonly string[],
): Promise<{ readonly caPem: string; readonly parties: readonly FakeParty[] }> {
  const ca = join(dir, 'ca');
  const { caPem } = await initAuthority({ dir: ca, domain: 'lab.example', clock });
  const parties: FakeParty[] = [];
  for (const name of names) {
    const out = join(dir, name);
    await issueCertificate({ dir: ca, kind: 'node', name, out, clock });
    const { party, chain, signingKey } = await loadIdentity(out, clock);
    let nonce = 0;
    const nonces = { boot: '1-0011223344556677', next: () => String(++nonce) };
    parties.push({ party, chain, signer: createSigner({ node: name, privateKey: signingKey }), nonces });
  }
  return { caPem, parties };
}

test('verifies under the CA of the domain, not under another, and not after the certificates ended [CARD-6] [TS-24]', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-verify-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const { caPem, parties } = await partiesOf(join(dir, 'one'), ['pe1', 'p2']);
  const [pe1, p2] = parties as readonly [FakeParty, FakeParty];
  const exchange = fakeExchange(pe1, p2, { interfaces: [] });
  const report = assembleReport({
    ...reportParts(),
    creatorChain: pe1.chain,
    outcomes: [exchange.outcome],
    evidence: [evidenceOf(exchange, p2)],
  });
  const file = fileOf(sealReport(report, pe1.signer));
  const verify = (ca: string, atMs?: number) =>
    verifySealedReport(file, {
      verifyChain: (chain, when) => verifyChain(chain, ca, when),
      ...(atMs === undefined ? {} : { atMs }),
    });

  const good = await verify(caPem);
  assert.deepEqual(
    good.checks.filter((each) => !each.ok),
    [],
  );
  assert.equal(good.ok, true);

  const other = await initAuthority({ dir: join(dir, 'two'), domain: 'lab.example', clock });
  assert.deepEqual(
    (await verify(other.caPem)).checks.filter((each) => !each.ok).map((each) => each.part),
    ['creatorChain'],
  );
  const afterTheEnd = await verify(caPem, clock.nowMs() + 8 * 86_400_000);
  assert.deepEqual(
    afterTheEnd.checks.filter((each) => !each.ok).map((each) => each.part),
    ['creatorChain'],
  );
  assert.match(await readFile(join(dir, 'one', 'ca', 'ca.pem'), 'utf8'), /BEGIN CERTIFICATE/);
});
