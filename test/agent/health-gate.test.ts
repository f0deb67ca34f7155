// The health gate on a clock that stands still: what is only still up proves nothing, from this side or from the neighbour's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealthGate } from '#agent/health-gate.ts';
import type { Sessions } from '#agent/sessions.ts';
import type { PeerTable } from '#model/peer.ts';
import type { Adjacency, RouterPort } from '#model/router-port.ts';
import { createFakeClock } from '../fakes/clock.ts';

const ADJACENCY: Adjacency = {
  protocol: 'isis',
  ifname: 'eth1',
  systemId: '0000.0000.0002',
  hostname: 'b',
  level: 2,
  state: 'up',
  holdSeconds: 3,
};

function bed() {
  const clock = createFakeClock();
  /** What the two ends say; undefined: the neighbour cannot be asked. */
  const said: {
    missing?: string;
    own: readonly Adjacency[];
    far: readonly Adjacency[] | undefined;
  } = {
    own: [ADJACENCY],
    far: [{ ...ADJACENCY, hostname: 'a' }],
  };
  const gate = createHealthGate({
    node: 'a',
    router: {
      state: async () => ({
        adjacencies: said.own,
        missing: said.missing === undefined ? [] : [{ part: 'adjacencies', reason: said.missing }],
      }),
    } as unknown as RouterPort,
    peers: { find: (key: string) => (key === 'b' ? { node: 'b' } : undefined) } as unknown as PeerTable,
    sessions: {
      open: async () => {
        if (said.far === undefined) throw new Error('no session');
        return { call: async () => ({ answer: { status: 'answered', body: { adjacencies: said.far } } }) };
      },
    } as unknown as Sessions,
    clock,
    newSessionId: () => '00',
  });
  return { clock, said, gate };
}

/** Runs the comparison while the clock moves, until it is over or `seconds` have passed. */
async function compare(given: ReturnType<typeof bed>, seconds: number, each: (second: number) => void = () => {}) {
  const patience = new AbortController();
  const baseline = await given.gate.baseline(patience.signal);
  let missing: readonly string[] | undefined;
  const done = given.gate.compare(baseline, patience.signal).then((answer) => {
    missing = answer;
  });
  for (let second = 0; second < seconds && missing === undefined; second++) {
    each(second);
    await given.clock.advance(1_000);
  }
  patience.abort();
  await done;
  return { baseline, missing };
}

test('both ends and the session are what must hold [NET-15]', async () => {
  const { baseline, missing } = await compare(bed(), 20);
  assert.deepEqual(baseline.holds, ['a sees b on eth1', 'b sees a on eth1', 'session with b']);
  assert.deepEqual(missing, []);
});

test('an adjacency that is still up for the rest of its hold time proves nothing', async () => {
  const given = bed();
  const { missing } = await compare(given, 20, (second) => {
    if (second === 2) given.said.own = [];
  });
  assert.deepEqual(missing, ['not proven: a sees b on eth1']);
});

test('a hold time that rises is a hello that came: proven at once', async () => {
  const given = bed();
  given.said.own = [{ ...ADJACENCY, holdSeconds: 20 }];
  given.said.far = [{ ...ADJACENCY, hostname: 'a', holdSeconds: 20 }];
  const { missing } = await compare(given, 4, (second) => {
    const holdSeconds = second === 0 ? 20 : 28;
    given.said.own = [{ ...ADJACENCY, holdSeconds }];
    given.said.far = [{ ...ADJACENCY, hostname: 'a', holdSeconds }];
  });
  assert.deepEqual(missing, []);
});

test('what only the neighbour has lost is missing, and so is a neighbour that cannot be asked', async () => {
  const lost = bed();
  const afterLoss = await compare(lost, 20, () => {
    lost.said.far = [];
  });
  assert.deepEqual(afterLoss.missing, ['not proven: b sees a on eth1']);
  const silent = bed();
  const afterSilence = await compare(silent, 20, () => {
    silent.said.far = undefined;
  });
  assert.deepEqual(afterSilence.missing, ['not proven: b sees a on eth1', 'not proven: session with b']);
});

test('an adjacency that bounces is proven anew before it counts', async () => {
  const given = bed();
  const { missing } = await compare(given, 30, (second) => {
    given.said.own = second === 2 ? [] : [ADJACENCY];
  });
  assert.deepEqual(missing, []);
});

test('adjacencies that could not be read are named, not taken for none [NET-15]', async () => {
  const given = bed();
  given.said.own = [];
  given.said.missing = 'isisd does not answer';
  const baseline = await given.gate.baseline(new AbortController().signal);
  assert.deepEqual(baseline, { holds: [], unseen: 'isisd does not answer' });
});
