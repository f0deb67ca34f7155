// Clients of MCP 2026-07-28. The revision has no sessions: requests of one party with one view and the same capabilities share a session inside,
// which is made when the first of them comes and forgotten when others need its place.
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { createOpenCalls } from '#mcp/modern/open-calls.ts';
import type { Party } from '#model/identity.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { objectOf } from '../names/capability.ts';
import type { Link } from '../wire/link.ts';
import type { IncomingRequest } from '../wire/message.ts';
import type { ModernOut } from '../wire/modern-exchange.ts';
import { ENVELOPE } from './envelope.ts';
import { createFrontSession, type FrontSession, type WaitingCall } from './front-session.ts';

export type ModernClient = {
  readonly party: Party;
  /** Tells its requests from those of others with the same party: connection, or view. */
  readonly key: string;
  readonly serve: (link: Link) => void;
};

export type ModernFront = {
  request(client: ModernClient, message: IncomingRequest, out: ModernOut): void;
  /** What goes to `out` is not wanted any more. */
  abandon(out: ModernOut): void;
  /** The connection with this key has ended. */
  forget(key: string): void;
  close(): void;
};

export function createModernFront(parts: { readonly clock: Clock; readonly random: Random }): ModernFront {
  const sessions = new Map<string, { readonly key: string; readonly session: FrontSession }>();
  const calls = createOpenCalls<WaitingCall>(parts);
  const of = new WeakMap<ModernOut, FrontSession>();
  const end = (id: string) => {
    const found = sessions.get(id);
    sessions.delete(id);
    found?.session.close();
  };
  const makeRoom = () => {
    if (sessions.size < AGGREGATE_LIMITS.httpSessions) return;
    const idle = [...sessions].find(([, { session }]) => session.isIdle);
    end(idle?.[0] ?? sessions.keys().next().value!);
  };
  return {
    request({ party, key, serve }, message, out) {
      const capabilities = objectOf(objectOf(message.params['_meta'])[ENVELOPE.capabilities]);
      const id = JSON.stringify([
        party.kind,
        party.domain,
        party.name,
        party.thumbprint,
        key,
        canonicalJsonText(capabilities),
      ]);
      let found = sessions.get(id);
      if (found === undefined) {
        makeRoom();
        found = { key, session: createFrontSession({ party, capabilities, calls, serve }) };
      }
      // The one that was used least recently stands first.
      sessions.delete(id);
      sessions.set(id, found);
      of.set(out, found.session);
      found.session.request(message, out);
    },
    abandon: (out) => of.get(out)?.abandon(out),
    forget(key) {
      for (const [id, each] of [...sessions]) if (each.key === key) end(id);
    },
    close() {
      calls.close();
      for (const id of [...sessions.keys()]) end(id);
    },
  };
}
