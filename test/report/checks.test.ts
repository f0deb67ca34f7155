// The lines of a verification, the second opinion, and reading a file that nothing vouches for.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { checkOf, failedCheck, passed } from '#report/check.ts';
import { boundKeyOf, reportDigest } from '#report/countersign.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { sealReport } from '#report/seal.ts';
import { secondOpinion } from '#report/second-opinion.ts';
import { controller, fileOf, pe1, smallReport } from './fixture.ts';

test('a check says its part, whether it stands, and where it does not', () => {
  assert.deepEqual(passed('file', 'whole'), { part: 'file', ok: true, detail: 'whole' });
  assert.deepEqual(failedCheck('file', { reason: 'no' }), { part: 'file', ok: false, detail: 'no' });
  assert.deepEqual(failedCheck('file', { reason: 'no', offset: 0 }), {
    part: 'file',
    ok: false,
    detail: 'no (byte 0)',
  });
  assert.deepEqual(checkOf('a', { ok: true, value: 1 }), { part: 'a', ok: true, detail: 'verified' });
  assert.deepEqual(checkOf('a', { ok: true, value: 1 }, 'seen'), { part: 'a', ok: true, detail: 'seen' });
  assert.deepEqual(checkOf('a', { ok: false, reason: 'no' }), { part: 'a', ok: false, detail: 'no' });
});

test('the second opinion names each part that it refuses, or counts what it has verified [TS-16]', async () => {
  const report = sealReport(smallReport(), pe1.signer).report;
  const key = (of: typeof pe1) => {
    const bound = boundKeyOf(of.party);
    assert.ok(bound.ok);
    return bound.value;
  };
  const good = { part: 'report', envelope: report, publicKey: key(pe1), type: 'parley/report/v1' } as const;
  assert.deepEqual(await secondOpinion([good, good]), [{ part: 'second opinion', ok: true, detail: '2 signatures' }]);
  const bad = { ...good, part: 'call', publicKey: key(controller) };
  assert.deepEqual(await secondOpinion([bad, good]), [
    {
      part: 'call',
      ok: false,
      detail: 'the second Ed25519 implementation disagrees: expected a valid signature, got an invalid one',
    },
  ]);
});

test('a certificate without a signing key binds none', () => {
  const { signingKey: _, ...party } = pe1.party;
  assert.deepEqual(boundKeyOf(party), { ok: false, reason: 'the certificate binds no signing key' });
  assert.equal(boundKeyOf({ ...party, signingKey: 'ab' }).ok, false);
});

test('a report is read without a signature, but not without its form', () => {
  const report = smallReport();
  const sealed = sealReport(report, pe1.signer);
  const reason = (payload: string) => {
    const read = openUnverified(fileOf({ ...sealed, report: { ...sealed.report, payload } }));
    return read.ok ? read.value.id : read.reason;
  };
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  assert.deepEqual(openUnverified(fileOf(sealed)), { ok: true, value: JSON.parse(canonicalJsonText(report as never)) });
  assert.equal(reason(base64(JSON.stringify(report))), report.id);
  assert.equal(reason(base64('[]')), 'expected an object as payload, got another type');
  assert.equal(reason(base64('{}')), 'expected schemaVersion 1');
  assert.match(reason('!'), /base64/);
  assert.equal(openUnverified(Buffer.from('{}\n')).ok, false);
});

test('the digest of a report is SHA-256 of its signed payload, and a payload that is no base64 has none [CARD-8]', () => {
  const sealed = sealReport(smallReport(), pe1.signer);
  const expected = createHash('sha256').update(Buffer.from(sealed.report.payload, 'base64')).digest('hex');
  assert.equal(reportDigest(sealed), expected);
  assert.equal(reportDigest({ ...sealed, report: { ...sealed.report, payload: '!' } }), undefined);
});
