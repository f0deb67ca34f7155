// conntrack_full: drops in the window of a table that is full, and tables that do their work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ForwardingState } from '#model/router/forwarding.ts';
import { named, sceneOf } from '../../scope-scene.ts';
import { forwardingOf, withForwarding } from './forwarding-scope.ts';

type Table = ForwardingState['conntrack'];

const tracking = (before: Table, after: Table) =>
  withForwarding({
    r2: (state, phase) => {
      const conntrack = phase === 'before' ? before : after;
      return forwardingOf(state, conntrack === undefined ? {} : { conntrack });
    },
  });
const table = (tracked: number, dropped: string, most = 1_000) => ({ tracked, most, dropped });

test('a full table that dropped packets in the window is named with both numbers', () => {
  const scene = tracking(table(1_000, '7'), table(996, '19'));
  assert.deepEqual(named(scene), ['conntrack_full node/r2']);
  assert.equal(
    diagnose(sceneOf(scene)).findings[0]?.details['what'],
    'r2 tracks 1000 connections of at most 1000, and dropped 12 packets of new ones in the window',
  );
});

test('old drops, drops for another reason, a full table without drops and tables that are not known accuse no node', () => {
  const excuses: readonly (readonly [string, Table, Table])[] = [
    ['old drops', table(1_000, '19'), table(1_000, '19')],
    ['room in the table', table(100, '7'), table(120, '19')],
    ['full, and nothing dropped', table(1_000, '0'), table(1_000, '0')],
    ['read once', undefined, table(1_000, '19')],
    ['no limit', table(0, '7', 0), table(0, '19', 0)],
    ['counted anew', table(1_000, '19'), table(1_000, '2')],
  ];
  for (const [name, before, after] of excuses) assert.deepEqual(named(tracking(before, after)), [], name);
});
