// A port that was put into another bridge keeps the verdict from `healthy` while hosts of the bridge before it are silent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedPortLines } from '#correlate/network/moved-ports.ts';
import { pairWorld } from '../pair-scene.ts';

const HERE = { ifname: 'br10', address: '198.19.10.10', mac: '02:00:00:00:10:10' };
const GONE = { ifname: 'br10', address: '198.19.10.11', mac: '02:00:00:00:10:11' };
const MOVED = { kind: 'master', subject: 'eth3', was: 'br10', is: 'br20', agoMs: 40_000 };

type Change = {
  readonly change?: object;
  readonly master?: string;
  readonly answers?: readonly (readonly [string, typeof HERE, string?])[];
  readonly asks?: readonly object[];
  readonly oldUp?: boolean;
  readonly told?: boolean;
};

const lines = ({
  change,
  master = 'br20',
  answers = [['br10', HERE]],
  asks = [],
  oldUp = true,
  told = true,
}: Change) => {
  const port = (name: string, kind: string, more: object) => ({
    ...{ name, kind, adminUp: true, operUp: true, mtu: 1_500, addresses: [], offloads: [], ...more },
  });
  const inventory = {
    interfaces: [
      port('eth3', 'physical', { ...(master === '' ? {} : { master: { name: master, kind: 'bridge' } }) }),
      port('br10', 'bridge', { addresses: ['198.19.10.1/24'], operUp: oldUp }),
      port('br20', 'bridge', { addresses: ['198.19.20.1/24'] }),
    ],
    loopbacks: [],
    ...(told ? { mastersTold: true } : {}),
  };
  const settings = change === undefined ? [] : [change];
  const history = { hosts: [HERE, GONE], settings, settingsSpanMs: 9e6, watchedHosts: { asks } };
  const hosts = ['br10', 'br20']
    .filter((ifname) => ifname !== 'br10' || oldUp)
    .map((ifname) => ({
      ...{ node: 'r1', evidence: 'e', ifname, asked: ifname === 'br10' ? [HERE.address, GONE.address] : [], asks: [] },
      answers: answers
        .filter(([at]) => at === ifname)
        .map(([, host, address = host.address]) => ({ address, macs: [host.mac] })),
    }));
  return movedPortLines(pairWorld([], { r1: { now: { inventory, history } } }, { hosts }));
};

test('the place is the port, with both bridges and the hosts that are silent in the first', () => {
  assert.deepEqual(lines({ change: MOVED }), [
    '{r1} eth3 was moved from br10 to br20 40 s ago; silent in br10 are hosts that were heard there before: 198.19.10.11',
  ]);
  assert.match(
    lines({ change: MOVED, oldUp: false }).join(),
    /198\.19\.10\.10, 198\.19\.10\.11$/,
    'it was its last port',
  );
  const { is: _, ...out } = MOVED;
  assert.match(lines({ change: out, master: '' }).join(), /eth3 was moved out of br10 40 s ago/);
});

test('a move that no host suffers from, that is undone, or that memory does not show says nothing', () => {
  assert.deepEqual(lines({}), [], 'it was there since before memory');
  assert.deepEqual(lines({ change: MOVED, told: false }), []);
  assert.deepEqual(lines({ change: { ...MOVED, was: 'br20', is: 'br10' } }), [], 'back again');
  assert.deepEqual(
    lines({
      change: MOVED,
      answers: [
        ['br10', HERE],
        ['br10', GONE],
      ],
    }),
    [],
    'all answer',
  );
  const renumbered = ['br20', GONE, '198.19.20.11'] as const;
  assert.deepEqual(
    lines({ change: MOVED, answers: [['br10', HERE], renumbered] }),
    [],
    'it lives where its port is now',
  );
});

test('after an hour a host may be gone for another reason, unless it still asks with its old address', () => {
  const long = { ...MOVED, agoMs: 7_200_000 };
  assert.deepEqual(lines({ change: long }), []);
  const ask = { ifname: 'br20', mac: GONE.mac, sender: GONE.address, target: '198.19.10.1', count: 3, agoMs: 1_000 };
  assert.match(lines({ change: long, asks: [ask] }).join(), /198\.19\.10\.11 \(asks in br20\)$/);
  assert.deepEqual(lines({ change: long, asks: [{ ...ask, agoMs: 5_000_000 }] }), [], 'it asked long ago');
  assert.deepEqual(lines({ change: long, asks: [{ ...ask, ifname: 'br10' }] }), []);
});
