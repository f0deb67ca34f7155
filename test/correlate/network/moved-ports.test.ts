// A port that was put into another bridge keeps the verdict from `healthy` while hosts of the bridge before it are silent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedPortLines } from '#correlate/network/moved-ports.ts';
import { pairWorld } from '../pair-scene.ts';

const HERE = { ifname: 'br10', address: '198.19.10.10', mac: '02:00:00:00:10:10', answeredAgoMs: 42_000 };
const GONE = { ifname: 'br10', address: '198.19.10.11', mac: '02:00:00:00:10:11', answeredAgoMs: 42_000 };
const MOVED = { kind: 'master', subject: 'eth3', was: 'br10', is: 'br20', agoMs: 40_000 };

type Change = {
  readonly change?: object;
  readonly master?: string;
  readonly answers?: readonly (readonly [string, typeof HERE, string?])[];
  readonly asks?: readonly object[];
  readonly oldUp?: boolean;
  readonly told?: boolean;
  /** How long ago the host that is gone last answered; `never`. */
  readonly answeredAgoMs?: number | 'never';
};

const lines = ({
  change,
  master = 'br20',
  answers = [['br10', HERE]],
  asks = [],
  oldUp = true,
  told = true,
  answeredAgoMs = GONE.answeredAgoMs,
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
  const { answeredAgoMs: _, ...silent } = GONE;
  const gone = answeredAgoMs === 'never' ? silent : { ...silent, answeredAgoMs };
  const history = { hosts: [HERE, gone], settings, settingsSpanMs: 9e6, watchedHosts: { asks } };
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

test('a host that fell silent long before the move, answered after it, or never did is silent for another reason', () => {
  for (const answeredAgoMs of [86_400_000, MOVED.agoMs + 300_001, 'never'] as const)
    assert.deepEqual(lines({ change: MOVED, answeredAgoMs }), [], `${answeredAgoMs}`);
  const earlier = { ...MOVED, agoMs: 600_000 };
  assert.deepEqual(lines({ change: earlier, answeredAgoMs: 500_000 }), [], 'minutes after the move');
  assert.match(lines({ change: earlier, answeredAgoMs: 595_000 }).join(), /10\.11$/, 'the move was noticed late');
  assert.match(lines({ change: earlier, answeredAgoMs: 700_000 }).join(), /10\.11$/);
});

test('after an hour a host may be gone for another reason, unless it still asks with its old address', () => {
  const long = { ...MOVED, agoMs: 7_200_000 };
  assert.deepEqual(lines({ change: long }), []);
  const ask = { ifname: 'br20', mac: GONE.mac, sender: GONE.address, target: '198.19.10.1', count: 3, agoMs: 1_000 };
  assert.match(lines({ change: long, asks: [ask] }).join(), /198\.19\.10\.11 \(asks in br20\)$/);
  assert.deepEqual(lines({ change: long, asks: [{ ...ask, agoMs: 5_000_000 }] }), [], 'it asked long ago');
  assert.deepEqual(lines({ change: long, asks: [{ ...ask, ifname: 'br10' }] }), []);
});
