// What a node remembers counts only where it stood for a while.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carrierStood, STOOD_MS, settingsBefore } from '#correlate/network/remembered.ts';
import type { History, HistoryEvent } from '#model/router/control-plane.ts';
import { pairWorld } from '../pair-scene.ts';

const worldOf = (history: Partial<History>) => pairWorld(['a-b'], { a: { now: { history } }, b: { now: {} } });

test('a setting that stood for less than nodes take to start was not there before', () => {
  const row = (was: string, is: string, agoMs: number, more: object = {}) =>
    ({ kind: 'mtu', subject: 'eth1', was, is, agoMs, ...more }) as const;
  const before = (settingsSpanMs: number | undefined, ...settings: NonNullable<History['settings']>) =>
    settingsBefore(
      worldOf({ settings, ...(settingsSpanMs === undefined ? {} : { settingsSpanMs }) }),
      'a',
      'mtu',
      'eth1',
    );
  assert.deepEqual(before(60_000, row('9000', '1500', 50_000)), ['9000']);
  assert.deepEqual(before(50_000 + STOOD_MS - 1, row('9000', '1500', 50_000)), []);
  assert.deepEqual(before(undefined, row('9000', '1500', 50_000)), ['9000'], 'how old the memory is was not told');
  const twice = [row('9000', '1500', 50_000), row('1400', '9000', 52_000)];
  assert.deepEqual(before(90_000, ...twice), ['1400'], 'the middle one stood for two seconds');
  assert.deepEqual(before(90_000, row('9000', '1500', 50_000, { fromAgoMs: 85_000 })), [], 'last seen long before');
  assert.deepEqual(before(60_000, { ...row('9000', '1500', 50_000), subject: 'eth2' }), []);
});

test('a carrier stood where it was there for a while before it was lost', () => {
  const stood = (spanMs: number, ...events: readonly (readonly [up: boolean, agoMs: number, changes?: number])[]) =>
    carrierStood(
      worldOf({
        spanMs,
        events: events.map(
          ([up, agoMs, changes = 1]): HistoryEvent => ({ kind: 'carrier', subject: 'eth1', up, agoMs, changes }),
        ),
      }),
      'a',
      'eth1',
    );
  assert.equal(stood(60_000, [false, 9]), true);
  assert.equal(stood(60_000, [false, 58_000]), false, 'gone while the node started');
  assert.equal(stood(60_000, [true, 9]), false, 'it came');
  assert.equal(stood(60_000, [true, 30_000], [false, 28_000]), false, 'up for two seconds');
  assert.equal(stood(60_000, [true, 30_000], [false, 9_000]), true);
  assert.equal(stood(60_000, [true, 30_000, 2]), true, 'lost and back between two samples');
  assert.equal(stood(60_000), false);
});
