// Who gets a place in the reflector's memory. Sessions that prove a question's key, those of the neighbours whose links this node monitors, and
// all others have places of their own, so that a flood of made-up sessions takes none from a measurement; and of each kind one source, or one
// question, gets a share. An idle session gives way. Pure: time is an argument.
import { parsePrefix } from '#base/ip.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type PlaceKind = 'proven' | 'neighbour' | 'other';
/** `owner`: the key's name, the neighbour's address, or the network of the source. */
export type Claimant = { readonly kind: PlaceKind; readonly owner: string };

const PLACES: Readonly<Record<PlaceKind, { readonly most: number; readonly mostOfOne: number }>> = {
  proven: { most: HELPER_LIMITS.reflectorSessions, mostOfOne: HELPER_LIMITS.reflectorSessionsOfQuestion },
  neighbour: { most: HELPER_LIMITS.reflectorNeighbourSessions, mostOfOne: HELPER_LIMITS.reflectorSessionsOfNeighbour },
  other: { most: HELPER_LIMITS.reflectorOtherSessions, mostOfOne: HELPER_LIMITS.reflectorSessionsOfSource },
};

export type Places<Session> = {
  /** Found again as the latest; undefined where `key` has no place. */
  find(key: string): Session | undefined;
  /** A place for `fresh`; false where none is free. */
  take(key: string, claimant: Claimant, fresh: Session): boolean;
  readonly size: number;
};

export function createPlaces<Session extends { lastMs: number }>(): Places<Session> {
  type Held = { readonly session: Session; readonly claimant: Claimant };
  const held: Readonly<Record<PlaceKind, Map<string, Held>>> = {
    proven: new Map(),
    neighbour: new Map(),
    other: new Map(),
  };
  const counts = new Map<string, number>();
  const count = ({ kind, owner }: Claimant, by: number) => {
    const name = `${kind} ${owner}`;
    const total = (counts.get(name) ?? 0) + by;
    if (total === 0) counts.delete(name);
    else counts.set(name, total);
  };
  const release = (key: string, { claimant }: Held) => {
    held[claimant.kind].delete(key);
    count(claimant, -1);
  };
  /** The longest unused one, of this owner where one is given, gives way if it is idle. */
  const makeRoom = (sessions: Map<string, Held>, nowMs: number, owner?: string): boolean => {
    for (const [key, each] of sessions) {
      if (owner !== undefined && each.claimant.owner !== owner) continue;
      if (nowMs - each.session.lastMs < HELPER_LIMITS.reflectorIdleMs) return false;
      release(key, each);
      return true;
    }
    return false;
  };
  return {
    get size() {
      return held.proven.size + held.neighbour.size + held.other.size;
    },
    find(key) {
      for (const sessions of Object.values(held)) {
        const known = sessions.get(key);
        if (known === undefined) continue;
        sessions.delete(key);
        sessions.set(key, known);
        return known.session;
      }
      return undefined;
    },
    take(key, claimant, fresh) {
      const { kind, owner } = claimant;
      const sessions = held[kind];
      const { most, mostOfOne } = PLACES[kind];
      const isShareFull = (counts.get(`${kind} ${owner}`) ?? 0) >= mostOfOne;
      if (isShareFull && !makeRoom(sessions, fresh.lastMs, owner)) return false;
      if (sessions.size >= most && !makeRoom(sessions, fresh.lastMs)) return false;
      sessions.set(key, { session: fresh, claimant });
      count(claimant, 1);
      return true;
    },
  };
}

const SITE_BITS = 64n;

/** Of IPv6 its network of 64 bits, as one host can send from every address of it, of link-local ones on each port; of IPv4 the address. */
export function sourceNetwork(address: string): string {
  const [plain = '', zone] = address.split('%');
  const prefix = parsePrefix(plain);
  if (prefix?.family !== 6) return address;
  return `${(prefix.value >> SITE_BITS).toString(16)}::/64${zone === undefined ? '' : `%${zone}`}`;
}
