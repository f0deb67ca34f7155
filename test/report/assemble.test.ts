// Items of a report: an answer as canonical JSON, a capture as the packets themselves, and back to the bytes that were signed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmittedEvidence } from '#model/evidence.ts';
import type { EvidenceItem } from '#model/report.ts';
import { assembleReport, newReportId, signedAnswerBytes } from '#report/assemble.ts';
import { sealReport } from '#report/seal.ts';
import { PCAP, pe1, reportParts } from './fixture.ts';

const JSON_TYPE = 'application/json';
const PCAP_TYPE = 'application/vnd.tcpdump.pcap';

/** The item and bytes that a body of this kind becomes. */
function pieceOf(kind: string, body: unknown) {
  const parts = reportParts();
  const evidence = { ...parts.evidence[0]!, kind, body } as AdmittedEvidence;
  const { items, evidence: bytes } = assembleReport({ ...parts, evidence: [evidence] });
  return { item: items[0]!, text: Buffer.from(bytes[0]!, 'base64') };
}

test('an answer becomes canonical JSON, a capture its packets with the rest beside them [TS-18]', () => {
  const state = pieceOf('state', { b: 1, a: 2 });
  assert.deepEqual(
    [state.item.mediaType, state.text.toString(), 'answer' in state.item],
    [JSON_TYPE, '{"a":2,"b":1}', false],
  );
  const capture = pieceOf('capture', { pcap: PCAP, packets: 0 });
  assert.deepEqual([capture.item.mediaType, capture.item.answer], [PCAP_TYPE, { packets: 0 }]);
  assert.equal(capture.text.toString('base64'), PCAP);
  const { id, node, kind, phase } = reportParts().evidence[0]!;
  assert.deepEqual([state.item.id, state.item.node, state.item.kind, state.item.phase], [id, node, kind, phase]);
});

test('what is no capture, or has no packets in base64, stays JSON', () => {
  for (const [kind, body] of [
    ['state', { pcap: PCAP }],
    ['capture', { pcap: 1 }],
    ['capture', { packets: 0 }],
    ['capture', { pcap: '!' }],
    ['capture', 'x'],
    ['capture', [PCAP]],
  ] as const) {
    const { item, text } = pieceOf(kind, body);
    assert.deepEqual([item.mediaType, JSON.parse(text.toString())], [JSON_TYPE, body]);
  }
});

test('the signed bytes come back from item and bytes that fit, and from no others [TS-16]', () => {
  const bytes = Buffer.from(PCAP, 'base64');
  const item = (over: object) => ({ mediaType: PCAP_TYPE, answer: { packets: 0 }, ...over }) as unknown as EvidenceItem;
  const signed = (over: object) => {
    const found = signedAnswerBytes(item(over), bytes);
    return found === undefined ? undefined : Buffer.from(found).toString('base64');
  };
  assert.equal(Buffer.from(signed({})!, 'base64').toString(), `{"packets":0,"pcap":"${PCAP}"}`);
  assert.equal(signed({ mediaType: JSON_TYPE, answer: undefined }), PCAP);
  assert.equal(signed({ mediaType: JSON_TYPE }), undefined);
  assert.equal(signed({ mediaType: 'text/plain' }), undefined);
  assert.equal(signed({ mediaType: 'text/plain', answer: undefined }), undefined);
  assert.equal(signed({ answer: undefined }), undefined);
  assert.equal(signed({ answer: { pcap: PCAP } }), undefined);
});

test('the narrator’s words take the place of the sentence, and say whose they are [TS-17]', () => {
  const parts = reportParts();
  const { sentence, sentenceSource } = assembleReport(parts);
  assert.deepEqual([sentence, sentenceSource], [parts.diagnosis.sentence, 'template']);
  const phrased = assembleReport({ ...parts, phrased: { sentence: 'so it is', source: 'model' } });
  assert.deepEqual([phrased.sentence, phrased.sentenceSource], ['so it is', 'model']);
});

test('the creator’s chain is in the report also when the creator gave no evidence [CARD-6]', () => {
  const parts = reportParts();
  const report = assembleReport({ ...parts, evidence: parts.evidence.slice(1) });
  assert.deepEqual(report.chains, { p2: parts.evidence[1]!.chain, pe1: pe1.chain });
  assert.deepEqual(sealReport(report, pe1.signer).creatorChain, pe1.chain);
  assert.deepEqual(sealReport({ ...report, chains: {} }, pe1.signer).creatorChain, []);
});

test('the id of a report is 16 hex digits by chance', () => {
  assert.equal(newReportId({ bytes: (count: number) => new Uint8Array(count).fill(0x1f) }), '1f'.repeat(8));
});
