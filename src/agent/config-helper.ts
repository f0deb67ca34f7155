// Process entry of the configuration helper: the helper of `src/router/config/`, and what verifies an admin's signature under a change or a
// backup. `--authority DIR` is root's own folder: it says whose signature counts, and when none is needed.
import { createSystemClock } from '#base/clock.ts';
import { readHelperAuthority } from '#config/helper-authority.ts';
import { createBackupRelease } from '#consent/backup-release.ts';
import { createChangeAuthority } from '#consent/change-authority.ts';
import type { CertificateChain } from '#model/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { runConfigHelper } from '#router/config/main.ts';
import { createUsedConsents } from '#sign/used-consents.ts';

if (import.meta.main) {
  await runConfigHelper(async ({ authority: folder, state, log }) => {
    const { node, consent: mode, preApproved: policies, caPem } = await readHelperAuthority(folder);
    const shared = {
      node,
      clock: createSystemClock(),
      log,
      used: createUsedConsents(state),
      verifyChain: (chain: CertificateChain, atMs: number) => verifyChain(chain, caPem, atMs),
    };
    log.info('changes need consent by', {
      file: `${folder}/consent.yaml`,
      node,
      consent: mode,
      policies: policies.length,
    });
    return { authority: createChangeAuthority({ ...shared, mode, policies }), release: createBackupRelease(shared) };
  });
}
