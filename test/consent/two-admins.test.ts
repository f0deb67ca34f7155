// The rule of two admins: the agent gathers both signatures, and the configuration helper verifies both itself, over its own candidate [TS-28].
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { createChangeAuthority } from '#consent/change-authority.ts';
import type { ConsentMode } from '#consent/policies.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createUsedConsents } from '#sign/used-consents.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';
import { code, consentBed, idOf, REQUEST } from './consent-bed.ts';

const BOTH = [{ name: 'live-changes', tool: 'network.commit' }];

let domain: Domain;
let ann: Identity;
let bob: Identity;
let olaf: Identity;
let folder: string;

before(async () => {
  domain = await createDomain();
  ann = await domain.identity('ann', { kind: 'operator', role: 'admin' });
  bob = await domain.identity('bob', { kind: 'operator', role: 'admin' });
  olaf = await domain.identity('olaf', { kind: 'operator', role: 'operator' });
  folder = await mkdtemp(join(tmpdir(), 'parley-two-'));
});
after(async () => {
  await domain.remove();
  await rm(folder, { recursive: true, force: true });
});

function bed() {
  const agent = consentBed(domain, ann, { twoAdmins: BOTH, mode: 'off' });
  const helper = (mode: ConsentMode = 'off') =>
    createChangeAuthority({
      ...{ node: 'pe1', mode, twoAdmins: BOTH, clock: agent.clock, log: silentLog },
      policies: [{ name: 'nightly', tool: 'network.commit', rollbackSeconds: 600 }],
      used: createUsedConsents(folder),
      verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
    });
  const { persist } = REQUEST.arguments;
  const change = {
    ...{ holder: 'operator/loopback', tool: 'network.commit', summary: REQUEST.summary, tag: REQUEST.tag! },
    ...{ rollbackSeconds: 120, live: false, persist: String(persist) },
  };
  const judged = (decision?: unknown) => helper()(change, decision as JsonObject | undefined);
  return { ...agent, helper, change, judged };
}

test('two different admins must sign, whatever mode and policies say; both names go into the journal [TS-28]', async () => {
  const { ask, sign, consents, trail, judged } = bed();
  const id = idOf(await ask());
  const [waiting] = consents.pending();
  assert.equal(waiting?.approvers, 2);
  assert.deepEqual(await consents.decide(sign('approve', waiting)), {
    id,
    decision: 'approve',
    by: 'operator/ann',
    waits: true,
  });
  assert.equal(idOf(await ask()), id, 'one signature is not enough');
  await assert.rejects(consents.decide(sign('approve', waiting)), code('caller/consent-settled'));
  await assert.rejects(consents.decide(sign('approve', waiting, olaf)), code('caller/not-approver'));
  assert.deepEqual(await consents.decide(sign('approve', waiting, bob)), {
    id,
    decision: 'approve',
    by: 'operator/bob',
  });
  const granted = await ask();
  assert.equal(granted.granted && granted.by, 'operator/ann and operator/bob');
  const grant = await judged(granted.granted ? granted.decision : undefined);
  assert.deepEqual([grant.by, grant.basis], ['operator/ann and operator/bob', 'consent']);
  await grant.use!();
  assert.deepEqual(
    trail.map(({ event }) => event),
    ['consent-asked', 'consent-approved', 'consent-approved', 'consent-used'],
  );
});

test('the helper takes no agent’s word for the second admin: none, the same one, no admin, another consent [TS-28]', async () => {
  const { ask, sign, consents, judged, helper, change } = bed();
  await ask();
  const [consent] = consents.pending();
  const first = sign('approve', consent);
  const both = (second: unknown) => judged({ ...first, second });
  await assert.rejects(judged(), { code: 'caller/no-consent' });
  await assert.rejects(helper('operator-present')(change), { code: 'caller/no-consent' });
  await assert.rejects(judged(first), { code: 'caller/no-consent' });
  await assert.rejects(both(sign('approve', consent)), { code: 'caller/no-consent' });
  await assert.rejects(both(sign('approve', consent, olaf)), { code: 'caller/not-approver' });
  await assert.rejects(both(sign('deny', consent, bob)), { code: 'caller/bad-consent' });
  await assert.rejects(
    both(sign('approve', { ...consent, id: 'another' }, bob)),
    /over one consent, got them over two/,
  );
  await assert.rejects(both('bob'), { code: 'caller/no-consent' });
  const twice = await domain.identity('ann', { kind: 'operator', role: 'admin', folder: 'ann-again' });
  await assert.rejects(
    both(sign('approve', consent, twice)),
    { code: 'caller/no-consent' },
    'another key under the same name',
  );
});

test('one denial ends it, also after an approval; other tools need one admin as before [TS-28]', async () => {
  const { ask, sign, consents } = bed();
  await ask();
  const [consent] = consents.pending();
  await consents.decide(sign('approve', consent));
  await consents.decide(sign('deny', consent, bob));
  assert.match(idOf(await ask()), /operator\/bob has denied/);
  assert.equal(idOf(await ask({ tool: 'network.file.push' })), 'granted');
});
