// Process entry of the configuration helper: the helper of `src/router/config/`, and what verifies an admin's signature under a change or a
// backup. `--authority DIR` is root's own folder: it says whose signature counts, and when none is needed.
import { createSystemClock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { readHelperAuthority } from '#config/helper-authority.ts';
import { createBackupRelease } from '#consent/backup-release.ts';
import { createChangeAuthority } from '#consent/change-authority.ts';
import { runConfigHelper } from '#router/config/main.ts';
import { createUsedConsents } from '#sign/used-consents.ts';
import { openHelperVerifier } from './identity/helper-verifier.ts';

if (import.meta.main) {
  Buffer.poolSize = LIMITS.bufferPoolBytes;
  await runConfigHelper(async ({ authority: folder, state, log }) => {
    const { node, consent: mode, preApproved: policies, twoAdmins, caPem } = await readHelperAuthority(folder);
    const shared = {
      node,
      clock: createSystemClock(),
      log,
      used: createUsedConsents(state),
      verifyChain: await openHelperVerifier(folder, caPem),
    };
    log.info('changes need consent by', {
      file: `${folder}/consent.yaml`,
      node,
      consent: mode,
      policies: policies.length,
      twoAdmins: twoAdmins.length,
    });
    const authority = createChangeAuthority({ ...shared, mode, policies, twoAdmins });
    return { authority, release: createBackupRelease(shared) };
  });
}
