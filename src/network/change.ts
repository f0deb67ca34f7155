// Changes of the configuration on behalf of parties: what the access rules let them change, who agreed (ConsentGate), and the health gate between a
// change that runs and one that may be confirmed [NET-15, NET-16, NET-17, TS-28]. A change that hurts is undone before it answers.
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { type Access, denialText, touchRefusal } from '#model/access.ts';
import type {
  CandidateChanges,
  CommitView,
  ConfigurationPort,
  HealthBaseline,
  HealthGate,
} from '#model/configuration.ts';
import type { ConsentAnswer, ConsentGate } from '#model/consent.ts';
import { type OfferContext, WIRE_CODES } from '#model/offer.ts';
import { holderOf } from './candidate-text.ts';
import { createHolds } from './commit-holds.ts';
import { touchesOfChanges } from './config-paths.ts';

export type ChangeParts = {
  readonly configuration: ConfigurationPort;
  readonly gate: HealthGate;
  readonly consent: ConsentGate;
  readonly access: Access;
  readonly log: Log;
};

export type CommitOptions = {
  readonly timeoutMs: number;
  readonly persist?: string;
  /** A commit without `confirmed`: confirmed as soon as the health gate has passed. */
  readonly atOnce: boolean;
};

export type Changes = {
  /** Throws `caller/not-permitted` when one of the changes may not be made by the caller. */
  checkPaths(context: OfferContext, changes: CandidateChanges['changes']): void;
  /** `tool` and `args` are what is consented to. Whether the caller may call it at all was decided before. */
  commit(context: OfferContext, tool: string, args: JsonObject, options: CommitOptions): Promise<CommitView>;
  confirm(context: OfferContext, persistId?: string): Promise<CommitView>;
  cancel(context: OfferContext, persistId?: string): Promise<CommitView>;
};

export function createChanges(parts: ChangeParts): Changes {
  const { configuration } = parts;
  const holds = createHolds(parts);
  const checkPaths: Changes['checkPaths'] = ({ caller }, changes) => {
    for (const touch of touchesOfChanges(changes)) {
      const refused = touchRefusal(parts.access, caller, touch);
      if (refused !== undefined)
        throw notPermitted(denialText(parts.access, caller, touch.operations.join(' or '), refused), touch.path);
    }
  };
  return {
    checkPaths,
    async commit(context, tool, args, options) {
      const holder = holderOf(context.caller);
      const candidate = await configuration.validate(holder);
      if (candidate.wrong !== undefined) throw incompatible(candidate.wrong);
      checkPaths(context, candidate.changes);
      const baseline = await parts.gate.baseline(context.signal);
      // Refused before anybody is asked: a consent is not used up for it.
      if (options.atOnce) mustBeSeen(baseline);
      await askConsent(parts, context, { tool, args, candidate, rollbackMs: options.atOnce ? 0 : options.timeoutMs });
      const persist = options.persist === undefined ? {} : { persist: options.persist };
      // What runs is what was agreed to: an edit in between is refused by the port.
      const tag = candidate.tag === undefined ? {} : { tag: candidate.tag };
      await undoIfCallerLeft(context, async () => {});
      context.progress(1, 4, 'applying the candidate');
      const commit = await configuration.commit(holder, { timeoutMs: options.timeoutMs, ...persist, ...tag });
      await holds.begin(commit, holder, context.sessionEnded);
      context.progress(2, 4, 'asking this node and its neighbours');
      // The other half of the time is the operator's, to confirm.
      const time = AbortSignal.timeout(Math.max(1, Math.min(LIMITS.healthGateMs, options.timeoutMs / 2)));
      // Only what persists, and is somebody's to confirm, goes on without the caller who asked for it.
      const mayLeave = options.persist !== undefined && !options.atOnce;
      const patience = mayLeave ? time : AbortSignal.any([context.signal, time]);
      const missing = await parts.gate.compare(baseline, patience).catch((error) => [messageOf(error)]);
      if (!mayLeave) await undoIfCallerLeft(context, () => configuration.cancel(holder, CALLER_LEFT, options.persist));
      if (missing.length > 0) {
        await configuration.cancel(holder, 'the health gate did not pass', options.persist);
        throw gateClosed(commit, missing);
      }
      const verified = await configuration.verified(commit.id);
      const blind = baseline.holds.length === 0 || baseline.unseen !== undefined;
      context.progress(3, 4, blind ? 'not all could be compared with before' : 'the network is as before');
      if (!mayLeave) await undoIfCallerLeft(context, () => configuration.cancel(holder, CALLER_LEFT, options.persist));
      return options.atOnce ? configuration.confirm(holder, options.persist) : verified;
    },
    async confirm(context, persistId) {
      const holder = holderOf(context.caller);
      if (persistId === undefined) holds.checkSession(context.sessionEnded);
      try {
        return await configuration.confirm(holder, persistId);
      } catch (error) {
        throw await confirmFailure(configuration, error);
      }
    },
    cancel: (context, persistId) =>
      configuration.cancel(holderOf(context.caller), 'cancelled by the operator', persistId),
  };
}

/** A gate that sees nothing passes everything, so nothing confirms itself by it. */
function mustBeSeen({ holds, unseen }: HealthBaseline): void {
  if (holds.length > 0 && unseen === undefined) return;
  const why = unseen === undefined ? 'this node has no adjacency that is up' : `adjacencies are not told: ${unseen}`;
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

const CALLER_LEFT = 'the caller was gone, or had cancelled the call';

/** A call that was cancelled, or whose connection is lost, must not end with a change that runs for good. */
async function undoIfCallerLeft({ signal }: OfferContext, undo: () => Promise<unknown>): Promise<void> {
  if (!signal.aborted) return;
  await undo();
  throw new ParleyError('caller/session-lost', `expected a caller that waits for its change: ${CALLER_LEFT}`);
}

async function askConsent(
  parts: ChangeParts,
  context: OfferContext,
  change: {
    readonly tool: string;
    readonly args: JsonObject;
    readonly candidate: CandidateChanges;
    readonly rollbackMs: number;
  },
): Promise<void> {
  const { changes, tag } = change.candidate;
  const summary = changes.map(({ sign, context: block, line }) => `${sign} ${block === '' ? '' : `${block}: `}${line}`);
  const answer = await parts.consent.ask(
    {
      caller: context.caller,
      tool: change.tool,
      arguments: change.args,
      summary: summary.join('\n'),
      ...(tag === undefined ? {} : { tag }),
      rollbackMs: change.rollbackMs,
    },
    context.signal,
  );
  if (!answer.granted) throw noConsent(answer);
  context.progress(0, 4, `agreed by ${answer.by}`);
}

/** What must happen before the call can be made again stands in `detail` and, for programs, beside it. */
export function noConsent({ reason, id, expires }: Extract<ConsentAnswer, { granted: false }>): ParleyError {
  return new ParleyError('caller/no-consent', `expected consent: ${reason}`, {
    data: {
      wireCode: WIRE_CODES.accessDenied,
      wireMessage: 'Network.AccessDenied',
      retryPossible: id !== undefined,
      ...(id === undefined ? {} : { consent: id, expires: expires ?? '', remedy: `parley approve ${id}` }),
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
