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
  assert.ok(found.includes('new | finding | mtu_mismatch at interface/r3/eth1 |  | r3 eth1 MTU mismatch'));
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

const moment = (change: Partial<Moment> = {}): Moment => ({
  ...{ verdict: { kind: 'healthy', reasons: [] }, findings: [], asked: ['r1', 'r2'], profile: profile({}), rates: [] },
  ...change,
});
const finding = (hypothesis: string, confidence = 'certain', resource = 'node/r1') =>
  ({ fault: 'daemon_down', resource, hypothesis, confidence }) as never;

test('findings are gone, new, or still there in other words or with another confidence', () => {
  const [none, one] = [moment(), moment({ findings: [finding('r1 daemon down')] })];
  const subject = 'daemon_down at node/r1';
  assert.deepEqual(compareMoments(none, one).changes, [
    { what: 'finding', subject, how: 'new', after: 'r1 daemon down' },
  ]);
  assert.deepEqual(compareMoments(one, none).changes, [
    { what: 'finding', subject, how: 'gone', before: 'r1 daemon down' },
  ]);
  assert.deepEqual(compareMoments(one, one), { same: true, changes: [], remarks: [] });
  const still = (other: never) => compareMoments(one, moment({ findings: [other] }));
  assert.deepEqual(still(finding('other words')).remarks, [
    `${subject} still: r1 daemon down (certain), then other words (certain)`,
  ]);
  assert.deepEqual(still(finding('r1 daemon down', 'likely')).remarks.length, 1);
  assert.deepEqual(still(finding('r1 daemon down', 'likely')).same, true);
  const elsewhere = still(finding('r1 daemon down', 'certain', 'node/r2'));
  assert.deepEqual([elsewhere.changes.length, elsewhere.remarks], [2, []]);
});

test('nodes that were asked once are new or gone, those asked twice may have fallen silent or come back', () => {
  const nodes = (before: Partial<Moment>, after: Partial<Moment>) =>
    compareMoments(moment(before), moment(after)).changes.map(({ subject, how, before: was, after: is }) =>
      [subject, how, was, is].join(' '),
    );
  assert.deepEqual(nodes({ asked: ['r1'] }, {}), ['r2 new  ']);
  assert.deepEqual(nodes({}, { asked: ['r1'] }), ['r2 gone  ']);
  const silent = { profile: profile({ nodes: ['r1'] }) };
  assert.deepEqual(nodes({}, silent), ['r2 changed told its state silent']);
  assert.deepEqual(nodes(silent, {}), ['r2 changed silent told its state']);
  assert.deepEqual(nodes(silent, silent), []);
});

test('ways are compared only where both asked for the same destination', () => {
  const way = {
    part: 'route',
    subject: 'r1 to x',
    nodes: ['r1'],
    value: 'unicast over eth1',
    resource: 'node/r1',
  } as const;
  const told = ['r1 route'];
  const [had, other] = [profile({ entries: [way], told }), profile({ entries: [{ ...way, value: 'none' }], told })];
  assert.deepEqual(profileChanges(had, profile({ told })), []);
  assert.deepEqual(profileChanges(profile({ told }), had), []);
  assert.deepEqual(profileChanges(had, other), [
    { what: 'route', subject: 'r1 to x', how: 'changed', before: 'unicast over eth1', after: 'none' },
  ]);
  assert.deepEqual(profileChanges(had, had), []);
});

test('changes are told from causes to consequences', () => {
  const entry = (part: 'route' | 'session' | 'link', value: string) => ({
    ...{ part, subject: part, nodes: ['r1'], value, resource: 'node/r1' as const },
  });
  const parts = ['route', 'session', 'link'] as const;
  const of = (value: string) => profile({ entries: parts.map((part) => entry(part, value)) });
  assert.deepEqual(
    profileChanges(of('one'), of('other')).map(({ what }) => what),
    ['link', 'session', 'route'],
  );
});

test('a round trip is remarked on from a millisecond and twice as much, longer or shorter', () => {
  const trip = (minMs: number, from = 'r1') => profile({ roundTrips: [{ from, to: 'r2', minMs, avgMs: 9 }] });
  const remarks = (was: number, is: number, from?: string) =>
    compareMoments(moment({ profile: trip(was) }), moment({ profile: trip(is, from) })).remarks;
  assert.deepEqual(remarks(1, 2), ['round trip r1 – r2: 1 ms at least, then 2 ms']);
  assert.deepEqual(remarks(2, 1), ['round trip r1 – r2: 2 ms at least, then 1 ms']);
  assert.deepEqual([remarks(1, 1.9), remarks(10, 19), remarks(0.2, 1.1)], [[], [], []]);
  assert.deepEqual(remarks(10, 20).length, 1);
  assert.deepEqual(remarks(1, 20, 'r3'), []);
});

test('a counter of errors that began to move makes two moments differ, a load does not', () => {
  const rate = { subject: 'r1 eth1', rxPerSecond: 0, txPerSecond: 0, rxErrors: 0, txErrors: 0 };
  const after = (change: object) =>
    compareMoments(moment({ rates: [rate] }), moment({ rates: [{ ...rate, ...change }] }));
  assert.deepEqual(after({ txErrors: 4 }).changes, [
    { what: 'error counter', subject: 'r1 eth1 txErrors', how: 'changed', before: '0', after: '4' },
  ]);
  assert.deepEqual([after({ txErrors: 4 }).same, after({ rxPerSecond: 900 }).same], [false, true]);
  assert.equal(after({ rxPerSecond: 900 }).remarks.length, 1);
});

test('each subject is summed up by itself, from its first to its last event within the span', () => {
  const happened = (events: readonly object[], span = { sinceMs: 60_000, untilMs: 10_000 }) => {
    const history = { spanMs: 60_000, events, lastHeard: [] };
    const views = new Map([['r1', { node: 'r1', state: { history } }]]);
    return happeningsOf({ views } as unknown as World, span).happenings.map(
      ({ kind, subject, before, after, changes, lastAgoMs }) =>
        [kind, subject, before, after, changes, lastAgoMs].join(' '),
    );
  };
  const event = (agoMs: number, up: boolean, changes = 1, kind = 'carrier') => ({
    agoMs,
    kind,
    subject: 'eth1',
    up,
    changes,
  });
  assert.deepEqual(happened([event(60_000, false)]), ['carrier eth1 up down 1 60000']);
  assert.deepEqual(happened([event(60_001, false), event(9_999, true)]), []);
  assert.deepEqual(happened([event(10_000, true)]), ['carrier eth1 down up 1 10000']);
  assert.deepEqual(happened([event(30_000, true, 2)]), ['carrier eth1 up up 2 30000']);
  assert.deepEqual(happened([event(20_000, true), event(40_000, false, 3)]), ['carrier eth1 up up 4 20000']);
  assert.deepEqual(happened([event(40_000, false), event(30_000, false, 1, 'adjacency')]).length, 2);
  const short = (spanMs: number | undefined) => {
    const history = spanMs === undefined ? undefined : { spanMs, events: [] };
    const views = new Map([['r1', { node: 'r1', state: { history } }]]);
    return happeningsOf({ views } as unknown as World, { sinceMs: 60_000, untilMs: 0 }).short;
  };
  assert.deepEqual(
    [short(60_000), short(59_999), short(undefined)],
    [...[[], [{ node: 'r1', spanMs: 59_999 }], [{ node: 'r1', spanMs: 0 }]]],
  );
});
