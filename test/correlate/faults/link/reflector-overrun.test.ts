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

test('sockets account for nine tenths of what was lost, each packet once, and never for what was not sent', () => {
  const explained = (...facts: readonly Fact[]) =>
    proposed(facts).map(({ resource, confidence, score, explains }) => [
      ...[resource, confidence, score, explains.map(({ lost }) => lost).join()],
    ]);
  const dropped = (packets: number, counter = 'Udp6RcvbufErrors') => wrongChecksums('r2', packets, counter);
  const named = (lost: string) => [['node/r2', 'likely', 0.5, lost]];
  assert.deepEqual(explained(lossOver('r1', 'r2', 20), dropped(18)), named('20'));
  assert.deepEqual(explained(lossOver('r1', 'r2', 20), dropped(17)), []);
  assert.deepEqual(explained(lossOver('r1', 'r2', 20), dropped(18, 'Udp6InErrors')), named('20'));
  assert.deepEqual(explained(lossOver('r1', 'r2', 20), dropped(18, 'Udp6InCsumErrors')), []);
  const two = [lossOver('r1', 'r2', 20), lossOver('r3', 'r2', 30)];
  assert.deepEqual(explained(...two, dropped(30)), named('20'));
  assert.deepEqual(explained(...two, dropped(47)), named('20,30'));
  const one = lossOver('r1', 'r2', 20);
  const changed = (change: object) => ({ ...one, value: { ...one.value, ...change } }) as Fact;
  assert.deepEqual(explained(changed({ refused: 10 }), dropped(9)), named('10'));
  assert.deepEqual(explained(changed({ refused: 20 }), dropped(9)), []);
  assert.deepEqual(explained(changed({ directionKnown: false }), dropped(20)), []);
});
