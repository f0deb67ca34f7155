// route_churn: r3's own prefix comes and goes in BGP, as its node remembers it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { PrefixTurns } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, named, remembering, ring } from '../../ring.ts';

const FOUND = ['route_churn node/r3'];
const TURNS: PrefixTurns = { prefix: '198.19.3.0/24', turns: 8, gone: 3, firstAgoMs: 40_000, lastAgoMs: 3_000 };

const turning = (row: Partial<PrefixTurns> = {}, history: Partial<NodeState['history']> = {}) =>
  at(['r3'], (state) => ({
    ...state,
    history: { ...state.history!, ...history, prefixTurns: [{ ...TURNS, ...row }] },
  }));

test('a prefix that was withdrawn again and again, the last time just now, is named as likely at its node', () => {
  const [finding, ...others] = diagnose(ring(turning())).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence, others], [FOUND[0], 'likely', []]);
  assert.equal(
    finding?.details['what'],
    'r3: 198.19.3.0/24 came, went or changed in BGP 8 times in the last 40 s, last 3 s ago',
  );
});

test('where the port of its hosts loses its carrier that is said, and what to look at', () => {
  const events = [{ kind: 'carrier', subject: 'lan0', up: true, agoMs: 5_000, changes: 2 }] as const;
  const [finding] = diagnose(ring(turning({}, { events }))).findings;
  assert.match(String(finding?.details['what']), /, as r3 lan0 loses its carrier$/);
  assert.match(finding!.remedy!.summary, /why r3 lan0 loses its carrier/);
});

test('a prefix that changes and was never found withdrawn is a remark', () => {
  const input = ring(turning({ gone: 0 }));
  assert.deepEqual(named(input), []);
  assert.match(remarksTold(diagnose(input)).join(), /8 times .*; it was never found withdrawn$/);
});

test('a few turns, turns that have stopped, and those of a bgpd that was started again are no churn', () => {
  assert.deepEqual(named(ring(turning({ turns: 5 }))), []);
  assert.deepEqual(named(ring(turning({ turns: 6, lastAgoMs: 60_000 }))), FOUND);
  assert.deepEqual(named(ring(turning({ lastAgoMs: 60_001, firstAgoMs: 90_000 }))), []);
  for (const subject of ['bgpd', 'zebra']) {
    const restarted = remembering({ kind: 'daemon', subject, was: 'running', is: 'restarted', agoMs: 30_000 });
    assert.deepEqual(named(ring(all(at(['r3'], restarted), turning({ turns: 7 })))), [], subject);
  }
  const before = remembering({ kind: 'daemon', subject: 'bgpd', was: 'running', is: 'restarted', agoMs: 300_000 });
  assert.deepEqual(named(ring(all(at(['r3'], before), turning()))), FOUND, 'long before the first turn');
});

test('one restart among many turns does not hide them', () => {
  const restarted = remembering({ kind: 'daemon', subject: 'bgpd', was: 'running', is: 'restarted', agoMs: 30_000 });
  const turns = (number: number) => named(ring(all(at(['r3'], restarted), turning({ turns: number, gone: 4 }))));
  assert.deepEqual([turns(7), turns(30)], [[], FOUND]);
});
