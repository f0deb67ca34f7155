// ConfigurationPort over the socket of the configuration helper. The helper decides what may be configured; this side only asks.
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { CandidateChanges, CommitView, ConfigurationPort } from '#model/router/configuration.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { createHelperClient } from '../../protocol/client.ts';

/** A reload of a large configuration, twice, and a wait for the lock. */
const CHANGE_MS = 2 * LIMITS.configApplyMs + ROUTER_LIMITS.configLockMs;
const READ_MS = ROUTER_LIMITS.configProgramMs + 1_000;

export function createConfigurationClient(socket: string): ConfigurationPort {
  const helper = createHelperClient(socket);
  const ask = async <T>(operation: string, args: JsonObject, timeoutMs = READ_MS): Promise<T> =>
    (await helper.call(operation, args, { timeoutMs })) as unknown as T;
  const changes = (operation: string, args: JsonObject) => ask<CandidateChanges>(operation, args);
  const change = (operation: string, args: JsonObject) => ask<CommitView>(operation, args, CHANGE_MS);
  const open = async () => (await ask<{ open?: CommitView }>('status', {})).open;
  /** A helper of an earlier version, which an upgrade has not restarted yet, knows no `commit`: what is open is compared here. */
  const settle = async (operation: 'confirm' | 'cancel', args: JsonObject, commit: string | undefined) => {
    if (commit === undefined) return change(operation, args);
    try {
      return await change(operation, { ...args, commit });
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'caller/bad-argument') throw error;
      if ((await open())?.id === commit) return change(operation, args);
      const message = 'expected an unconfirmed change, there is none: it was confirmed or rolled back';
      throw new ParleyError('caller/no-commit', message, { cause: error });
    }
  };
  return {
    facts: async () => ({ sources: ['running', 'startup', 'candidate'], confirmedCommit: true }),
    read: async (source, holder) => (await ask<{ text: string }>('read', { source, holder })).text,
    live: true,
    edit: (holder, lines, live) =>
      changes('edit', { holder, lines, ...(live === undefined ? {} : { live: live.map((each) => ({ ...each })) }) }),
    push: (holder, text) => changes('push', { holder, text }),
    restore: (holder, commit) => changes('restore', { holder, commit }),
    validate: (holder) => ask('validate', { holder }, 2 * READ_MS),
    backup: async (decision) => (await ask<{ sealed: string }>('backup', { decision })).sealed,
    discard: async (holder) => void (await ask<JsonValue>('discard', { holder })),
    commit: (holder, { timeoutMs, persist, tag, asked }) =>
      change('commit', {
        holder,
        timeoutMs,
        tool: asked?.tool ?? 'network.commit',
        atOnce: asked?.atOnce ?? false,
        ...(asked?.decision === undefined ? {} : { decision: asked.decision }),
        ...(persist === undefined ? {} : { persist }),
        ...(tag === undefined ? {} : { tag }),
      }),
    verified: (commit) => change('verified', { commit }),
    confirm: (holder, persistId, commit) => settle('confirm', { holder, ...tokenOf(persistId) }, commit),
    cancel: (holder, reason, persistId, commit) => settle('cancel', { holder, reason, ...tokenOf(persistId) }, commit),
    hold: async (commit, signal) =>
      void (await helper.call('hold', { commit }, { signal, timeoutMs: Number.POSITIVE_INFINITY })),
    open,
    history: async () => (await ask<{ commits: readonly CommitView[] }>('history', {})).commits,
  };
}

function tokenOf(persistId: string | undefined): JsonObject {
  return persistId === undefined ? {} : { persistId };
}
