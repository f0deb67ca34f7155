// Slices of what routers kept of hosts: as it was told when the question was asked, within the time that it is about.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostSlices, looksOf } from '#correlate/history/past-hosts.ts';
import { pairWorld } from '../pair-scene.ts';

const look = (untilAgoMs: number) => ({ fromAgoMs: untilAgoMs + 1_000, untilAgoMs, ports: [], tries: [] });
const watched = (agoMs: number) => ({
  history: {
    watchedHosts: {
      looks: [look(agoMs)],
      asks: [{ ifname: 'lan', mac: 'm', sender: 's', target: 't', count: 1, agoMs }],
      names: [{ ifname: 'lan', address: 'x', name: 'n', okAgoMs: agoMs + 1_000, lostAgoMs: agoMs }],
    },
  },
});
const slices = (now: object, before?: object, sinceMs: number | undefined = 60_000) =>
  hostSlices(pairWorld([], { a: { now, ...(before === undefined ? {} : { before }) } }, { sinceMs, dhcp: [] })).map(
    ({ past: { agoMs, kept } }) => `${kept.memory} ${agoMs}`,
  );

test('scans, ARP requests and lost names of the time are a slice each', () => {
  assert.deepEqual(slices(watched(20_000)), ['host-scans 20000', 'off-link-arp 20000', 'dns-records 20000']);
  assert.equal(slices(watched(60_000)).length, 3);
  assert.deepEqual(slices(watched(60_001)), []);
  assert.deepEqual(slices({}), []);
  const world = pairWorld([], { a: { now: watched(20_000) } });
  assert.deepEqual(hostSlices(world), [], 'a question about now');
});

test('what was told when the question was asked goes before what was told after the measurements', () => {
  const told = ['host-scans 20000', 'off-link-arp 20000', 'dns-records 20000'];
  assert.deepEqual(slices(watched(25_000), watched(20_000)), told);
  assert.deepEqual(slices(watched(20_000), {}), told);
  assert.deepEqual(slices(watched(25_000), { history: {} }), ['host-scans 25000']);
  const state = { node: 'a', before: watched(20_000), state: watched(25_000) } as never;
  assert.deepEqual(
    [looksOf(state, 60_000).length, looksOf(state, 20_000).length, looksOf(state, 19_999).length],
    [1, 1, 0],
  );
});

test('a slice of ARP requests or names holds that one row alone', () => {
  const two = watched(20_000);
  const asks = [...two.history.watchedHosts.asks, { ...two.history.watchedHosts.asks[0]!, target: 'u', agoMs: 10_000 }];
  const now = { history: { watchedHosts: { ...two.history.watchedHosts, asks, looks: [], names: [] } } };
  const found = hostSlices(pairWorld([], { a: { now } }, { sinceMs: 60_000, dhcp: [] }));
  assert.deepEqual(
    found.map(({ world }) => world.views.get('a')?.state.history?.watchedHosts?.asks.map(({ target }) => target)),
    [['t'], ['u']],
  );
});
