// Changes of the configuration on behalf of parties: what the access rules let them change, who agreed (ConsentGate), and the health gate between a
// change that runs and one that may be confirmed [NET-15, NET-16, NET-17, TS-28]. A change that hurts is undone before it answers.
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { type Access, denialText, touchRefusal } from '#model/access.ts';
import type { CandidateChanges, CommitView, ConfigurationPort, ConsentGate, HealthGate } from '#model/configuration.ts';
import { type OfferContext, WIRE_CODES } from '#model/offer.ts';
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
  /** The party's name as a holder; whether it may call at all was decided before. */
  holderOf(context: OfferContext): string;
  /** Throws `caller/not-permitted` when one of the changes may not be made by the caller. */
  checkPaths(context: OfferContext, changes: CandidateChanges['changes']): void;
  commit(context: OfferContext, tool: string, options: CommitOptions): Promise<CommitView>;
  confirm(context: OfferContext, persistId?: string): Promise<CommitView>;
  cancel(context: OfferContext, persistId?: string): Promise<CommitView>;
};

export function createChanges(parts: ChangeParts): Changes {
  const { configuration } = parts;
  /** Held while this process lives: its death undoes a change without `persist`. */
  const holding = new Map<string, AbortController>();
  const hold = (commit: CommitView) => {
    const released = new AbortController();
    holding.set(commit.id, released);
    configuration
      .hold(commit.id, released.signal)
      .catch((error) => parts.log.warn('hold of a change ended', { commit: commit.id, reason: messageOf(error) }))
      .finally(() => holding.delete(commit.id));
  };
  const holderOf = ({ caller }: OfferContext): string => `${caller.kind}/${caller.name}`;
  const checkPaths: Changes['checkPaths'] = ({ caller }, changes) => {
    for (const touch of touchesOfChanges(changes)) {
      const refused = touchRefusal(parts.access, caller, touch);
      if (refused !== undefined)
        throw notPermitted(denialText(parts.access, caller, touch.operations.join(' or '), refused), touch.path);
    }
  };
  return {
    holderOf,
    checkPaths,
    async commit(context, tool, options) {
      const holder = holderOf(context);
      const candidate = await configuration.validate(holder);
      if (candidate.wrong !== undefined) throw incompatible(candidate.wrong);
      checkPaths(context, candidate.changes);
      await askConsent(parts, context, candidate, tool, options.timeoutMs);
      const baseline = await parts.gate.baseline(context.signal);
      const persist = options.persist === undefined ? {} : { persist: options.persist };
      context.progress(1, 4, 'applying the candidate');
      const commit = await configuration.commit(holder, { timeoutMs: options.timeoutMs, ...persist });
      hold(commit);
      context.progress(2, 4, 'asking this node and its neighbours');
      // The other half of the time is the operator's, to confirm.
      const patience = AbortSignal.timeout(Math.max(1, Math.min(LIMITS.healthGateMs, options.timeoutMs / 2)));
      const missing = await parts.gate.compare(baseline, patience).catch((error) => [messageOf(error)]);
      if (missing.length > 0) {
        await configuration.cancel(holder, 'the health gate did not pass', options.persist);
        throw gateClosed(commit, missing);
      }
      const verified = await configuration.verified(commit.id);
      context.progress(3, 4, 'the network is as before');
      return options.atOnce ? configuration.confirm(holder, options.persist) : verified;
    },
    async confirm(context, persistId) {
      const holder = holderOf(context);
      try {
        return await configuration.confirm(holder, persistId);
      } catch (error) {
        throw await confirmFailure(configuration, error);
      }
    },
    cancel: (context, persistId) => configuration.cancel(holderOf(context), 'cancelled by the operator', persistId),
  };
}

async function askConsent(
  parts: ChangeParts,
  context: OfferContext,
  { changes }: CandidateChanges,
  tool: string,
  rollbackMs: number,
): Promise<void> {
  const party = `${context.caller.kind}/${context.caller.name}`;
  const summary = changes.map(({ sign, context: block, line }) => `${sign} ${block === '' ? '' : `${block}: `}${line}`);
  const answer = await parts.consent.ask({ party, tool, summary: summary.join('\n'), rollbackMs }, context.signal);
  if (answer.granted) return;
  throw new ParleyError('caller/no-consent', `expected consent to the change, came none: ${answer.reason}`, {
    data: { wireCode: WIRE_CODES.accessDenied, wireMessage: 'Network.AccessDenied', retryPossible: false },
  });
}

/** `more`: what the device itself said of it, its code included. */
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
