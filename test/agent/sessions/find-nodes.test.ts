// Nodes of a path are found by name, by asking those that are known, and by waiting a little after a start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openJournal } from '#agent/parts/progress.ts';
import { askForPeers, type FindParts, findNodes } from '#agent/sessions/find-nodes.ts';
import { ParleyError } from '#base/error.ts';
import { parseIntent } from '#intent/parse.ts';
import type { Intent } from '#model/intent.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { settle } from '../../fakes/clock.ts';
import { createTestDomain, hear, sessionsOf, type TestDomain } from '../in-process.ts';

const never = new AbortController().signal;

function intentOf(text: string): Intent {
  const parsed = parseIntent(text);
  assert.ok(parsed.ok);
  return parsed.intent;
}

const THREE = intentOf('Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2');

function partsOf(domain: TestDomain, asker: string, patienceEndsMs = 0) {
  const told: string[] = [];
  const { sessions, dialled } = sessionsOf(domain, asker);
  const journal = openJournal({
    ...LOCAL_ASKER,
    sessionId: 'dom-1',
    node: asker,
    clock: domain.clock,
    onProgress: (event) => told.push(`${event.step}: ${event.message}`),
  });
  const parts: FindParts = {
    node: asker,
    peers: domain.node(asker).peers,
    sessions,
    clock: domain.clock,
    patienceEndsMs,
  };
  return { parts, journal, told, dialled };
}

test('finds the tail two hops away by asking the neighbour for its peers [CARD-2]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('p2'), 'pe3', 'fd00:0:0:3::1');
  const { parts, journal, told } = partsOf(domain, 'pe1');
  assert.deepEqual(await findNodes(parts, THREE, journal, never), ['pe1', 'p2', 'pe3']);
  assert.deepEqual(told, ['peers: asking p2 for PE-3']);
  const [hint] = domain.node('pe1').peers.find('pe3')!.hints;
  assert.equal(hint?.source, 'peer-exchange');
  assert.equal(hint?.toldBy, 'p2');
  assert.equal(hint?.hops, 1);
  assert.deepEqual(hint?.addresses, ['fd00:0:0:3::1']);
});

test('asks on from node to node until the path is known [CARD-2]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2', 'fd00::2');
  hear(domain.node('p2'), 'pe3', 'fd00::3');
  hear(domain.node('pe3'), 'pe4', 'fd00::4');
  const { parts, journal, told } = partsOf(domain, 'pe1');
  assert.deepEqual(await findNodes(parts, intentOf('check loss between PE-1 and PE-4'), journal, never), [
    'pe1',
    'pe4',
  ]);
  assert.deepEqual(told, ['peers: asking p2 for PE-4', 'peers: asking pe3 for PE-4']);
});

test('does not ask itself, also when somebody else announced its name [TS-13]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe1', 'fd00::bad');
  hear(domain.node('p2'), 'pe3', 'fd00:0:0:3::1');
  const { parts, journal, told } = partsOf(domain, 'pe1');
  await findNodes(parts, THREE, journal, never);
  assert.deepEqual(told, ['peers: asking p2 for PE-3']);
});

test('asks nobody when every node of the path is known', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const { parts, journal, told, dialled } = partsOf(domain, 'pe1');
  assert.deepEqual(await findNodes(parts, THREE, journal, never), ['pe1', 'p2', 'pe3']);
  assert.deepEqual([told, dialled], [[], []]);
});

test('a node that nobody knows is told together with those that are known', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { parts, journal } = partsOf(domain, 'pe1');
  await assert.rejects(
    findNodes(parts, intentOf('check loss between PE-1 and PE-9'), journal, never),
    (error: ParleyError) => {
      assert.equal(error.code, 'caller/unknown-node');
      assert.match(error.message, /got PE-9 \(known: p2, pe1\); a host without one is asked about by its address$/);
      assert.deepEqual(error.data, { known: ['pe1', 'p2'] });
      return true;
    },
  );
});

test('right after a start it waits for discovery, and finds who is announced late [CARD-2]', async () => {
  const domain = createTestDomain();
  const { parts, journal } = partsOf(domain, 'pe1', 5_000);
  const found = findNodes(parts, intentOf('check loss between PE-1 and P-2'), journal, never);
  await domain.clock.advance(2_000);
  hear(domain.node('pe1'), 'p2');
  assert.deepEqual(await found, ['pe1', 'p2']);
});

test('the wait for discovery ends with the patience, on the clock that was given', async () => {
  const domain = createTestDomain();
  const { parts, journal } = partsOf(domain, 'pe1', 5_000);
  const found = findNodes(parts, intentOf('check loss between PE-1 and P-2'), journal, never).catch(
    (error: ParleyError) => error.code,
  );
  await settle();
  await domain.clock.advance(5_000);
  assert.equal(await found, 'caller/unknown-node');
});

test('a peer that does not answer is remarked as silent and stops nothing [TS-13]', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  hear(domain.node('pe1'), 'p2');
  const { sessions } = sessionsOf(domain, 'pe1', async () => {
    throw new ParleyError('peer/unreachable', 'no session with fd00::2: ECONNREFUSED');
  });
  const { parts } = partsOf(domain, 'pe1');
  await askForPeers({ ...parts, sessions }, 'p2', { sessionId: 'dom-1', ...LOCAL_ASKER }, never);
  assert.deepEqual(
    peers.find('p2')?.remarks.map(({ kind, detail }) => [kind, detail]),
    [['silent', 'peer exchange: no session with fd00::2: ECONNREFUSED']],
  );
});

test('a peer that lets an exchange time out loses its session, so that the next visit dials anew', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const hung = {
    ...domain.session('pe1', 'p2'),
    call: () => Promise.reject(new ParleyError('peer/timeout', 'no answer')),
  };
  const { sessions, dialled } = sessionsOf(domain, 'pe1', async () => hung);
  const { parts } = partsOf(domain, 'pe1');
  await askForPeers({ ...parts, sessions }, 'p2', { sessionId: 'dom-1', ...LOCAL_ASKER }, never);
  assert.equal(sessions.current('p2'), undefined);
  await askForPeers({ ...parts, sessions }, 'p2', { sessionId: 'dom-1', ...LOCAL_ASKER }, never);
  assert.equal(dialled.length, 2);
});

test('nobody is called silent because the asker went away', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { parts } = partsOf(domain, 'pe1');
  await askForPeers(parts, 'p2', { sessionId: 'dom-1', ...LOCAL_ASKER }, AbortSignal.abort());
  assert.deepEqual(domain.node('pe1').peers.find('p2')?.remarks, []);
});

/** p2 answers only after it has failed so many times. */
function answeringLate(failures: number) {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('p2'), 'pe3', 'fd00:0:0:3::1');
  let left = failures;
  const { sessions } = sessionsOf(domain, 'pe1', async ({ node }) => {
    if (left-- > 0) throw new ParleyError('peer/timeout', 'expected an answer within 3000 ms, got none');
    return domain.session('pe1', node);
  });
  const { parts, journal, told } = partsOf(domain, 'pe1');
  return { parts: { ...parts, sessions }, journal, told };
}

test('a peer that did not answer is asked once more before a node is called unknown [TS-13]', async () => {
  const { parts, journal, told } = answeringLate(1);
  assert.deepEqual(await findNodes(parts, THREE, journal, never), ['pe1', 'p2', 'pe3']);
  assert.deepEqual(told, ['peers: asking p2 for PE-3', 'peers: asking p2 for PE-3']);
});

test('where peers do not answer, the refusal names them and does not say that the node has no agent [TS-13]', async () => {
  const { parts, journal, told } = answeringLate(9);
  await assert.rejects(findNodes(parts, THREE, journal, never), (error: ParleyError) => {
    assert.equal(error.code, 'caller/unknown-node');
    assert.match(
      error.message,
      /got PE-3 \(known: p2, pe1\); .* by its address; p2 did not answer, and may know more: ask again$/,
    );
    assert.deepEqual(error.data, { known: ['pe1', 'p2'], silent: ['p2'] });
    return true;
  });
  assert.equal(told.length, 2);
});

test('a peer that refuses is not called silent, and is not asked again', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const refusing = {
    ...domain.session('pe1', 'p2'),
    call: async () => ({ answer: { status: 'refused', code: -32_083 } }) as never,
  };
  const { sessions } = sessionsOf(domain, 'pe1', async () => refusing);
  const { parts, journal, told } = partsOf(domain, 'pe1');
  await assert.rejects(findNodes({ ...parts, sessions }, THREE, journal, never), /by its address$/);
  assert.deepEqual(told, ['peers: asking p2 for PE-3']);
});

test('a question that was given up asks no peer again, and calls none silent', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { parts, journal, told } = partsOf(domain, 'pe1');
  const gone = new Error('the asker went away');
  await assert.rejects(findNodes(parts, THREE, journal, AbortSignal.abort(gone)), gone);
  assert.equal(told.length, 1);
});
