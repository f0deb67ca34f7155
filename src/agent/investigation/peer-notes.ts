// Remarks about peers, as a report holds them (TS-13).

import type { PeerTable } from '#model/peer.ts';
import type { PeerNote } from '#model/report.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** Remarks about peers: silent, malformed, lying, outdated (TS-13). A report must stay readable, however many there are. */
export function peerNotesOf(peers: PeerTable): readonly PeerNote[] {
  const notes = peers
    .list()
    .flatMap((record) => record.remarks.map(({ kind, detail }) => ({ node: record.node, kind, detail })));
  const rest = notes.length - AGENT_LIMITS.reportPeerNotes;
  if (rest <= 0) return notes;
  return [...notes.slice(0, AGENT_LIMITS.reportPeerNotes), { node: '', kind: 'more', detail: `${rest} more remarks` }];
}
