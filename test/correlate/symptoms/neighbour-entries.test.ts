// Entries of neighbour tables held against what the neighbour says of itself: which of them contradict it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongEntries } from '#correlate/symptoms/neighbour-entries.ts';
import { pairWorld } from '../pair-scene.ts';

const MAC = '02:00:00:00:00:0b';
const WRONG = '02:00:00:00:00:66';
type Given = {
  readonly row?: object;
  readonly owners?: readonly object[];
  readonly mac?: string | undefined;
  readonly up?: readonly boolean[];
};
function entries({ row = {}, owners = [{ node: 'b', ifname: 'to-a' }], up = [true, true], ...given }: Given = {}) {
  const port = (name: string, operUp: boolean | undefined, mac?: string) => ({
    inventory: { interfaces: [{ name, kind: 'physical', adminUp: true, operUp, mac }] },
  });
  const own = { address: '198.18.1.1', ifname: 'to-b', mac: WRONG, state: 'REACHABLE', ...row };
  const mac = 'mac' in given ? given.mac : MAC;
  const world = pairWorld(
    ['a-b'],
    { a: { now: { ...port('to-b', up[0]), neighbourTable: [own] } }, b: { now: port('to-a', up[1], mac) } },
    { owners: new Map([['198.18.1.1', owners]]) },
  );
  return wrongEntries(world).map(({ id, link, detail }) => [id, link?.key, detail]);
}

test('an entry at another MAC address than the neighbour has is a symptom, with both', () => {
  const detail = { node: 'a', ifname: 'to-b', address: '198.18.1.1', owner: 'b', ownerInterface: 'to-a' };
  assert.deepEqual(entries(), [
    [
      'entry:a/to-b/198.18.1.1',
      'link/a:to-b--b:to-a',
      { ...detail, unresolved: false, fixed: false, mac: WRONG, ownerMac: MAC },
    ],
  ]);
  assert.deepEqual(entries({ row: { mac: MAC } }), []);
  assert.deepEqual(entries({ row: { mac: MAC.toUpperCase() } }), []);
  assert.deepEqual(entries({ mac: MAC.toUpperCase(), row: { mac: MAC } }), []);
  const flag = (state: string) => entries({ row: { state } }).map(([, , each]) => (each as { fixed: boolean }).fixed);
  assert.deepEqual([flag('PERMANENT'), flag('REACHABLE'), flag('DELAY')], [[true], [false], [false]]);
});

test('an entry that is no longer believed says nothing, one without a MAC address cannot be resolved', () => {
  for (const state of ['STALE', 'FAILED']) assert.deepEqual(entries({ row: { state } }), [], state);
  const unresolved = (state: string) =>
    entries({ row: { mac: undefined, state } }).map(([, , detail]) => {
      const { unresolved: is, mac } = detail as Record<string, unknown>;
      return [is, mac];
    });
  assert.deepEqual([unresolved('FAILED'), unresolved('INCOMPLETE')], [[[true, undefined]], [[true, undefined]]]);
  assert.deepEqual(unresolved('NOARP'), []);
});

test('only the one neighbour on that link is asked for its MAC address, and only over ports that are up', () => {
  assert.deepEqual(entries({ owners: [] }), []);
  assert.deepEqual(entries({ owners: [{ node: 'b', ifname: 'lo' }] }), []);
  assert.deepEqual(entries({ owners: [{ node: 'a', ifname: 'to-b' }] }), []);
  const b = { node: 'b', ifname: 'to-a' };
  assert.deepEqual(entries({ owners: [b, { node: 'c', ifname: 'to-d' }] }), []);
  assert.equal(entries({ owners: [b, { node: 'a', ifname: 'lo' }] }).length, 1, 'an own address is no other owner');
  assert.deepEqual(entries({ mac: undefined }), []);
  assert.deepEqual(entries({ up: [false, true] }), []);
  assert.deepEqual(entries({ up: [true, false] }), []);
  assert.deepEqual(entries({ row: { ifname: 'to-z' } }), []);
});
