// What a node remembers counts only where it stood for a while.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carrierStood, STOOD_MS, seenOtherwise, settingsBefore } from '#correlate/network/remembered.ts';
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

test('a value of whole states stood where they had it for a while, in one state or in several that follow each other', () => {
  const before = (...past: readonly (readonly [mtu: number, fromAgoMs: number, untilAgoMs: number])[]) => {
    const stateWith = (mtu: number) => ({ inventory: { interfaces: [{ name: 'eth1', mtu }] } });
    const rows = past.map(([mtu, fromAgoMs, untilAgoMs]) => ({ fromAgoMs, untilAgoMs, state: stateWith(mtu) }));
    const world = pairWorld([], { a: { now: { ...stateWith(1_500), past: rows } } });
    return seenOtherwise(world, 'a', ({ inventory }) => inventory.interfaces[0]?.mtu);
  };
  assert.deepEqual(before([9_000, 60_000, 50_000]), [9_000]);
  assert.deepEqual(before([9_000, 60_000, 55_000]), [], 'two samples');
  assert.deepEqual(before([9_000, 60_000, 60_000]), [], 'one sample');
  assert.deepEqual(
    before([9_000, 45_000, 40_000], [9_000, 55_000, 46_000]),
    [9_000],
    'something else changed meanwhile',
  );
  assert.deepEqual(before([9_000, 45_000, 40_000], [1_400, 65_000, 46_000], [9_000, 70_000, 66_000]), [1_400]);
});
