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

type Fixed = {
  readonly row?: object;
  readonly scan?: object;
  readonly services?: readonly object[];
  readonly asked?: readonly object[];
  readonly tries?: readonly object[];
  readonly owners?: readonly (readonly [string, readonly object[]])[];
};
const HOST = '198.19.3.10';
const VAIN = { ifname: 'eth3', okIfname: 'eth3', client: '198.19.1.10', server: HOST, port: 80 };
const ASKED = { ...VAIN, okTimes: 5, okAgoMs: 40_000, times: 3, sinceAgoMs: 20_000, lastAgoMs: 2_000 };
const FAILED = [{ answered: false }];
function fixedEntries({
  row = {},
  scan = {},
  tries = FAILED,
  owners = [],
  services = [],
  asked = [ASKED],
}: Fixed = {}) {
  const own = { address: HOST, ifname: 'eth2', mac: WRONG, state: 'PERMANENT', ...row };
  const port = { name: 'eth2', kind: 'physical', operUp: true, addresses: ['198.19.3.1/24'] };
  const now = { inventory: { interfaces: [port], loopbacks: [] }, neighbourTable: [own], history: { services } };
  const heard = { answers: [{ address: HOST, macs: [MAC] }], echoed: [], asked: [HOST], asks: [] };
  const seen = { node: 'a', ifname: 'eth2', evidence: 'scan', ...heard, ...scan };
  const serviceProbes = tries.map((each) => ({ from: 'a', destination: HOST, service: 'tcp', port: 80, ...each }));
  const world = pairWorld(
    ['a-b'],
    { a: { now }, b: { now: { history: { watchedHosts: { unanswered: asked } } } } },
    { hosts: [seen], serviceProbes, owners: new Map(owners) },
  );
  return wrongEntries(world);
}

test('a fixed entry of a host that answers from another MAC address, is asked in vain, and not reached over the entry, is a symptom', () => {
  const [found, ...others] = fixedEntries();
  assert.deepEqual(others, []);
  assert.equal(
    found?.text,
    `{a} eth2: a fixed entry says that ${HOST} is at ${WRONG}, the host answers from ${MAC}, and a service that was tried over the entry did not answer`,
  );
  assert.deepEqual([found.subject, found.nodes, found.source], ['node/a', ['a'], ['scan', 'state of a']]);
  const served = [{ address: HOST, agoMs: 20_001 }];
  assert.equal(fixedEntries({ services: served }).length, 1, 'it served before it was asked in vain');
});

test('a fixed entry that is right, leads to an answer, is of no host in use, or contradicts no one answer is none', () => {
  const is = (given: Fixed) => assert.deepEqual(fixedEntries(given), [], JSON.stringify(given));
  is({ row: { mac: MAC.toUpperCase() } });
  is({ row: { state: 'REACHABLE' } });
  is({ row: { mac: undefined } });
  is({ scan: { echoed: [HOST] } });
  is({ scan: { echoed: undefined } });
  is({ scan: { answers: [] } });
  is({ scan: { answers: [{ address: HOST, macs: [MAC, WRONG] }] } });
  is({ scan: { ifname: 'eth3' } });
  is({ tries: [{ answered: false }, { answered: true }] });
  is({ asked: [] });
  is({ owners: [[HOST, [{ node: 'b', ifname: 'eth1' }]]] });
});

test('a fixed entry over which the node itself tried no service, or a service was seen to answer meanwhile, is none: echoes are often dropped', () => {
  const is = (given: Fixed) => assert.deepEqual(fixedEntries(given), [], JSON.stringify(given));
  is({ tries: [] });
  is({ tries: [{ answered: false, service: 'echo' }] });
  is({ tries: [{ answered: false, from: 'b' }] });
  is({ tries: [{ answered: false, via: { ifname: 'eth2' } }] });
  is({ services: [{ address: HOST, agoMs: 20_000 }] });
  is({ asked: [], services: [{ address: HOST, agoMs: 90_000 }] });
});
