// What one session asked beside its calls, each of which has records of its own: how often it said initialize, listed and pinged (TS-31). One
// summary when it ends, so that a client that lists every second does not fill an audit trail.
import type { Clock } from '#base/clock.ts';
import type { Party } from '#model/identity.ts';
import type { Transport } from './catalog/gate.ts';
import type { RpcMessage } from './protocol/rpc.ts';

export type SessionSummary = {
  readonly party: Party;
  readonly transport: Transport;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly endedMs: number;
  /** Requests by method; `calls`: those that have records of their own; `other`: methods that no dialect has. */
  readonly requests: Readonly<Record<string, number>>;
};

export type OnSession = (summary: SessionSummary) => void;

export type SessionCount = {
  heard(message: RpcMessage): void;
  /** Tells of the session, once, if it asked anything. */
  end(): void;
};

/** A closed list: the names of methods come from peers. */
const COUNTED = new Set([
  'initialize',
  'mcp/initialize',
  'ping',
  'close',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'completion/complete',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);
const CALLS = new Set([
  'tools/call',
  'resources/read',
  'resources/write',
  'prompts/get',
  'mcp/tool/call',
  'mcp/resource/read',
]);

export function createSessionCount(
  parts: { readonly clock: Pick<Clock, 'nowMs'>; readonly onSession: OnSession },
  party: Party,
  transport: Transport,
): SessionCount {
  const sinceMs = parts.clock.nowMs();
  const counts = new Map<string, number>();
  let isOver = false;
  return {
    heard(message) {
      if (message.kind !== 'request') return;
      const { method } = message;
      const name = COUNTED.has(method) ? method : CALLS.has(method) ? 'calls' : 'other';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    end() {
      if (isOver) return;
      isOver = true;
      if (counts.size === 0) return;
      parts.onSession({
        party,
        transport,
        sinceMs,
        endedMs: parts.clock.nowMs(),
        requests: Object.fromEntries([...counts].sort()),
      });
    },
  };
}
