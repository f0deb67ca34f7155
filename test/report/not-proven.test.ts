// What even a report that verifies does not prove, and what is said of a file that does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '#model/report.ts';
import { sealReport } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { fileOf, pe1, reportParts, sealedFile, smallReport } from './fixture.ts';

const options = { verifyChain: fakeVerifyChain };

test('a commit that the question names is not proven: only the question says so [TS-18]', async () => {
  const remedy = {
    report: 'urn:one',
    finding: 'mtu_mismatch interface/p2/eth1',
    node: 'p2',
    commit: '00000001-0a0b0c0d',
  };
  const { intent } = reportParts();
  const { notProven } = await verifySealedReport(sealedFile({ intent: { ...intent, remedy } }), options);
  assert.equal(
    notProven.at(-1),
    'that commit 00000001-0a0b0c0d on p2 was a remedy of mtu_mismatch interface/p2/eth1, or was made at all: only the question says so',
  );
});

test('nothing is proven about the calls of nodes that gave no answer, each named once [TS-21]', async () => {
  const { outcomes } = reportParts();
  const silent = (callId: string, node: string, status: string) => ({ ...outcomes[3]!, callId, node, status }) as never;
  const more = [silent('a', 'pe9', 'refused'), silent('b', 'pe3', 'unreachable'), silent('c', 'pe10', 'timed-out')];
  const { notProven } = await verifySealedReport(sealedFile({ outcomes: [...more, ...outcomes] }), options);
  assert.equal(notProven.at(-1), 'anything about calls without an answer: pe10, pe3, pe9');
  const all = await verifySealedReport(sealedFile({ outcomes: outcomes.slice(0, 3) }), options);
  assert.equal(all.notProven.length, 4, 'where each call was answered there is nothing to say of it');
});

test('a file whose creator or content is refused is checked no further, and its content is not given [CARD-6]', async () => {
  const sealed = sealReport(smallReport(), pe1.signer);
  const withPayload = (text: string) => ({ ...sealed.report, payload: Buffer.from(text).toString('base64') });
  const unreadable = [
    fileOf({ ...sealed, report: withPayload('{}') }),
    fileOf({ ...sealed, report: withPayload('x') }),
    fileOf({ ...sealed, creatorChain: ['AAAA'] }),
    fileOf({ ...sealed, report: { ...sealed.report, signature: 'AAAA' } }),
    sealedFile({ id: 'other' }),
  ];
  for (const [index, file] of unreadable.entries()) {
    const verification = await verifySealedReport(file, options);
    assert.deepEqual(
      [verification.ok, 'report' in verification, verification.notProven],
      [false, false, ['anything: a part that everything else stands on does not verify']],
      String(index),
    );
  }
});

test('a sentence of a model is not proven, one of a template is not mentioned [TS-17]', async () => {
  const notProven = async (over: Partial<Report>) => (await verifySealedReport(sealedFile(over), options)).notProven;
  const line = 'the sentence: a language model phrased it';
  assert.equal((await notProven({ sentenceSource: 'model' })).includes(line), true);
  assert.deepEqual(await notProven({}), [
    'that a node told the truth: a signature shows who said it',
    'that the findings follow from the evidence: rules were not run again',
    "when it happened: all times are the nodes' own clocks, and no controller has countersigned",
    'that no certificate was withdrawn: they were checked for 2026-01-01T00:00:00.000Z against the given CA only',
    'anything about calls without an answer: pe3',
  ]);
});
