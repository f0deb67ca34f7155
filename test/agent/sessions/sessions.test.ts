// Sessions with peers: shared, opened once, closed when idle; a lie among the hints costs a moment, not the session.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetsOf } from '#agent/sessions/sessions.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { NO_AGENT, type PeerSession } from '#model/call.ts';
import type { PeerTable } from '#model/peer.ts';
import { settle } from '../../fakes/clock.ts';
import { createTestDomain, hear, sessionsOf } from '../in-process.ts';

const never = new AbortController().signal;
const wrongIdentity = () => new ParleyError('peer/wrong-identity', 'expected node p2 at fd00::bad, got node p9');
const codeOf = (error: unknown) => (error instanceof ParleyError ? error.code : String(error));

/** Hangs until its signal aborts, as a dial to a silent address does. */
function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

test('callers share one session and one dial [CARD-3]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  const [one, other] = await Promise.all([sessions.open('p2', never), sessions.open('p2', never)]);
  assert.equal(one, other);
  assert.equal(await sessions.open('p2', never), one);
  assert.equal(dialled.length, 1);
  assert.equal(sessions.current('p2'), one);
  assert.equal(domain.node('pe1').peers.find('p2')?.verified?.address, 'fd00:0:0:9::2');
});

test('the first address that answers is enough: the others are left alone', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  hear(domain.node('pe1'), 'p2', 'fd00::2');
  peers.add({
    source: 'peer-exchange',
    node: 'p2',
    addresses: ['fd00::22'],
    port: 9514,
    toldBy: 'pe3',
    hops: 1,
    heardAtMs: 0,
  });
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  await sessions.open('p2', never);
  await domain.clock.advance(1_000);
  assert.deepEqual(
    dialled.map((target) => target.addresses[0]),
    ['fd00::2'],
  );
});

test('a session that its peer ended is dialled anew', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  const first = await sessions.open('p2', never);
  await first.close();
  assert.equal(sessions.current('p2'), undefined);
  assert.notEqual(await sessions.open('p2', never), first);
  assert.equal(dialled.length, 2);
});

test('after a renewal the old session serves until a new one is there, and is closed when no call can wait on it [TS-24]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  let own = certificate('aa', domain.clock.nowMs(), 600_000);
  const { sessions, dialled } = sessionsOf(domain, 'pe1', undefined, () => own);
  const first = await sessions.open('p2', never);
  assert.equal(await sessions.open('p2', never), first);
  own = certificate('bb', domain.clock.nowMs(), 600_000);
  assert.equal(await sessions.open('p2', never), first, 'no call waits for the new one');
  await settle();
  const second = await sessions.open('p2', never);
  assert.notEqual(second, first);
  assert.deepEqual([dialled.length, first.closed], [2, false]);
  assert.deepEqual(sessions.opened(), [second]);
  await domain.clock.advance(60_001);
  await sessions.closeIdle();
  assert.equal(first.closed, true);
});

test('in the last part of a certificate a call waits for a new session, and gets the old one where there is none [TS-24]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  let own = certificate('aa', domain.clock.nowMs(), 600_000);
  let isAway = false;
  const dial = async ({ node }: { readonly node: string }) => {
    if (isAway) throw new ParleyError('peer/unreachable', 'away');
    return domain.session('pe1', node);
  };
  const { sessions } = sessionsOf(domain, 'pe1', dial, () => own);
  const first = await sessions.open('p2', never);
  await domain.clock.advance(499_000);
  assert.equal(await sessions.open('p2', never), first);
  await domain.clock.advance(2_000);
  isAway = true;
  assert.equal(await sessions.open('p2', never), first, 'better than none');
  isAway = false;
  own = certificate('bb', domain.clock.nowMs(), 600_000);
  assert.notEqual(await sessions.open('p2', never), first);
  assert.equal(first.closed, false, 'calls that are under way end on it');
});

for (const [at, letGo] of [
  ['when idle ones are closed', ({ sessions }) => sessions.closeIdle()],
  ['when the next one is there', ({ open }) => open()],
] as const satisfies readonly (readonly [string, (given: Renewing) => Promise<void>])[])
  test(`a session that was replaced and has ended is let go of ${at} [TS-24]`, async () => {
    const renewing = renewingSessions();
    const { sessions, made, closed } = renewing;
    for (const _ of [1, 2, 3]) await renewing.open();
    assert.deepEqual([made.length, closed], [3, []]);
    // The first is cut with its certificate; calls may still wait on the second.
    await made[0]!.close();
    await letGo(renewing);
    await sessions.close();
    assert.deepEqual(
      closed.toSorted(),
      made.map((_, index) => index).filter((index) => index > 0),
    );
  });

type Renewing = ReturnType<typeof renewingSessions>;

/** Sessions with p2 of a node that has another certificate for each; `closed`: which of those that were made it has closed. */
function renewingSessions() {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const made: ReturnType<typeof domain.session>[] = [];
  const closed: number[] = [];
  const dial = async ({ node }: { readonly node: string }) => {
    const session = domain.session('pe1', node);
    const number = made.push(session) - 1;
    const close = async () => {
      closed.push(number);
      await session.close();
    };
    return Object.defineProperty({ ...session, close }, 'closed', { get: session.ended });
  };
  const own = () => certificate(`after ${made.length}`, domain.clock.nowMs(), 600_000);
  const { sessions } = sessionsOf(domain, 'pe1', dial, own);
  const open = async () => {
    await sessions.open('p2', never);
    await settle();
  };
  return { sessions, made, closed, open };
}

function certificate(thumbprint: string, issuedMs: number, lifeMs: number) {
  return { thumbprint, notBeforeMs: issuedMs - 300_000, notAfterMs: issuedMs + lifeMs };
}

test('idle sessions are closed, used ones stay', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const { sessions } = sessionsOf(domain, 'pe1');
  const p2 = await sessions.open('p2', never);
  const pe3 = await sessions.open('pe3', never);
  await domain.clock.advance(59_999);
  await sessions.closeIdle();
  assert.deepEqual([p2.closed, pe3.closed], [false, false]);
  assert.equal(sessions.current('p2'), p2);
  await domain.clock.advance(1);
  await sessions.closeIdle();
  assert.deepEqual([p2.closed, pe3.closed], [false, true]);
});

test('where it was verified is tried first, then each source in turn, no address twice [CARD-2]', () => {
  const hint = { node: 'p2', port: 9514, hops: 0, heardAtMs: 0 } as const;
  const targets = targetsOf({
    node: 'p2',
    remarks: [],
    verified: { thumbprint: 'aa', address: 'fd00::2', port: 9514, atMs: 0 },
    hints: [
      { ...hint, source: 'static', addresses: ['fd00::1', 'fd00::2'] },
      { ...hint, source: 'lldp', addresses: ['fd00::1'], thumbprint: 'bb' },
      { ...hint, source: 'lldp', addresses: ['fd00::1'], port: 443 },
    ],
  });
  assert.deepEqual(targets, [
    { node: 'p2', addresses: ['fd00::2'], port: 9514, hintThumbprint: 'aa' },
    { node: 'p2', addresses: ['fd00::1'], port: 9514 },
    { node: 'p2', addresses: ['fd00::1'], port: 443 },
  ]);
});

test('an announced rotation goes along with the dial, so that the new certificate is no lie [TS-13]', () => {
  const hint = { node: 'p2', port: 9514, hops: 0, heardAtMs: 0, source: 'lldp', nextThumbprint: 'bb' } as const;
  const verified = { thumbprint: 'aa', address: 'fd00::2', port: 9514, atMs: 0 };
  const hints = [{ ...hint, addresses: ['fd00::1'], thumbprint: 'aa' }];
  assert.deepEqual(targetsOf({ node: 'p2', remarks: [], verified, hints }), [
    { node: 'p2', addresses: ['fd00::2'], port: 9514, hintThumbprint: 'aa', hintNextThumbprint: 'bb' },
    { node: 'p2', addresses: ['fd00::1'], port: 9514, hintThumbprint: 'aa', hintNextThumbprint: 'bb' },
  ]);
});

/** What PE-3 says of a node. */
function tell(peers: PeerTable, node: string, address: string): void {
  peers.add({
    source: 'peer-exchange',
    node,
    addresses: [address],
    port: 9514,
    toldBy: 'pe3',
    hops: 1,
    heardAtMs: 0,
  });
}

test('somebody else behind the first hint: the next one is dialled at once, and the lie is remarked [TS-13]', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  hear(domain.node('pe1'), 'p2', 'fd00::bad');
  tell(peers, 'p2', 'fd00::2');
  const { sessions, dialled } = sessionsOf(domain, 'pe1', async (target) => {
    if (target.addresses[0] === 'fd00::bad') throw wrongIdentity();
    return domain.session('pe1', 'p2');
  });
  await sessions.open('p2', never);
  assert.deepEqual(
    dialled.map((target) => target.addresses[0]),
    ['fd00::bad', 'fd00::2'],
  );
  assert.deepEqual(
    peers.find('p2')?.remarks.map(({ kind, detail }) => [kind, detail]),
    [['lying', 'expected node p2 at fd00::bad, got node p9']],
  );
});

test('a hint that leads nowhere costs a head start of 250 ms, not the whole time of a dial [TS-13]', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  hear(domain.node('pe1'), 'p2', 'fd00::bad');
  tell(peers, 'p2', 'fd00::2');
  let cut = false;
  const { sessions } = sessionsOf(domain, 'pe1', async (target, signal) => {
    if (target.addresses[0] !== 'fd00::bad') return domain.session('pe1', 'p2');
    return hang(signal).finally(() => {
      cut = true;
    });
  });
  const opened: PeerSession[] = [];
  void sessions.open('p2', never).then((session) => opened.push(session));
  await domain.clock.advance(249);
  assert.equal(opened.length, 0);
  await domain.clock.advance(1);
  assert.equal(opened[0]?.peer.name, 'p2');
  assert.equal(cut, true);
});

test('when all hints fail, the failure that says most is told [TS-21]', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  hear(domain.node('pe1'), 'p2', 'fd00::2');
  peers.add({
    source: 'peer-exchange',
    node: 'p2',
    addresses: ['fd00::bad'],
    port: 9514,
    toldBy: 'pe3',
    hops: 1,
    heardAtMs: 0,
  });
  const { sessions } = sessionsOf(domain, 'pe1', async (target) => {
    if (target.addresses[0] === 'fd00::bad') throw wrongIdentity();
    throw new ParleyError('peer/unreachable', 'refused');
  });
  await assert.rejects(sessions.open('p2', never), (error) => codeOf(error) === 'peer/wrong-identity');
});

test('a peer that never opens a session is given up after its time [TS-21]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions } = sessionsOf(domain, 'pe1', (_target, signal) => hang(signal));
  const outcome = sessions.open('p2', never).catch((error: unknown) => `${codeOf(error)} ${(error as Error).message}`);
  await domain.clock.advance(5_000);
  assert.equal(await outcome, 'peer/timeout expected a session with p2 within 5000 ms, got none');
});

test('one caller that gives up does not end the dial for the others', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  let arrive: (session: PeerSession) => void = () => {};
  const { sessions, dialled } = sessionsOf(domain, 'pe1', () => new Promise((resolve) => (arrive = resolve)));
  const impatient = new AbortController();
  const given = sessions.open('p2', impatient.signal).catch(codeOf);
  const kept = sessions.open('p2', never);
  await settle();
  impatient.abort();
  assert.equal(await given, 'peer/timeout');
  arrive(domain.session('pe1', 'p2'));
  assert.equal((await kept).peer.name, 'p2');
  assert.equal(dialled.length, 1);
});

test('an unknown node is named together with those that are known', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions } = sessionsOf(domain, 'pe1');
  await assert.rejects(sessions.open('pe9', never), (error: ParleyError) => {
    assert.equal(error.code, 'caller/unknown-node');
    assert.deepEqual(error.data, { known: ['p2'] });
    return true;
  });
});

test('of a node that its neighbours hear without an announcement no agent is known; one that announces badly may have one', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  const { sessions } = sessionsOf(domain, 'pe1');
  const reasonOf = (node: string) => sessions.open(node, never).catch((error: unknown) => messageOf(error));
  const codeAt = (node: string) => sessions.open(node, never).catch(codeOf);
  peers.remark('sw1', { kind: 'silent', detail: 'eth1: announces no agent', atMs: 0 });
  peers.remark('r9', { kind: 'malformed', detail: 'eth2: version 9', atMs: 0 });
  assert.equal(await codeAt('sw1'), NO_AGENT);
  assert.match(String(await reasonOf('r9')), /expected a node that this agent knows, got r9/);
  hear(domain.node('pe1'), 'p2');
  peers.remark('p2', { kind: 'silent', detail: 'eth3: announces no agent', atMs: 0 });
  assert.equal(typeof (await sessions.open('p2', never)), 'object', 'another node told of it');
});

test('the end of the agent ends sessions and dials, and nothing is opened any more', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const { sessions, dialled } = sessionsOf(domain, 'pe1', async (target, signal) =>
    target.node === 'p2' ? domain.session('pe1', 'p2') : hang(signal),
  );
  const open = await sessions.open('p2', never);
  const dialling = sessions.open('pe3', never).catch(codeOf);
  await settle();
  await sessions.close();
  assert.equal(open.closed, true);
  assert.equal(await dialling, 'us/stopping');
  assert.equal(await sessions.open('p2', never).catch(codeOf), 'us/stopping');
  assert.equal(dialled.length, 2);
});

test('a session that is dropped is closed, and the next use dials', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  const first = await sessions.open('p2', never);
  await sessions.drop('p2');
  assert.equal(first.closed, true);
  await sessions.open('p2', never);
  assert.equal(dialled.length, 2);
});
