// A small report of three nodes: two answers, a capture, and a node that did not answer.

import type { Report, SealedReport } from '#model/report.ts';
import { assembleReport, type ReportParts } from '#report/assemble.ts';
import { sealedReportText, sealReport } from '#report/seal.ts';
import type { StoreLimits } from '#report/store-eviction.ts';
import { type FakeExchange, type FakeParty, fakeExchange, fakeParty } from '../fakes/signed-exchange.ts';

export const pe1 = fakeParty('pe1');
export const p2 = fakeParty('p2');
export const controller = fakeParty('noc', 'controller');

const DAY_MS = 86_400_000;
/** A store in which no test runs out of room or time. */
export const ROOMY: StoreLimits = {
  ...{ count: 100_000, bytes: 1_000_000_000 },
  keepMs: { healthy: 30 * DAY_MS, inconclusive: 30 * DAY_MS, fault: 30 * DAY_MS, acknowledged: 30 * DAY_MS },
};

/** The 24 octets of a PCAP file without packets. */
export const PCAP = 'oVuyw8QAAgAEAAAAAAAAAAAAAAAAAAQAAAEA';

export const evidenceOf = (exchange: FakeExchange, callee: FakeParty) => ({
  id: exchange.call.id,
  purpose: exchange.call.purpose,
  node: exchange.call.node,
  kind: exchange.call.evidence,
  phase: exchange.call.phase,
  request: exchange.exchanged.request,
  requestEnvelope: exchange.exchanged.requestEnvelope,
  body: exchange.exchanged.answer.body,
  envelope: exchange.exchanged.answer.envelope!,
  chain: callee.chain,
});

export function reportParts(): ReportParts {
  const state = fakeExchange(pe1, pe1, { interfaces: [] });
  const remote = fakeExchange(pe1, p2, { interfaces: [{ name: 'eth1', rxPackets: '97' }] });
  const capture = fakeExchange(pe1, p2, { pcap: PCAP, packets: 0, truncated: false }, { evidence: 'capture' });
  return {
    id: '00000000000074e8',
    creator: 'pe1',
    creatorChain: pe1.chain,
    createdMs: 1_767_225_600_000,
    sessionId: 'dom-0123456789abcdef',
    intent: {
      kind: 'path-loss',
      text: 'Verify packet loss from PE-1 to P-2',
      path: [
        { as: 'PE-1', key: 'pe1' },
        { as: 'P-2', key: 'p2' },
      ],
      encapsulation: 'srv6',
    },
    outcomes: [
      state.outcome,
      remote.outcome,
      capture.outcome,
      {
        callId: 'before/pe3/state',
        purpose: { kind: 'state', when: 'before' },
        node: 'pe3',
        phase: 'before',
        name: 'parley-node-state',
        status: 'timed-out',
        reason: 'no answer within 1000 ms',
        untrusted: 'no answer within 1000 ms',
        elapsedMs: 1_000,
      },
    ],
    evidence: [evidenceOf(state, pe1), evidenceOf(remote, p2), evidenceOf(capture, p2)],
    diagnosis: {
      verdict: { kind: 'fault', reasons: ['3 of 100 packets lost'] },
      findings: [
        {
          resource: 'interface/pe1/eth1',
          fault: 'packet_loss',
          confidence: 'certain',
          evidence: ['before/p2/state'],
          against: [],
          details: { lossPercent: 3 },
          hypothesis: 'PE-1 eth1 loses packets towards P-2',
        },
      ],
      candidates: [],
      links: [],
      segments: [],
      clues: [],
      sentence: 'PE-1 loses 3 % of its packets towards P-2.',
      hypothesis: 'PE-1 eth1 loses packets towards P-2',
    },
    peerNotes: [{ node: 'pe3', kind: 'silent', detail: 'eth2: announces no agent' }],
    timeline: [{ at: '2026-01-01T00:00:00.000Z', event: 'asked' }],
  };
}

export function smallReport(over: Partial<Report> = {}): Report {
  return { ...assembleReport(reportParts()), ...over };
}

export function fileOf(sealed: SealedReport): Buffer {
  return Buffer.from(sealedReportText(sealed));
}

export function sealedFile(over: Partial<Report> = {}): Buffer {
  return fileOf(sealReport(smallReport(over), pe1.signer));
}
