// Process entry of the privileged helper: the helper of `src/router/helper/`, and what verifies an admin's signature under a capture with
// payloads. `--authority DIR` is root's own folder, which says whose signature counts; what verifies is loaded with the first of them.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { UsedConsents } from '#model/router/change-authority.ts';
import { type OpenRelease, runHelper } from '#router/helper/main.ts';

/** Rejects with `node/no-payload` where the folder has no consent.yaml or no ca.pem. */
export const openPayloadRelease: OpenRelease = ({ authority: folder, state, log }) => {
  const clock = createSystemClock();
  // One for the process: two captures at once never share a consent.
  let used: UsedConsents | undefined;
  return async (request, signed, capture) => {
    const { isAuthorityMissing, readHelperAuthority } = await import('#config/helper-authority.ts');
    const { createPayloadRelease } = await import('#consent/payload-release.ts');
    const { openHelperVerifier } = await import('./identity/helper-verifier.ts');
    const { createUsedConsents } = await import('#sign/used-consents.ts');
    const { node, caPem } = await readHelperAuthority(folder).catch((error) => {
      throw isAuthorityMissing(error) ? noPayload(folder, error) : error;
    });
    used ??= createUsedConsents(state);
    return createPayloadRelease({ node, clock, log, used, verifyChain: await openHelperVerifier(folder, caPem) })(
      request,
      signed,
      capture,
    );
  };
};

function noPayload(folder: string, cause: unknown): ParleyError {
  return new ParleyError(
    'node/no-payload',
    `expected consent.yaml and ca.pem in ${folder}, which say whose consent counts: no payload leaves this node until root writes them`,
    { cause },
  );
}

if (import.meta.main) {
  Buffer.poolSize = LIMITS.bufferPoolBytes;
  await runHelper(openPayloadRelease);
}
