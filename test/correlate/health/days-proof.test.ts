// Losses of neighbours days ago: those that go with a reboot, a restart of the daemon that speaks them, a commit or maintenance keep no time from
// being proven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provenPast } from '#correlate/health/history-proof.ts';
import { maintainedThen } from '#correlate/meant/meant.ts';
import type { ExpectationLine } from '#model/router/expectations.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { pairWorld } from '../pair-scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LOST = 5 * HOUR;
const links = (ifname: string) => [{ ifname, minutes: 1_440, sent: 10, lost: 0 }];
const recorded = { reachMs: 2 * DAY, minutes: 1_440, gaps: [] };
const days = new Map([
  ['a', { ...recorded, links: links('to-b') }],
  ['b', { ...recorded, links: links('to-a') }],
]);
const event = (kind: string, subject: string) => ({ kind, subject, up: false, agoMs: LOST, changes: 1 });
const ISIS = event('adjacency', 'to-b 0000.0000.0002');

type Remembered = {
  readonly settings?: readonly Omit<SettingChange, 'subject'>[];
  readonly commits?: readonly object[];
};

/** a lost its neighbour; what a and b remember. */
function proof(a: Remembered, b: Remembered, { lost = ISIS, lines = [] as readonly ExpectationLine[] } = {}) {
  const history = ({ settings = [], commits = [] }: Remembered, events: readonly object[]) => ({
    history: { spanMs: 2 * DAY, settings: settings.map((row) => ({ subject: 'isisd', ...row })), commits, events },
  });
  const isis = (systemId: string) => ({ isis: { systemId, circuits: [] } });
  const states = {
    a: { now: { ...history(a, [lost]) } },
    b: { now: { ...history(b, []), ...isis('0000.0000.0002') } },
  };
  const owners = new Map([['fd00::b', [{ node: 'b', ifname: 'to-a' }]]]);
  const world = pairWorld(['a-b'], states, { sinceMs: DAY, days, owners });
  const said = { node: 'a', lines, at: new Date(Date.UTC(2026, 0, 31)).toISOString() };
  return provenPast({ kind: 'healthy', reasons: ['r'] }, world, maintainedThen(world, said as never)).reasons[0]!;
}

const UNEXPLAINED = /\{a\} lost the adjacency to-b 0000\.0000\.0002 5 h ago, and no finding explains it$/;
const EXPLAINED = /noticed nothing but lost neighbours at a reboot, restart, commit or maintenance \(1 times\);/;
const one = (row: Omit<SettingChange, 'subject'>): Remembered => ({ settings: [row] });
const restarted = (agoMs: number) => one({ kind: 'daemon', was: 'running', is: 'restarted', agoMs });
const booted = (agoMs: number): Omit<SettingChange, 'subject'> => ({ kind: 'reboot', is: 'booted', agoMs });

test('a loss that goes with nothing is named, and no finding explains it', () => {
  assert.match(proof({}, {}), UNEXPLAINED);
});

test('within a minute of a reboot, a restart or a commit of either end it is explained', () => {
  for (const known of [
    restarted(LOST + 60_000),
    restarted(LOST - 60_000),
    one(booted(LOST)),
    one({ kind: 'commit', agoMs: LOST }),
  ]) {
    assert.match(proof(known, {}), EXPLAINED);
    assert.match(proof({}, known), EXPLAINED);
  }
  assert.match(proof({}, { commits: [{ id: 'c', by: 'x', state: 'CONFIRMED', agoMs: LOST }] }), EXPLAINED);
  assert.match(proof({}, { commits: [{ id: 'c', by: 'x', state: 'PREPARED', agoMs: LOST }] }), UNEXPLAINED);
  assert.match(proof({}, restarted(LOST + 60_001)), UNEXPLAINED);
  assert.match(proof({}, restarted(LOST - 60_001)), UNEXPLAINED);
});

test('a reboot begins when the agent of its node ended', () => {
  const agent = (agoMs: number): Omit<SettingChange, 'subject'> => ({
    kind: 'agent',
    was: 'running',
    is: 'stopped',
    agoMs,
  });
  const boot = booted(LOST - 300_000);
  assert.match(proof({}, one(boot)), UNEXPLAINED);
  assert.match(proof({}, { settings: [boot, agent(LOST)] }), EXPLAINED);
  assert.match(proof({}, { settings: [boot, agent(LOST + 700_000)] }), UNEXPLAINED, 'it ended long before');
});

test('only the daemon that speaks what was lost explains it', () => {
  const bgp = { kind: 'daemon', subject: 'bgpd', was: 'running', is: 'restarted', agoMs: LOST } as const;
  assert.match(proof({}, { settings: [bgp] }), UNEXPLAINED);
  assert.match(proof({}, { settings: [bgp] }, { lost: event('session', 'fd00::b') }), EXPLAINED);
});

test('so does a maintenance window of an end or its link, within a minute', () => {
  const at = (agoMs: number) => new Date(Date.UTC(2026, 0, 31) - agoMs).toISOString();
  const window = (places: { readonly nodes?: readonly string[]; readonly links?: readonly string[] }, shiftMs = 0) => ({
    lines: [
      {
        ...{ kind: 'maintenance' as const, nodes: [], links: [], reason: 'r', owner: 'o' },
        ...{ from: at(LOST + HOUR + shiftMs), until: at(LOST - 1_000 + shiftMs) },
        ...places,
      } as ExpectationLine,
    ],
  });
  assert.match(proof({}, {}, window({ nodes: ['b'] })), EXPLAINED);
  assert.match(proof({}, {}, window({ links: ['a:to-b--b:to-a'] })), EXPLAINED);
  assert.match(proof({}, {}, window({ nodes: ['c'] })), UNEXPLAINED);
  assert.match(proof({}, {}, window({ nodes: ['b'] }, 62_000)), UNEXPLAINED, 'it had ended');
});
