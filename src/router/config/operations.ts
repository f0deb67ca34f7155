// The closed set of operations of the configuration helper. Each checks its arguments; texts that leave are redacted. No
// operation takes a command, a path or a program: lines are matched against statements.ts, images come from our own journal.
import { createHmac, randomBytes } from 'node:crypto';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { redactConfiguration } from '#model/redaction.ts';
import type { ChangeAuthority, ChangeGrant } from '#model/router/change-authority.ts';
import { summaryOf } from '#model/router/configuration.ts';
import { type LiveSetting, liveSettingOf } from '#model/router/live-setting.ts';
import { refuse } from '#model/wire/check.ts';
import type { Operation } from '../protocol/operation.ts';
import * as check from './arguments.ts';
import { type Candidate, type CandidateStore, changesOf, isEdited } from './candidate.ts';
import {
  abandonCommit,
  applyCommit,
  type CommitParts,
  cancelCommit,
  confirmCommit,
  markVerified,
  validate,
} from './commit.ts';
import { COMMIT_ID, type CommitRecord } from './journal.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';
import { describe, type LiveChange } from './live.ts';
import { readStartup } from './recover.ts';

export type ConfigOperationsParts = CommitParts & {
  readonly candidates: CandidateStore;
  /** Whether a change may be made; without it none is. */
  readonly authority: ChangeAuthority | undefined;
};

const SOURCES = ['running', 'startup', 'candidate'] as const;
const HOLDER = /^[A-Za-z0-9@._:/-]{1,256}$/;
/** The calls that end in a commit (network/configuration/). */
const COMMITTING_TOOLS = ['network.commit', 'network.rollback', 'resources/write'] as const;
const TOKEN = /^[!-~]{1,128}$/;

export function createConfigOperations(parts: ConfigOperationsParts): ReadonlyMap<string, Operation> {
  const { candidates } = parts;
  return new Map<string, Operation>(
    Object.entries({
      read: async (args) => {
        check.onlyMembers(args, ['source', 'holder']);
        const text = await readSource(parts, check.oneOf(SOURCES, args['source']), args['holder']);
        return { text: redactConfiguration(text) };
      },
      edit: async (args) => {
        check.onlyMembers(args, ['holder', 'lines', 'live']);
        const holder = holderOf(args);
        const settings = liveOf(args['live']);
        const lines = linesOf(args['lines']);
        await candidates.open(holder, () => parts.frr.readRunning());
        if (settings !== undefined) return shown(await drawUp(parts, holder, lines, settings));
        return shown(candidates.edit(holder, lines));
      },
      push: async (args) => {
        check.onlyMembers(args, ['holder', 'text']);
        const holder = holderOf(args);
        const text = check.text(args['text'], LIMITS.configBytes);
        await candidates.open(holder, () => parts.frr.readRunning());
        return shown(candidates.push(holder, text));
      },
      restore: async (args) => {
        check.onlyMembers(args, ['holder', 'commit']);
        const holder = holderOf(args);
        const record = await settledCommit(parts, args['commit']);
        await mustBeTextOnly(parts, record);
        await candidates.open(holder, () => parts.frr.readRunning());
        return shown(candidates.replace(holder, await parts.journal.readImage(record.id, 'before')));
      },
      discard: async (args) => {
        check.onlyMembers(args, ['holder']);
        candidates.discard(holderOf(args));
        return null;
      },
      validate: async (args) => {
        check.onlyMembers(args, ['holder']);
        const candidate = candidates.of(holderOf(args));
        const wrong = await validate(parts, candidate);
        return { ...shown(candidate), tag: tagOf(candidate), ...(wrong === undefined ? {} : { wrong }) };
      },
      ...commitOperations(parts),
      history: async (args) => {
        check.onlyMembers(args, []);
        const [records, { wallMs }] = await Promise.all([parts.journal.history(), parts.now()]);
        return {
          commits: records.map((record) => ({
            ...recordShown(record),
            startedAgoMs: Math.max(0, wallMs - record.startedMs),
          })),
        };
      },
      status: async (args) => {
        check.onlyMembers(args, []);
        const open = await parts.journal.open();
        return open === undefined ? {} : { open: recordShown(open) };
      },
    } satisfies Record<string, Operation>),
  );
}

function commitOperations(parts: ConfigOperationsParts): Record<string, Operation> {
  const persistOf = (args: JsonObject, name: string) =>
    args[name] === undefined ? undefined : check.matching(TOKEN, 'a token', args[name]);
  const commitOf = ({ commit }: JsonObject) =>
    commit === undefined ? undefined : check.matching(COMMIT_ID, 'a commit id', commit);
  const held = new Set<string>();
  return {
    // The caller must be there for the answer, and hold the change soon after it: no change stays without a session.
    commit: async (args, { signal }) => {
      check.onlyMembers(args, ['holder', 'timeoutMs', 'persist', 'tag', 'tool', 'atOnce', 'decision']);
      const holder = holderOf(args);
      const timeoutMs = check.integer(args['timeoutMs'], LIMITS.confirmLeastMs, LIMITS.confirmMostMs);
      const persist = persistOf(args, 'persist');
      const candidate = parts.candidates.of(holder);
      if (args['tag'] !== undefined && args['tag'] !== tagOf(candidate))
        throw new ParleyError(
          'caller/candidate-changed',
          'expected the candidate that was consented to, it was edited since',
        );
      const grant = await grantOf(parts, candidate, { timeoutMs, persist }, args);
      const record = await applyCommit(parts, candidate, {
        holder,
        grant,
        timeoutMs,
        signal,
        ...(persist === undefined ? {} : { persist }),
      });
      if (persist === undefined) void undoUnlessHeld(parts, held, record.id);
      parts.candidates.leave(candidate);
      await parts.failpoint('commit.answered');
      return { ...recordShown(record), changes: shown(candidate)['changes'] ?? [] };
    },
    verified: async (args) => {
      check.onlyMembers(args, ['commit']);
      return recordShown(await markVerified(parts, check.matching(COMMIT_ID, 'a commit id', args['commit'])));
    },
    confirm: async (args) => {
      check.onlyMembers(args, ['holder', 'persistId', 'commit']);
      const record = await confirmCommit(parts, holderOf(args), persistOf(args, 'persistId'), commitOf(args));
      await parts.failpoint('confirm.answered');
      return recordShown(record);
    },
    cancel: async (args) => {
      check.onlyMembers(args, ['holder', 'persistId', 'reason', 'commit']);
      const reason = args['reason'] === undefined ? 'cancelled' : check.text(args['reason'], 200);
      const persistId = persistOf(args, 'persistId');
      return recordShown(await cancelCommit(parts, holderOf(args), reason, persistId, commitOf(args)));
    },
    // Open for as long as the session that made the change: its end undoes a change without `persist` (RFC 6241 §8.4).
    hold: async (args, { signal }) => {
      check.onlyMembers(args, ['holder', 'commit']);
      const id = check.matching(COMMIT_ID, 'a commit id', args['commit']);
      held.add(id);
      const outcome = await holdUntilSettled(parts, id, signal).finally(() => held.delete(id));
      return { outcome };
    },
  };
}

/**
 * What is judged is the candidate of this process, in the words and under the digest that this process makes. A caller that asks for a change that is
 * confirmed at once gets the time that such a change has, and no other.
 */
async function grantOf(
  { authority }: ConfigOperationsParts,
  candidate: Candidate,
  { timeoutMs, persist }: { readonly timeoutMs: number; readonly persist: string | undefined },
  args: JsonObject,
): Promise<ChangeGrant> {
  const tool = check.oneOf(COMMITTING_TOOLS, args['tool'] ?? 'network.commit');
  const atOnce = check.oneOf([true, false], args['atOnce'] ?? false);
  const decision = args['decision'];
  if (decision !== undefined && !isJsonObject(decision)) return refuse('a signed decision', '');
  if (atOnce && timeoutMs !== LIMITS.confirmMs)
    return refuse(`${LIMITS.confirmMs} ms for what is confirmed at once`, timeoutMs);
  if (authority === undefined)
    throw new ParleyError(
      'node/no-authority',
      'expected a folder that says whose consent counts (--authority): without it this helper changes nothing',
    );
  const change = {
    holder: candidate.holder,
    tool,
    summary: summaryOf(changesOf(candidate)),
    tag: tagOf(candidate),
    ...(persist === undefined ? {} : { persist }),
    rollbackSeconds: atOnce ? 0 : timeoutMs / 1_000,
    live: candidate.live.length > 0,
  };
  return authority(change, decision);
}

async function holdUntilSettled(parts: ConfigOperationsParts, id: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const open = await parts.journal.open();
    if (open?.id !== id) {
      const record = (await parts.journal.history()).find((entry) => entry.id === id);
      return record?.state ?? 'unknown';
    }
    if (signal.aborted) {
      await abandon(parts, id);
      return 'left';
    }
    // An abort ends the pause at once; it is seen above.
    await parts.clock.sleep(CONFIG_HELPER_LIMITS.rollbackPollMs, signal).catch(() => {});
  }
}

/** A change whose holder died between the answer and its hold must not run until its deadline. */
async function undoUnlessHeld(parts: ConfigOperationsParts, held: ReadonlySet<string>, id: string): Promise<void> {
  await parts.clock.sleep(CONFIG_HELPER_LIMITS.commitHoldMs);
  if (!held.has(id)) await abandon(parts, id);
}

/** Until the change is settled, or its undoing is noted and parley-rollback finishes it. Does not reject. */
async function abandon(parts: ConfigOperationsParts, id: string): Promise<void> {
  for (;;) {
    try {
      return await abandonCommit(parts, id);
    } catch (error) {
      parts.log.warn('a change that no session holds is not undone yet', { commit: id, reason: messageOf(error) });
    }
    const open = await parts.journal.open().catch(() => undefined);
    if (open?.id !== id || open.undoing !== undefined) return;
    await parts.clock.sleep(CONFIG_HELPER_LIMITS.rollbackPollMs);
  }
}

async function readSource(
  parts: ConfigOperationsParts,
  source: (typeof SOURCES)[number],
  holder: JsonValue | undefined,
) {
  if (source === 'running') return parts.frr.readRunning();
  if (source === 'startup') return (await readStartup(parts.startupPath)) ?? '';
  return parts.candidates.of(check.matching(HOLDER, 'a holder', holder)).text;
}

async function settledCommit(parts: ConfigOperationsParts, value: JsonValue | undefined): Promise<CommitRecord> {
  const id = check.matching(COMMIT_ID, 'a commit id', value);
  const record = (await parts.journal.history()).find((entry) => entry.id === id);
  if (record === undefined)
    throw new ParleyError('caller/no-commit', 'expected a commit of the history, got another id');
  return record;
}

/** The images hold FRR's text only: what a commit from this one on has set beside it in this boot would stay, and be called rolled back. */
async function mustBeTextOnly(parts: ConfigOperationsParts, { id }: CommitRecord): Promise<void> {
  const { bootId } = await parts.now();
  const set = (await parts.journal.history()).find(
    (record) =>
      record.id >= id && record.state === 'CONFIRMED' && record.live !== undefined && record.deadline.bootId === bootId,
  );
  if (set === undefined) return;
  throw new ParleyError(
    'caller/bad-config',
    `expected commits without live settings from ${id} on, ${set.id} made some, which no configuration brings back`,
  );
}

function holderOf(args: JsonObject): string {
  return check.matching(HOLDER, 'a holder', args['holder']);
}

function linesOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value) || value.length > LIMITS.configEditLines)
    return refuse(`at most ${LIMITS.configEditLines} lines`, '');
  return value.map((line: JsonValue) => check.text(line, LIMITS.configLineChars));
}

/**
 * A change with live settings is drawn up as a whole: nothing that was edited before goes along with it. The same again is the candidate that
 * waits for its consent already.
 */
async function drawUp(
  { candidates, live }: ConfigOperationsParts,
  holder: string,
  lines: readonly string[],
  settings: readonly LiveSetting[],
): Promise<Candidate> {
  try {
    const changes: LiveChange[] = [];
    for (const setting of settings) changes.push(await live.plan(setting));
    // Judged only now: another session of the same party may have edited while we read what is there.
    return candidates.drawUp(holder, lines, changes);
  } catch (error) {
    if (!isEdited(candidates.of(holder))) candidates.discard(holder);
    throw error;
  }
}

function liveOf(value: JsonValue | undefined): readonly LiveSetting[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > LIMITS.liveSettings)
    return refuse(`at most ${LIMITS.liveSettings} live settings`, '');
  const settings = value.map((each: JsonValue) => liveSettingOf(each) ?? refuse('a live setting', each));
  if (new Set(settings.map((each) => JSON.stringify(each))).size === settings.length) return settings;
  return refuse('each live setting once', '');
}

/** Of this process: a digest without a key would let any reader guess weak secrets. */
const TAG_KEY = randomBytes(32);

/** Of what is consented to: counters of rules that are deleted go on meanwhile. */
function tagOf(candidate: Candidate): string {
  return createHmac('sha256', TAG_KEY)
    .update(`${candidate.baseFingerprint}\n${JSON.stringify(candidate.live.map(describe))}\n${candidate.text}`)
    .digest('hex');
}

function shown(candidate: Candidate): JsonObject {
  return { changes: changesOf(candidate).map((change) => ({ ...change })) };
}

/** What others may know of a record: no token, no process. */
function recordShown(record: CommitRecord): JsonObject {
  const { id, state, by, startedMs, timeoutMs, deadline, before, after, reason } = record;
  const rest = reason === undefined ? {} : { reason };
  return {
    id,
    state,
    by,
    ...(record.basis === undefined ? {} : { basis: record.basis }),
    startedMs,
    timeoutMs,
    deadlineMs: deadline.wallMs,
    before,
    after,
    persist: record.persist !== undefined,
    ...rest,
  };
}
