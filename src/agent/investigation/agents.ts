// Peers that may have an agent. The peer table also has neighbours that LLDP hears without an announcement of one and that no other node knows as a
// peer: switches, and routers without an agent. No node can ask them anything, so they are no part of a question; the proof of health names them.
import type { PeerRecord, PeerTable } from '#model/peer.ts';

export function agentsOf(peers: Pick<PeerTable, 'list'>): readonly string[] {
  return peers
    .list()
    .filter(mayHaveAgent)
    .map(({ node }) => node);
}

/** The peer of this name or spelling, if it may have an agent. */
export function agentCalled(peers: Pick<PeerTable, 'find'>, name: string): readonly string[] {
  const record = peers.find(name);
  return record !== undefined && mayHaveAgent(record) ? [record.node] : [];
}

/** Something says so: a hint, a session, or an announcement that could not be used. */
function mayHaveAgent({ hints, verified, remarks }: PeerRecord): boolean {
  return hints.length > 0 || verified !== undefined || remarks.some(({ kind }) => kind !== 'silent');
}
