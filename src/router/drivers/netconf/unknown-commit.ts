// Unconfirmed commits with `persist` that this process does not know of: it was restarted, or another client of the device made them. The device
// knows the token (RFC 6241 §8.4) and is asked; what it says is read back, and nothing beside the change is committed along.
import { ParleyError } from '#base/error.ts';
import { differenceLines } from '#codec/yang/difference.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CommitBackend } from '../../config/commit-book.ts';
import { type CandidateHolding, canonicalText } from './candidate.ts';
import type { NetconfLink } from './link.ts';
import { CAPABILITIES, hasCapability, type NetconfOperations } from './operations.ts';
import type { NetconfReader } from './reader.ts';
import { hasTag } from './refusals.ts';
import type { XmlElement } from './xml.ts';

type Parts = {
  readonly link: NetconfLink;
  readonly reader: Pick<NetconfReader, 'json' | 'schemas'>;
  readonly holding: CandidateHolding;
};

export function createUnknownCommits(parts: Parts): NonNullable<CommitBackend<unknown>['unknown']> {
  return {
    confirm: (persistId) =>
      withCleanCandidate(parts, async (operations) => {
        await operations.commit(undefined, persistId).catch(asNoCommit);
      }),
    cancel: (persistId) =>
      withCleanCandidate(parts, async (operations, ran) => {
        // What cannot be read says nothing; a lost session is met by the next step.
        const wasOpen = await openLines(parts, operations, ran).catch(() => []);
        await operations.cancelCommit(persistId).catch(asNoCommit);
        const runs = await operations.getConfig('running');
        if (canonicalText(runs) !== canonicalText(ran) && !(await stillOpen(parts, operations, wasOpen, runs))) return;
        throw new ParleyError('node/rollback-failed', 'expected the device to undo the change, it still runs', {
          data: { wireCode: WIRE_CODES.rollbackFailed, retryPossible: true },
        });
      }),
  };
}

/** A confirming commit commits the candidate along (§8.4.1): it must hold what runs and nothing else. */
async function withCleanCandidate(
  { link, holding }: Pick<Parts, 'link' | 'holding'>,
  work: (operations: NetconfOperations, ran: XmlElement) => Promise<void>,
): Promise<void> {
  const { operations } = await link.use();
  // netconfd 2.13 gives no lock while a commit is unconfirmed; what the candidate holds is then seen, and not kept.
  const isLocked = !holding.isHeld && (await operations.lock('candidate').then(() => true, orDenied));
  try {
    const ran = await operations.getConfig('running');
    if (holding.isHeld || canonicalText(await operations.getConfig('candidate')) !== canonicalText(ran)) throw edited();
    await work(operations, ran);
  } finally {
    if (isLocked) await operations.unlock('candidate').catch(() => {});
  }
}

/**
 * What runs beside the start-up configuration, leaf by leaf: the change is among these lines, as only its confirmation would copy it there.
 * Empty where the device has no such configuration, or it tells nothing.
 */
async function openLines(
  { link, reader }: Parts,
  operations: NetconfOperations,
  running: XmlElement,
): Promise<readonly string[]> {
  const device = await link.use();
  if (!hasCapability(device.session.capabilities, CAPABILITIES.startup)) return [];
  const saved = await reader.json(device, await operations.getConfig('startup'), []);
  const runs = await reader.json(device, running, []);
  const { roots } = await (await reader.schemas()).of([]);
  return differenceLines(roots, saved, runs).map((line) => JSON.stringify(line));
}

/** Every one of them runs on: what others changed meanwhile does not make the change undone. */
async function stillOpen(
  parts: Parts,
  operations: NetconfOperations,
  wasOpen: readonly string[],
  running: XmlElement,
): Promise<boolean> {
  if (wasOpen.length === 0) return false;
  const now = new Set(await openLines(parts, operations, running));
  return wasOpen.every((line) => now.has(line));
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
