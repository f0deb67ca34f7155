// Two moments compared: what was recorded healthy against what was recorded with one fault, and one moment against itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareMoments, type Moment, profileChanges } from '#correlate/baseline/compare.ts';
import { rateRemarks, ratesOf } from '#correlate/baseline/rates.ts';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { happeningsOf } from '#correlate/baseline/time-windows.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { World } from '#correlate/network/world.ts';
import type { Profile } from '#model/snapshot.ts';
import { recorded } from '../../narrate/evaluation/cases.ts';

function momentOf(input: DiagnoseInput): Moment {
  const { intent, nodeNames, evidence, outcomes } = input;
  const file = caseFileOf(intent, nodeNames, evidence, outcomes);
  const { verdict, findings } = diagnose(input);
  return { verdict, findings, asked: nodeNames, profile: profileOf(file), rates: ratesOf(file.world) };
}

const healthy = momentOf(recorded('healthy'));
const lines = (before: Moment, after: Moment) =>
  compareMoments(before, after).changes.map(({ what, subject, how, before: was, after: is }) =>
    [how, what, subject, was ?? '', is ?? ''].join(' | '),
  );

test('a moment is the same as itself', () => {
  assert.deepEqual(compareMoments(healthy, healthy), { same: true, changes: [], remarks: [] });
});

test('a changed MTU, and what it brought down, are told once each', () => {
  const found = lines(healthy, momentOf(recorded('mtu')));
  assert.ok(found.includes('changed | verdict | verdict | healthy | fault'));
  assert.ok(found.includes('new | finding | mtu_mismatch at interface/r3/eth1 |  | r3 eth1 mtu mismatch'));
  assert.equal(found.filter((line) => line.startsWith('changed | mtu | ')).length, 1);
  assert.match(found.find((line) => line.includes('| mtu |'))!, /^changed \| mtu \| r3 eth1 \| \d{4,5} \| \d{4,5}$/);
});

test('a session that went is a changed session, and the other way round it came', () => {
  const with2 = momentOf(recorded('bgpasn'));
  const bgp = ({ what, subject }: { readonly what: string; readonly subject: string }) =>
    what === 'session' && subject.startsWith('bgp ');
  const there = compareMoments(healthy, with2).changes.filter(bgp);
  const back = compareMoments(with2, healthy).changes.filter(bgp);
  assert.ok(there.length > 0 && there.length === back.length);
  assert.ok(there.every(({ before, after }) => before === 'Established' && after !== 'Established'));
  assert.ok(back.every(({ before, after }) => after === 'Established' && before !== 'Established'));
});

test('a node that did not tell its state has lost nothing: it is silent, once', () => {
  const input = recorded('healthy');
  const silent = momentOf({ ...input, evidence: input.evidence.filter(({ node }) => node !== 'r2') });
  const changes = compareMoments(healthy, silent).changes.filter(({ what }) => what !== 'route');
  assert.deepEqual(
    changes.map(({ what, subject }) => `${what} ${subject}`),
    ['verdict verdict', 'node r2'],
  );
});

const profile = (over: Partial<Profile>): Profile => ({
  nodes: ['r1', 'r2'],
  told: [],
  entries: [],
  roundTrips: [],
  ...over,
});
const link = {
  part: 'link',
  subject: 'link/r1:eth1--r2:eth1',
  nodes: ['r1', 'r2'],
  value: 'up',
  resource: 'link/r1:eth1--r2:eth1',
} as const;

test('an entry is gone or new only where the other side could tell', () => {
  const both = ['r1 link', 'r2 link'];
  const had = profile({ entries: [link], told: both });
  assert.deepEqual(profileChanges(had, profile({ told: both })), [
    { what: 'link', subject: 'link/r1:eth1--r2:eth1', how: 'gone', before: 'up' },
  ]);
  assert.deepEqual(profileChanges(had, profile({ told: ['r1 link'] })), []);
  assert.deepEqual(profileChanges(profile({ told: both }), had), [
    { what: 'link', subject: 'link/r1:eth1--r2:eth1', how: 'new', after: 'up' },
  ]);
  assert.deepEqual(profileChanges(profile({ told: ['r2 link'] }), had), []);
});

test('loads are remarks, error counters that begin to move are a change', () => {
  const rate = { subject: 'r1 eth1', rxPerSecond: 100, txPerSecond: 100, rxErrors: 0, txErrors: 0 };
  const busy = { ...rate, rxPerSecond: 1_000, rxErrors: 7 };
  assert.deepEqual(rateRemarks([rate], [busy]), {
    errors: [{ subject: 'r1 eth1 rxErrors', before: '0', after: '7' }],
    remarks: ['load r1 eth1 rx: 100 packets a second, then 1000'],
  });
  assert.deepEqual(rateRemarks([rate], [{ ...rate, rxPerSecond: 390 }]), { errors: [], remarks: [] });
});

test('the nodes’ own histories tell what went and came, and who does not remember so long', () => {
  const event = (agoMs: number, up: boolean, changes = 1) =>
    ({ agoMs, kind: 'carrier', subject: 'eth1', up, changes }) as const;
  const state = (spanMs: number, events: readonly unknown[]) => ({
    state: { history: { spanMs, events, lastHeard: [] } },
  });
  const views = new Map([
    ['r1', { node: 'r1', ...state(900_000, [event(700_000, false), event(40_000, false), event(20_000, true)]) }],
    ['r2', { node: 'r2', ...state(30_000, [event(10_000, false)]) }],
  ]);
  const found = happeningsOf({ views } as unknown as World, { sinceMs: 60_000, untilMs: 15_000 });
  assert.deepEqual(found, {
    happenings: [
      { node: 'r1', kind: 'carrier', subject: 'eth1', before: 'up', after: 'up', changes: 2, lastAgoMs: 20_000 },
    ],
    short: [{ node: 'r2', spanMs: 30_000 }],
  });
});
