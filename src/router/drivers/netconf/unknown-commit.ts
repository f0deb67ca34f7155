// Unconfirmed commits with `persist` that this process does not know of: it was restarted, or another client of the device made them. The device
// knows the token (RFC 6241 §8.4) and is asked; what it says is read back, and nothing beside the change is committed along.
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/offer.ts';
import { type CandidateHolding, canonicalText } from './candidate.ts';
import type { NetconfLink } from './link.ts';
import type { NetconfOperations } from './operations.ts';
import { hasTag } from './refusals.ts';

export type UnknownCommits = {
  /** Rejects with `caller/no-commit` when the device has no open change with this token. */
  confirm(persistId: string): Promise<void>;
  cancel(persistId: string): Promise<void>;
};

type Parts = { readonly link: NetconfLink; readonly holding: CandidateHolding };

export function createUnknownCommits(parts: Parts): UnknownCommits {
  return {
    confirm: (persistId) =>
      withCleanCandidate(parts, async (operations) => {
        await operations.commit(undefined, persistId).catch(asNoCommit);
      }),
    cancel: (persistId) =>
      withCleanCandidate(parts, async (operations, ran) => {
        await operations.cancelCommit(persistId).catch(asNoCommit);
        if (canonicalText(await operations.getConfig('running')) !== ran) return;
        throw new ParleyError('node/rollback-failed', 'expected the device to undo the change, it still runs', {
          data: { wireCode: WIRE_CODES.rollbackFailed, retryPossible: true },
        });
      }),
  };
}

/** A confirming commit commits the candidate along (§8.4.1): it must hold what runs and nothing else. */
async function withCleanCandidate(
  { link, holding }: Parts,
  work: (operations: NetconfOperations, ran: string) => Promise<void>,
): Promise<void> {
  const { operations } = await link.use();
  // netconfd 2.13 gives no lock while a commit is unconfirmed; what the candidate holds is then seen, and not kept.
  const isLocked = !holding.isHeld && (await operations.lock('candidate').then(() => true, orDenied));
  try {
    const ran = canonicalText(await operations.getConfig('running'));
    if (holding.isHeld || canonicalText(await operations.getConfig('candidate')) !== ran) throw edited();
    await work(operations, ran);
  } finally {
    if (isLocked) await operations.unlock('candidate').catch(() => {});
  }
}

const HELD = ['lock-denied', 'in-use', 'resource-denied', 'access-denied'] as const;

function orDenied(error: unknown): false {
  if (hasTag(error, ...HELD)) return false;
  throw error;
}

function edited(): ParleyError {
  return new ParleyError(
    'caller/candidate-held',
    'expected a candidate without edits, a confirmation would commit them along: discard them first',
  );
}

function asNoCommit(error: unknown): never {
  // Another session's lock, or a right that our user lacks, says nothing of the token.
  if (!(error instanceof ParleyError) || error.code !== 'node/netconf-refused' || hasTag(error, ...HELD)) throw error;
  const message =
    'expected an unconfirmed change with this persist-id, the device has none: it was confirmed or undone';
  throw new ParleyError('caller/no-commit', message, { cause: error });
}
