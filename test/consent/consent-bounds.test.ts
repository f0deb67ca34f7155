// Consents at their bounds: the last millisecond, what is shown and cut, full lists, refusals.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import type { ConsentParts } from '#consent/consents.ts';
import type { Party } from '#model/identity.ts';
import type { Identity } from '#mtls/identity.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';

import { BOT, consentBed, idOf, REQUEST, signal } from './consent-bed.ts';

let domain: Domain;
let ann: Identity;
let olaf: Identity;
before(async () => {
  domain = await createDomain();
  ann = await domain.identity('ann', { kind: 'operator', role: 'admin' });
  olaf = await domain.identity('olaf', { kind: 'operator', role: 'operator' });
});
after(() => domain.remove());

const bed = (init: Partial<ConsentParts> = {}) => consentBed(domain, ann, init);

test('a consent waits to the last millisecond, and says until when [TS-28]', async () => {
  const { ask, consents, clock } = bed();
  const answer = await ask();
  const [consent] = consents.pending();
  assert.deepEqual(answer, {
    granted: false,
    reason: `it waits for an admin: parley approve ${consent!.id}, then call again`,
    id: consent!.id,
    expires: consent!.expires,
  });
  assert.match(consent!.id, /^[0-9a-f]{56}$/);
  await clock.advance(899_999);
  assert.equal(consents.pending().length, 1);
  await clock.advance(1);
  assert.equal(consents.pending().length, 0);
});

test('what a consent shows is rounded to seconds, and bound to the exact content all the same [TS-28]', async () => {
  const { ask, consents } = bed();
  const summary = '+ interface eth1: isis password md5 <redacted>';
  await ask({ rollbackMs: 2_000_400, summary });
  await ask({ rollbackMs: 2_000_400, summary });
  assert.equal(consents.pending().length, 1, 'the same one waits');
  const [consent] = consents.pending();
  assert.deepEqual([consent!.impact, consent!.summary], [{ rollbackSeconds: 2_000 }, summary]);
  await ask({ rollbackMs: 2_000_400, summary, tag: 'bb' });
  assert.equal(consents.pending().length, 2, 'another content, although it looks the same');
  const { tag: _, ...untagged } = REQUEST;
  await consents.ask(untagged, signal);
  await ask({ tag: '' });
  assert.equal(consents.pending().length, 3, 'no tag is the empty one');
});

test('a consent that is given back finds no place in a full list [TS-28]', async () => {
  const { ask, consents, sign } = bed();
  await ask({ signed: true });
  await consents.decide(sign('approve', consents.pending()[0]));
  const answer = await ask({ signed: true });
  assert.ok(answer.granted);
  for (let at = 0; at < 64; at++) await ask({ caller: { ...BOT, name: `p${at}` } });
  await answer.giveBack!();
  assert.notEqual((await ask({ signed: true })).granted, true);
  const { consents: others, ask: askOther, sign: signOther } = bed();
  await askOther({ signed: true });
  await others.decide(signOther('approve', others.pending()[0]));
  const second = await askOther({ signed: true });
  assert.ok(second.granted);
  for (let at = 0; at < 63; at++) await askOther({ caller: { ...BOT, name: `p${at}` } });
  await second.giveBack!();
  assert.equal((await askOther({ signed: true })).granted, true);
});

test('refusals say what was expected [TS-28]', async () => {
  const { consents, ask, sign, clock } = bed();
  await ask();
  const consent = consents.pending()[0]!;
  const message = (decision: Promise<unknown>) =>
    decision.then(
      () => assert.fail('taken'),
      (error: Error) => error.message,
    );
  assert.equal(await message(consents.decide(sign('approve', consent, olaf))), 'expected an admin, got operator/olaf');
  assert.match(
    await message(consents.decide({ ...sign('approve', consent), chain: [] })),
    /^expected a certificate of this domain: expected a chain of 1 to 4/,
  );
  await consents.decide(sign('deny', consent));
  assert.equal(
    await message(consents.decide(sign('approve', consent))),
    'expected a consent that waits, it was settled by operator/ann',
  );
  await clock.advance(900_000);
  const error = (await consents.decide(sign('approve', consent)).catch((each) => each)) as ParleyError;
  assert.equal(error.code, 'caller/no-such-consent', 'it had expired before it was looked up');
  assert.deepEqual(error.data, { wireCode: -32083, wireMessage: 'Network.AccessDenied', retryPossible: false });
});

test('a caller without a role is shown with none, and a consent is bound to that [TS-28]', async () => {
  const { ask, consents } = bed();
  const caller: Party = { kind: 'controller', domain: 'lab.example', name: 'noc' };
  const first = await ask({ caller });
  assert.deepEqual(consents.pending()[0]!.user, { kind: 'controller', name: 'noc', role: 'none' });
  assert.equal(idOf(await ask({ caller })), idOf(first), 'the same one waits');
  assert.equal(consents.pending().length, 1);
});
