// What lets payloads of packets out of the privileged helper, against everything that must not: other people, other captures, other times, and
// the same consent twice.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { isoTime } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { createPayloadRelease } from '#consent/payload-release.ts';
import type { Decision } from '#model/consent.ts';
import type { CaptureRequest } from '#model/router/router-port.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { signDecision } from '#sign/decision.ts';
import { createSigner } from '#sign/signer.ts';
import { createUsedConsents } from '#sign/used-consents.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';

const REQUEST: CaptureRequest = {
  ifname: 'eth1',
  filter: { kind: 'tcp-port', port: 179 },
  packetCount: 20,
  timeoutMs: 5_000,
};
const ARGUMENTS = { interface: 'eth1', protocol: 'tcp', port: 179, payload: true };

let domain: Domain;
let stranger: Domain;
const who: Record<string, Identity> = {};
before(async () => {
  [domain, stranger] = [await createDomain(), await createDomain()];
  who['ann'] = await domain.identity('ann', { kind: 'operator', role: 'admin' });
  who['olaf'] = await domain.identity('olaf', { kind: 'operator', role: 'operator' });
  who['eve'] = await stranger.identity('ann', { kind: 'operator', role: 'admin' });
});
after(async () => {
  await domain.remove();
  await stranger.remove();
});

function bed(t: TestContext) {
  const clock = createFakeClock({ nowMs: Date.now() });
  const folder = mkdtempSync(join(tmpdir(), 'parley-used-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const seen = { captures: 0, broken: false };
  const release = createPayloadRelease({
    node: 'pe1',
    clock,
    used: createUsedConsents(folder),
    log: silentLog,
    verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
  });
  const ask = (signed: JsonObject, request: CaptureRequest = REQUEST) =>
    release(request, signed, async () => {
      seen.captures++;
      if (seen.broken) throw new Error('tcpdump is away');
      return 'payload';
    });
  const sign = (over: JsonObject = {}, by = 'ann', decision: Decision = 'approve', nowMs = clock.nowMs()) => {
    const { party, signingKey, chain } = who[by]!;
    const signer = createSigner({ node: party.name, privateKey: signingKey });
    const shown = { id: 'c1', node: 'pe1', tool: 'tcpdump', arguments: ARGUMENTS };
    const consent = { ...shown, expires: isoTime(clock.nowMs() + 60_000), ...over };
    return signDecision({ signer, chain, decision, consent, nowMs }) as unknown as JsonObject;
  };
  return { clock, ask, sign, seen };
}

test('payloads leave with an admin’s consent to exactly this capture, once [TS-32, TS-28]', async (t) => {
  const { ask, sign, seen } = bed(t);
  const signed = sign();
  assert.equal(await ask(signed), 'payload');
  await assert.rejects(ask(signed), { code: 'caller/bad-consent' });
  assert.equal(seen.captures, 1);
});

test('nothing is captured for another capture, person, node or time [TS-32, TS-28]', async (t) => {
  const { ask, sign, seen, clock } = bed(t);
  const refused = { code: 'caller/bad-consent' };
  const others: readonly Partial<CaptureRequest>[] = [
    { ifname: 'eth2' },
    { filter: { kind: 'udp-port', port: 179 } },
    { filter: { kind: 'tcp-port', port: 443 } },
    { filter: { kind: 'srv6' } },
    { packetCount: 21 },
    { timeoutMs: 10_000 },
  ];
  for (const over of others)
    await assert.rejects(ask(sign(), { ...REQUEST, ...over }), refused, `taken: ${JSON.stringify(over)}`);
  const consents: readonly JsonObject[] = [
    { node: 'pe2' },
    { tool: 'network.commit' },
    { arguments: { ...ARGUMENTS, payload: false } },
    { arguments: { ...ARGUMENTS, interface: 'eth2' } },
    { expires: isoTime(clock.nowMs() - 3_600_000) },
    { id: '' },
  ];
  for (const over of consents) await assert.rejects(ask(sign(over)), refused, `taken: ${JSON.stringify(over)}`);
  await assert.rejects(ask(sign({}, 'ann', 'deny')), refused);
  await assert.rejects(ask(sign({}, 'ann', 'approve', clock.nowMs() - 10_000_000)), refused);
  for (const name of ['olaf', 'eve']) await assert.rejects(ask(sign({}, name)), { code: 'caller/not-approver' });
  assert.equal(seen.captures, 0);
});

test('a capture that fails uses no consent up', async (t) => {
  const { ask, sign, seen } = bed(t);
  const signed = sign();
  seen.broken = true;
  await assert.rejects(ask(signed), { message: 'tcpdump is away' });
  seen.broken = false;
  assert.equal(await ask(signed), 'payload');
});
