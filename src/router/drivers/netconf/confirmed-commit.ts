// The device's confirmed commits (RFC 6241 §8.4) under a commit book. What was committed, kept or undone is read back: an ok of the device
// alone proves nothing. A change without `persist` lives as long as the session that made it, which is the device's own rule.
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { differenceLines } from '#codec/yang/difference.ts';
import { WIRE_CODES } from '#model/definition.ts';
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
  /** Leaf by leaf, what it changed. */
  readonly lines: readonly string[];
};

type Parts = { readonly link: NetconfLink; readonly reader: NetconfReader; readonly holding: CandidateHolding };

export function createConfirmedCommits(parts: Parts): CommitBackend<ConfirmedChange> {
  const { link, holding } = parts;
  return {
    apply: (holder, options) => apply(parts, holder, options),
    async keep(change, persist) {
      if (persist === undefined && change.device.session.closed) return false;
      const { operations } = persist === undefined ? change.device : await link.use();
      const taken = await operations.commit(undefined, persist).then(() => true, orRefused);
      if (!taken) return false;
      // The device said ok: a read-back that fails now does not take that back.
      return stillRuns(parts, change).catch(() => true);
    },
    async kept() {
      const { operations, session } = await link.use();
      if (!hasCapability(session.capabilities, CAPABILITIES.startup)) return;
      await operations.copyRunningToStartup().catch((error) => Promise.reject(notCopied(error)));
    },
    async undo(change, persist) {
      // Without persist the change ended with its session.
      if (persist !== undefined) await (await link.use()).operations.cancelCommit(persist);
      else if (!change.device.session.closed) await change.device.operations.cancelCommit();
      await checkUndone(parts, change);
    },
    checkUndone: (change) => checkUndone(parts, change),
    settled: () => holding.unlock(),
  };
}

async function apply(parts: Parts, holder: string, options: CommitOptions): Promise<ConfirmedChange> {
  const { link, reader, holding } = parts;
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
  const timeoutSeconds = Math.ceil(options.timeoutMs / 1_000);
  await operations.commit({ timeoutSeconds, ...persist }).catch(async (error) => {
    // A refusal changed nothing; after any other error the device may have taken it.
    if (!isRefusal(error)) await abandon(parts, device, options.persist);
    throw error;
  });
  const change = { device, beforeText, before, afterText: wanted };
  try {
    const { text, data } = await runningNow(parts);
    if (text !== wanted) throw notApplied();
    const lines = await linesOf(parts, before, data);
    holding.hand(holder);
    return { ...change, lines };
  } catch (error) {
    await abandon(parts, device, options.persist);
    throw error;
  }
}

/** What was committed and is not known to run as wanted must not run on with no session that can cancel it: its session ends where it cannot be cancelled. */
async function abandon({ link }: Parts, device: NetconfDevice, persist: string | undefined): Promise<void> {
  const isCancelled = await device.operations.cancelCommit(persist).then(
    () => true,
    () => false,
  );
  if (isCancelled) return;
  await device.session.close().catch(() => {});
  // Its own timer undoes the change, should this not reach the device.
  if (persist !== undefined)
    await link
      .use()
      .then(
        ({ operations }) => operations.cancelCommit(persist),
        () => {},
      )
      .catch(() => {});
}

function notApplied(): ParleyError {
  const message = 'expected the candidate to run after its commit, something else does';
  const data = { wireCode: WIRE_CODES.configIncompatible, retryPossible: false };
  return new ParleyError('node/commit-not-applied', message, { data });
}

/** With the code of what went wrong: the change itself is confirmed, and runs. */
function notCopied(error: unknown): unknown {
  if (!(error instanceof ParleyError)) return error;
  const message = `the change is confirmed and runs; its copy to the start-up configuration failed: ${messageOf(error)}`;
  return new ParleyError(error.code, message, { data: error.data, cause: error });
}

async function runningNow({ link, reader }: Parts): Promise<{ readonly text: string; readonly data: JsonObject }> {
  const device = await link.use();
  const running = await device.operations.getConfig('running');
  return { text: canonicalText(running), data: await reader.json(device, running, []) };
}

async function linesOf({ reader }: Parts, from: JsonObject, to: JsonObject): Promise<readonly string[]> {
  const { roots } = await (await reader.schemas()).of([]);
  return differenceLines(roots, from, to).map((line) => JSON.stringify(line));
}

/** Whether any of its own lines runs: what others changed beside it says nothing of it. */
async function stillRuns(parts: Parts, change: ConfirmedChange): Promise<boolean> {
  const { text, data } = await runningNow(parts);
  if (text === change.afterText) return true;
  if (text === change.beforeText) return false;
  const runs = new Set(await linesOf(parts, change.before, data));
  return change.lines.some((line) => runs.has(line));
}

async function runningText(link: NetconfLink): Promise<string> {
  return canonicalText(await (await link.use()).operations.getConfig('running'));
}

async function checkUndone(parts: Parts, change: ConfirmedChange): Promise<void> {
  if (change.afterText === change.beforeText || !(await stillRuns(parts, change))) return;
  throw new ParleyError('node/rollback-failed', 'expected the device to undo the change, it still runs', {
    data: { wireCode: WIRE_CODES.rollbackFailed, retryPossible: true },
  });
}

/** A confirming commit that the device refuses confirms nothing: it has undone the change before. */
function orRefused(error: unknown): false {
  if (isRefusal(error)) return false;
  throw error;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ParleyError && error.code === 'node/netconf-refused';
}
