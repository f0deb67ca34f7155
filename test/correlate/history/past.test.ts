// Faults that are over: a healthy network on real FRR whose nodes remember the states of another recording, fault and all.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';

const FOLDER = join(import.meta.dirname, '../recorded');

function load(name: string): DiagnoseInput {
  const text = readFileSync(join(FOLDER, `${name}.json.txt`), 'utf8');
  const { intent, nodes, outcomes, evidence } = JSON.parse(text);
  return { intent, nodeNames: nodes, outcomes, evidence };
}

/** `healthy`, asked about the last two minutes, 40 to 20 seconds of which every node was as in `name`. */
function remembering(name: string, sinceMs?: number): DiagnoseInput {
  const [now, then] = [load('healthy'), load(name)];
  const pastOf = (node: string): JsonValue[] =>
    then.evidence
      .filter((entry) => entry.node === node && entry.kind === 'state' && entry.phase === 'after')
      .map(({ body }) => ({ fromAgoMs: 40_000, untilAgoMs: 20_000, state: body }));
  const evidence = now.evidence.map((entry) =>
    entry.kind === 'state' && entry.phase === 'after'
      ? { ...entry, body: { ...(entry.body as JsonObject), past: pastOf(entry.node) } }
      : entry,
  );
  const intent = sinceMs === undefined ? now.intent : { ...now.intent, sinceMs };
  return { ...now, intent, evidence };
}

const OVER = {
  mtu: ['mtu_mismatch interface/r3/eth1'],
  isispw: ['isis_authentication_mismatch interface/r3/eth1'],
  bgpasn: ['bgp_asn_misconfig node/r2'],
  bgpnbr: ['bgp_neighbor_misconfig interface/r1/eth1'],
  blackhole: ['blackhole_route node/r2'],
  arp: ['arp_cache_poisoning node/r2'],
  policy: ['route_policy_misconfig node/r3'],
} as const;

test('what is unknown about the present is said behind the fault that is over', () => {
  const input = remembering('mtu', 120_000);
  const evidence = input.evidence.filter(({ kind }) => kind !== 'lookups');
  const outcomes = input.outcomes.map((outcome) =>
    outcome.callId.includes('lookups') ? { ...outcome, status: 'timed-out' as const, reason: 'no answer' } : outcome,
  );
  const { verdict } = diagnose({ ...input, evidence, outcomes });
  assert.equal(verdict.kind, 'fault');
  assert.match(verdict.reasons[0] ?? '', /MTU mismatch/);
  assert.ok(verdict.reasons.length > 1, verdict.reasons.join('\n'));
});

for (const [name, truth] of Object.entries(OVER)) {
  test(`${name} is over and still named, and said to be over`, () => {
    const { verdict, findings } = diagnose(remembering(name, 120_000));
    assert.deepEqual(
      findings.map(({ fault, resource }) => `${fault} ${resource}`),
      truth,
    );
    assert.deepEqual(
      findings.map(({ details }) => [details['over'], details['agoSeconds']]),
      [[true, 30]],
    );
    assert.equal(verdict.kind, 'fault');
  });

  test(`${name} is over: who asks what is wrong now is told that nothing is`, () => {
    assert.deepEqual(diagnose(remembering(name)).findings, []);
    assert.equal(diagnose(remembering(name)).verdict.kind, 'healthy');
  });

  test(`${name} ended before the time that is asked about`, () => {
    assert.deepEqual(diagnose(remembering(name, 10_000)).findings, []);
  });
}

test('the sentence, the hypothesis and the reasons say that it is over, not that it is so', () => {
  const { sentence, hypothesis, verdict, findings } = diagnose(remembering('mtu', 120_000));
  assert.match(sentence, /^r3 eth1 MTU mismatch, over: 30 s ago \(\d nodes and \d links checked\)\.$/);
  assert.equal(hypothesis, 'r3 eth1 MTU mismatch, over: 30 s ago');
  assert.equal(findings[0]?.hypothesis, hypothesis);
  assert.deepEqual(verdict.reasons.slice(0, 1), [hypothesis]);
});

test('nodes that remember nothing but health had nothing wrong', () => {
  assert.deepEqual(diagnose(remembering('healthy', 120_000)).findings, []);
});
