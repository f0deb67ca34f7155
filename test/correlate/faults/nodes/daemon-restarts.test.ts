// daemon_restarts: r3's isisd ends and is started again, three times and more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { daemonRestarts } from '#correlate/faults/nodes/daemon-restarts.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { all, at, named, remembering, ring } from '../../ring.ts';
import { caseOf, explained, ringWorld, symptom } from '../proposing.ts';
import { dead } from './daemons.ts';

const FOUND = ['daemon_restarts node/r3'];

const run = (daemon: string, agoMs: number): SettingChange => ({
  ...{ kind: 'daemon', subject: daemon, was: 'running', is: 'restarted', agoMs },
});
const runs = (...ages: readonly number[]) => ages.map((agoMs) => run('isisd', agoMs));
const r3 = (...settings: readonly SettingChange[]) => at(['r3'], remembering(...settings));

test('a daemon that was started three times, the last of them just now, is named with their number and times', () => {
  const input = ring(r3(...runs(5_000, 45_000, 85_000)));
  assert.deepEqual(named(input), FOUND);
  assert.equal(
    diagnose(input).findings[0]!.details['what'],
    'r3: isisd ended and started again 3 times within 85 s, last 5 s ago',
  );
});

test('a start after a reading without an answer counts as well, also while the daemon is dead again', () => {
  const again: SettingChange = { ...run('isisd', 20_000), was: 'not answering', is: 'running' };
  const ended: SettingChange = { ...run('isisd', 2_000), is: 'not answering' };
  assert.deepEqual(named(ring(all(dead(['isisd']), r3(ended, again, ...runs(50_000, 80_000))))), FOUND);
});

test('all daemons of a node that are stopped and started twice are an upgrade', () => {
  const twice = ['zebra', 'isisd', 'staticd'].flatMap((name) => [run(name, 10_000), run(name, 40_000)]);
  assert.deepEqual(named(ring(r3(...twice))), []);
});

test('restarts that have stopped are over: quiet for a minute, and for twice their longest pause', () => {
  assert.deepEqual(named(ring(r3(...runs(61_000, 70_000, 80_000)))), []);
  assert.deepEqual(named(ring(r3(...runs(61_000, 100_000, 160_000)))), FOUND);
  assert.deepEqual(named(ring(r3(...runs(121_000, 150_000, 210_000)))), []);
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
});
