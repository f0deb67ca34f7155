// Reports of a creator that lies with true signatures: answers left out, nodes left out, answers of another day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '#model/report.ts';
import { verifySealedReport } from '#report/verify.ts';
import { fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { sealedFile, smallReport } from './fixture.ts';

const verified = async (over: Partial<Report>) => {
  const { ok, gaps } = await verifySealedReport(sealedFile(over), { verifyChain: fakeVerifyChain });
  return { ok, gaps };
};

/** The report without the answers of which `is` is true; what it says of its calls stays. */
function without(is: (item: Report['items'][number]) => boolean, report = smallReport()): Partial<Report> {
  const items = report.items.filter((item) => !is(item));
  const ids = items.map(({ id }) => id);
  const envelopes = report.envelopes.filter(({ evidenceId }) => ids.includes(evidenceId));
  return {
    items,
    evidence: report.evidence.filter((_, index) => !is(report.items[index]!)),
    envelopes,
    findings: [],
    chains: Object.fromEntries(
      Object.entries(report.chains).filter(([node]) => node === 'pe1' || items.some((item) => item.node === node)),
    ),
    signatures: Object.fromEntries(
      [...new Set(items.map(({ node }) => node))].map((node) => {
        const last = items.findLast((item) => item.node === node)?.id;
        return [node, envelopes.find(({ evidenceId }) => evidenceId === last)!.resultEnvelope.signature];
      }),
    ),
  };
}

test('a report that leaves nothing out has no gaps [CARD-6]', async () => {
  assert.deepEqual(await verified({}), { ok: true, gaps: [] });
});

test('an answer that the creator got and that is not in the report is a gap: every signature holds [TS-16] [TS-18]', async () => {
  assert.deepEqual(await verified(without(({ id }) => id === 'before/p2/state')), {
    ok: true,
    gaps: ['the answer of p2 to before/p2/state: the report says that its creator got it, and leaves it out'],
  });
});

test('a node that the question names and that was never called is a gap [TS-21]', async () => {
  const report = smallReport();
  const outcomes = report.outcomes.filter(({ node }) => node !== 'p2');
  assert.deepEqual(await verified({ ...without(({ node }) => node === 'p2', report), outcomes }), {
    ok: true,
    gaps: ['anything about p2: the question names it, and no call to it is in the report'],
  });
});

test('nodes are compared by their keys: a node that is named with a hyphen and was called is no gap [TS-21]', async () => {
  const { intent, outcomes } = smallReport();
  const call = { ...outcomes[3]!, callId: 'before/pe-4/state', node: 'PE-4' };
  const path = [
    ...(intent.path as readonly { readonly as: string; readonly key: string }[]),
    { as: 'pe-4', key: 'pe4' },
  ];
  const asked = { intent: { ...intent, path } };
  assert.deepEqual(await verified({ ...asked, outcomes: [...outcomes, call] }), { ok: true, gaps: [] });
  assert.deepEqual((await verified({ ...asked, outcomes })).gaps, [
    'anything about pe4: the question names it, and no call to it is in the report',
  ]);
});

test('an answer of five days ago is a gap, and one within the bounds of clocks is none [TS-16]', async () => {
  const after = (deltaMs: number) => verified({ created: new Date(1_767_225_600_000 + deltaMs).toISOString() });
  const { ok, gaps } = await after(5 * 86_400_000);
  assert.equal(ok, true);
  assert.deepEqual(gaps, [
    'that the answer of pe1 to before/pe1/state belongs to this question: it was signed at 2026-01-01T00:00:00.000Z, the report at 2026-01-06T00:00:00.000Z',
    'that the answer of p2 to before/p2/state belongs to this question: it was signed at 2026-01-01T00:00:00.000Z, the report at 2026-01-06T00:00:00.000Z',
    'that the answer of p2 to before/p2/capture belongs to this question: it was signed at 2026-01-01T00:00:00.000Z, the report at 2026-01-06T00:00:00.000Z',
  ]);
  for (const deltaMs of [315_000, 0, -300_000]) assert.deepEqual((await after(deltaMs)).gaps, [], `${deltaMs}`);
  for (const deltaMs of [315_001, -300_001]) assert.equal((await after(deltaMs)).gaps.length, 3, `${deltaMs}`);
});

test('a call that stands twice in the report is a gap: one of two outcomes would be believed', async () => {
  const { outcomes } = smallReport();
  assert.deepEqual(await verified({ outcomes: [...outcomes, { ...outcomes[3]!, status: 'unreachable' }] }), {
    ok: true,
    gaps: ['what became of the call before/pe3/state to pe3: the report gives it 2 outcomes'],
  });
});

test('a report that does not verify has no list of gaps: nothing in it is believed', async () => {
  const file = sealedFile({ id: 'other' });
  assert.deepEqual((await verifySealedReport(file, { verifyChain: fakeVerifyChain })).gaps, []);
});
