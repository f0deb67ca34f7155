// Who owns which segment (AX-4 … AX-8, AX-19, AX-20): first registered wins, an owner keeps its segment over restarts, three missed heartbeats
// lose it, and no aggregator comes below itself. A state machine: time is an argument, and nothing is sent.
import { isSegment } from '../names/names.ts';

export type Registration = {
  /** Survives restarts of the subserver. */
  readonly subserverId: string;
  readonly segment: string;
  /** Proven by the certificate, or undefined. */
  readonly authority: string | undefined;
  /** Name in the certificate of its session; undefined where there is none. */
  readonly node?: string | undefined;
  /** 0: the connection alone decides. */
  readonly heartbeatMs: number;
  /** Ids of the aggregators and subservers below, and its own where it is an aggregator. */
  readonly subtreeIds: readonly string[];
};

export type Member = Registration & {
  readonly sessionId: string;
  readonly state: 'up' | 'degraded';
  /** Of the last heartbeat while up, of the loss while degraded. */
  readonly atMs: number;
};

export type Owner = {
  readonly segment: string;
  readonly subserverId: string;
  readonly authority: string | undefined;
  readonly node?: string | undefined;
  readonly untilMs: number;
};

export type Refusal = {
  readonly kind: 'refused';
  readonly error: 'namespace_conflict' | 'registration_cycle' | 'registration_refused';
  readonly reason: string;
  readonly owner?: { readonly subserverId: string; readonly authority: string | undefined };
};

export type Admitted = {
  readonly kind: 'registered';
  readonly member: Member /** The session that this one takes the place of. */;
  readonly replaced: string | undefined;
};

/** What time alone has done. */
export type Lapse = { readonly segment: string; readonly sessionId: string; readonly what: 'lost' | 'removed' };

export type Registry = {
  /** Why a registration would be refused now. */
  refusal(asked: Registration, nowMs: number): Refusal | undefined;
  register(asked: Registration, sessionId: string, nowMs: number): Admitted | Refusal;
  /** False for a session that is not registered. `subtreeIds`: what stands below now. */
  heartbeat(sessionId: string, nowMs: number, subtreeIds?: readonly string[]): boolean | Refusal;
  /** Its tools go at once. */
  deregister(sessionId: string, nowMs: number): Member | undefined;
  /** The connection has ended. */
  disconnect(sessionId: string, nowMs: number): Member | undefined;
  tick(nowMs: number): readonly Lapse[];
  members(): readonly Member[];
  /** Every id at or below this aggregator, its own first. */
  subtreeIds(): readonly string[];
  owners(): readonly Owner[];
};

export type RegistryInit = {
  readonly aggregatorId: string;
  /** Segments of configured leaves, which no registration gets. */
  readonly reserved: readonly string[];
  readonly graceMs: number;
  /** Time for which a segment is kept for its owner after it has gone. */
  readonly stickyMs: number;
  readonly missedHeartbeats: number;
  readonly most: number;
  readonly owners?: readonly Owner[];
};

export function createRegistry(init: RegistryInit): Registry {
  const members = new Map<string, Member>();
  const owners = new Map((init.owners ?? []).map((owner) => [owner.segment, owner]));
  const bySession = (sessionId: string) => [...members.values()].find((member) => member.sessionId === sessionId);
  const keepOwner = ({ segment, subserverId, authority, node }: Registration, nowMs: number) =>
    owners.set(segment, { segment, subserverId, authority, node, untilMs: nowMs + init.stickyMs });
  const remove = (member: Member, nowMs: number) => {
    members.delete(member.segment);
    keepOwner(member, nowMs);
  };
  const lose = (member: Member, nowMs: number) => {
    if (init.graceMs === 0) remove(member, nowMs);
    else members.set(member.segment, { ...member, state: 'degraded', atMs: nowMs });
  };

  return {
    refusal: (asked, nowMs) => refusalOf(init, members, owners, asked, nowMs),
    register(asked, sessionId, nowMs) {
      const refusal = refusalOf(init, members, owners, asked, nowMs);
      if (refusal !== undefined) return refusal;
      const replaced = members.get(asked.segment);
      const member: Member = { ...asked, sessionId, state: 'up', atMs: nowMs };
      members.set(asked.segment, member);
      keepOwner(asked, nowMs);
      return { kind: 'registered', member, replaced: replaced?.state === 'up' ? replaced.sessionId : undefined };
    },
    heartbeat(sessionId, nowMs, subtreeIds) {
      const member = bySession(sessionId);
      if (member === undefined || member.state !== 'up') return false;
      const next = { ...member, atMs: nowMs, subtreeIds: subtreeIds ?? member.subtreeIds };
      const cycle = subtreeIds === undefined ? undefined : subtreeFault(init, members, next);
      if (cycle !== undefined) {
        remove(member, nowMs);
        return cycle;
      }
      members.set(member.segment, next);
      keepOwner(member, nowMs);
      return true;
    },
    deregister(sessionId, nowMs) {
      const member = bySession(sessionId);
      if (member !== undefined) remove(member, nowMs);
      return member;
    },
    disconnect(sessionId, nowMs) {
      const member = bySession(sessionId);
      if (member?.state !== 'up') return undefined;
      lose(member, nowMs);
      return member;
    },
    tick(nowMs) {
      const lapses: Lapse[] = [];
      for (const member of [...members.values()]) {
        const { segment, sessionId, state, atMs, heartbeatMs } = member;
        if (state === 'up' && heartbeatMs > 0 && nowMs - atMs >= init.missedHeartbeats * heartbeatMs) {
          lose(member, nowMs);
          lapses.push({ segment, sessionId, what: init.graceMs === 0 ? 'removed' : 'lost' });
        } else if (state === 'degraded' && nowMs - atMs >= init.graceMs) {
          remove(member, nowMs);
          lapses.push({ segment, sessionId, what: 'removed' });
        }
      }
      for (const [segment, { untilMs }] of owners)
        if (untilMs <= nowMs && !members.has(segment)) owners.delete(segment);
      return lapses;
    },
    members: () => [...members.values()],
    subtreeIds: () => [
      init.aggregatorId,
      ...new Set([...members.values()].flatMap(({ subserverId, subtreeIds }) => [subserverId, ...subtreeIds])),
    ],
    owners: () => [...owners.values()],
  };
}

function refusalOf(
  init: RegistryInit,
  members: ReadonlyMap<string, Member>,
  owners: ReadonlyMap<string, Owner>,
  asked: Registration,
  nowMs: number,
): Refusal | undefined {
  if (!isSegment(asked.segment))
    return refused('registration_refused', 'expected a segment of a-z, 0-9, "_" and "-", at most 63');
  if (init.reserved.includes(asked.segment))
    return refused('namespace_conflict', `segment ${asked.segment} belongs to a configured server`);
  const holder = members.get(asked.segment) ?? owners.get(asked.segment);
  if (holder !== undefined && !mayTake(holder, asked, nowMs)) {
    const { subserverId, authority } = holder;
    return {
      ...refused('namespace_conflict', `segment ${asked.segment} belongs to another subserver`),
      owner: { subserverId, authority },
    };
  }
  const elsewhere = [...members.values()].find(
    (each) => each.subserverId === asked.subserverId && each.segment !== asked.segment,
  );
  if (elsewhere !== undefined)
    return refused('registration_refused', `this subserver is registered as ${elsewhere.segment}`);
  if (!members.has(asked.segment) && members.size >= init.most)
    return refused('registration_refused', `expected at most ${init.most} subservers`);
  return subtreeFault(init, members, asked);
}

/**
 * The owner itself; or, when it has gone, a subserver that proves the same authority, or any one once it is kept no longer. A refusal tells the id of
 * the owner: an id alone proves nothing where the owner has proven more.
 */
function mayTake(holder: Member | Owner, asked: Registration, nowMs: number): boolean {
  if (holder.subserverId === asked.subserverId && isProvenAs(holder, asked)) return true;
  if ('state' in holder) return false;
  return holder.untilMs <= nowMs || (holder.authority !== undefined && holder.authority === asked.authority);
}

function isProvenAs({ authority, node }: Member | Owner, asked: Registration): boolean {
  if (authority !== undefined) return authority === asked.authority;
  return node === undefined || node === asked.node;
}

/** AX-8: a loop. AX-20: what stands below two members stands below two parents. */
function subtreeFault(
  init: RegistryInit,
  members: ReadonlyMap<string, Member>,
  asked: Registration,
): Refusal | undefined {
  const ids = new Set([asked.subserverId, ...asked.subtreeIds]);
  if (ids.has(init.aggregatorId))
    return refused('registration_cycle', 'this aggregator stands below the one that registers');
  for (const member of members.values()) {
    if (member.segment === asked.segment) continue;
    const shared = [member.subserverId, ...member.subtreeIds].find((id) => ids.has(id));
    if (shared !== undefined)
      return refused(
        'registration_refused',
        `${shared} is registered below ${member.segment}: it has another parent in this tree`,
      );
  }
  return undefined;
}

export function refused(error: Refusal['error'], reason: string): Refusal {
  return { kind: 'refused', error, reason };
}
