// What each call was asked for stands in the report, for a reader who judges its evidence again; reports of earlier versions do not have it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '#model/report.ts';
import { verifySealedReport } from '#report/verify.ts';
import { fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { sealedFile, smallReport } from './fixture.ts';

const failures = async (bytes: Uint8Array, over = {}) => {
  const verification = await verifySealedReport(bytes, { verifyChain: fakeVerifyChain, ...over });
  return verification.checks.filter((each) => !each.ok).map((each) => `${each.part}: ${each.detail}`);
};

test('items say what they were asked for; reports of earlier versions do not, and verify all the same [TS-18]', async () => {
  const { items, outcomes } = smallReport();
  assert.deepEqual(
    items.map(({ purpose }) => purpose),
    [{ kind: 'state', when: 'before' }, { kind: 'state', when: 'before' }, { kind: 'probe-capture' }],
  );
  const bare = <T extends object>({ purpose: _, ...rest }: T & { readonly purpose?: unknown }) => rest;
  const earlier = { items: items.map(bare), outcomes: outcomes.map(bare) } as unknown as Partial<Report>;
  assert.deepEqual(await failures(sealedFile(earlier)), []);
  const broken = { items: [{ ...items[0]!, purpose: 'state' }, ...items.slice(1)] } as unknown as Partial<Report>;
  assert.match((await failures(sealedFile(broken))).join(), /items: expected their texts/);
});
