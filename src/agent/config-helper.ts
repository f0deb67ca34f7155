// Process entry of the configuration helper on nodes with backups: the helper of `src/router/config/`, and what verifies an admin's
// signature. `--backup-ca FILE` must belong to root or to FRR's user, never to the agent: it decides whose signature counts.
import { readFile } from 'node:fs/promises';
import { createSystemClock } from '#base/clock.ts';
import { createBackupRelease } from '#consent/backup-release.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { runConfigHelper } from '#router/config/main.ts';

if (import.meta.main) {
  await runConfigHelper(async ({ node, backupCa }, log) => {
    if (node === undefined || backupCa === undefined) return undefined;
    const caPem = await readFile(backupCa, 'utf8');
    return createBackupRelease({
      node,
      clock: createSystemClock(),
      log,
      verifyChain: (chain, atMs) => verifyChain(chain, caPem, atMs),
    });
  });
}
