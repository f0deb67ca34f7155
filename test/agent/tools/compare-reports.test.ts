// Sealed reports of whole questions as moments: read from their evidence again, never from what their makers conclude.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { compareReports, happeningsIn } from '#agent/tools/compare-reports.ts';
import type { Report } from '#model/report.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { sealedReportText } from '#report/seal.ts';
import { createTestDomain, hear, partsOf } from '../in-process.ts';

const TEXT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

async function twoReports(between: (domain: ReturnType<typeof createTestDomain>) => void) {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const parts = partsOf(domain, 'pe1');
  const ask = async (): Promise<Report> => {
    const question = { text: TEXT, signal: new AbortController().signal, onProgress: () => {} };
    const opened = openUnverified(Buffer.from(sealedReportText((await investigate(question, parts)).sealed)));
    assert.ok(opened.ok);
    return opened.value;
  };
  const before = await ask();
  between(domain);
  return [before, await ask()] as const;
}

test('two reports of a network that did not change are the same', async () => {
  const [before, after] = await twoReports(() => {});
  assert.deepEqual(compareReports(before, after).changes, []);
  assert.equal(compareReports(before, after).same, true);
});

test('a wire that begins to lose packets is a new finding and another verdict, and gone the other way round', async () => {
  const [before, after] = await twoReports((domain) =>
    domain.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 }),
  );
  const names = (changes: readonly { what: string; subject: string; how: string }[]) =>
    changes.map(({ what, subject, how }) => `${how} ${what} ${subject}`);
  const expected = ['changed verdict verdict', 'new finding packet_loss at interface/p2/eth2'];
  assert.deepEqual(names(compareReports(before, after).changes), expected);
  assert.equal(names(compareReports(after, before).changes)[1], 'gone finding packet_loss at interface/p2/eth2');
});

test('a report of nonsense that nobody verified is compared without an exception', async () => {
  const [before] = await twoReports(() => {});
  const nonsense = {
    ...before,
    intent: { kind: 7, path: [null, { key: 3 }, 'x'] },
    evidence: before.evidence.map((_, index) => (index % 2 === 0 ? '!' : Buffer.from('{"a":[1,').toString('base64'))),
    items: before.items.map((item) => ({ ...item, kind: 'whatever' })),
  } as unknown as Report;
  assert.equal(compareReports(before, nonsense).same, false);
  assert.deepEqual(happeningsIn(nonsense, { sinceMs: 60_000, untilMs: 0 }), { happenings: [], short: [] });
});
