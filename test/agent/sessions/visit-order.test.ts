// How often each peer is visited, and which one first: by what it answered last time, and never more than a few at once.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createPeerMaintenance } from '#agent/sessions/peer-maintenance.ts';
import type { Sessions } from '#agent/sessions/sessions.ts';
import { silentLog } from '#base/log.ts';
import { createTestDomain, hear, sessionsOf } from '../in-process.ts';

/** No test of visits looks at what was sent. */
const UNSIGNED = {
  request: { method: 'tools/call', params: {} },
  requestEnvelope: { payloadType: 'parley/call/v1', payload: '', signature: '' },
  challenge: '',
} as const;

/** Peers `r1`, `r2`, …: each answers every visit at once, or refuses it, or says nothing. */
function crowd(t: TestContext, count: number) {
  const domain = createTestDomain();
  const { clock } = domain;
  const { peers } = domain.node('pe1');
  const names = Array.from({ length: count }, (_, index) => `r${index + 1}`);
  const hearAgain = (node: string) => hear(domain.node('pe1'), node, `fd00:0:0:9::${names.indexOf(node) + 1}`);
  for (const node of names) hearAgain(node);
  const [silent, refusing] = [new Set<string>(), new Set<string>()];
  const { sessions: real } = sessionsOf(domain, 'pe1', async ({ node }) => {
    const { peer, ...session } = domain.session('pe1', 'p2');
    const answered = { status: 'answered', body: { node, peers: [], truncated: false } } as const;
    const answer = () => (refusing.has(node) ? ({ status: 'refused', body: {} } as const) : answered);
    return { ...session, peer: { ...peer, name: node }, call: async () => ({ ...UNSIGNED, answer: answer() }) };
  });
  const visits: { readonly node: string; readonly atMs: number }[] = [];
  const underWay: string[] = [];
  const most = { atOnce: 0, atOnePeer: 0 };
  const opened = (node: string, signal: AbortSignal) => (silent.has(node) ? silence(signal) : real.open(node, signal));
  const sessions: Sessions = {
    ...real,
    async open(node, signal) {
      visits.push({ node, atMs: clock.monotonicMs() });
      underWay.push(node);
      most.atOnce = Math.max(most.atOnce, underWay.length);
      most.atOnePeer = Math.max(most.atOnePeer, underWay.filter((other) => other === node).length);
      return opened(node, signal).finally(() => underWay.splice(underWay.indexOf(node), 1));
    },
  };
  const maintenance = createPeerMaintenance({
    ...{ node: 'pe1', peers, sessions, clock, patienceEndsMs: 0, log: silentLog },
    newSessionId: () => 'dom-visit',
  });
  t.after(() => maintenance.stop());
  const timesOf = (node: string) => visits.filter((visit) => visit.node === node).map(({ atMs }) => atMs);
  const since = (atMs: number) => visits.filter((visit) => visit.atMs >= atMs).map(({ node }) => node);
  return { clock, peers, names, hearAgain, silent, refusing, underWay, most, visits, maintenance, timesOf, since };
}

function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

test('with six peers or fewer each is visited every 30 s, with more every 5 s for each, and every five minutes at the least [CARD-2]', async (t) => {
  for (const [count, intervalMs] of [
    [1, 30_000],
    [6, 30_000],
    [7, 35_000],
    [59, 295_000],
    [60, 300_000],
    [80, 300_000],
  ] as const) {
    const { maintenance, clock, visits, timesOf, names } = crowd(t, count);
    await maintenance.start();
    await clock.advance(2 * intervalMs + 1_000);
    assert.equal(visits.length, 3 * count, `${count} peers`);
    for (const node of names) assert.deepEqual(timesOf(node), [0, intervalMs, 2 * intervalMs], `${count} peers`);
    await maintenance.stop();
  }
});

test('peers that never proved who they are make visits to the others no rarer, and are tried every ten seconds [CARD-2]', async (t) => {
  const { maintenance, clock, silent, timesOf } = crowd(t, 10);
  for (const node of ['r7', 'r8', 'r9', 'r10']) silent.add(node);
  await maintenance.start();
  await clock.advance(31_000);
  assert.deepEqual(timesOf('r1'), [0, 30_000]);
  assert.deepEqual(timesOf('r10'), [0, 10_000, 20_000, 30_000]);
});

test('a verified peer whose announcement was taken back is not visited, and makes visits to the others no rarer [CARD-2]', async (t) => {
  const { maintenance, clock, peers, timesOf, hearAgain } = crowd(t, 12);
  await maintenance.start();
  await clock.advance(500);
  for (let index = 7; index <= 12; index += 1) peers.retract(`r${index}`, { source: 'lldp', heardOn: 'eth1' });
  await clock.advance(70_000);
  assert.deepEqual(timesOf('r1'), [0, 30_000, 60_000]);
  assert.deepEqual(timesOf('r12'), [0]);
  hearAgain('r12');
  await clock.advance(1_000);
  assert.deepEqual(timesOf('r12'), [0, 71_000], 'its last visit was long ago');
});

test('a verified peer that did not answer, or refused, is visited again after 30 s, also among many [CARD-2, TS-29]', async (t) => {
  const { maintenance, clock, silent, refusing, timesOf } = crowd(t, 20);
  await maintenance.start();
  await clock.advance(90_000);
  silent.add('r1');
  refusing.add('r2');
  await clock.advance(50_000);
  silent.clear();
  refusing.clear();
  await clock.advance(140_000);
  for (const node of ['r1', 'r2'])
    assert.deepEqual(timesOf(node), [0, 100_000, 130_000, 160_000, 260_000], '100 s after the one that it answered');
  assert.deepEqual(timesOf('r3'), [0, 100_000, 200_000]);
});

test('an order that a hundred peers missed reaches each within a minute of their return [TS-29]', async (t) => {
  const { maintenance, clock, silent, names, since } = crowd(t, 110);
  const away = names.slice(0, 100);
  await maintenance.start();
  await clock.advance(299_500);
  for (const node of away) silent.add(node);
  await clock.advance(120_000);
  silent.clear();
  await clock.advance(60_000);
  const visited = new Set(since(419_500));
  assert.deepEqual(
    away.filter((node) => !visited.has(node)),
    [],
  );
});

test('many claimed names that never answer do not keep a proved peer waiting that comes back [TS-13, TS-29]', async (t) => {
  const { maintenance, clock, silent, names, timesOf } = crowd(t, 300);
  for (const node of names.slice(1)) silent.add(node);
  await maintenance.start();
  await clock.advance(29_500);
  silent.add('r1');
  await clock.advance(3_500);
  assert.deepEqual(timesOf('r1'), [0, 30_000]);
  silent.delete('r1');
  await clock.advance(31_000);
  assert.equal(timesOf('r1').length, 3);
});

test('many proved peers that are away do not keep a new one waiting [CARD-2]', async (t) => {
  const { maintenance, clock, peers, silent, names, hearAgain, timesOf } = crowd(t, 200);
  peers.retract('r200', { source: 'lldp', heardOn: 'eth1' });
  await maintenance.start();
  await clock.advance(299_500);
  for (const node of names) silent.add(node);
  await clock.advance(120_000);
  hearAgain('r200');
  await clock.advance(4_000);
  assert.equal(timesOf('r200').length, 1);
});

test('an order goes at once to the peers that answer, however many others are silent [TS-29]', async (t) => {
  for (const wereVerified of [false, true]) {
    const { maintenance, clock, silent, underWay, most, names, since } = crowd(t, 43);
    const [gone, there] = [names.slice(0, 40), names.slice(40)];
    if (!wereVerified) for (const node of gone) silent.add(node);
    await maintenance.start();
    // The 215 s after which 43 verified peers are visited again; the silent ones are visited by turns from then on.
    await clock.advance(wereVerified ? 214_500 : 60_500);
    for (const node of gone) silent.add(node);
    await clock.advance(31_000);
    const orderAtMs = clock.monotonicMs();
    assert.ok(underWay.length > 0 && !underWay.some((node) => there.includes(node)), 'silent peers hold places');
    maintenance.visitAll();
    await clock.advance(0);
    assert.deepEqual(since(orderAtMs).slice(0, 3), there);
    await clock.advance(24_000);
    assert.deepEqual(new Set(since(orderAtMs)), new Set(names), 'the silent ones have been tried since');
    assert.deepEqual(
      since(orderAtMs).filter((node) => there.includes(node)),
      there,
      'once is enough',
    );
    assert.deepEqual([most.atOnce, most.atOnePeer], [8, 1]);
    await maintenance.stop();
  }
});

test('a peer that is being visited when an order comes is visited once more after that [TS-29]', async (t) => {
  const { maintenance, clock, silent, timesOf, most } = crowd(t, 2);
  silent.add('r1');
  await maintenance.start();
  await clock.advance(500);
  maintenance.visitAll();
  await clock.advance(2_000);
  assert.deepEqual([timesOf('r1'), timesOf('r2')], [[0], [0, 500]]);
  silent.clear();
  await clock.advance(5_000);
  assert.deepEqual(
    [timesOf('r1'), timesOf('r2')],
    [
      [0, 3_000],
      [0, 500],
    ],
  );
  assert.equal(most.atOnePeer, 1);
});

test('an order begins no visit before the start and none after the end, which waits for no silent peer [TS-29]', async (t) => {
  const { maintenance, clock, silent, names, visits, underWay } = crowd(t, 20);
  for (const node of names) silent.add(node);
  maintenance.visitAll();
  await clock.advance(10_000);
  assert.deepEqual(visits, []);
  await maintenance.start();
  await clock.advance(10);
  const begun = visits.length;
  assert.deepEqual([begun, underWay.length], [6, 6]);
  await maintenance.stop();
  maintenance.visitAll();
  await clock.advance(60_000);
  assert.deepEqual([visits.length, underWay.length], [begun, 0]);
});
