// session_flap: what runs between r1 and r2 is lost again and again, as both remember it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
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
