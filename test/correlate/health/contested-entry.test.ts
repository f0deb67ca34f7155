// A fixed entry of a host in whose name another MAC address answers: where it is told, and where it may work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contestedEntry } from '#correlate/health/contested-entry.ts';
import { pairWorld } from '../pair-scene.ts';

const MAC = '02:00:00:00:00:0b';
const OTHER = '02:00:00:00:00:66';
const HOST = '198.19.3.10';
type Given = {
  readonly row?: object;
  readonly scan?: object;
  readonly services?: readonly object[];
  readonly tries?: readonly object[];
};
function entry({ row = {}, scan = {}, tries = [{ answered: false }], services = [] }: Given = {}) {
  const own = { address: HOST, ifname: 'eth2', mac: OTHER, state: 'PERMANENT', ...row };
  const now = { inventory: { interfaces: [], loopbacks: [] }, neighbourTable: [own], history: { services } };
  const heard = { answers: [{ address: HOST, macs: [MAC] }], echoed: [], asked: [HOST], asks: [] };
  const world = pairWorld(
    ['a-b'],
    { a: { now } },
    {
      hosts: [{ node: 'a', ifname: 'eth2', evidence: 'scan', ...heard, ...scan }],
      serviceProbes: tries.map((each) => ({ from: 'a', destination: HOST, service: 'tcp', port: 80, ...each })),
    },
  );
  return contestedEntry(world, 'a', 'eth2', HOST, 20_000);
}
const none = (given: Given) => assert.equal(entry(given), undefined, JSON.stringify(given));

test('a fixed entry that another MAC address contradicts and over which nothing answers is told, with both readings', () => {
  assert.equal(
    entry(),
    `{a} has a fixed entry on eth2 that ${HOST} is at ${OTHER}, and ${MAC} answers for it there: the entry is old, or another device answers in the name of the host`,
  );
  assert.notEqual(entry({ services: [{ address: HOST, agoMs: 20_001 }] }), undefined, 'it served before');
});

test('an entry that is right, was learned, or that no single answer contradicts is none', () => {
  none({ row: { mac: MAC.toUpperCase() } });
  none({ row: { state: 'REACHABLE' } });
  none({ row: { mac: undefined } });
  none({ row: { ifname: 'eth3' } });
  none({ scan: { answers: [] } });
  none({ scan: { answers: [{ address: HOST, macs: [MAC, OTHER] }] } });
  none({ scan: { ifname: 'eth3' } });
});

test('an entry over which something answers, or no service was tried by the node itself, is none: echoes are often dropped', () => {
  none({ scan: { echoed: [HOST] } });
  none({ scan: { echoed: undefined } });
  none({ tries: [] });
  none({ tries: [{ answered: false }, { answered: true }] });
  none({ tries: [{ answered: false, service: 'echo' }] });
  none({ tries: [{ answered: false, from: 'b' }] });
  none({ tries: [{ answered: false, via: { ifname: 'eth2' } }] });
  none({ services: [{ address: HOST, agoMs: 20_000 }] });
});
