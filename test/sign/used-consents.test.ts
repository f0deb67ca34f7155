// The record of used consents on a real disk: each counts once, across restarts; what is forgotten takes everything older along.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SIGN_LIMITS } from '#sign/limits.ts';
import { createUsedConsents } from '#sign/used-consents.ts';

const USED = { code: 'caller/bad-consent', message: 'expected a consent that was not used before, it was' };

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-used-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a consent is taken once, by one of two at the same time, and also after a restart [TS-28]', async (t) => {
  const folder = folderOf(t);
  const used = createUsedConsents(folder);
  const [first, second] = await Promise.allSettled([used.take('a', 5), used.take('a', 5)]);
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'rejected']);
  await assert.rejects(createUsedConsents(folder).take('a', 5), USED);
  await createUsedConsents(folder).take('b', 4);
  await assert.rejects(used.take('b', 9), USED);
  assert.equal(statSync(join(folder, 'used-consents.json')).mode & 0o777, 0o600);
});

test('what was given back may be taken again, and nothing else with it [TS-28]', async (t) => {
  const used = createUsedConsents(folderOf(t));
  await used.take('a', 5);
  await used.take('b', 5);
  await used.giveBack('a');
  await used.take('a', 5);
  await assert.rejects(used.take('b', 5), USED);
});

test('with the oldest of many ids goes everything that was signed up to then [TS-28]', async (t) => {
  const folder = folderOf(t);
  const most = SIGN_LIMITS.usedConsents;
  const full = Array.from({ length: most }, (_, index) => ({ id: `c${index}`, signedMs: 100 + index }));
  writeFileSync(
    join(folder, 'used-consents.json'),
    JSON.stringify({ schemaVersion: 1, floorMs: 50, used: full.toReversed() }),
  );
  const used = createUsedConsents(folder);
  await assert.rejects(used.take('new', 50), { code: 'caller/bad-consent' });
  await used.take('new', 5_000);
  const kept = JSON.parse(readFileSync(join(folder, 'used-consents.json'), 'utf8'));
  assert.deepEqual([kept.floorMs, kept.used.length], [100, most]);
  await assert.rejects(used.take('c0', 100), { code: 'caller/bad-consent' }, 'forgotten, and refused by its time');
  await assert.rejects(used.take('c1', 101), USED);
  // Signed before all that are remembered: taken, and forgotten at once together with its time.
  await used.take('early', 100.5);
  await assert.rejects(used.take('early', 100.5), { code: 'caller/bad-consent' });
});

test('a damaged record lets no consent through [TS-28]', async (t) => {
  for (const text of ['', '{', '[]', '{"schemaVersion":1,"used":[]}', '{"schemaVersion":2,"floorMs":0,"used":[]}']) {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'used-consents.json'), text);
    await assert.rejects(createUsedConsents(folder).take('a', 5), { code: 'node/consents-damaged' }, text);
  }
});
