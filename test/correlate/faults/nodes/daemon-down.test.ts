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

/** r3's isisd takes connections and says nothing over them: in the readings that are named. */
const hanging = (phases: readonly string[], name = 'isisd') =>
  all((state, node, phase) =>
    node !== 'r3'
      ? state
      : {
          ...state,
          daemons: ALL.map((each) => ({
            ...{ name: each, alive: true },
            ...(each === name && phases.includes(phase) ? { silent: true as const } : {}),
          })),
        },
  );

const lostTowardsR3 = at(['r2', 'r4'], (state) => ({
  ...state,
  adjacencies: state.adjacencies.filter(({ ifname }) => !isTowardsR3(state.inventory.node, ifname)),
}));

test('a daemon that hangs is named where it hung in both readings and a neighbour has lost it', () => {
  const input = ring(all(hanging(['before', 'after']), lostTowardsR3));
  assert.deepEqual(named(input), FOUND);
  assert.match(
    String(diagnose(input).findings[0]?.details['what']),
    /isisd no longer answers \(isisd runs and hangs\)/,
  );
  assert.deepEqual(named(ring(hanging(['before', 'after']))), [], 'busy: no neighbour misses it');
  assert.deepEqual(named(ring(all(hanging(['before']), lostTowardsR3))), []);
  assert.deepEqual(named(ring(all(hanging(['after']), lostTowardsR3))), []);
});

test('zebra speaks to no neighbour: that it hung in both readings is enough', () => {
  assert.deepEqual(named(ring(hanging(['before', 'after'], 'zebra'))), FOUND);
  assert.deepEqual(named(ring(hanging(['after'], 'zebra'))), []);
});
