// descriptors_exhausted: r3's bgpd has no descriptor left, and twins that have, or that answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { Daemon } from '#model/router/control-plane.ts';
import { type Change, named, ring } from '../../ring.ts';

const OUT: Partial<Daemon> = { silent: true, descriptors: { open: 64, most: 64 } };

const bgpd =
  (first: Partial<Daemon>, last: Partial<Daemon> = first): Change =>
  (state, node, phase) =>
    node !== 'r3'
      ? state
      : {
          ...state,
          daemons: state.daemons!.map((daemon) =>
            daemon.name === 'bgpd' ? { ...daemon, ...(phase === 'before' ? first : last) } : daemon,
          ),
        };

test('a daemon that has all the files open that it may, and takes no connection, is named with both numbers', () => {
  const [finding, ...others] = diagnose(ring(bgpd(OUT))).findings;
  assert.deepEqual(
    [`${finding?.fault} ${finding?.resource}`, finding?.confidence, others],
    ['descriptors_exhausted node/r3', 'certain', []],
  );
  assert.equal(
    finding?.details['what'],
    'r3: bgpd has 64 files and sockets open, may have 64, and takes no new connection',
  );
  // FRR aborts at the first file beyond the limit of its start.
  assert.equal(finding?.remedy?.command, 'ls -l /proc/$(cat /run/frr/bgpd.pid)/fd');
  assert.match(String(finding?.remedy?.decide), /MAX_FDS=1024 in/);
});

test('a daemon at its limit that answers, a busy one with room, and one that was so for a moment accuse no node', () => {
  const excuses: readonly (readonly [string, Partial<Daemon>, Partial<Daemon>?])[] = [
    ['it answers', { descriptors: { open: 64, most: 64 } }],
    ['room left', { silent: true, descriptors: { open: 63, most: 64 } }],
    ['not counted', { silent: true }],
    ['first reading', OUT, { descriptors: { open: 40, most: 64 } }],
    ['last reading', { descriptors: { open: 40, most: 64 } }, OUT],
  ];
  for (const [name, first, last] of excuses) assert.deepEqual(named(ring(bgpd(first, last))), [], name);
});
