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

test('something that was signed proves a time: none before it is believed, and how far the clock is behind is known [TS-24]', async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS } });
  assert.equal(trust.clockBehindMs(), 0);
  trust.proveTime(NOW_MS - 1);
  assert.deepEqual([trust.nowMs(), trust.clockBehindMs(), trust.refusal(pe1)], [NOW_MS, 0, undefined]);
  trust.proveTime(NOW_MS + 5_000);
  trust.proveTime(NOW_MS + 2_000);
  assert.deepEqual([trust.nowMs(), trust.clockBehindMs()], [NOW_MS + 5_000, 5_000]);
  assert.match(trust.refusal(pe1)?.reason ?? '', /^certificate of pe1 ended at/);
});

test('an announcement that is older than a renewal is no lie of a peer that was verified before [TS-13]', async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS } });
  const hint = { thumbprint: 'cd'.repeat(32) };
  const issuedAtMs = NOW_MS - 60_000;
  assert.equal(trust.compareHint({ ...pe1, issuedAtMs }, hint)?.kind, 'lying', 'of a peer that was never seen');
  const renewed = { ...pe1, thumbprint: 'ef'.repeat(32) };
  assert.equal(trust.compareHint({ ...renewed, issuedAtMs }, hint)?.kind, 'outdated');
  assert.equal(trust.compareHint({ ...renewed, issuedAtMs: NOW_MS - 121_000 }, hint)?.kind, 'lying');
});

test('sessions are looked at again, and those that count no more are cut once, with the reason [TS-24]', async () => {
  let revoked = '';
  const denied = ([leaf]: readonly string[]) => (leaf === revoked ? 'it was revoked' : undefined);
  const disowned = ([leaf]: readonly string[]) => (leaf === 'of-another-ca' ? 'its CA is gone' : undefined);
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS }, denied, disowned });
  const cuts: string[] = [];
  const watch = (leaf: string) =>
    trust.watch({ party: pe1, chain: [leaf], cut: (reason) => void cuts.push(`${leaf}: ${reason}`) });
  watch('a');
  const stop = watch('b');
  trust.recheck();
  assert.deepEqual(cuts, []);
  stop();
  watch('of-another-ca');
  revoked = 'a';
  trust.recheck();
  trust.recheck();
  assert.deepEqual(cuts, ['a: it was revoked', 'of-another-ca: its CA is gone']);
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

test('a remark says which certificate was named and which was shown [TS-13]', async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS } });
  const [first, other] = ['11'.repeat(32), '22'.repeat(32)];
  assert.equal(trust.compareHint({ ...pe1, thumbprint: first }, undefined), undefined);
  assert.deepEqual(trust.compareHint(pe1, { thumbprint: first }), {
    kind: 'outdated',
    detail: `hint names an earlier certificate of pe1: ${first}`,
  });
  assert.deepEqual(trust.compareHint(pe1, { thumbprint: other, nextThumbprint: first }), {
    kind: 'lying',
    detail: `hint names certificate ${other}, pe1 showed ${pe1.thumbprint}`,
  });
  const { thumbprint: _, ...none } = pe1;
  assert.equal(
    trust.compareHint(none, { thumbprint: other, nextThumbprint: first })?.detail,
    `hint names certificate ${other}, pe1 showed none`,
  );
  assert.equal(trust.compareHint({ ...pe1, name: 'p2' }, { thumbprint: first })?.kind, 'lying', 'known of pe1 only');
});

test('remembers the certificates of 1,024 nodes, and forgets the one not heard of for longest [TS-13]', async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS } });
  const [old, present] = ['11'.repeat(32), '22'.repeat(32)];
  const show = (name: string, thumbprint: string, hint?: string) =>
    trust.compareHint({ ...pe1, name, thumbprint }, hint === undefined ? undefined : { thumbprint: hint })?.kind;
  for (let number = 0; number < 1_024; number++) show(`n${number}`, old);
  show('n0', present);
  assert.equal(show('n1023', present, old), 'outdated');
  show('n1024', old);
  assert.equal(show('n1', present, old), 'lying', 'the oldest was forgotten');
  assert.equal(show('n0', present, old), 'outdated', 'heard of again, it is young');
});

test('a pin may be written with colons, and a mismatch names both certificates [TS-13]', async () => {
  const pin = Array(32).fill('CD').join(':');
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS }, pins: { pe1: pin } });
  const reason = (thumbprint: string) =>
    `operator pinned pe1 to certificate ${'cd'.repeat(32)}, it showed ${thumbprint}`;
  assert.equal(trust.refusal(pe1)?.reason, reason(pe1.thumbprint!));
  const { thumbprint: _, ...none } = pe1;
  assert.equal(trust.refusal(none)?.reason, reason('none'));
  assert.equal(trust.refusal({ ...pe1, thumbprint: 'cd'.repeat(32) }), undefined);
  for (const bad of ['cd'.repeat(33), `x${'cd'.repeat(32)}`])
    await assert.rejects(createTrust({ clock: { nowMs: () => NOW_MS }, pins: { pe1: bad } }), {
      code: 'caller/bad-pin',
    });
});

test('a party without an end is in force; a file that cannot be read stops the start [TS-24]', async () => {
  const trust = await createTrust({ clock: { nowMs: () => NOW_MS } });
  const { notAfterMs: _, ...endless } = pe1;
  assert.equal(trust.refusal(endless), undefined);
  await trust.persist();
  await assert.rejects(createTrust({ clock: { nowMs: () => NOW_MS }, path: tmpdir() }), { code: 'us/clock-floor' });
  const later = await createTrust({ clock: { nowMs: () => NOW_MS }, releasedAtMs: NOW_MS + 5 });
  assert.equal(later.nowMs(), NOW_MS + 5);
});

test('what was kept is believed from then on, whatever the clock says later [TS-24]', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-trust-'));
  let nowMs = NOW_MS;
  const trust = await createTrust({ clock: { nowMs: () => nowMs }, path: join(dir, 'clock-floor') });
  await trust.persist();
  nowMs -= 60_000;
  assert.equal(trust.nowMs(), NOW_MS);
  await rm(dir, { recursive: true });
});
