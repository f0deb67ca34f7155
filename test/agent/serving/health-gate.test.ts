// The health gate on a clock that stands still: what is only still up proves nothing, from this side or from the neighbour's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealthGate } from '#agent/serving/health-gate.ts';
import type { Sessions } from '#agent/sessions/sessions.ts';
import type { PeerTable } from '#model/peer.ts';
import type { Adjacency, RouterPort } from '#model/router/router-port.ts';
import { createFakeClock } from '../../fakes/clock.ts';

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
    part?: string;
    bgp?: readonly object[];
    links?: readonly object[];
    more?: object;
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
        inventory: { driver: said.links === undefined ? 'linux-frr' : 'netconf', interfaces: said.links ?? [] },
        adjacencies: said.own,
        ...(said.bgp === undefined ? {} : { bgp: { sessions: said.bgp } }),
        ...said.more,
        missing: said.missing === undefined ? [] : [{ part: said.part ?? 'adjacencies', reason: said.missing }],
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
  let unproven: readonly string[] | undefined;
  const done = given.gate.compare(baseline, patience.signal).then((answer) => {
    ({ missing, unproven } = answer);
  });
  for (let second = 0; second < seconds && missing === undefined; second++) {
    each(second);
    await given.clock.advance(1_000);
  }
  patience.abort();
  await done;
  return { baseline, missing, unproven };
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
  assert.deepEqual(baseline, { holds: [], unseen: 'adjacencies: isisd does not answer' });
});

const BGP = { peer: '192.0.2.1', state: 'Established', shutdown: false, heardAgoMs: 20_000 };

/** A node without IS-IS: its BGP session is all there is. */
function bgpBed(session: object = BGP) {
  const given = bed();
  given.said.own = [];
  given.said.bgp = [session];
  return given;
}

test('a BGP session that was up must have been heard since the change [NET-15]', async () => {
  const given = bgpBed();
  const { baseline, missing, unproven } = await compare(given, 30, (second) => {
    given.said.bgp = [{ ...BGP, heardAgoMs: second < 10 ? 20_000 + second * 1_000 : (second - 10) * 1_000 }];
  });
  assert.deepEqual(baseline.holds, ['BGP with 192.0.2.1']);
  assert.deepEqual([missing, unproven], [[], []]);
});

test('a BGP session that falls is missing; one that is up and silent is told as unproven [NET-15]', async () => {
  const fallen = bgpBed();
  const afterFall = await compare(fallen, 30, () => {
    fallen.said.bgp = [{ ...BGP, state: 'Active' }];
  });
  assert.deepEqual(afterFall.missing, ['not proven: BGP with 192.0.2.1']);
  const silent = bgpBed();
  const afterSilence = await compare(silent, 30, (second) => {
    silent.said.bgp = [{ ...BGP, heardAgoMs: 20_000 + second * 1_000 }];
  });
  assert.deepEqual(
    [afterSilence.missing, afterSilence.unproven],
    [[], ['still up, nothing heard yet: BGP with 192.0.2.1']],
  );
});

test('a BGP session that the change shuts or removes is told, and is no fault of the network', async () => {
  for (const sessions of [[], [{ ...BGP, state: 'Idle', shutdown: true }]]) {
    const given = bgpBed();
    const { missing, unproven } = await compare(given, 5, () => {
      given.said.bgp = sessions;
    });
    assert.deepEqual([missing, unproven], [[], ['switched off by configuration: BGP with 192.0.2.1']]);
  }
});

test('BGP that can no longer be read is missing, and before a change it is named', async () => {
  const given = bgpBed();
  const { missing } = await compare(given, 5, () => {
    given.said.bgp = [];
    Object.assign(given.said, { part: 'bgp', missing: 'bgpd does not answer' });
  });
  assert.deepEqual(missing, ['not proven: BGP with 192.0.2.1']);
  const baseline = await given.gate.baseline(new AbortController().signal);
  assert.deepEqual(baseline, { holds: [], unseen: 'bgp: bgpd does not answer' });
});

test('OSPF neighbours must outlive their dead interval, BFD sessions their detection time [NET-15]', async () => {
  const ospf = [{ ifname: 'eth1', deadMs: 4_000, neighbours: [{ routerId: '192.0.2.9', address: '', state: 'Full' }] }];
  const bfd = [{ peer: 'fd00::2', status: 'up' }];
  const given = bgpBed();
  const ospf6 = ospf.map((each) => ({ ...each, version: 3 }));
  Object.assign(given.said, { bgp: undefined, more: { ospf, ospf6, bfd } });
  const { baseline, missing, unproven } = await compare(given, 10);
  assert.deepEqual(baseline.holds, [
    'BFD with fd00::2',
    'OSPF with 192.0.2.9 on eth1',
    'OSPFv3 with 192.0.2.9 on eth1',
  ]);
  assert.deepEqual([missing, unproven], [[], []]);
  const lost = bgpBed();
  Object.assign(lost.said, { bgp: undefined, more: { ospf, bfd } });
  const afterLoss = await compare(lost, 10, (second) => {
    if (second === 3) lost.said.more = { bfd: [{ peer: 'fd00::2', status: 'down' }] };
  });
  assert.deepEqual(afterLoss.missing, ['not proven: BFD with fd00::2', 'not proven: OSPF with 192.0.2.9 on eth1']);
});

test('of a device that tells only its links the links are held; one that was shut is told [NET-15]', async () => {
  const link = { name: 'eth1', kind: 'physical', adminUp: true, operUp: true };
  const seen = async (links: readonly object[]) => {
    const given = bed();
    Object.assign(given.said, { own: [], links: [link], missing: 'not told here' });
    const { baseline, missing, unproven } = await compare(given, 9, () => {
      given.said.links = links;
    });
    assert.deepEqual(baseline, { holds: ['eth1 is up'], unseen: 'adjacencies: not told here' });
    return [missing, unproven];
  };
  assert.deepEqual(await seen([link]), [[], []]);
  assert.deepEqual(await seen([{ ...link, operUp: false }]), [['not proven: eth1 is up'], []]);
  assert.deepEqual(await seen([{ ...link, adminUp: false, operUp: false }]), [
    [],
    ['switched off by configuration: eth1 is up'],
  ]);
});
