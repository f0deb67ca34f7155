// arp_cache_poisoning: a real router's table has a fixed entry for its neighbour at a MAC address that the neighbour does not have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import { recorded } from '../../recording.ts';
import { at, drawn, named, ring } from '../../ring.ts';

test('a fixed entry is deleted as it is', () => {
  const live = [{ kind: 'neighbour-delete', ifname: 'eth2', address: '198.18.2.1', mac: '02:11:22:33:44:55' }];
  assert.deepEqual(drawn(recorded('arp')), [['arp_cache_poisoning node/r2', { live }]]);
});

/** r1's entry for r2, whose MAC address is de:78:0a:60:e8:d2. */
const entry = (change: Partial<NeighbourEntry>) =>
  ring(
    at(['r1'], (state) => ({
      ...state,
      neighbourTable: state.neighbourTable!.map((row) => (row.address === '198.18.1.1' ? { ...row, ...change } : row)),
    })),
  );

test('an entry that was learned goes by itself, and is likely', () => {
  const input = entry({ mac: '02:11:22:33:44:55' });
  assert.deepEqual(drawn(input), [['arp_cache_poisoning node/r1', undefined]]);
  const [finding] = diagnose(input).findings;
  assert.deepEqual([finding?.confidence, finding?.remedy?.command], ['likely', 'ip neigh del 198.18.1.1 dev eth1']);
});

test('an entry that is no longer believed, and one that is right, accuse no node', () => {
  assert.deepEqual(named(entry({ mac: '02:11:22:33:44:55', state: 'STALE' })), []);
  assert.deepEqual(named(entry({ mac: 'DE:78:0A:60:E8:D2' })), []);
});
