// Clients of MCP 2026-07-28. The revision has no sessions: requests of one party with one view and the same capabilities share a session inside,
// which is made when the first of them comes and forgotten when others need its place: those of the same party before those of any other.
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

type Kept = { readonly key: string; readonly owner: string; readonly session: FrontSession };

export function createModernFront(parts: { readonly clock: Clock; readonly random: Random }): ModernFront {
  const sessions = new Map<string, Kept>();
  const calls = createOpenCalls<WaitingCall>(parts);
  const of = new WeakMap<ModernOut, FrontSession>();
  const end = (id: string) => {
    const found = sessions.get(id);
    sessions.delete(id);
    found?.session.close();
  };
  const ofParty = (owner: string) => [...sessions].filter(([, each]) => each.owner === owner);
  /** The oldest idle one, else the oldest; of the party itself where it has one. */
  const makeRoom = (owner: string) => {
    const own = ofParty(owner);
    const { httpSessions, modernSessionsPerParty } = AGGREGATE_LIMITS;
    if (sessions.size < httpSessions && own.length < modernSessionsPerParty) return;
    const candidates = own.length > 0 ? own : [...sessions];
    const [id] = candidates.find(([, { session }]) => session.isIdle) ?? candidates[0]!;
    end(id);
  };
  const mayListen = (owner: string) =>
    ofParty(owner).reduce((sum, [, { session }]) => sum + session.listenCount, 0) <
    AGGREGATE_LIMITS.aggregatedListensPerParty;
  return {
    request({ party, key, serve }, message, out) {
      const capabilities = objectOf(objectOf(message.params['_meta'])[ENVELOPE.capabilities]);
      const owner = JSON.stringify([party.kind, party.domain, party.name, party.thumbprint, party.token?.key]);
      const id = JSON.stringify([owner, key, canonicalJsonText(capabilities)]);
      let found = sessions.get(id);
      if (found === undefined) {
        makeRoom(owner);
        const init = { party, capabilities, calls, serve, mayListen: () => mayListen(owner) };
        found = { key, owner, session: createFrontSession(init) };
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
