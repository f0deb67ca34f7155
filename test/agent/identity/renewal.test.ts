// A node whose registrars are away: it goes on, tries again ever more slowly, warns of the end, and is renewed when one is back.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import type { OutgoingCall, PeerSession } from '#model/call.ts';
import type { AuditRecord } from '#model/ports.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { BACKDATED_MS, renewAtMs } from '#mtls/lifetime/life.ts';
import { createRenewals } from '#mtls/renewal/renew.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createLiveIdentity } from '../../../src/agent/identity/live-identity.ts';
import { createRenewal, registrarsOf } from '../../../src/agent/identity/renewal.ts';
import { createFakeClock, type FakeClock, until } from '../../fakes/clock.ts';
import { createDomain, type Domain } from '../../mtls/domain.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-24T12:00:00Z');
let domain: Domain;
let dir: string;
const clock = createFakeClock({ nowMs: START });

before(async () => {
  domain = await createDomain('lab.example', clock);
  dir = await mkdtemp(join(tmpdir(), 'parley-renewal-'));
  await makeRegistrar({ dir: join(domain.dir, 'ca'), name: 'r1', out: join(dir, 'r1'), clock });
});
after(async () => {
  await domain?.remove();
  await rm(dir, { recursive: true, force: true });
});

type Said = { readonly level: string; readonly message: string; readonly fields: JsonObject };

/** `serve`: the registrars that can be reached. */
async function upNode(name: string, registrars: readonly string[], serve: Set<string>) {
  const identity = await domain.identity(name);
  const live = createLiveIdentity({ dir: join(domain.dir, name), identity, clock });
  const said: Said[] = [];
  const records: AuditRecord[] = [];
  const asked: string[] = [];
  const say =
    (level: string) =>
    (message: string, fields: JsonObject = {}) =>
      void said.push({ level, message, fields });
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const verify = (chain: readonly string[]) => verifyChain(chain, domain.caPem, clock.nowMs());
  const renewals = createRenewals({
    ...{ dir: join(dir, 'r1'), random: systemRandom, nowMs: clock.nowMs, monotonicMs: clock.monotonicMs, verify },
  });
  const open = async (registrar: string): Promise<PeerSession> => {
    asked.push(registrar);
    if (!serve.has(registrar)) throw new Error(`${registrar} does not answer`);
    const { party, chain } = live.current();
    const call = async ({ arguments: { request } }: OutgoingCall) => {
      const { grant } = await renewals.renew(party, chain, String(request));
      return { answer: { status: 'answered', body: grant } };
    };
    return { call } as unknown as PeerSession;
  };
  const config = { node: name, identity: { dir: join(domain.dir, name) }, renewal: { registrars } };
  const renewal = createRenewal({
    ...{ config, live, clock, trust: clock, random: systemRandom, newSessionId: () => 's' },
    sessions: { open },
    record: (record) => void records.push(record),
    log: log as never,
  });
  return { renewal, live, said, records, asked, config };
}

/** Sets the time and lets the loop look once more. */
async function goTo(timeMs: number): Promise<void> {
  clock.setWall(timeMs - 60_000);
  await clock.advance(60_000);
  await looked(clock);
}

/** It works on real files: the loop sleeps again once it is done. */
async function looked(at: FakeClock): Promise<void> {
  await until(() => at.sleepers === 1, 'the loop sleeps');
}

test('registrars that are away for days stop nothing; warnings come 48, 24 and 2 hours before the end [TS-24]', async () => {
  const serve = new Set<string>();
  const { renewal, live, said, records, asked } = await upNode('pe1', ['r1', 'r2'], serve);
  const was = live.current();
  const end = was.notAfterMs;
  const due = renewAtMs(was, was.thumbprint);
  await renewal.start();
  await looked(clock);
  await goTo(due - 1_000);
  assert.deepEqual([asked.length, said.length], [0, 0], 'nothing before two thirds of its life');
  await goTo(due + 1_000);
  assert.deepEqual(asked.toSorted(), ['r1', 'r2'], 'each of them');
  assert.match(renewal.state().lastFailure ?? '', /r1 does not answer/);
  const warnings = () => said.filter(({ level }) => level === 'error').map(({ fields }) => fields['hoursLeft']);
  for (const hours of [47.5, 47, 23.9, 23, 1.9, 1]) await goTo(end - hours * HOUR);
  assert.deepEqual(warnings(), [47.5, 23.9, 1.9], 'once each');
  assert.ok(renewal.state().failures >= 5);
  assert.equal(live.current(), was, 'it shows what it has');
  assert.match(
    String(said.find(({ level }) => level === 'error')?.fields['remedy']),
    /see that r1 or r2 can be reached/,
  );
  serve.add('r1');
  await goTo(end - HOUR / 4);
  await until(() => live.current() !== was, 'it is renewed');
  await looked(clock);
  assert.equal(live.current().notAfterMs, end - HOUR / 4 + 168 * HOUR - ((end - HOUR / 4) % 1_000));
  assert.equal(renewal.state().failures, 0);
  assert.deepEqual(
    records.map(({ event, detail }) => [event, detail?.['registrar']]),
    [['own-certificate-renewed', 'r1']],
  );
  assert.equal((await loadIdentity(join(domain.dir, 'pe1'), clock)).thumbprint, live.current().thumbprint);
  await renewal.stop();
  assert.equal(clock.sleepers, 0);
});

test('the end of a certificate that was not renewed is said, and a node without registrars is told what to do', async () => {
  const { renewal, said, live, config } = await upNode('pe2', [], new Set());
  assert.deepEqual(registrarsOf(config, live.current()), []);
  assert.equal(renewal.state().renewAtMs, undefined);
  await assert.rejects(renewal.renewNow(new AbortController().signal), { code: 'us/not-renewed' });
  const end = live.current().notAfterMs;
  await renewal.start();
  await looked(clock);
  await goTo(end - HOUR);
  await goTo(end + 1_000);
  assert.deepEqual(
    said.map(({ message }) => message),
    ['the certificate of this node ends soon', 'the certificate of this node has ended'],
  );
  assert.match(String(said[0]?.fields['remedy']), /renewal\.registrars/);
  await renewal.stop();
});

test('without a configured registrar the one that certified the node renews it', async () => {
  clock.setWall(START + BACKDATED_MS);
  const serve = new Set(['r1']);
  const { renewal, live, config } = await upNode('pe3', ['r1'], serve);
  await renewal.renewNow(new AbortController().signal);
  assert.deepEqual(registrarsOf({ ...config, renewal: { registrars: [] } }, live.current()), ['r1']);
});
