// session_flap: what runs between r1 and r2 is lost again and again, as both remember it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, type Change, named, remembering, ring } from '../../ring.ts';
import { R1, R2, session } from '../bgp/sessions.ts';

const FOUND = ['session_flap link/r1:eth1--r2:eth1'];
const AGES = [5_000, 35_000, 65_000];

const events = (kind: HistoryEvent['kind'], subject: string, ages: readonly number[]): readonly HistoryEvent[] =>
  ages.map((agoMs) => ({ kind, subject, up: false, agoMs, changes: 1 }));
/** Events are added to what a node remembers. */
const remembers = (node: string, added: readonly HistoryEvent[]): Change =>
  at([node], (state) => ({
    ...state,
    history: { ...state.history!, events: [...(state.history?.events ?? []), ...added] },
  }));
const bgp = (ages: readonly number[], farAges = ages): Change =>
  all(remembers('r1', events('session', R2, ages)), remembers('r2', events('session', R1, farAges)));

test('a session that was lost three times and came back is named as likely at its link, with the reason of the last', () => {
  const reset = session('r1', R2, () => ({ lastReset: 'Notification received', notification: 'Hold Timer Expired' }));
  const [finding, ...others] = diagnose(ring(all(bgp(AGES), reset))).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence, others], [FOUND[0], 'likely', []]);
  assert.equal(
    finding?.details['what'],
    'BGP r1 – r2 was lost 3 times in the last 65 s, last 5 s ago, and came back each time before (Hold Timer Expired)',
  );
});

test('an adjacency counts like a session', () => {
  const isis = all(
    remembers('r1', events('adjacency', 'eth1 0000.0000.0002', AGES)),
    remembers('r2', events('adjacency', 'eth1 0000.0000.0001', AGES)),
  );
  assert.deepEqual(named(ring(isis)), FOUND);
});

test('an unnumbered session, whose peer is the port of its node, counts like one', () => {
  const unnumbered = (port: string) =>
    all(remembers('r1', events('session', port, AGES)), remembers('r2', events('session', 'eth1', AGES)));
  assert.deepEqual(named(ring(unnumbered('eth1'))), FOUND);
  assert.deepEqual(named(ring(unnumbered('eth2'))), [], 'the other port of r1');
});

test('two losses, losses that have stopped, and those that one end alone saw accuse no link', () => {
  assert.deepEqual(named(ring(bgp(AGES.slice(1)))), []);
  assert.deepEqual(named(ring(bgp([200_000, 230_000, 260_000]))), []);
  assert.deepEqual(named(ring(bgp(AGES, []))), []);
  assert.deepEqual(named(ring(bgp(AGES, [35_000]))), FOUND, 'the other end saw one of them');
});

test('what went with a carrier, a daemon, an operator or a change of its settings is no flap of its own', () => {
  const excuses: readonly (readonly [string, Change])[] = [
    ['carrier', remembers('r2', [{ kind: 'carrier', subject: 'eth1', up: true, agoMs: 40_000, changes: 2 }])],
    [
      'daemon',
      at(['r2'], (state) =>
        remembering({ kind: 'daemon', subject: 'bgpd', was: 'running', is: 'restarted', agoMs: 40_000 })(state),
      ),
    ],
    [
      'settings',
      at(['r1'], (state) =>
        remembering({ kind: 'session', subject: R2, setting: 'shutdown', was: 'shut', is: 'up', agoMs: 40_000 })(state),
      ),
    ],
    ['operator', session('r1', R2, () => ({ lastReset: 'User reset' }))],
    ['another AS', session('r1', R2, () => ({ lastReset: 'Remote AS change' }))],
    ['another family', session('r1', R2, () => ({ lastReset: 'Address family activated' }))],
    ['hard reset', session('r1', R2, () => ({ notification: 'Cease/Hard Reset' }))],
    ['member of a group', session('r1', R2, () => ({ lastReset: 'Peer-group add member' }))],
    ['limit of its own', session('r1', R2, () => ({ lastReset: 'Reached received prefix count' }))],
    ['limit', session('r1', R2, () => ({ notification: 'Cease/Maximum Number of Prefixes Reached' }))],
  ];
  const daemons = (change: object): Change =>
    at(['r2'], (state) => ({
      ...state,
      daemons: state.daemons!.map((daemon) => (daemon.name === 'bgpd' ? { ...daemon, ...change } : daemon)),
    }));
  assert.deepEqual(named(ring(all(bgp(AGES), daemons({ upMs: 64_000 })))), [], 'bgpd is younger than the first loss');
  assert.ok(!named(ring(all(bgp(AGES), daemons({ alive: false })))).includes(FOUND[0]!), 'bgpd is dead');
  assert.deepEqual(named(ring(all(bgp(AGES), daemons({ upMs: 65_000 })))), FOUND);
  for (const [name, change] of excuses) assert.deepEqual(named(ring(all(bgp(AGES), change))), [], name);
  const elsewhere = remembers('r2', [{ kind: 'carrier', subject: 'eth2', up: true, agoMs: 40_000, changes: 2 }]);
  assert.deepEqual(named(ring(all(bgp(AGES), elsewhere))), FOUND, 'the carrier of another port');
});

const isis = all(
  remembers('r1', events('adjacency', 'eth1 0000.0000.0002', AGES)),
  remembers('r2', events('adjacency', 'eth1 0000.0000.0001', AGES)),
);
/** The log of r1 says so. */
const logged = (input: DiagnoseInput, kind: string, about: string, count: number): DiagnoseInput => {
  const state = input.evidence.find(({ node, kind: what }) => node === 'r1' && what === 'state')!;
  const body = { ...(state.body as object), logSigns: [{ kind, about, count, lastAgoMs: 5_000 }] };
  const entry = { ...state, id: 'deepen/r1/log', purpose: { kind: 'logs' }, phase: 'deepen', body };
  return { ...input, evidence: [...input.evidence, entry as unknown as DiagnoseInput['evidence'][number]] };
};
const told = (input: DiagnoseInput) => [named(input), remarksTold(diagnose(input)).join()] as const;

test('an adjacency that an operator cleared, as a log says, is a remark that says so', () => {
  const [accused, remark] = told(logged(ring(isis), 'isis-cleared', 'eth1', 3));
  assert.deepEqual(accused, []);
  assert.equal(
    remark,
    `IS-IS r1 – r2 was lost 3 times in the last 65 s, last 5 s ago, and came back each time before; this was an operator's doing, by the log of r1`,
  );
  assert.deepEqual(named(logged(ring(isis), 'isis-cleared', 'eth2', 3)), FOUND, 'another interface');
  assert.deepEqual(named(logged(ring(isis), 'isis-area', 'eth1', 3)), FOUND, 'another line');
  const often = [5_000, 35_000, 65_000, 95_000];
  const four = all(
    remembers('r1', events('adjacency', 'eth1 0000.0000.0002', often)),
    remembers('r2', events('adjacency', 'eth1 0000.0000.0001', often)),
  );
  assert.deepEqual(named(logged(ring(four), 'isis-cleared', 'eth1', 1)), FOUND, 'three are left beside it');
});

test('a session that an operator reset, by its last reset or by a log, is a remark that says so', () => {
  const [accused, remark] = told(
    ring(
      all(
        bgp(AGES),
        session('r1', R2, () => ({ lastReset: 'User reset' })),
      ),
    ),
  );
  assert.deepEqual(accused, []);
  assert.match(remark, /^BGP r1 – r2 was lost 3 times .*; this was an operator's doing, by its last reset$/);
  const expired = session('r1', R2, () => ({ notification: 'Hold Timer Expired' }));
  const [none, byLog] = told(logged(ring(all(bgp(AGES), expired)), 'bgp-cleared', R2, 2));
  assert.deepEqual(none, []);
  assert.match(byLog, /this was an operator's doing, by the log of r1$/);
});

test('losses that follow commits, or a change of the interface or session, are made by an operator', () => {
  const commits = AGES.map((agoMs, index) => ({
    ...({ by: 'alice', state: 'CONFIRMED' } as const),
    ...{ id: `c${index}`, agoMs: agoMs + 9_000 },
  }));
  const committed = (later = 0) =>
    at(['r2'], (state) => ({
      ...state,
      history: { ...state.history!, commits: commits.map((row) => ({ ...row, agoMs: row.agoMs + later })) },
    }));
  const [accused, remark] = told(ring(all(isis, committed())));
  assert.deepEqual(accused, []);
  assert.match(remark, /this was an operator's doing, after changes of the configuration through Parley$/);
  assert.deepEqual(named(ring(all(isis, committed(300_000)))), FOUND, 'minutes after them');
  const metric = { kind: 'metric', subject: 'eth1', setting: 'isis', was: '10', is: '20', agoMs: 40_000 } as const;
  const set = ring(all(at(['r1'], remembering(metric)), isis));
  assert.deepEqual(named(set), []);
  assert.match(told(set)[1], /since its settings were changed on r1 in that time/);
});

test('a loss that was seen late, as its node is read seldom, may have followed a commit', () => {
  // The first loss was seen 48 s after a commit: the hold time, and how long the node was not read.
  const commit = { id: 'c1', by: 'alice', state: 'CONFIRMED', agoMs: AGES[2]! + 48_000 } as const;
  const read = (...pauses: readonly number[]): Change =>
    at(['r1', 'r2'], (state) => {
      const stateReadings = { reachMs: 900_000, pauses: pauses.map((forMs) => ({ agoMs: 60_000, forMs })) };
      const told = pauses.length === 0 ? {} : { stateReadings };
      return { ...state, history: { ...state.history!, commits: [commit], ...told } };
    });
  assert.deepEqual(named(ring(all(isis, read(4_000)))), FOUND);
  assert.deepEqual(named(ring(all(isis, read(18_000)))), []);
  assert.deepEqual(named(ring(all(isis, read()))), [], 'an agent of an earlier version does not tell it');
});

test('a change of another session, or a daemon that does not speak the protocol, excuses no loss', () => {
  const other = { kind: 'session', subject: '198.51.100.9', setting: 'remote-as', is: '65099', agoMs: 40_000 } as const;
  const staticd = { kind: 'daemon', subject: 'staticd', was: 'running', is: 'restarted', agoMs: 40_000 } as const;
  for (const row of [other, staticd])
    assert.deepEqual(named(ring(all(at(['r1'], remembering(row)), bgp(AGES)))), FOUND, row.subject);
});

test('the logs of both ends are asked for', () => {
  const { intent, nodeNames, evidence, outcomes } = ring(isis);
  const file = caseFileOf(intent, nodeNames, evidence, outcomes);
  assert.deepEqual([...new Set(doubtsOf(file, new Map(), evidence).routingEnds)].sort(), ['r1', 'r2']);
});
