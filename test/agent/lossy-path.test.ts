// A question about a path whose first link loses some packets: what is found behind it, and how sure the first is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { createTestDomain, hear, partsOf, type TestDomain } from './in-process.ts';

function threeNodes(): TestDomain {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  return domain;
}

function ask(domain: TestDomain) {
  const text = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
  const question = { ...LOCAL_ASKER, text, signal: new AbortController().signal, onProgress: () => {} };
  return investigate(question, partsOf(domain, 'pe1'));
}

test('a link that loses large packets alone is named behind one that loses a few of all [TS-11]', async () => {
  const domain = threeNodes();
  domain.network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 5 });
  domain.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 100, overBytes: 1_500 });
  const investigation = ask(domain);
  // The runs of a longer look begin one after the other.
  let isOver = false;
  void investigation.finally(() => (isOver = true));
  for (let second = 0; second < 30 && !isOver; second++) await domain.clock.advance(1_000);
  const { diagnosis } = await investigation;
  assert.deepEqual(
    diagnosis.findings.map(({ resource, fault, confidence }) => [resource, fault, confidence]),
    [
      ['interface/p2/eth2', 'packet_loss', 'certain'],
      ['interface/pe1/eth1', 'packet_loss', 'certain'],
    ],
  );
});

test('a second look beside a lossy link takes nothing from what its counters say', async () => {
  for (let run = 0; run < 20; run++) {
    const domain = threeNodes();
    // Each run draws other packets.
    domain.network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 5 + run / 100 });
    const investigation = ask(domain);
    const { diagnosis } = await investigation;
    assert.deepEqual(
      diagnosis.findings.map(({ resource, confidence }) => [resource, confidence]),
      [['interface/pe1/eth1', 'certain']],
      `run ${run}: ${diagnosis.verdict.reasons.join('; ')}`,
    );
  }
});
