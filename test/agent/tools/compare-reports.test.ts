// Sealed reports of whole questions as moments: read from their evidence again, never from what their makers conclude.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { compareReports, happeningsIn, remarksIn } from '#agent/tools/compare-reports.ts';
import type { JsonValue } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Report } from '#model/report.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { JSON_MEDIA_TYPE } from '#report/assemble.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { sealedReportText } from '#report/seal.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { recorded } from '../../narrate/evaluation/cases.ts';
import { createTestDomain, hear, partsOf } from '../in-process.ts';

const TEXT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

async function twoReports(between: (domain: ReturnType<typeof createTestDomain>) => void) {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const parts = partsOf(domain, 'pe1');
  const ask = async (): Promise<Report> => {
    const question = { ...LOCAL_ASKER, text: TEXT, signal: new AbortController().signal, onProgress: () => {} };
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

test('what is odd in a report is all that its answer remarks, also what only weighing the causes settled', () => {
  const input = recorded('healthy');
  // Shut at one end, for as long as the nodes remember: link_down as a remark.
  const evidence = input.evidence.map((entry) => {
    if (entry.kind !== 'state') return entry;
    const { history: _history, past: _past, ...state } = entry.body as unknown as NodeState;
    const isOther = ({ ifname }: { readonly ifname: string }) => entry.node !== 'r1' || ifname !== 'eth1';
    const interfaces = state.inventory.interfaces.map((each) =>
      isOther({ ifname: each.name }) ? each : { ...each, adminUp: false, operUp: false },
    );
    const adjacencies = state.adjacencies.filter(isOther);
    const neighbours = state.neighbours.filter(isOther);
    const body = { ...state, adjacencies, neighbours, inventory: { ...state.inventory, interfaces } };
    return { ...entry, body: body as unknown as JsonValue };
  });
  const report = {
    ...{ intent: input.intent, outcomes: input.outcomes, chains: {} },
    items: evidence.map(({ body: _body, ...entry }) => ({ ...entry, mediaType: JSON_MEDIA_TYPE })),
    evidence: evidence.map(({ body }) => Buffer.from(JSON.stringify(body)).toString('base64')),
    envelopes: evidence.map(({ id, request, envelope }) => ({ evidenceId: id, request, resultEnvelope: envelope })),
  } as unknown as Report;
  const named = remarksIn(report).map(({ text }) => text.replace(/[{}]/g, ''));
  assert.ok(
    named.some((line) => /r1 eth1 has been shut down for as long as the agents remember/.test(line)),
    named.join('\n'),
  );
  const { remarks = [] } = diagnose({ ...input, evidence });
  assert.deepEqual(
    named,
    remarks.map(({ text }) => text),
  );
});
