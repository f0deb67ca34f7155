// One question to a node below: a report that cannot count is refused by what it says of itself, before anything in it is verified.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askOne, type OneQuestion } from '#agent/hierarchy/ask-one.ts';
import type { Below } from '#agent/hierarchy/nodes-below.ts';
import { sealedReportText, sealReport } from '#report/seal.ts';
import { fakeVerifyChain } from '../../fakes/signed-exchange.ts';
import { pe1, smallReport } from '../../report/fixture.ts';

const report = smallReport();

async function asked(node: string, sessionId: string): Promise<{ readonly said: string; readonly chains: number }> {
  const text = sealedReportText(sealReport(report, pe1.signer));
  const request = ({ paramsText }: { paramsText: (id: number) => string }) => {
    const isFetch = paramsText(1).includes('parley-report-fetch');
    const structuredContent = isFetch ? { text } : { id: report.id };
    const answer = Promise.resolve({ kind: 'result', text: JSON.stringify({ structuredContent }) });
    return { answer, cancel: () => {} };
  };
  let chains = 0;
  const question = {
    ...{ args: {}, asked: { sessionId }, vouching: { metaFor: () => ({}) }, caller: {}, timeoutMs: 1_000 },
    verifyChain: (...of: Parameters<typeof fakeVerifyChain>) => {
      chains += 1;
      return fakeVerifyChain(...of);
    },
    signal: new AbortController().signal,
  } as unknown as OneQuestion;
  const below = { node, slot: { segment: node, subserver: { request } } } as unknown as Below;
  const said = await askOne(below, question).then(
    (answered) => `report ${answered.report.id}`,
    (error: Error) => error.message,
  );
  return { said, chains };
}

test('a report of another node or of another question is refused before anything in it is verified', async () => {
  const session = report['session-id'];
  const good = await asked('pe1', session);
  assert.equal(good.said, `report ${report.id}`);
  assert.ok(good.chains > 0);
  const foreign = await asked('pe2', session);
  assert.deepEqual([foreign.said, foreign.chains], ['expected a report of pe2 that verifies: it is of pe1', 0]);
  const other = await asked('pe1', 'another');
  assert.match(other.said, /it belongs to another question/);
  assert.equal(other.chains, 0);
});
