// memory_exhausted: the kernel killed r3's bgpd, as its node remembers it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, type Change, named, remembering, ring } from '../../ring.ts';
import { ALL, dead } from './daemons.ts';

const FOUND = ['memory_exhausted node/r3'];

const kill = (agoMs: number, [was, is] = ['0', '1'], subject = 'daemons'): SettingChange => ({
  ...{ kind: 'resource', subject, setting: 'killed', was, is, agoMs },
});
const ended = (agoMs: number, subject = 'bgpd', is = 'not answering'): SettingChange => ({
  ...{ kind: 'daemon', subject, was: 'running', is, agoMs },
});
const r3 = (...settings: readonly SettingChange[]) => at(['r3'], remembering(...settings));

test('a daemon that is dead since the kernel killed a process of its group is named for want of memory, not for its death', () => {
  const [finding, ...others] = diagnose(ring(all(dead(['bgpd']), r3(kill(20_000), ended(22_000))))).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence, others], [FOUND[0], 'certain', []]);
  assert.equal(
    finding?.details['what'],
    'r3: the kernel killed a process in the control group of its routing daemons for want of memory once, last 20 s ago, and bgpd ended with it',
  );
});

test('a daemon that ended at another time was not killed', () => {
  const [finding] = diagnose(
    ring(all(dead(['bgpd']), r3(kill(20_000), ended(22_000), ended(300_000, 'staticd', 'restarted')))),
  ).findings;
  assert.match(String(finding?.details['what']), /, and bgpd ended with it$/);
});

test('where all daemons seem to have been started at that moment, a reading came late: those that answer no more were killed', () => {
  const late = ALL.map((name) => ended(21_000, name, 'restarted'));
  const told = (...changes: readonly Change[]) => diagnose(ring(all(...changes)));
  const [finding] = told(dead(['bgpd']), r3(kill(20_000, ['4', '5'], 'node'), ended(20_500), ...late)).findings;
  assert.match(String(finding?.details['what']), /, and bgpd ended with it$/);
  const alive = told(r3(kill(20_000, ['4', '5'], 'node'), ...late));
  assert.deepEqual([alive.findings, remarksTold(alive)], [[], []]);
});

test('where kills are counted on the whole node alone it is likely', () => {
  const [finding] = diagnose(ring(all(dead(['bgpd']), r3(kill(20_000, ['4', '5'], 'node'), ended(22_000))))).findings;
  assert.deepEqual([finding?.fault, finding?.confidence], ['memory_exhausted', 'likely']);
});

test('a daemon that ends while the kernel kills programs of other containers all the time counts as stopped by an operator', () => {
  const others = [80_000, 140_000].map((agoMs) => kill(agoMs, ['4', '5'], 'node'));
  const told = ring(all(dead(['bgpd']), r3(kill(20_000, ['5', '6'], 'node'), ended(22_000), ...others)));
  assert.deepEqual(named(told), ['daemon_down node/r3']);
});

test('kills that go on are one finding, not restarts beside them', () => {
  const times = [5_000, 45_000, 85_000];
  const kills = times.map((agoMs, index) => kill(agoMs, [`${2 - index}`, `${3 - index}`]));
  const starts = times.map((agoMs) => ended(agoMs, 'bgpd', 'restarted'));
  assert.deepEqual(named(ring(r3(...kills, ...starts))), FOUND);
});

test('one kill after which the daemon runs is a remark', () => {
  const input = ring(r3(kill(20_000), ended(22_000, 'bgpd', 'restarted')));
  assert.deepEqual(named(input), []);
  assert.match(remarksTold(diagnose(input)).join(), /for want of memory once, last 20 s ago, .*; it runs since$/);
});

test('kills of days ago accuse no node: not of daemons that run, nor of one that an operator stopped now', () => {
  const HOUR_MS = 3_600_000;
  const old = [kill(20 * HOUR_MS, ['1', '2']), kill(50 * HOUR_MS)];
  const starts = [20, 50].map((hours) => ended(hours * HOUR_MS, 'bgpd', 'restarted'));
  assert.deepEqual(named(ring(r3(...old, ...starts))), []);
  const stopped = all(dead(['bgpd']), r3(ended(120_000), ...old, ...starts));
  assert.deepEqual(named(ring(stopped)), ['daemon_down node/r3']);
});

test('the kill of another program, a counter that began anew and a crash accuse no node of it', () => {
  assert.deepEqual(named(ring(r3(kill(20_000, ['4', '5'], 'node')))), [], 'no daemon ended');
  const apart = all(dead(['bgpd']), r3(kill(20_000, ['4', '5'], 'node'), ended(36_000)));
  assert.deepEqual(named(ring(apart)), ['daemon_down node/r3'], 'at another time');
  assert.deepEqual(named(ring(all(dead(['bgpd']), r3(kill(20_000, ['7', '0']), ended(22_000))))), [
    'daemon_down node/r3',
  ]);
  assert.deepEqual(named(ring(all(dead(['bgpd']), r3(ended(22_000))))), ['daemon_down node/r3']);
});

test('where the whole service ends with each kill, as systemd lets it, kills that go on are named', () => {
  const times = [30_000, 150_000, 270_000];
  const kills = times.map((agoMs, index) => kill(agoMs, [`${2 - index}`, `${3 - index}`], 'node'));
  const starts = times.flatMap((agoMs) => ALL.map((name) => ended(agoMs - 4_000, name, 'restarted')));
  const [finding, ...others] = diagnose(ring(r3(...kills, ...starts))).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence, others], [FOUND[0], 'likely', []]);
  assert.match(String(finding?.details['what']), /for want of memory 3 times, last 30 s ago/);
  const { is: _, ...left } = ended(0);
  const gone = times.flatMap((agoMs) => ALL.map((subject) => ({ ...left, subject, agoMs: agoMs - 4_000 })));
  assert.deepEqual(named(ring(r3(...kills, ...gone))), FOUND, 'its pid files and sockets go with it');
  const once = ring(r3(kills[0]!, ...starts));
  assert.deepEqual(named(once), [], 'an operator starts the service again and again, and one kill went with it');
});

test('kills of other programs in the same container, all the time, are not those of a daemon that an operator stops', () => {
  const others = [80_000, 140_000].map((agoMs, index) => kill(agoMs, [`${4 - index}`, `${5 - index}`]));
  const told = ring(all(dead(['bgpd']), r3(kill(20_000, ['5', '6']), ended(22_000), ...others)));
  assert.deepEqual(named(told), ['daemon_down node/r3']);
});
