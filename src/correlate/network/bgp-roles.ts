// What two neighbours in BGP are to each other (RFC 9234 §4), as the configuration of either end says it.
import type { BgpRole, BgpSession } from '#model/router/control-plane.ts';

/** Of each role the one that the other end must have. */
export const COUNTERPART: Readonly<Record<BgpRole, BgpRole>> = {
  provider: 'customer',
  customer: 'provider',
  peer: 'peer',
  'rs-server': 'rs-client',
  'rs-client': 'rs-server',
};

/** The role of the near end; undefined where neither end says one. */
export function roleOf(near: BgpSession, far: BgpSession | undefined): BgpRole | undefined {
  if (near.role !== undefined) return near.role;
  return far?.role === undefined ? undefined : COUNTERPART[far.role];
}

/** A customer and a peer announce what is theirs and their customers', and nothing else (RFC 7908 §3). */
export function isLeakedBy(role: BgpRole): boolean {
  return role === 'customer' || role === 'peer' || role === 'rs-client';
}
