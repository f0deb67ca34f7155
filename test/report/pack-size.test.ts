// How much room a report takes in the store, with answers that routers gave: what a node keeps within its quota follows from it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { assembleReport } from '#report/assemble.ts';
import { pack } from '#report/pack.ts';
import { sealedReportText, sealReport } from '#report/seal.ts';
import { caseFiles, loadCase } from '../../scripts/replay/case-files.ts';
import { type FakeParty, fakeExchange, fakeParty } from '../fakes/signed-exchange.ts';
import { evidenceOf, reportParts } from './fixture.ts';

const CASES = join(import.meta.dirname, '../replay/cases');
const QUOTA_BYTES = 268_435_456;
/** Two certificates of a node's chain, which no compressor makes smaller. */
const chain = () => [randomBytes(520).toString('base64'), randomBytes(480).toString('base64')];

/** The sealed file of a recorded case: its answers and outcomes, signed by keys of this test. */
function reportTextOf(path: string): string {
  const { evidence, outcomes, creator, intent } = loadCase(path).case;
  const parties = new Map<string, FakeParty>();
  const partyOf = (node: string) => {
    const known = parties.get(node) ?? { ...fakeParty(node), chain: chain() };
    parties.set(node, known);
    return known;
  };
  const asker = partyOf(creator);
  const signed = evidence.map(({ id, node, kind, phase, body, request }) => {
    const callee = partyOf(node);
    const exchange = fakeExchange(asker, callee, body, {
      id,
      evidence: kind,
      arguments: (request.params.arguments ?? {}) as JsonObject,
    });
    return { ...evidenceOf(exchange, callee), kind, phase };
  });
  const parts = { ...reportParts(), creator, creatorChain: asker.chain, intent, evidence: signed };
  const report = assembleReport({ ...parts, outcomes: outcomes as typeof parts.outcomes });
  return sealedReportText(sealReport(report, asker.signer));
}

test('a report of some 120 kB takes less than a fifth of that in the store, and 10,000 of them fit the default quota [CARD-8]', (t) => {
  const sizes: { readonly textBytes: number; readonly packedBytes: number }[] = [];
  for (const path of caseFiles([CASES])) {
    const { length: textBytes } = reportTextOf(path);
    if (textBytes < 100_000 || textBytes > 140_000) continue;
    sizes.push({ textBytes, packedBytes: pack(reportTextOf(path)).length });
    if (sizes.length === 8) break;
  }
  const sum = (of: (each: (typeof sizes)[number]) => number) => sizes.reduce((total, each) => total + of(each), 0);
  const textBytes = sum((each) => each.textBytes) / sizes.length;
  const packedBytes = sum((each) => each.packedBytes) / sizes.length;
  t.diagnostic(
    `${sizes.length} reports of ${Math.round(textBytes)} bytes take ${Math.round(packedBytes)}: ${Math.floor(QUOTA_BYTES / textBytes)} fitted the quota, ${Math.floor(QUOTA_BYTES / packedBytes)} do`,
  );
  assert.ok(sizes.length === 8, `${sizes.length} reports of that size`);
  assert.ok(packedBytes < textBytes / 5, `${packedBytes} of ${textBytes} bytes`);
  assert.ok(QUOTA_BYTES / packedBytes > 10_000, `${packedBytes} bytes each`);
});
