// What a compromised agent can do through the configuration helper: nothing but propose. The helper's own operations over a played router,
// real keys and certificates, and its record of used consents on disk; after every attack the router runs what it ran.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { createLog } from '#base/log.ts';
import { type ChangeAuthorityParts, createChangeAuthority } from '#consent/change-authority.ts';
import { CONSENT_LIMITS } from '#consent/limits.ts';
import type { Decision } from '#model/consent.ts';
import { type CandidateChanges, summaryOf } from '#model/router/configuration.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createConfigOperations } from '#router/config/operations.ts';
import { changesSha256, signDecision } from '#sign/decision.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { createSigner } from '#sign/signer.ts';
import { createUsedConsents } from '#sign/used-consents.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';
import { liveBed, RUNNING } from '../router/live-bed.ts';

const NOW_MS = Date.now();
const LINES = ['interface eth1', ' isis metric 20'];
const SECONDS = 60;
const HOUR_MS = 3_600_000;

let domain: Domain;
let stranger: Domain;
const who: Record<string, Identity> = {};
before(async () => {
  // An authority of some hours ago, so that a certificate of its own may have ended by now.
  const earlier = { nowMs: () => NOW_MS - 2 * HOUR_MS };
  [domain, stranger] = [await createDomain('lab.example', earlier), await createDomain('lab.example', earlier)];
  who['admin'] = await domain.identity('root-of-all', { kind: 'operator', role: 'admin' });
  who['second'] = await domain.identity('anna', { kind: 'operator', role: 'admin' });
  who['operator'] = await domain.identity('olaf', { kind: 'operator', role: 'operator' });
  who['node'] = await domain.identity('pe1', { kind: 'node' });
  who['stranger'] = await stranger.identity('root-of-all', { kind: 'operator', role: 'admin' });
  who['expired'] = await domain.identity('late', { kind: 'operator', role: 'admin', lifetimeMs: HOUR_MS });
});
after(async () => {
  await domain.remove();
  await stranger.remove();
});

const requestOf = (tool: string, args: JsonObject) => canonicalSha256({ tool, arguments: args });

type Init = Partial<Pick<ChangeAuthorityParts, 'mode' | 'policies' | 'twoAdmins'>>;

/** A helper with the candidate of {@link LINES}, and signatures as an attacker would like to have them. */
async function bed(t: TestContext, init: Init = {}) {
  const clock = createFakeClock({ nowMs: NOW_MS });
  const logged: string[] = [];
  const log = createLog({ level: 'info', sink: (line) => logged.push(line), now: () => 0, redact: (text) => text });
  const authorityIn = (folder: string) =>
    createChangeAuthority({
      node: 'pe1',
      mode: 'required',
      policies: [],
      twoAdmins: [],
      clock,
      log,
      used: createUsedConsents(folder),
      verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
      ...init,
    });
  const helper = await liveBed(t, authorityIn);
  await helper.asHolder('edit', { lines: LINES });
  const shown = (await helper.asHolder('validate')) as unknown as CandidateChanges;
  const summary = summaryOf(shown.changes);
  const consent: JsonObject = {
    id: 'c1',
    node: 'pe1',
    tool: 'network.commit',
    arguments: { confirmed: SECONDS },
    requestSha256: requestOf('network.commit', { confirmed: SECONDS }),
    summary,
    changesSha256: changesSha256(shown.tag, summary),
    impact: { rollbackSeconds: SECONDS },
    user: { kind: 'operator', name: 'ann', role: 'operator' },
    created: new Date(NOW_MS).toISOString(),
    expires: new Date(NOW_MS + 900_000).toISOString(),
  };
  const sign = (over: JsonObject = {}, by = 'admin', decision: Decision = 'approve', nowMs = clock.nowMs()) => {
    const { party, signingKey, chain } = who[by]!;
    const signer = createSigner({ node: party.name, privateKey: signingKey });
    return signDecision({
      signer,
      chain,
      decision,
      consent: { ...consent, ...over },
      nowMs,
    }) as unknown as JsonObject;
  };
  const commit = (decision?: JsonObject, over: JsonObject = {}) =>
    helper.asHolder('commit', {
      timeoutMs: SECONDS * 1_000,
      ...(decision === undefined ? {} : { decision }),
      ...over,
    });
  const untouched = async () => {
    assert.equal(helper.played.text, RUNNING, 'the router runs what it ran');
    assert.equal(existsSync(join(helper.folder, 'journal.json')), false, 'no change was begun');
    assert.deepEqual((await helper.call('history', {}))['commits'], []);
  };
  return { ...helper, authorityIn, clock, logged, consent, shown, sign, commit, untouched };
}

const code = (expected: string) => (error: ParleyError) => {
  assert.equal(error.code, expected, error.message);
  return true;
};

test('a consent to exactly this change makes it, under the name of the certificate and not of the message [TS-28]', async (t) => {
  const { sign, commit, played, parts, call, logged } = await bed(t);
  const committed = await commit(sign());
  assert.deepEqual([committed['by'], committed['basis']], ['operator/root-of-all', 'consent']);
  assert.match(played.text, /isis metric 20/);
  const open = await parts.journal.open();
  assert.deepEqual(
    [open?.by, open?.basis, open?.consent, open?.holder],
    ['operator/root-of-all', 'consent', 'c1', 'operator/ann'],
  );
  assert.match(logged.join(), /a change was agreed to.*operator\/root-of-all.*c1.*operator\/ann/);
  const { open: view } = await call('status', {});
  assert.equal((view as JsonObject)['by'], 'operator/root-of-all');
});

test('confirming and undoing need no consent of their own, and are the holder’s alone [TS-28, NET-15]', async (t) => {
  const { sign, commit, asHolder, call, played } = await bed(t);
  const { id } = await commit(sign());
  await call('verified', { commit: id! });
  // The admin who agreed is not the party that holds the change.
  await assert.rejects(call('confirm', { holder: 'operator/root-of-all' }), code('caller/not-yours'));
  await assert.rejects(call('cancel', { holder: 'operator/root-of-all' }), code('caller/not-yours'));
  assert.equal((await asHolder('cancel'))['state'], 'ROLLED_BACK');
  assert.doesNotMatch(played.text, /isis metric 20/);
});

test('without a consent nothing is changed [TS-28]', async (t) => {
  const { commit, untouched } = await bed(t);
  await assert.rejects(commit(), code('caller/no-consent'));
  await assert.rejects(commit({}), code('caller/bad-consent'));
  await untouched();
});

test('a helper that was not told whose consent counts changes nothing [TS-28]', async (t) => {
  const { parts, sign, untouched } = await bed(t);
  const operations = createConfigOperations({ ...parts, authority: undefined });
  const args = { holder: 'operator/ann', timeoutMs: SECONDS * 1_000, decision: sign() };
  const context = { signal: new AbortController().signal, emit: () => {} };
  await assert.rejects(operations.get('commit')!(args, context), code('node/no-authority'));
  await untouched();
});

test('a consent for another change, node, tool, time, party or day is refused [TS-28]', async (t) => {
  const { commit, sign, shown, consent, untouched } = await bed(t);
  const summary = String(consent['summary']);
  const others: readonly JsonObject[] = [
    { node: 'pe2' },
    { tool: 'network.rollback' },
    { tool: 'network.file.pull' },
    { impact: { rollbackSeconds: SECONDS + 1 } },
    { impact: { rollbackSeconds: 0 } },
    { impact: {} },
    { user: { kind: 'operator', name: 'bob', role: 'operator' } },
    { expires: new Date(NOW_MS - 60_000).toISOString() },
    { expires: 'never' },
    { id: '' },
    // Other lines than those that were shown, and the other way round.
    { changesSha256: changesSha256(shown.tag, `${summary}\n- : ip route 192.0.2.0/24 Null0`) },
    { summary: '+ interface eth1: description harmless' },
    // The same lines with another secret in them.
    { changesSha256: changesSha256('aa', summary) },
    { changesSha256: changesSha256(undefined, summary) },
  ];
  for (const over of others)
    await assert.rejects(commit(sign(over)), code('caller/bad-consent'), `taken: ${JSON.stringify(over)}`);
  await assert.rejects(commit(sign({}, 'admin', 'deny')), code('caller/bad-consent'));
  const old = sign({}, 'admin', 'approve', NOW_MS - 1_000_000);
  await assert.rejects(commit(old), code('caller/bad-consent'), 'signed long ago');
  await untouched();
});

test('a candidate that was edited after the consent is not what was agreed to [TS-28]', async (t) => {
  const { commit, sign, asHolder, untouched } = await bed(t);
  const signed = sign();
  await asHolder('edit', { lines: ['interface eth1', ' shutdown'] });
  await assert.rejects(commit(signed), code('caller/bad-consent'));
  await untouched();
});

test('a change that is too long to be shown as a whole is refused, also with a signature under its beginning [TS-28]', async (t) => {
  const { asHolder, commit, sign, untouched } = await bed(t);
  for (const net of ['198.51.100', '203.0.113', '192.0.2'])
    await asHolder('edit', { lines: Array.from({ length: 256 }, (_, at) => `ip route ${net}.${at}/32 Null0`) });
  const shown = (await asHolder('validate')) as unknown as CandidateChanges;
  const summary = summaryOf(shown.changes);
  const most = CONSENT_LIMITS.consentSummaryChars;
  assert.ok(summary.length > most);
  const over = { changesSha256: changesSha256(shown.tag, summary) };
  for (const read of [summary.slice(0, most), summary])
    await assert.rejects(commit(sign({ ...over, summary: read })), {
      code: 'caller/bad-consent',
      message: `expected a change that can be shown as a whole: the change has ${summary.length} characters, and at most ${most} can be shown to an admin: make it in several steps`,
    });
  await untouched();
});

test('the commit’s own time and tool must be those of the consent [TS-28]', async (t) => {
  const { commit, sign, untouched } = await bed(t);
  await assert.rejects(commit(sign(), { timeoutMs: 86_400_000 }), code('caller/bad-consent'));
  await assert.rejects(commit(sign(), { tool: 'network.rollback' }), code('caller/bad-consent'));
  await assert.rejects(commit(sign(), { tool: 'ping' }), code('caller/bad-argument'));
  await assert.rejects(commit(sign(), { atOnce: true, timeoutMs: 600_000 }), code('caller/bad-consent'));
  const atOnce = sign({ impact: { rollbackSeconds: 0 } });
  await assert.rejects(commit(atOnce, { atOnce: true, timeoutMs: 86_400_000 }), code('caller/bad-argument'));
  await untouched();
});

test('a consent without persist makes no change that another party could confirm, nor one with another token [TS-28, NET-15]', async (t) => {
  const { commit, sign, call, asHolder, parts, untouched } = await bed(t);
  const args = { confirmed: SECONDS };
  const withToken = (token: string): JsonObject => ({
    persist: true,
    requestSha256: requestOf('network.commit', { ...args, persist: token }),
  });
  for (const [over, persist] of [
    // What the attack was: the admin read nothing of a token.
    [{}, 'agents-own'],
    [{ persist: true }, 'agents-own'],
    [{ requestSha256: requestOf('network.commit', { ...args, persist: 'agents-own' }) }, 'agents-own'],
    [withToken('word'), 'agents-own'],
    [withToken('word'), undefined],
    [{ persist: 'yes', requestSha256: requestOf('network.commit', { ...args, persist: 'word' }) }, 'word'],
    [{ arguments: { confirmed: SECONDS, persist: 'word' } }, undefined],
  ] as const)
    await assert.rejects(
      commit(sign(over), persist === undefined ? {} : { persist }),
      code('caller/bad-consent'),
      `taken: ${JSON.stringify([over, persist])}`,
    );
  const write = sign({ tool: 'resources/write', persist: true });
  await assert.rejects(commit(write, { tool: 'resources/write', persist: 'word' }), code('caller/bad-consent'));
  await untouched();
  assert.equal((await commit(sign(withToken('word')), { persist: 'word' }))['persist'], true);
  const { id } = (await parts.journal.open())!;
  await call('verified', { commit: id });
  const bob = (persistId: string) => call('confirm', { holder: 'operator/bob', persistId });
  await assert.rejects(bob('agents-own'), code('caller/wrong-persist-id'));
  assert.equal((await bob('word'))['state'], 'CONFIRMED');
  await assert.rejects(asHolder('cancel', { persistId: 'word' }), code('caller/no-commit'));
});

test('only an admin’s certificate of this domain, in force now, counts [TS-28]', async (t) => {
  const { commit, sign, untouched } = await bed(t);
  for (const by of ['operator', 'node', 'stranger', 'expired'])
    await assert.rejects(commit(sign({}, by)), code('caller/not-approver'), by);
  // An operator's envelope under an admin's chain, and the other way round.
  const [own, others] = [sign({}, 'operator'), sign()];
  await assert.rejects(commit({ envelope: own['envelope']!, chain: others['chain']! }), code('caller/bad-consent'));
  await assert.rejects(commit({ envelope: others['envelope']!, chain: own['chain']! }), code('caller/not-approver'));
  await untouched();
});

test('a name in the message makes no author [TS-28]', async (t) => {
  const { commit, sign, untouched } = await bed(t);
  await assert.rejects(commit(sign(), { by: 'operator/somebody-else' }), code('caller/bad-argument'));
  await untouched();
  const { sign: again, commit: off } = await bed(t, { mode: 'off' });
  const forged = await off(again({ user: { kind: 'operator', name: 'ann', role: 'admin' } }));
  assert.equal(forged['by'], 'operator/root-of-all', 'a consent that is given is verified in every mode');
});

test('a consent counts once, also at the same time and after a restart of the helper [TS-28]', async (t) => {
  const { commit, sign, asHolder, parts, folder, authorityIn, shown } = await bed(t);
  const signed = sign();
  const used = { code: 'caller/bad-consent', message: 'expected a consent that was not used before, it was' };
  const both = await Promise.allSettled([commit(signed), commit(signed)]);
  // Which of the two has the lock first is the kernel's choice.
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const late = both.find((each) => each.status === 'rejected');
  assert.equal((late as PromiseRejectedResult).reason.code, 'caller/commit-open');
  await asHolder('cancel');
  // The same candidate again, in a helper that has only its disk.
  const operations = createConfigOperations({ ...parts, authority: authorityIn(folder) });
  const context = { signal: new AbortController().signal, emit: () => {} };
  const ask = async (name: string, args: JsonObject) =>
    (await operations.get(name)!({ holder: 'operator/ann', ...args }, context)) as JsonObject;
  await ask('edit', { lines: LINES });
  assert.equal((await ask('validate', {}))['tag'], shown.tag, 'the very change that was agreed to');
  await assert.rejects(ask('commit', { timeoutMs: SECONDS * 1_000, decision: signed }), used);
  assert.equal(await parts.journal.open(), undefined);
});

test('a consent is used up by a change that fails, and not by one that is refused before [TS-28]', async (t) => {
  const { commit, sign, played } = await bed(t);
  const signed = sign();
  await assert.rejects(commit(signed, { timeoutMs: 61_000 }), code('caller/bad-consent'));
  let failures = 1;
  played.apply = () => {
    if (failures-- > 0) throw new Error('frr-reload.py fails');
  };
  await assert.rejects(commit(signed), { message: 'frr-reload.py fails' });
  await assert.rejects(commit(signed), { message: 'expected a consent that was not used before, it was' });
});

test('a commit that is refused leaves its consent for the next attempt [TS-28]', async (t) => {
  const { commit, sign, played, parts, folder, asHolder, call } = await bed(t);
  const signed = sign();
  const ledger = join(folder, 'used-consents.json');
  const refusedWith = async (expected: string) => {
    await assert.rejects(commit(signed), code(expected));
    assert.equal(existsSync(ledger), false, `${expected}: no consent is used up`);
    assert.doesNotMatch(played.text, /isis metric 20/);
  };
  played.text = RUNNING.replace('metric 10', 'metric 11');
  await refusedWith('caller/config-changed');
  played.text = RUNNING;
  const { checkSyntax } = parts.frr;
  Object.assign(parts.frr, { checkSyntax: async () => 'line 4: unknown command' });
  await refusedWith('caller/bad-config');
  Object.assign(parts.frr, { checkSyntax });
  // An earlier change is open: the second one's consent waits for its end.
  const { id } = await commit(signed);
  assert.match(readFileSync(ledger, 'utf8'), /"c1"/);
  await asHolder('edit', { lines: ['interface eth1', ' description next'] });
  const next = (await asHolder('validate')) as unknown as CandidateChanges;
  const summary = summaryOf(next.changes);
  const second = sign({ id: 'c2', summary, changesSha256: changesSha256(next.tag, summary) });
  await assert.rejects(commit(second), code('caller/commit-open'));
  assert.doesNotMatch(readFileSync(ledger, 'utf8'), /"c2"/);
  await call('verified', { commit: id! });
  await asHolder('confirm');
  assert.equal((await commit(second))['basis'], 'consent');
  assert.match(readFileSync(ledger, 'utf8'), /"c2"/);
});

test('a consent is on disk as used before the change is prepared, and a record that cannot be written changes nothing [TS-28]', async (t) => {
  const { commit, sign, points, folder, untouched } = await bed(t);
  mkdirSync(join(folder, 'used-consents.json'));
  await assert.rejects(commit(sign()), { code: 'EISDIR' });
  assert.equal(points.includes('watch.wanted'), false);
  await untouched();
});

test('a policy is the helper’s own, and covers neither more time nor live settings nor other tools [TS-28]', async (t) => {
  const nightly = { name: 'nightly', tool: 'network.commit', users: ['ann'], rollbackSeconds: SECONDS };
  const { commit, asHolder, untouched } = await bed(t, { policies: [nightly] });
  await assert.rejects(commit(undefined, { timeoutMs: 61_000 }), code('caller/no-consent'));
  await assert.rejects(commit(undefined, { tool: 'network.rollback' }), code('caller/no-consent'));
  await assert.rejects(commit(undefined, { atOnce: true, timeoutMs: 600_000 }), code('caller/no-consent'));
  await untouched();
  const committed = await commit();
  assert.deepEqual([committed['by'], committed['basis']], ['policy nightly', 'policy']);
  await asHolder('cancel');
  await asHolder('edit', { lines: [], live: [{ kind: 'link-mtu', ifname: 'eth1', mtu: 9000, now: 1400 }] });
  await assert.rejects(commit(), code('caller/no-consent'));
  const other = await bed(t, { policies: [{ ...nightly, users: ['bob'] }] });
  await assert.rejects(other.commit(), code('caller/no-consent'));
  await other.untouched();
});

test('where root’s file asks for no signature, the journal says that who asked is the agent’s word [TS-28]', async (t) => {
  for (const [mode, basis] of [
    ['off', 'off'],
    ['operator-present', 'presence'],
  ] as const) {
    const { commit, parts } = await bed(t, { mode });
    const committed = await commit();
    assert.deepEqual([committed['by'], committed['basis']], ['operator/ann', basis]);
    assert.equal((await parts.journal.open())?.basis, basis);
  }
});
