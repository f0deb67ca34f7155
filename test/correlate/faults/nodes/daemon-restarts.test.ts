// daemon_restarts: r3's isisd ends and is started again, three times and more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { daemonRestarts } from '#correlate/faults/nodes/daemon-restarts.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, type Change, named, remembering, ring } from '../../ring.ts';
import { caseOf, explained, ringWorld, symptom } from '../proposing.ts';
import { ALL, dead } from './daemons.ts';

const FOUND = ['daemon_restarts node/r3'];

const run = (daemon: string, agoMs: number): SettingChange => ({
  ...{ kind: 'daemon', subject: daemon, was: 'running', is: 'restarted', agoMs },
});
const runs = (...ages: readonly number[]) => ages.map((agoMs) => run('isisd', agoMs));
const r3 = (...settings: readonly SettingChange[]) => at(['r3'], remembering(...settings));

test('a daemon that was started three times, the last of them just now, is named as likely, with their number and times', () => {
  const [finding] = diagnose(ring(r3(...runs(5_000, 45_000, 85_000)))).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence], [FOUND[0], 'likely']);
  assert.equal(finding?.details['what'], 'r3: isisd ended and started again 3 times in the last 85 s, last 5 s ago');
});

test('it is certain where a neighbour lost what the daemon speaks with one of its starts', () => {
  const lost = (node: string, kind: 'adjacency' | 'session', subject: string, agoMs: number) =>
    at([node], (state) => ({
      ...state,
      history: { ...state.history!, events: [{ kind, subject, up: false, agoMs, changes: 1 }] },
    }));
  const told = (change: Change) =>
    diagnose(ring(all(change, r3(...runs(5_000, 45_000, 85_000))))).findings.map(({ confidence }) => confidence);
  assert.deepEqual(told(lost('r2', 'adjacency', 'eth2 0000.0000.0003', 40_000)), ['certain']);
  assert.deepEqual(told(lost('r2', 'adjacency', 'eth1 0000.0000.0001', 40_000)), ['likely'], 'towards another node');
  assert.deepEqual(told(lost('r2', 'adjacency', 'eth2 0000.0000.0003', 145_001)), ['likely'], 'before any of them');
  assert.deepEqual(told(lost('r2', 'session', '198.18.2.1', 40_000)), ['likely'], 'isisd does not speak BGP');
});

test('a start after a reading without an answer counts as well, also while the daemon is dead again', () => {
  const again: SettingChange = { ...run('isisd', 20_000), was: 'not answering', is: 'running' };
  const ended: SettingChange = { ...run('isisd', 2_000), is: 'not answering' };
  assert.deepEqual(named(ring(all(dead(['isisd']), r3(ended, again, ...runs(50_000, 80_000))))), FOUND);
});

test('starts of all daemons of a node at one moment are an upgrade, however often', () => {
  const all3 = ALL.flatMap((name, index) => [10_000, 60_000, 110_000].map((agoMs) => run(name, agoMs + index * 1_000)));
  assert.deepEqual(named(ring(r3(...all3))), []);
  // Read seldom, some of them were seen in the reading after, and tell when the one before was.
  const late = all3.map((row, index) =>
    index < 3
      ? { ...row, agoMs: row.agoMs + 22_000, fromAgoMs: row.agoMs + 44_000 }
      : { ...row, fromAgoMs: row.agoMs + 22_000 },
  );
  assert.deepEqual(named(ring(r3(...late))), []);
  const without = all3.filter(({ subject }) => subject !== 'staticd');
  assert.deepEqual(named(ring(r3(...without))), FOUND, 'staticd went on');
});

test('restarts that have stopped are a remark: quiet for a minute, and for longer than their longest pause', () => {
  const told = (...ages: readonly number[]) => remarksTold(diagnose(ring(r3(...runs(...ages)))));
  assert.deepEqual(named(ring(r3(...runs(61_000, 70_000, 80_000)))), []);
  assert.deepEqual(told(61_000, 70_000, 80_000), [
    'r3: isisd ended and started again 3 times in the last 80 s, last 61 s ago, and has run since',
  ]);
  assert.deepEqual(named(ring(r3(...runs(70_000, 100_000, 160_000)))), FOUND);
  assert.deepEqual(named(ring(r3(...runs(71_000, 100_000, 160_000)))), []);
  assert.deepEqual(named(ring(all(dead(['isisd']), r3(...runs(71_000, 100_000, 160_000))))), FOUND, 'it is dead again');
});

test('an operator who restarted a daemon three times, the last of them five minutes ago, accuses no node', () => {
  const input = ring(r3(...runs(300_000, 450_000, 599_000)));
  assert.deepEqual(named(input), []);
  assert.match(
    remarksTold(diagnose(input)).join(),
    /isisd ended and started again 3 times .*, last 5 min ago, and has run/,
  );
});

test('starts of ten minutes count, older ones and new versions do not', () => {
  assert.deepEqual(named(ring(r3(...runs(5_000, 300_000, 600_000)))), FOUND);
  assert.deepEqual(named(ring(r3(...runs(5_000, 300_000, 600_001)))), []);
  const version: SettingChange = { ...run('frr', 5_000), setting: 'version', was: '8.4', is: 'restarted' };
  assert.deepEqual(named(ring(r3(version, version, version))), []);
});

const world = ringWorld({}, { a: { history: { settings: runs(5_000, 15_000, 25_000) } } });

test('it takes along what its daemon spoke, its death, and the routes of its node', () => {
  const detail = { node: 'a', daemons: ['isisd'], starts: 3, firstAgoMs: 25_000, lastAgoMs: 5_000 };
  const own = symptom('daemon_restarts', { subject: 'node/a', nodes: ['a'], detail });
  const others = [
    symptom('isis', { nodes: ['a', 'b'] }),
    symptom('isis', { id: 'isis elsewhere', nodes: ['b', 'c'] }),
    symptom('bgp', { nodes: ['a', 'b'] }),
    symptom('daemon', { nodes: ['a'], detail: { dead: ['isisd'], alive: ['zebra'] } }),
    symptom('restarted', { nodes: ['a'], detail: { dead: ['isisd', 'bgpd'], alive: [], agoMs: 5_000 } }),
    symptom('route', { nodes: ['a', 'c'], detail: { how: 'none', owner: 'a', at: 'c' } }),
    symptom('route', { id: 'route of others', nodes: ['b', 'c'], detail: { how: 'none', owner: 'b', at: 'c' } }),
  ];
  assert.deepEqual(explained(daemonRestarts, caseOf([own, ...others], world)), [
    ['node/a', ['daemon', 'daemon_restarts', 'isis', 'route']],
  ]);
  const over = { ...own, remark: 'they are over' };
  assert.deepEqual(explained(daemonRestarts, caseOf([over, ...others], world)), [['node/a', ['daemon_restarts']]]);
});
