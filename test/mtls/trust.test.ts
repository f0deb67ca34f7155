// The clock floor and the pins.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Party } from '#model/identity.ts';
import { createTrust, RELEASED_AT_MS } from '#mtls/trust.ts';

/** 2026-11-21T12:00:00Z. */
const NOW_MS = 1_795_262_400_000;
const pe1: Party = {
  kind: 'node',
  domain: 'lab.example',
  name: 'pe1',
  thumbprint: 'ab'.repeat(32),
  notAfterMs: NOW_MS + 1_000,
};

test('believes no time before the release [TS-24]', async () => {
  assert.equal(RELEASED_AT_MS, Date.parse('2026-11-01T00:00:00Z'));
  const trust = await createTrust({ clock: { nowMs: () => 0 } });
  assert.equal(trust.nowMs(), RELEASED_AT_MS);
});

test('believes no time before the last one it kept, also after a restart [TS-24]', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-trust-'));
  const path = join(dir, 'clock-floor');
  const first = await createTrust({ clock: { nowMs: () => NOW_MS + 2_000 }, path });
  await first.persist();
  assert.equal(await readFile(path, 'utf8'), '2026-11-21T12:00:02.000Z\n');
  const second = await createTrust({ clock: { nowMs: () => NOW_MS }, path });
  assert.equal(second.nowMs(), NOW_MS + 2_000);
  assert.equal(second.refusal(pe1)?.code, 'peer/untrusted-certificate');
  await writeFile(path, 'yesterday');
  await assert.rejects(createTrust({ clock: { nowMs: () => NOW_MS }, path }), { code: 'us/clock-floor' });
  await rm(dir, { recursive: true });
});

test('a certificate is worth nothing from the moment it ends [TS-24]', async () => {
  let nowMs = NOW_MS + 999;
  const trust = await createTrust({ clock: { nowMs: () => nowMs } });
  assert.equal(trust.refusal(pe1), undefined);
  nowMs += 1;
  assert.match(trust.refusal(pe1)?.reason ?? '', /^certificate of pe1 ended at 2026-11-21T12:00:01\.000Z/);
});

test("a pin binds the node of that name and nobody else's [TS-13]", async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS }, pins: { pe1: 'CD'.repeat(32) } });
  assert.equal(trust.refusal(pe1)?.code, 'peer/pin-mismatch');
  assert.equal(trust.refusal({ ...pe1, thumbprint: 'cd'.repeat(32) }), undefined);
  assert.equal(trust.refusal({ ...pe1, name: 'p2' }), undefined);
  assert.equal(trust.refusal({ ...pe1, kind: 'operator' }), undefined);
  await assert.rejects(createTrust({ clock: { nowMs: () => NOW_MS }, pins: { pe1: 'abc' } }), {
    code: 'caller/bad-pin',
  });
});

test('remembers a bounded number of certificates of a node [TS-13]', async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS } });
  const numbered = (number: number) => number.toString(16).padStart(64, '0');
  for (let number = 0; number < 6; number++) trust.compareHint({ ...pe1, thumbprint: numbered(number) }, undefined);
  const kindOf = (number: number) =>
    trust.compareHint({ ...pe1, thumbprint: numbered(5) }, { thumbprint: numbered(number) })?.kind;
  assert.deepEqual([kindOf(5), kindOf(4), kindOf(2), kindOf(1)], [undefined, 'outdated', 'outdated', 'lying']);
});
