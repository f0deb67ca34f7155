// Between questions an agent visits its peers, slowly: each at once when new, again when it is time, none after the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPeerMaintenance } from '#agent/sessions/peer-maintenance.ts';
import type { Sessions } from '#agent/sessions/sessions.ts';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { createTestDomain, hear, sessionsOf, type TestDomain } from '../in-process.ts';

function maintenanceOf(domain: TestDomain, sessions: Sessions) {
  const { clock } = domain;
  return createPeerMaintenance({
    node: 'pe1',
    peers: domain.node('pe1').peers,
    ...{ sessions, clock },
    patienceEndsMs: 0,
    log: silentLog,
    newSessionId: () => 'dom-visit',
  });
}

function visiting(domain: TestDomain, unreachable: readonly string[] = []) {
  const visits: string[] = [];
  const { sessions } = sessionsOf(domain, 'pe1', async (target) => {
    if (unreachable.includes(target.node)) {
      visits.push(`${target.node} in vain`);
      throw new ParleyError('peer/unreachable', 'refused');
    }
    const session = domain.session('pe1', target.node);
    return {
      ...session,
      get closed() {
        return session.closed;
      },
      call: (call) => {
        visits.push(target.node);
        return session.call(call);
      },
    };
  });
  const maintenance = maintenanceOf(domain, sessions);
  return { maintenance, visits, sessions };
}

test('visits whoever was heard of, learns of those behind, and visits them too [CARD-2]', async (t) => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('p2'), 'pe3', 'fd00:0:0:3::1');
  const { maintenance, visits } = visiting(domain);
  t.after(() => maintenance.stop());
  await maintenance.start();
  await domain.clock.advance(1_000);
  assert.deepEqual(visits, ['p2', 'pe3']);
  assert.equal(domain.node('pe1').peers.find('pe3')?.verified?.address, 'fd00:0:0:3::1');
  await domain.clock.advance(28_000);
  assert.equal(visits.length, 2);
  await domain.clock.advance(3_000);
  assert.deepEqual(visits, ['p2', 'pe3', 'p2', 'pe3']);
});

test('a peer that cannot be reached is tried again every ten seconds, and is remarked once [TS-13]', async (t) => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { maintenance, visits } = visiting(domain, ['p2']);
  t.after(() => maintenance.stop());
  await maintenance.start();
  await domain.clock.advance(25_000);
  assert.deepEqual(visits, ['p2 in vain', 'p2 in vain', 'p2 in vain']);
  assert.deepEqual(
    domain
      .node('pe1')
      .peers.find('p2')
      ?.remarks.map(({ kind }) => kind),
    ['silent'],
  );
});

test('peers that say nothing do not hold up the others [TS-13]', async (t) => {
  const domain = createTestDomain();
  const visits: string[] = [];
  const { sessions } = sessionsOf(domain, 'pe1', (target, signal) => {
    visits.push(target.node);
    if (target.node.startsWith('a'))
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    throw new ParleyError('peer/unreachable', 'refused');
  });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'p2']) hear(domain.node('pe1'), name, 'fd00::bad');
  const maintenance = maintenanceOf(domain, sessions);
  t.after(() => maintenance.stop());
  await maintenance.start();
  await domain.clock.advance(10);
  assert.deepEqual(visits.sort(), ['a1', 'a2', 'a3', 'a4', 'p2']);
});

test('after the end nobody is visited and every session is closed', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { maintenance, visits, sessions } = visiting(domain);
  await maintenance.start();
  await domain.clock.advance(100);
  const session = sessions.current('p2');
  assert.equal(session?.closed, false);
  await maintenance.stop();
  assert.equal(session?.closed, true);
  await domain.clock.advance(60_000);
  assert.deepEqual(visits, ['p2']);
});
