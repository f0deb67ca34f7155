// The device's confirmed commits (RFC 6241 §8.4) under a commit book. What was committed, kept or undone is read back: an ok of the device
// alone proves nothing. A change without `persist` lives as long as the session that made it, which is the device's own rule.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/offer.ts';
import type { CommitBackend, CommitOptions } from '../../config/commit-book.ts';
import { type CandidateHolding, canonicalText } from './candidate.ts';
import type { NetconfDevice, NetconfLink } from './link.ts';
import { CAPABILITIES, hasCapability } from './operations.ts';
import type { NetconfReader } from './reader.ts';

/** What ran before it and what after, and the session that a change without `persist` lives in. */
export type ConfirmedChange = {
  readonly device: NetconfDevice;
  readonly beforeText: string;
  readonly afterText: string;
  readonly before: JsonObject;
};

type Parts = { readonly link: NetconfLink; readonly reader: NetconfReader; readonly holding: CandidateHolding };

export function createConfirmedCommits(parts: Parts): CommitBackend<ConfirmedChange> {
  const { link, holding } = parts;
  return {
    apply: (holder, options) => apply(parts, holder, options),
    async keep(change, persist) {
      if (persist === undefined && change.device.session.closed) return false;
      const { operations, session } = persist === undefined ? change.device : await link.use();
      const taken = await operations.commit(undefined, persist).then(() => true, orRefused);
      const runs = await runningText(link);
      if (!taken || (runs === change.beforeText && runs !== change.afterText)) return false;
      if (hasCapability(session.capabilities, CAPABILITIES.startup)) await operations.copyRunningToStartup();
      return true;
    },
    async undo(change, persist) {
      // Without persist the change ended with its session.
      if (persist !== undefined) await (await link.use()).operations.cancelCommit(persist);
      else if (!change.device.session.closed) await change.device.operations.cancelCommit();
      await checkUndone(link, change);
    },
    checkUndone: (change) => checkUndone(link, change),
    settled: () => holding.unlock(),
  };
}

async function apply(
  { link, reader, holding }: Parts,
  holder: string,
  options: CommitOptions,
): Promise<ConfirmedChange> {
  const { device, running } = holding.of(holder);
  const { operations } = device;
  const beforeText = canonicalText(running);
  if ((await runningText(link)) !== beforeText)
    throw new ParleyError(
      'caller/config-changed',
      'expected the configuration of before the edits to run, another one does',
    );
  const wrong = await holding.validate(holder);
  if (wrong !== undefined) throw new ParleyError('caller/bad-config', wrong);
  const wanted = canonicalText(await operations.getConfig('candidate'));
  const before = await reader.json(device, running, []);
  const persist = options.persist === undefined ? {} : { persist: options.persist };
  await operations.commit({ timeoutSeconds: Math.ceil(options.timeoutMs / 1_000), ...persist });
  const afterText = await runningText(link);
  if (afterText !== wanted) {
    // Its own timer undoes the change, should this not reach the device.
    await operations.cancelCommit(options.persist).catch(() => {});
    const message = 'expected the candidate to run after its commit, something else does';
    const data = { wireCode: WIRE_CODES.configIncompatible, retryPossible: false };
    throw new ParleyError('node/commit-not-applied', message, { data });
  }
  holding.hand(holder);
  return { device, beforeText, afterText, before };
}

async function runningText(link: NetconfLink): Promise<string> {
  return canonicalText(await (await link.use()).operations.getConfig('running'));
}

async function checkUndone(link: NetconfLink, { beforeText, afterText }: ConfirmedChange): Promise<void> {
  const runs = await runningText(link);
  if (runs !== afterText || runs === beforeText) return;
  throw new ParleyError('node/rollback-failed', 'expected the device to undo the change, it still runs', {
    data: { wireCode: WIRE_CODES.rollbackFailed, retryPossible: true },
  });
}

/** A confirming commit that the device refuses confirms nothing: it has undone the change before. */
function orRefused(error: unknown): false {
  if (error instanceof ParleyError && error.code === 'node/netconf-refused') return false;
  throw error;
}
