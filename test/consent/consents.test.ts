// Consent objects against everything that could go around them: other parameters, other content, other people, time, replay, forgery.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConsentParts } from '#consent/consents.ts';
import { CONSENT_LIMITS } from '#consent/limits.ts';
import type { ConsentAnswer, ConsentRequest } from '#model/consent.ts';
import type { Identity } from '#mtls/identity.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';

import { BOT, code, consentBed, idOf, REQUEST, signal } from './consent-bed.ts';

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

test('a change waits, is shown as it was asked for, is approved by an admin’s key, and runs once [TS-28]', async () => {
  const { consents, ask, sign, trail } = bed();
  const first = await ask();
  assert.equal(first.granted, false);
  const [consent] = consents.pending();
  const { id, requestSha256, changesSha256, created, expires, ...shown } = consent!;
  assert.deepEqual(shown, {
    node: 'pe1',
    tool: 'network.commit',
    arguments: { confirmed: 120 },
    summary: '+ interface eth1: isis metric 5',
    impact: { rollbackSeconds: 120 },
    persist: true,
    user: { kind: 'operator', name: 'loopback', role: 'operator' },
  });
  assert.match(requestSha256 + changesSha256, /^[0-9a-f]{128}$/);
  assert.equal(Date.parse(expires) - Date.parse(created), 900_000);
  assert.equal(idOf(await ask()), id, 'asking again waits for the same decision');
  const signed = sign('approve', consent);
  assert.deepEqual(await consents.decide(signed), { id, decision: 'approve', by: 'operator/ann' });
  const { decision, giveBack: _, ...granted } = (await ask()) as Extract<ConsentAnswer, { granted: true }>;
  assert.deepEqual(granted, { granted: true, by: 'operator/ann' });
  assert.deepEqual(decision, signed, 'for the helper, which verifies it again');
  assert.notEqual(idOf(await ask()), 'granted');
  assert.deepEqual(
    trail.map(({ event, party }) => `${event} ${party}`),
    [
      'consent-asked operator/loopback',
      'consent-approved operator/ann',
      'consent-used operator/loopback',
      'consent-asked operator/loopback',
    ],
  );
});

test('two calls at once use one consent once [TS-28]', async () => {
  const { consents, ask, sign } = bed();
  await ask();
  await consents.decide(sign('approve', consents.pending()[0]));
  const answers = await Promise.all([ask(), ask()]);
  assert.deepEqual(answers.map(({ granted }) => granted).sort(), [false, true]);
});

test('a use that cannot be recorded is none: the consent stands, and is used once when it can [TS-28, TS-31]', async () => {
  const fault: { event?: string } = {};
  const trail: string[] = [];
  const audit = {
    append: async ({ event }: { readonly event: string }) => {
      if (event === fault.event) throw new Error('the disk is full');
      trail.push(event);
    },
  };
  const { consents, ask, sign } = bed({ audit });
  await ask();
  await consents.decide(sign('approve', consents.pending()[0]));
  fault.event = 'consent-used';
  await assert.rejects(ask(), { message: 'the disk is full' });
  // While its use is being recorded, no other call gets it.
  const [first, second] = await Promise.allSettled([ask(), ask()]);
  assert.equal(first.status, 'rejected');
  assert.equal(second.status === 'fulfilled' && second.value.granted, false);
  delete fault.event;
  assert.equal((await ask()).granted, true);
  assert.equal((await ask()).granted, false);
  assert.deepEqual(
    trail.filter((event) => event !== 'consent-asked'),
    ['consent-approved', 'consent-used'],
  );
});

test('an approval is for exactly these parameters, this content, this window and this user [TS-28]', async () => {
  const others: readonly Partial<ConsentRequest>[] = [
    { tool: 'network.rollback' },
    { arguments: { confirmed: 121, persist: 'token' } },
    { arguments: { confirmed: 120, persist: 'another' } },
    { summary: '+ interface eth1: isis metric 6' },
    { tag: 'ab' },
    { rollbackMs: 600_000 },
    { caller: { ...BOT, name: 'local' } },
    { caller: { ...BOT, role: 'admin' } },
  ];
  for (const other of others) {
    const { consents, ask, sign } = bed();
    await ask();
    await consents.decide(sign('approve', consents.pending()[0]));
    assert.equal((await ask(other)).granted, false, JSON.stringify(other));
    assert.equal((await ask()).granted, true, 'and is still there for what it was given for');
  }
});

test('an approval ends with its time, used or not [TS-28]', async () => {
  const { consents, ask, sign, clock } = bed();
  await ask();
  const [consent] = consents.pending();
  await consents.decide(sign('approve', consent));
  await clock.advance(900_000);
  assert.equal((await ask()).granted, false);
  assert.notEqual(consents.pending()[0]!.id, consent!.id);
  await clock.advance(900_000);
  assert.deepEqual(consents.pending(), []);
  await assert.rejects(consents.decide(sign('approve', consent)), code('caller/no-such-consent'));
});

test('the decision that was made for one consent decides no other, and none twice [TS-28]', async () => {
  const { consents, ask, sign } = bed();
  await ask();
  const signed = sign('approve', consents.pending()[0]);
  await consents.decide(signed);
  await assert.rejects(consents.decide(signed), code('caller/consent-settled'));
  await ask();
  await assert.rejects(consents.decide(signed), code('caller/no-such-consent'));
  await ask();
  await assert.rejects(consents.decide(signed), code('caller/no-such-consent'));
});

test('only an admin of the domain decides, by a signature of its own over what this node made [TS-28]', async () => {
  const { consents, ask, sign, clock } = bed();
  await ask();
  const consent = consents.pending()[0]!;
  await assert.rejects(consents.decide(sign('approve', consent, olaf)), code('caller/not-approver'));
  const node = await domain.identity('pe1');
  await assert.rejects(consents.decide(sign('approve', consent, node)), code('caller/not-approver'));
  const stranger = await createDomain();
  const foreign = await stranger.identity('ann', { kind: 'operator', role: 'admin' });
  await stranger.remove();
  await assert.rejects(consents.decide(sign('approve', consent, foreign)), code('caller/not-approver'));
  // Ann's chain with Olaf's signature.
  const forged = { ...sign('approve', consent, olaf), chain: ann.chain };
  await assert.rejects(consents.decide(forged), code('caller/bad-consent'));
  const changed = { ...consent, summary: '+ interface eth1: isis metric 1' };
  await assert.rejects(consents.decide(sign('approve', changed)), code('caller/bad-consent'));
  const late = sign('approve', consent, ann, clock.nowMs() - 970_000);
  await assert.rejects(consents.decide(late), code('caller/bad-consent'));
  const { envelope, chain } = sign('deny', consent);
  const turned = Buffer.from(envelope.payload, 'base64').toString().replace('"deny"', '"approve"');
  const tampered = { envelope: { ...envelope, payload: Buffer.from(turned).toString('base64') }, chain };
  await assert.rejects(consents.decide(tampered), code('caller/bad-consent'));
  assert.equal(consents.pending().length, 1, 'nothing was decided by all of that');
});

test('what was denied stays denied, and says by whom [TS-28]', async () => {
  const { consents, ask, sign } = bed();
  await ask();
  await consents.decide(sign('deny', consents.pending()[0]));
  assert.deepEqual(await ask(), { granted: false, reason: 'operator/ann has denied this change' });
});

test('a trail that cannot be written agrees to nothing [TS-28]', async () => {
  let full = false;
  const audit = {
    append: async () => {
      if (full) throw new Error('ENOSPC');
    },
  };
  const { consents, ask, sign } = bed({ audit });
  await ask();
  const [consent] = consents.pending();
  full = true;
  await assert.rejects(consents.decide(sign('approve', consent)), /ENOSPC/);
  full = false;
  assert.equal((await ask()).granted, false);
});

test('standing consent: off, an admin with a certificate who is present, and a policy within its bounds [TS-28]', async () => {
  assert.deepEqual(await bed({ mode: 'off' }).ask(), { granted: true, by: 'configure.consent is off' });
  const present = bed({ mode: 'operator-present' });
  assert.deepEqual(await present.ask({ caller: ann.party }), { granted: true, by: 'operator/ann is present' });
  assert.equal((await present.ask({ caller: { ...BOT, role: 'admin' } })).granted, false, 'a door is no person');
  assert.equal((await present.ask({ caller: olaf.party })).granted, false);
  const policies = [{ name: 'nightly', tool: 'network.commit', users: ['loopback'], rollbackSeconds: 120 }];
  const policy = bed({ policies });
  assert.deepEqual(await policy.ask(), { granted: true, by: 'policy nightly' });
  assert.equal(policy.trail[0]!.event, 'consent-standing');
  assert.equal((await policy.ask({ live: true })).granted, false, 'no policy covers live settings unasked');
  const live = bed({ policies: [{ ...policies[0]!, live: true }] });
  assert.deepEqual(await live.ask({ live: true }), { granted: true, by: 'policy nightly' });
  assert.equal((await policy.ask({ rollbackMs: 121_000 })).granted, false);
  assert.equal((await policy.ask({ rollbackMs: 0 })).granted, false);
  assert.equal((await policy.ask({ tool: 'network.rollback' })).granted, false);
  assert.equal((await policy.ask({ caller: { ...BOT, name: 'local' } })).granted, false);
});

test('a change whose secret cannot be told from another is not put to anybody [TS-28] [NET-18]', async () => {
  const { ask, consents } = bed();
  const { tag: _, ...untagged } = REQUEST;
  const answer = await consents.ask({ ...untagged, summary: '+ interface eth1: isis password md5 <redacted>' }, signal);
  assert.equal(answer.granted, false);
  assert.deepEqual(consents.pending(), []);
  assert.equal((await ask({ summary: '+ interface eth1: isis password md5 <redacted>' })).granted, false);
  assert.equal(consents.pending().length, 1);
});

test('a change that cannot be shown as a whole is put to no admin, and one of exactly that length is [TS-28]', async () => {
  const { ask, consents } = bed();
  const most = CONSENT_LIMITS.consentSummaryChars;
  assert.deepEqual(await ask({ summary: 'x'.repeat(most + 1) }), {
    granted: false,
    reason: `the change has ${most + 1} characters, and at most ${most} can be shown to an admin: make it in several steps`,
  });
  assert.deepEqual(consents.pending(), []);
  assert.equal((await ask({ summary: 'x'.repeat(most) })).granted, false);
  assert.equal(consents.pending()[0]!.summary.length, most);
});

test('one party does not fill the list, and the list is bounded [TS-28]', async () => {
  const { ask, consents } = bed();
  for (let at = 0; at < 20; at++) await ask({ tag: String(at) });
  assert.equal(consents.pending().length, 8);
  for (let at = 0; at < 80; at++) await ask({ caller: { ...BOT, name: `p${at}` } });
  assert.equal(consents.pending().length, 64);
});

test('where a signature is asked for, no setting, policy or presence takes its place, and the signature is handed on [TS-28, TS-32]', async () => {
  const policies = [{ name: 'nightly', tool: 'network.commit', rollbackSeconds: 600 }];
  for (const over of [{ mode: 'off' }, { mode: 'operator-present' }, { policies }] as const) {
    const { consents, ask, sign } = bed(over);
    const request = { caller: ann.party, signed: true } as const;
    assert.equal((await ask(request)).granted, false);
    const signed = sign('approve', consents.pending()[0]);
    await consents.decide(signed);
    const { giveBack, ...answer } = { giveBack: undefined, ...(await ask(request)) };
    assert.deepEqual(answer, { granted: true, by: 'operator/ann', decision: signed });
    await giveBack!();
    assert.equal((await ask(request)).granted, true, 'given back, since nothing was done');
    assert.equal((await ask(request)).granted, false, 'used up');
  }
});

test('a policy covers a window from one millisecond to its own, for its tool and its users [TS-28]', async () => {
  const policies = [{ name: 'nightly', tool: 'network.commit', rollbackSeconds: 120 }];
  const granted = async (over: Partial<ConsentRequest>) => (await bed({ policies }).ask(over)).granted;
  assert.equal(await granted({ rollbackMs: 120_000 }), true);
  assert.equal(await granted({ rollbackMs: 120_001 }), false);
  assert.equal(await granted({ rollbackMs: 1 }), true);
  assert.equal(await granted({ rollbackMs: -1 }), false);
  assert.equal(await granted({ caller: { ...BOT, name: 'anyone' } }), true, 'no users named: everybody');
  const second = bed({ policies: [{ ...policies[0]!, name: 'first', users: ['eve'] }, policies[0]!] });
  assert.deepEqual(await second.ask(), { granted: true, by: 'policy nightly' });
});

test('the trail holds who asked, what was meant and who agreed [TS-28]', async () => {
  const { consents, ask, sign, trail } = bed();
  await ask({ caller: ann.party, signed: true });
  const [consent] = consents.pending();
  await consents.decide(sign('approve', consent));
  const answer = await ask({ caller: ann.party, signed: true });
  assert.ok(answer.granted);
  await answer.giveBack!();
  const { id, tool, requestSha256, changesSha256 } = consent!;
  const record = (event: string, reason?: string) => ({
    event,
    party: 'operator/ann',
    ...(reason === undefined ? {} : { reason }),
    requestSha256,
    detail: { consent: id, tool, changesSha256 },
  });
  assert.deepEqual(trail, [
    record('consent-asked'),
    record('consent-approved'),
    record('consent-used', 'agreed by operator/ann'),
    record('consent-returned', 'agreed by operator/ann'),
  ]);
});

test('a denial and a standing consent are in the trail as what they are [TS-28]', async () => {
  const { consents, ask, sign, trail } = bed();
  await ask();
  assert.deepEqual(await consents.decide(sign('deny', consents.pending()[0])), {
    id: trail[0]!.detail!['consent'],
    decision: 'deny',
    by: 'operator/ann',
  });
  assert.equal(trail[1]!.event, 'consent-denied');
  assert.deepEqual(consents.pending(), []);
  const off = bed({ mode: 'off' });
  await off.ask({ summary: 'x'.repeat(CONSENT_LIMITS.consentSummaryChars + 1) });
  assert.deepEqual(off.trail, [
    {
      event: 'consent-standing',
      party: 'operator/loopback',
      reason: 'configure.consent is off',
      detail: { tool: 'network.commit', summary: 'x'.repeat(CONSENT_LIMITS.consentSummaryChars) },
    },
  ]);
});

test('the oldest of a party makes room for its next, and of all where the list is full [TS-28]', async () => {
  const { ask, consents } = bed();
  const first = await ask({ tag: '0' });
  for (let at = 1; at <= 8; at++) await ask({ tag: String(at) });
  const waiting = () => consents.pending().map(({ id }) => id);
  assert.equal(waiting().includes(idOf(first)), false);
  assert.equal(waiting().length, 8);
  const [next] = waiting();
  for (let at = 0; at < 56; at++) await ask({ caller: { ...BOT, name: `p${at}` } });
  assert.equal(waiting()[0], next);
  await ask({ caller: { ...BOT, kind: 'node', name: 'loopback' } });
  assert.equal(waiting().includes(next!), false, 'another party of the same name took the place of the oldest');
  assert.equal(waiting().length, 64);
});
