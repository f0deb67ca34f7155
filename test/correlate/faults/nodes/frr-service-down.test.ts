// frr_service_down: every routing daemon of r3 is dead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { recorded } from '../../recording.ts';
import { named, ring } from '../../ring.ts';
import { ALL, dead, startedAgain } from './daemons.ts';

const FOUND = ['frr_service_down node/r3'];

test('a real router without its daemons is named, with all that its neighbours lost', () => {
  const { findings } = diagnose(recorded('frr'));
  assert.deepEqual(
    findings.map(({ fault, resource, remedy }) => [`${fault} ${resource}`, remedy?.command]),
    [[FOUND[0], 'systemctl restart frr']],
  );
});

test('daemons that run again were down, when the time is asked about; nothing is left to be done', () => {
  assert.deepEqual(named(ring(startedAgain(ALL), 120_000)), FOUND);
  assert.equal(diagnose(ring(startedAgain(ALL), 120_000)).findings[0]?.remedy, undefined);
  assert.deepEqual(named(ring(startedAgain(ALL))), []);
});

test('one daemon that still answers makes it another fault', () => {
  assert.deepEqual(named(ring(dead(ALL.slice(1)))), ['daemon_down node/r3']);
});
