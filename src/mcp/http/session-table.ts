// HTTP sessions by id. An id is valid only with the certificate that it was issued to: a leaked id is worthless to any other party.
// Bounded in total and per party; a party's least recently used session is dropped first, one that its client listens to last.
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import { MCP_LIMITS } from '../limits.ts';

export type SessionTable<T> = {
  /** The new session's id; undefined when the table is full of other parties' sessions. */
  add(party: Party, make: (id: string) => T): { readonly id: string; readonly session: T } | undefined;
  /** `foreign` is for the log: a peer must not learn that the id exists. */
  find(id: string, party: Party): T | 'unknown' | 'foreign';
  remove(id: string): void;
  clear(): void;
};

const ID_BYTES = 16;

export function createSessionTable<T extends object>(
  random: Random,
  dispose: (session: T) => void,
  isLive: (session: T) => boolean = () => false,
): SessionTable<T> {
  /** In the order of last use. */
  const entries = new Map<string, { readonly owner: string; readonly session: T }>();
  const remove = (id: string) => {
    const entry = entries.get(id);
    if (!entries.delete(id) || entry === undefined) return;
    dispose(entry.session);
  };
  return {
    add(party, make) {
      const owner = ownerOf(party);
      const owned = [...entries].filter(([, entry]) => entry.owner === owner);
      if (owned.length >= MCP_LIMITS.httpSessionsPerParty) {
        const [id] = owned.find(([, { session }]) => !isLive(session)) ?? owned[0]!;
        remove(id);
      }
      if (entries.size >= LIMITS.sessions) return undefined;
      const id = randomHex(random, ID_BYTES);
      const session = make(id);
      entries.set(id, { owner, session });
      return { id, session };
    },
    find(id, party) {
      const entry = entries.get(id);
      if (entry === undefined) return 'unknown';
      if (entry.owner !== ownerOf(party)) return 'foreign';
      entries.delete(id);
      entries.set(id, entry);
      return entry.session;
    },
    remove,
    clear() {
      for (const id of [...entries.keys()]) remove(id);
    },
  };
}

/** A session belongs to a certificate, and to the grant of its token; the local operator has neither and is known by kind and name. */
function ownerOf(party: Party): string {
  if (party.token !== undefined) return `${party.thumbprint} ${party.token.key}`;
  return party.thumbprint ?? `local/${party.kind}/${party.domain}/${party.name}`;
}
