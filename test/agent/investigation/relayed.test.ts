// A question to which a node belongs that the asked node has no route to: others pass the session on, and its answers count as any.
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { consult, emptyGathered } from '#agent/investigation/collect.ts';
import { AGENT_LIMITS } from '#agent/limits.ts';
import { openJournal } from '#agent/parts/progress.ts';
import type { Relaying } from '#agent/sessions/relay-ways.ts';
import { withRelays } from '#agent/sessions/relayed-sessions.ts';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { planScopeStates } from '#measure/nodes/node-state.ts';
import type { PeerSession } from '#model/call.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { sealedReportText } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { settle } from '../../fakes/clock.ts';
import { fakeVerifyChain } from '../../fakes/signed-exchange.ts';
import { createTestDomain, hear, partsOf, sessionsOf, type TestDomain } from '../in-process.ts';

const never = new AbortController().signal;
const TICKET = '0f'.repeat(16);

/** pe1 has sessions with p2 alone, which passes on what is for pe3. */
function behindP2(
  domain: TestDomain,
  answerTo: (turn: number) => 'ticket' | 'no' | 'busy' = () => 'ticket',
  toldBy = 'p2',
) {
  const asked: unknown[] = [];
  hear(domain.node('pe1'), 'p2');
  domain.node('pe1').peers.add({
    ...{ source: 'peer-exchange', node: 'pe3', addresses: ['192.0.2.3'], port: 9514, toldBy, hops: 1 },
    heardAtMs: domain.clock.nowMs(),
  });
  const p2 = (): PeerSession => {
    const session = domain.session('pe1', 'p2');
    return {
      ...session,
      authorised: [...session.authorised, 'parley-relay'],
      call: async (call) => {
        if (call.name !== 'parley-relay') return session.call(call);
        asked.push([call.arguments, call.asker, call.sessionId.length]);
        const body = { node: 'pe3', ticket: TICKET };
        const how = answerTo(asked.length);
        const refused = { status: 'refused', body: {}, reason: how };
        const answer = {
          ticket: { status: 'answered', body },
          no: refused,
          busy: { ...refused, reason: 'relay budget used up', code: WIRE_CODES.busy },
        }[how];
        return { request: { method: '', params: {} }, answer } as never;
      },
    };
  };
  const { sessions, dialled } = sessionsOf(domain, 'pe1', async ({ node }) => {
    if (node === 'p2') return p2();
    throw new ParleyError('peer/unreachable', 'no session with 192.0.2.3: ENETUNREACH');
  });
  const opened: string[] = [];
  const relaying: Relaying = {
    log: silentLog,
    connect: () => Promise.reject(new ParleyError('peer/unreachable', 'no address known')),
    claim: async (relay, at, ticket) => {
      opened.push(`${relay} ${'over' in at ? 'over others' : at.address} ${ticket}`);
      return new Socket();
    },
    openOver: async (node) => domain.session('pe1', node),
  };
  return { asked, opened, dialled, parts: partsOf(domain, 'pe1', { sessions, relaying }) };
}

test('its state, measurements and signature are in the report, with the nodes that passed them on', async () => {
  const domain = createTestDomain();
  const { asked, opened, dialled, parts } = behindP2(domain);
  const told: string[] = [];
  const done = await investigate(
    {
      ...LOCAL_ASKER,
      ...{ text: 'is the path pe1 -> p2 -> pe3 dropping packets?', signal: never },
      onProgress: ({ message }) => told.push(message),
    },
    parts,
  );
  const verified = await verifySealedReport(Buffer.from(sealedReportText(done.sealed)), {
    verifyChain: fakeVerifyChain,
  });
  assert.equal(verified.ok, true, JSON.stringify(verified.checks));
  assert.equal(done.diagnosis.verdict.kind, 'healthy', done.diagnosis.verdict.reasons.join('\n'));
  const throughs = (node: string) =>
    new Set(done.gathered.outcomes.filter((each) => each.node === node).map(({ through }) => through?.join()));
  assert.deepEqual([throughs('pe3'), throughs('p2')], [new Set(['p2']), new Set([undefined])]);
  assert.deepEqual(asked, [[{ node: 'pe3', channel: true }, LOCAL_ASKER.asker, 32]], 'once a question');
  assert.deepEqual(opened, [`p2 ${domain.node('pe1').peers.find('p2')?.verified?.address} ${TICKET}`]);
  assert.equal(dialled.filter(({ node }) => node === 'pe3').length, 1);
  assert.ok(told.some((line) => /^pe3: authorised for .*, through p2$/.test(line)));
  assert.equal(domain.node('pe1').peers.find('pe3')?.verified, undefined, 'no address of it was proven');
});

test('a node of a path that another one of it hears is reached through that one, though another node told of it', async () => {
  const domain = createTestDomain();
  const { asked, parts } = behindP2(domain, () => 'ticket', 'pe7');
  const text = 'is the path pe1 -> p2 -> pe3 dropping packets?';
  const done = await investigate({ ...LOCAL_ASKER, text, signal: never, onProgress: () => {} }, parts);
  assert.equal(done.diagnosis.verdict.kind, 'healthy', done.diagnosis.verdict.reasons.join('\n'));
  assert.deepEqual(asked, [[{ node: 'pe3', channel: true }, LOCAL_ASKER.asker, 32]]);
});

test('where no other passes it on, it is as unreachable as before', async () => {
  const domain = createTestDomain();
  const { parts } = behindP2(domain, () => 'no');
  const text = 'is the path pe1 -> p2 -> pe3 dropping packets?';
  const done = await investigate({ ...LOCAL_ASKER, text, signal: never, onProgress: () => {} }, parts);
  const { status, reason } = done.gathered.outcomes.find(({ node }) => node === 'pe3')!;
  assert.equal(status, 'unreachable');
  assert.match(reason ?? '', /ENETUNREACH/);
  assert.equal(done.diagnosis.verdict.kind, 'inconclusive');
});

test('silence over a session that others pass on makes no node untrusted, and is waited for once', async () => {
  const domain = createTestDomain();
  const { parts } = behindP2(domain);
  const hanging: PeerSession = {
    ...domain.session('pe1', 'pe3'),
    through: ['p2'],
    call: () => new Promise(() => {}),
  };
  const sessions = { ...parts.sessions, open: async () => hanging, drop: async () => {} };
  const journal = openJournal({ ...parts, ...LOCAL_ASKER, sessionId: '00'.repeat(16), onProgress: () => {} });
  const gathered = emptyGathered();
  const done = consult({ ...parts, sessions }, planScopeStates('before', ['pe3']), gathered, journal, never);
  for (let turn = 0; turn < 40; turn++) await settle();
  await domain.clock.advance(3_000);
  await done;
  assert.deepEqual(
    gathered.outcomes.map(({ status, untrusted, through }) => [status, untrusted, through]),
    [['timed-out', undefined, ['p2']]],
  );
  assert.deepEqual([...gathered.lost.keys()], ['pe3']);
});

test('a call that was never sent costs a node neither its session nor the rest of the question', async () => {
  const domain = createTestDomain();
  const { parts } = behindP2(domain);
  const dropped: string[] = [];
  const session: PeerSession = { ...domain.session('pe1', 'pe3'), through: ['p2'] };
  const sessions = {
    ...parts.sessions,
    open: async () => session,
    drop: async (node: string) => void dropped.push(node),
  };
  const journal = openJournal({ ...parts, ...LOCAL_ASKER, sessionId: '00'.repeat(16), onProgress: () => {} });
  const gathered = emptyGathered();
  const late = planScopeStates('before', ['pe3']).map((call) => ({ ...call, afterMs: 2 * AGENT_LIMITS.phaseMs }));
  const done = consult({ ...parts, sessions }, late, gathered, journal, never);
  for (let turn = 0; turn < 40; turn++) await settle();
  await domain.clock.advance(3 * AGENT_LIMITS.phaseMs);
  await done;
  const [{ status, reason }] = gathered.outcomes as [(typeof gathered.outcomes)[number]];
  assert.deepEqual([status, reason], ['timed-out', 'the deadline passed before the call was sent']);
  assert.deepEqual([[...gathered.lost.keys()], dropped], [[], []]);
});

test('a node that a relay could not be got to open a session with is unreachable, and is accused of nothing', async () => {
  const domain = createTestDomain();
  const { parts } = behindP2(domain);
  const error = new ParleyError('peer/unreachable', 'pe3 through p2: no session in time', {
    data: { through: ['p2'] },
  });
  const sessions = { ...parts.sessions, open: () => Promise.reject(error) };
  const journal = openJournal({ ...parts, ...LOCAL_ASKER, sessionId: '00'.repeat(16), onProgress: () => {} });
  const gathered = emptyGathered();
  await consult({ ...parts, sessions }, planScopeStates('before', ['pe3']), gathered, journal, never);
  assert.deepEqual(
    gathered.outcomes.map(({ status, untrusted, through }) => [status, untrusted, through]),
    [['unreachable', undefined, ['p2']]],
  );
});

test('a relay that has no place is asked again within the question, and it counts as no try', async () => {
  const domain = createTestDomain();
  const { asked, parts } = behindP2(domain, (turn) => (turn < 4 ? 'busy' : 'ticket'));
  const question = withRelays({ ...parts, relaying: parts.relaying! }, { ...LOCAL_ASKER, sessionId: '00'.repeat(16) });
  await question.open('p2', never);
  const opening = question.open('pe3', never);
  for (let turn = 0; turn < 10; turn++) await domain.clock.advance(AGENT_LIMITS.relayBusyMs);
  assert.deepEqual([(await opening).through, asked.length], [['p2'], 4]);
  question.end();
});

test('a relay that stays without a place is named as what is missing, and may be asked later', async () => {
  const domain = createTestDomain();
  const { parts } = behindP2(domain, () => 'busy');
  const question = withRelays({ ...parts, relaying: parts.relaying! }, { ...LOCAL_ASKER, sessionId: '00'.repeat(16) });
  await question.open('p2', never);
  const opening = assert.rejects(question.open('pe3', never), {
    message: 'pe3 through p2: p2 cannot pass a connection on to pe3 now: relay budget used up',
    data: { peer: 'pe3', through: ['p2'] },
  });
  for (let turn = 0; turn < 2 * AGENT_LIMITS.relayBusyTurns; turn++)
    await domain.clock.advance(AGENT_LIMITS.relayBusyMs);
  await opening;
  assert.equal(question.mayReach('pe3'), true);
  question.end();
});
