// Changes of the configuration on behalf of parties: what the access rules let them change, who agreed (ConsentGate), and the health gate between a
// change that runs and one that may be confirmed [NET-15, NET-16, NET-17, TS-28]. A change that hurts is undone before it answers.
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { type Access, denialText, touchRefusal } from '#model/access.ts';
import type { ConsentAnswer, ConsentGate } from '#model/consent.ts';
import { type CallContext, WIRE_CODES } from '#model/definition.ts';
import {
  type CandidateChanges,
  type CommitView,
  type ConfigurationPort,
  type HealthBaseline,
  type HealthGate,
  summaryOf,
} from '#model/router/configuration.ts';
import { isLiveContext } from '#model/router/live-setting.ts';
import { NETWORK_LIMITS } from '../limits.ts';
import { askAdmin } from './ask-admin.ts';
import { holderOf } from './candidate-text.ts';
import { createHolds } from './commit-holds.ts';
import { touchesOfChanges } from './config-paths.ts';
import { createPendingHealthGate } from './pending-health-gate.ts';

export type ChangeParts = {
  readonly configuration: ConfigurationPort;
  readonly gate: HealthGate;
  readonly consent: ConsentGate;
  readonly access: Access;
  readonly clock: Clock;
  readonly log: Log;
};

export type CommitOptions = {
  readonly timeoutMs: number;
  readonly persist?: string;
  /** A commit without `confirmed`: confirmed as soon as the health gate has passed. */
  readonly atOnce: boolean;
};

/** `warning` says what was not seen, where something was not. */
export type Committed = CommitView & { readonly warning?: string };

export type Changes = {
  /** Throws `caller/not-permitted` when one of the changes may not be made by the caller. */
  checkPaths(context: CallContext, changes: CandidateChanges['changes']): void;
  /** `tool` and `args` are what is consented to. Whether the caller may call it at all was decided before. */
  commit(context: CallContext, tool: string, args: JsonObject, options: CommitOptions): Promise<Committed>;
  confirm(context: CallContext, persistId?: string): Promise<Committed>;
  cancel(context: CallContext, persistId?: string): Promise<CommitView>;
};

export function createChanges(parts: ChangeParts): Changes {
  const { configuration } = parts;
  const holds = createHolds(parts);
  const pendingGate = createPendingHealthGate(configuration);
  const checkPaths: Changes['checkPaths'] = ({ caller }, changes) => {
    for (const touch of touchesOfChanges(changes)) {
      const refused = touchRefusal(parts.access, caller, touch);
      if (refused !== undefined)
        throw notPermitted(denialText(parts.access, caller, touch.operations.join(' or '), refused), touch.path);
    }
  };
  /** The gate of a persistent change whose answer was lost speaks before its confirmation, by what was seen before the change. */
  const speakLate = async (context: CallContext, holder: string, persist: string): Promise<string | undefined> => {
    const found = await pendingGate.find(persist);
    if (found === undefined) return undefined;
    const timeoutMs = found.commit.deadlineMs - parts.clock.nowMs();
    const late = { ...found, holder, options: { timeoutMs, persist, atOnce: false } };
    const judged = () => orUndo(parts, late, () => judge(parts, context, late));
    return (await pendingGate.during({ ...found, persist }, judged)).warning;
  };
  return {
    checkPaths,
    async commit(context, tool, args, options) {
      const holder = holderOf(context.caller);
      const candidate = await configuration.validate(holder);
      if (candidate.wrong !== undefined) throw incompatible(candidate.wrong);
      checkPaths(context, candidate.changes);
      const seen = await parts.gate.baseline(context.signal);
      // Refused before consent is asked for, so that none is used up.
      if (options.atOnce) mustBeSeen(seen);
      const rollbackMs = options.atOnce ? 0 : options.timeoutMs;
      const { decision, giveBack, waited } = await askConsent(parts, context, {
        tool,
        args: withoutPersistId(args),
        candidate,
        rollbackMs,
      });
      const baseline = await orGiveBack(giveBack, async () => {
        // What was seen before a person was waited for says nothing of now.
        const now = waited ? await parts.gate.baseline(context.signal) : seen;
        if (options.atOnce) mustBeSeen(now);
        mustBeThere(context);
        return now;
      });
      const asked = { tool, atOnce: options.atOnce, ...(decision === undefined ? {} : { decision }) };
      const persist = options.persist === undefined ? {} : { persist: options.persist };
      // What runs is what was agreed to: an edit in between is refused by the port.
      const tag = candidate.tag === undefined ? {} : { tag: candidate.tag };
      context.progress(1, 4, 'applying the candidate');
      return pendingGate.during({ baseline, persist: options.persist }, async () => {
        const commit = await configuration
          .commit(holder, { timeoutMs: options.timeoutMs, ...persist, ...tag, asked })
          .catch(async (error) => {
            if (error instanceof ParleyError && REFUSED_UNTOUCHED.includes(error.code)) await giveBack?.();
            throw error;
          });
        return orUndo(parts, { commit, holder, options }, async () => {
          await holds.begin(commit, holder, context.sessionEnded);
          return judge(parts, context, { commit, holder, baseline, options });
        });
      });
    },
    async confirm(context, persistId) {
      const holder = holderOf(context.caller);
      if (persistId === undefined) holds.checkSession(context.sessionEnded);
      try {
        const warning = persistId === undefined ? undefined : await speakLate(context, holder, persistId);
        return withWarning(await configuration.confirm(holder, persistId), warning);
      } catch (error) {
        throw await confirmFailure(configuration, error);
      }
    },
    cancel: (context, persistId) =>
      configuration.cancel(holderOf(context.caller), 'cancelled by the operator', persistId),
  };
}

/** A consent is not used up by what is refused before anything was touched. */
async function orGiveBack<Value>(
  giveBack: (() => Promise<void>) | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    await giveBack?.();
    throw error;
  }
}

/** What was confirmed unseen says so by its reason. */
function withWarning(confirmed: CommitView, warning = confirmed.reason): Committed {
  return warning === undefined ? confirmed : { ...confirmed, warning };
}

type Running = { readonly commit: CommitView; readonly holder: string; readonly options: CommitOptions };

async function orUndo(parts: ChangeParts, running: Running, work: () => Promise<Committed>): Promise<Committed> {
  try {
    return await work();
  } catch (error) {
    await undo(parts, running, error);
    throw error;
  }
}

/** From the moment a change runs to its answer. Whatever this throws, the change is undone. */
async function judge(
  { configuration, gate }: ChangeParts,
  context: CallContext,
  { commit, holder, baseline, options }: Running & { readonly baseline: HealthBaseline },
): Promise<Committed> {
  context.progress(2, 4, 'asking this node and its neighbours');
  // The other half of the time is the operator's, to confirm.
  const time = AbortSignal.timeout(Math.max(1, Math.min(NETWORK_LIMITS.healthGateMs, options.timeoutMs / 2)));
  // Only a change that persists and waits for a confirmation goes on without the caller that asked for it.
  const mayLeave = options.persist !== undefined && !options.atOnce;
  const patience = mayLeave ? time : AbortSignal.any([context.signal, time]);
  const { missing, unproven } = await gate
    .compare(baseline, patience)
    .catch((error) => ({ missing: [messageOf(error)], unproven: [] }));
  if (!mayLeave) mustBeThere(context);
  if (missing.length > 0) throw gateClosed(commit, missing);
  if (options.atOnce && unproven.length > 0) throw gateClosed(commit, unproven);
  const verified = await configuration.verified(commit.id);
  const warning = warningOf(baseline, unproven);
  context.progress(3, 4, warning ?? 'the network is as before');
  if (!mayLeave) mustBeThere(context);
  if (!options.atOnce) return warning === undefined ? verified : { ...verified, warning };
  await mustAnswer(context);
  return configuration.confirm(holder, options.persist, commit.id);
}

/** The answer names what the gate could not see: the caller must check that before it confirms. */
function warningOf({ holds, unseen }: HealthBaseline, unproven: readonly string[]): string | undefined {
  if (unseen !== undefined) return `not everything could be compared with before: ${unseen}`.slice(0, 500);
  if (holds.length === 0) return 'nothing was compared with before: this node tells no neighbour that is up';
  return unproven.length === 0 ? undefined : `not proven since the change: ${unproven.join('; ')}`.slice(0, 500);
}

/** The path of the caller must have survived the change: a cut one gives no sign of its own for minutes. */
async function mustAnswer({ probeCaller, signal }: CallContext): Promise<void> {
  // In this process there is no path.
  if (probeCaller === undefined) return;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(NETWORK_LIMITS.callerProbeMs)]);
  await probeCaller(limited).catch((error) => {
    const message = `expected the caller to answer a ping over its session within ${NETWORK_LIMITS.callerProbeMs} ms, got: ${messageOf(error)}`;
    throw new ParleyError('caller/session-lost', message, { cause: error });
  });
}

/** A change that is settled by now, or another that is open, is left alone; an undoing that fails is what the caller must know. */
async function undo(
  { configuration, log }: ChangeParts,
  { commit, holder, options }: Running,
  why: unknown,
): Promise<void> {
  try {
    const open = await configuration.open().catch(() => commit);
    if (open?.id !== commit.id) return;
    await configuration.cancel(holder, reasonOf(why), options.persist, commit.id);
  } catch (error) {
    log.warn('a change is not undone yet', { commit: commit.id, reason: messageOf(error) });
    // It was settled in between. Nothing else that is refused says that it was undone.
    if (error instanceof ParleyError && SETTLED.has(error.code)) return;
    throw error;
  }
}

const SETTLED: ReadonlySet<string> = new Set(['caller/no-commit', 'caller/wrong-commit-state']);

function reasonOf(error: unknown): string {
  const code = error instanceof ParleyError ? error.code : '';
  if (code === 'node/health-gate') return 'the health gate did not pass';
  return code === 'caller/session-lost' ? CALLER_LEFT : 'the commit could not be completed';
}

/** A gate that sees nothing passes everything, so nothing confirms itself by it. */
function mustBeSeen({ holds, unseen }: HealthBaseline): void {
  if (holds.length > 0 && unseen === undefined) return;
  const why =
    unseen === undefined ? 'this node has no neighbour that is up' : `part of the state is missing: ${unseen}`;
  throw new ParleyError(
    'caller/needs-confirmed',
    `expected {"confirmed": seconds}, and {"confirm": true} after a look: the health gate cannot judge here, ${why}`,
    {
      data: {
        wireCode: WIRE_CODES.configIncompatible,
        wireMessage: 'Network.ConfigIncompatible',
        retryPossible: false,
      },
    },
  );
}

/** The token of another change means nothing to a new one; left in, the device could not tell what was asked for. */
function withoutPersistId({ 'persist-id': _, ...args }: JsonObject): JsonObject {
  return args as JsonObject;
}

const CALLER_LEFT = 'the caller was gone, or had cancelled the call';

/** A call that was cancelled, or whose connection is lost, must not end with a change that runs for good. */
function mustBeThere({ signal }: CallContext): void {
  if (!signal.aborted) return;
  throw new ParleyError('caller/session-lost', `expected a caller that waits for its change: ${CALLER_LEFT}`);
}

/** With these a device refuses a commit before it has begun, so that the consent still stands for the next attempt. */
const REFUSED_UNTOUCHED: readonly string[] = ['caller/commit-open', 'caller/config-changed', 'node/config-busy'];

/** `decision` is for a device that verifies it itself; absent where no admin was asked. */
async function askConsent(
  parts: ChangeParts,
  context: CallContext,
  change: {
    readonly tool: string;
    readonly args: JsonObject;
    readonly candidate: CandidateChanges;
    readonly rollbackMs: number;
  },
): Promise<Pick<Extract<ConsentAnswer, { granted: true }>, 'decision' | 'giveBack'> & { readonly waited: boolean }> {
  const { changes, tag } = change.candidate;
  const { answer, waited } = await askAdmin(parts.consent, context, {
    caller: context.caller,
    tool: change.tool,
    arguments: change.args,
    summary: summaryOf(changes),
    ...(tag === undefined ? {} : { tag }),
    ...(changes.some((each) => isLiveContext(each.context)) ? { live: true as const } : {}),
    rollbackMs: change.rollbackMs,
  });
  if (!answer.granted) throw noConsent(answer);
  context.progress(0, 4, `agreed by ${answer.by}`);
  return { ...answer, waited };
}

/** What must happen before the call can be made again stands in `detail` and, for programs, beside it. */
export function noConsent({ reason, id, expires, url }: Extract<ConsentAnswer, { granted: false }>): ParleyError {
  return new ParleyError('caller/no-consent', `expected consent: ${reason}`, {
    data: {
      wireCode: WIRE_CODES.accessDenied,
      wireMessage: 'Network.AccessDenied',
      retryPossible: id !== undefined,
      ...(id === undefined ? {} : { consent: id, expires: expires ?? '', remedy: `parley approve ${id}` }),
      ...(url === undefined ? {} : { url }),
    },
  });
}

export function incompatible(detail: string, path?: string, more: JsonObject = {}): ParleyError {
  return new ParleyError('caller/config-incompatible', detail, {
    data: {
      wireCode: WIRE_CODES.configIncompatible,
      retryPossible: false,
      ...(path === undefined ? {} : { path }),
      ...more,
    },
  });
}

function notPermitted(detail: string, path: string): ParleyError {
  return new ParleyError('caller/not-permitted', detail, {
    data: { wireCode: WIRE_CODES.accessDenied, wireMessage: 'Network.AccessDenied', path, retryPossible: false },
  });
}

function gateClosed(commit: CommitView, missing: readonly string[]): ParleyError {
  const message = `expected the network as before the change, it was rolled back: ${missing.slice(0, 8).join('; ')}`;
  return new ParleyError('node/health-gate', message, {
    data: {
      wireCode: WIRE_CODES.configIncompatible,
      wireMessage: 'Network.ConfigIncompatible',
      'commit-id': commit.id,
      missing: missing.slice(0, 64),
    },
  });
}

/** A confirmation that comes after the rollback learns so by the draft's own code. */
async function confirmFailure(configuration: ConfigurationPort, error: unknown): Promise<unknown> {
  if (!(error instanceof ParleyError) || !['caller/no-commit', 'caller/confirm-too-late'].includes(error.code))
    return error;
  const last = (await configuration.history()).at(-1);
  if (last?.state !== 'ROLLED_BACK') return error;
  return new ParleyError(
    error.code,
    `expected an unconfirmed change, the last one was rolled back: ${last.reason ?? ''}`,
    {
      data: {
        wireCode: WIRE_CODES.confirmedCommitTimeout,
        wireMessage: 'Network.ConfirmedCommitTimeout',
        'commit-id': last.id,
        retryPossible: false,
      },
      cause: error,
    },
  );
}
