// What the helpers verify an admin's certificate by: root's CA, and root's trust list where there is one.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openHelperVerifier } from '../../../src/agent/identity/helper-verifier.ts';
import { upLists } from '../../mtls/revocation/list-bed.ts';

test("a revoked admin's consent counts at no helper that root gave the list [TS-24, TS-28]", async (t) => {
  const bed = await upLists();
  const folder = await mkdtemp(join(tmpdir(), 'parley-authority-'));
  t.after(async () => {
    await bed.domain.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const { chain } = await bed.domain.identity('alice', { kind: 'operator', role: 'admin' });
  const before = await openHelperVerifier(folder, bed.domain.caPem);
  assert.equal(before(chain, Date.now()).ok, true);
  const file = join(folder, 'trust-list.json');
  await writeFile(file, (await bed.revoke('operator/alice')).text, { mode: 0o644 });
  const after = (await openHelperVerifier(folder, bed.domain.caPem))(chain, Date.now());
  assert.match(after.ok ? '' : after.reason, /^certificate of operator\/alice was revoked on .*: stolen$/);
  await writeFile(file, '{}');
  await assert.rejects(openHelperVerifier(folder, bed.domain.caPem), /expected a signed trust list/);
  await writeFile(file, (await bed.revoke('operator/bob')).text);
  await chmod(file, 0o666);
  await assert.rejects(openHelperVerifier(folder, bed.domain.caPem), { code: 'node/unsafe-file' });
});
