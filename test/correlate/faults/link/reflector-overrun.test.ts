// reflector_overrun: lost probes that the receiving node's own sockets dropped are explained, and nothing is accused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import { lossSymptomsOf } from '#correlate/engine/loss-symptom.ts';
import { reflectorOverrun } from '#correlate/faults/link/reflector-overrun.ts';
import { lossOver, wrongChecksums } from '../forwarding/forwarding-scene.ts';

function proposed(facts: readonly Fact[]) {
  const file = { path: ['r1', 'r2'], facts, symptoms: [] } as unknown as CaseFile;
  return reflectorOverrun.propose(file, lossSymptomsOf(file));
}

test('sockets that dropped about as many as were lost explain them, without accusing', () => {
  const [found, ...rest] = proposed([lossOver('r1', 'r2', 20), wrongChecksums('r2', 19, 'Udp6RcvbufErrors')]);
  assert.deepEqual(rest, []);
  assert.deepEqual([found?.resource, found?.accuses, found?.details], ['node/r2', false, { droppedPackets: 19 }]);
  assert.deepEqual(
    found?.explains.map(({ lost }) => lost),
    [20],
  );
});

test('sockets that dropped far fewer, or those of the node that sent, explain nothing', () => {
  assert.deepEqual(proposed([lossOver('r1', 'r2', 20), wrongChecksums('r2', 9, 'Udp6RcvbufErrors')]), []);
  assert.deepEqual(proposed([lossOver('r1', 'r2', 20), wrongChecksums('r1', 20, 'Udp6RcvbufErrors')]), []);
});
