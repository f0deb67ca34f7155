// daemon_down: some routing daemons of r3 are dead, or were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, at, named, ring } from '../../ring.ts';
import { ALL, dead, startedAgain } from './daemons.ts';

const FOUND = ['daemon_down node/r3'];

test('a dead daemon is named, and the adjacencies that died with it are not', () => {
  const lost = at(['r2', 'r3', 'r4'], (state) => ({
    ...state,
    adjacencies:
      state.inventory.node === 'r3'
        ? []
        : state.adjacencies.filter(({ ifname }) => !isTowardsR3(state.inventory.node, ifname)),
  }));
  const input = ring(all(dead(['isisd']), lost));
  assert.deepEqual(named(input), FOUND);
  const [finding] = diagnose(input).findings;
  assert.deepEqual(finding?.remedy, {
    node: 'r3',
    summary: 'start isisd on r3 again',
    command: 'systemctl restart frr',
  });
});

function isTowardsR3(node: string, ifname: string): boolean {
  return (node === 'r2' && ifname === 'eth2') || (node === 'r4' && ifname === 'eth1');
}

test('a daemon that was started again within the time asked about was down', () => {
  assert.deepEqual(named(ring(startedAgain(['isisd']), 120_000)), FOUND);
  assert.deepEqual(named(ring(startedAgain(['isisd']))), []);
});

test('daemons that all answer, and a node that was started as a whole, are no fault', () => {
  assert.deepEqual(named(ring(dead([]))), []);
  const fresh = at(['r3'], (state) => ({
    ...state,
    daemons: ALL.map((name) => ({ name, alive: true, upMs: 9_000 })),
    history: { ...state.history!, spanMs: 8_000 },
  }));
  assert.deepEqual(named(ring(fresh, 120_000)), []);
});
