// An embedded node's ConfigurationPort over its network's socket: both ends of it, so that agents in other processes can change a node, and a
// change ends with the connection of the agent that made it.
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type {
  CandidateChanges,
  CommitView,
  ConfigurationFacts,
  ConfigurationPort,
  YangEdit,
} from '#model/router/configuration.ts';
import { createHelperClient } from '../../protocol/client.ts';
import type { Operation } from '../../protocol/operation.ts';

export function configurationOperations(nodes: ReadonlyMap<string, ConfigurationPort>): ReadonlyMap<string, Operation> {
  const of = (args: JsonObject): ConfigurationPort => {
    const found = nodes.get(String(args['node']));
    if (found !== undefined) return found;
    throw new ParleyError('caller/bad-argument', `expected one of the nodes ${[...nodes.keys()].join(', ')}`);
  };
  const text = (args: JsonObject, name: string) => String(args[name] ?? '');
  const optional = (args: JsonObject, name: string) => (args[name] === undefined ? undefined : String(args[name]));
  const holder = (args: JsonObject) => text(args, 'holder');
  const operations: Record<
    string,
    (args: JsonObject, port: ConfigurationPort, signal: AbortSignal) => Promise<unknown>
  > = {
    facts: (_args, port) => port.facts(),
    read: (args, port) => port.read(args['source'] as 'running', holder(args)),
    edit: (args, port) => port.editData!(holder(args), args['edits'] as unknown as readonly YangEdit[]),
    restore: (args, port) => port.restore(holder(args), text(args, 'commit')),
    validate: (args, port) => port.validate(holder(args)),
    discard: (args, port) => port.discard(holder(args)),
    commit: (args, port) => port.commit(holder(args), args['options'] as unknown as { timeoutMs: number }),
    verified: (args, port) => port.verified(text(args, 'commit')),
    confirm: (args, port) => port.confirm(holder(args), optional(args, 'persistId'), optional(args, 'commit')),
    cancel: (args, port) =>
      port.cancel(holder(args), text(args, 'reason'), optional(args, 'persistId'), optional(args, 'commit')),
    hold: (args, port, signal) => port.hold(text(args, 'commit'), signal),
    open: (_args, port) => port.open(),
    history: (_args, port) => port.history(),
  };
  return new Map(
    Object.entries(operations).map(([name, work]): [string, Operation] => [
      `config-${name}`,
      async (args, { signal }) => ((await work(args, of(args), signal)) ?? null) as JsonValue,
    ]),
  );
}

export function createHubConfiguration(socket: string, node: string): ConfigurationPort {
  const hub = createHelperClient(socket);
  const ask = async <Value>(operation: string, args: JsonObject = {}): Promise<Value> =>
    (await hub.call(`config-${operation}`, { node, ...args })) as unknown as Value;
  const which = (persistId: string | undefined, commit: string | undefined) => ({
    ...(persistId === undefined ? {} : { persistId }),
    ...(commit === undefined ? {} : { commit }),
  });
  return {
    facts: () => ask<ConfigurationFacts>('facts'),
    read: (source, holder) => ask<string>('read', { source, holder }),
    editData: (holder, edits) => ask<CandidateChanges>('edit', { holder, edits: edits as unknown as JsonValue }),
    restore: (holder, commit) => ask<CandidateChanges>('restore', { holder, commit }),
    validate: (holder) => ask<CandidateChanges>('validate', { holder }),
    discard: async (holder) => void (await ask('discard', { holder })),
    commit: (holder, options) => ask<CommitView>('commit', { holder, options: { ...options } }),
    verified: (commit) => ask<CommitView>('verified', { commit }),
    confirm: (holder, persistId, commit) => ask<CommitView>('confirm', { holder, ...which(persistId, commit) }),
    cancel: (holder, reason, persistId, commit) =>
      ask<CommitView>('cancel', { holder, reason, ...which(persistId, commit) }),
    hold: async (commit, signal) =>
      void (await hub.call('config-hold', { node, commit }, { signal, timeoutMs: Number.POSITIVE_INFINITY })),
    open: async () => (await ask<CommitView | null>('open')) ?? undefined,
    history: () => ask<readonly CommitView[]>('history'),
  };
}
