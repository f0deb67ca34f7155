// The two ends of BGP sessions that are not established: which of their settings cannot go together. An end without an agent is not
// compared, and sessions that are shut are judged by their symptom (symptoms/sessions.ts).
import { interfaceResource, nodeResource } from '#model/names.ts';
import type { BgpSession, BgpState } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { ownEnd, ownerOf, peerEnd, type World } from '../../network/world.ts';
import { bfdSymptom, bgpSymptom, isUp, type SessionEnds, sessionsOf, wasUp } from '../../symptoms/sessions.ts';
import { type BgpEnd, contradictions, isConnected, settingsOf } from './bgp-settings.ts';
import type { Difference, Mismatch, SessionEnd } from './mismatch.ts';

export function bgpMismatches(file: CaseFile): readonly Mismatch[] {
  const sessions = sessionsOf(file.world);
  const found = bgpSymptom.of(file).flatMap((symptom) => {
    const session = sessions.find(
      ({ near }) => near.node === symptom.detail.node && near.row.peer === symptom.detail.peer,
    );
    const mismatch = session === undefined ? undefined : compared(file, session, symptom);
    return mismatch === undefined ? [] : [mismatch];
  });
  // A session by other addresses at the two ends has a symptom at each.
  return [...new Map(found.map((mismatch) => [mismatch.symptoms.map(({ id }) => id).join(' '), mismatch])).values()];
}

function compared(file: CaseFile, session: SessionEnds, symptom: Symptom): Mismatch | undefined {
  const { near, far } = session;
  const bgp = far === undefined ? undefined : file.world.views.get(far.node)?.state.bgp;
  if (far === undefined || bgp === undefined) return undefined;
  if (near.row.shutdown || far.row?.shutdown === true) return shut(file, session, symptom);
  const pair = far.row ?? byOtherAddress(file.world, session);
  if (pair === undefined) return missing(file, session, bgp, symptom);
  const [one, other] = [endAt(file.world, near.node, near.row, far.node), endAt(file.world, far.node, pair, near.node)];
  const ends = near.node < far.node ? ([one!, other!] as const) : ([other!, one!] as const);
  const isOther = far.row === undefined;
  const differences = isOther ? [addresses(ends)] : contradictions(file.world, ends);
  const others = isOther ? bgpSymptom.of(file).filter(({ detail }) => isRow(detail, far.node, pair)) : [];
  return mismatchOf(session, differences, [symptom, ...others], settingsOf(ends));
}

function isRow(detail: { readonly node: string; readonly peer: string }, node: string, row: BgpSession): boolean {
  return detail.node === node && detail.peer === row.peer;
}

function endAt(world: World, node: string, row: BgpSession, towards: string): BgpEnd {
  const bgp = world.views.get(node)!.state.bgp!;
  const others = bgp.sessions.filter((each) => each !== row && peerEnd(world, node, each.peer)?.node !== towards);
  return { node, row, others, bgp };
}

/** A session of the far end with the near one, by an address that the near end does not use for it. */
function byOtherAddress(world: World, { near, far }: SessionEnds): BgpSession | undefined {
  const isTheirs = ({ near: own, far: other }: SessionEnds) =>
    own.node === far?.node && other?.node === near.node && other.row === undefined && !isUp(own.row);
  return sessionsOf(world).find(
    (each) => isTheirs(each) && each.near.row.peer.includes(':') === near.row.peer.includes(':'),
  )?.near.row;
}

function addresses([near, far]: readonly [BgpEnd, BgpEnd]): Difference {
  const source = ({ updateSource }: BgpSession) => (updateSource === undefined ? '' : ` from ${updateSource}`);
  return {
    words: `${nodeRef(near.node)} connects to ${nodeRef(far.node)} at ${near.row.peer}${source(near.row)}, which connects to ${nodeRef(near.node)} at ${far.row.peer}${source(far.row)}`,
    odd: [],
  };
}

/** The far end may have it where its state does not list all of its sessions. */
function missing(file: CaseFile, session: SessionEnds, bgp: BgpState, symptom: Symptom): Mismatch | undefined {
  const { near, far } = session;
  if (bgp.unlisted === true || far === undefined || hasLostAddress(file.world, near, bgp)) return undefined;
  const differences: readonly Difference[] = [
    {
      words: `${nodeRef(near.node)} has a session with ${nodeRef(far.node)} (${near.row.peer}), ${nodeRef(far.node)} has none with ${nodeRef(near.node)}`,
      // It was up: then the far end has had it.
      odd: wasUp(file.world, near.node, near.row) || near.row.established > 0 ? [far.node] : [],
      confidence: 'likely',
    },
  ];
  return mismatchOf(session, differences, [symptom, ...bfdBetween(file, near.node, far.node)], []);
}

/** The far end's session may be one with an address that the near end has no longer, as when its port is gone. */
function hasLostAddress(world: World, { node, row }: SessionEnds['near'], far: BgpState): boolean {
  const isAlike = ({ peer }: BgpSession) => peer.includes(':') === row.peer.includes(':');
  const unowned = far.sessions.some((each) => !isUp(each) && isAlike(each) && ownerOf(world, each.peer) === undefined);
  return unowned && !isConnected(world, node, row.peer);
}

/** The symptom says that it was up while the nodes watched. */
function shut(file: CaseFile, session: SessionEnds, symptom: Symptom): Mismatch | undefined {
  const { near, far } = session;
  if (far?.row === undefined && !near.row.shutdown) return undefined;
  const [at, row, other] = near.row.shutdown ? [near.node, near.row, far!.node] : [far!.node, far!.row!, near.node];
  const words = `${nodeRef(at)} has shut its session with ${nodeRef(other)} (\`neighbor ${row.peer} shutdown\`), which was up before`;
  const symptoms = [symptom, ...bfdBetween(file, near.node, far!.node)];
  return mismatchOf(session, [{ words, odd: [at], confidence: 'likely' }], symptoms, []);
}

/** BFD sessions that ended with the BGP session that had asked for them. */
function bfdBetween(file: CaseFile, one: string, other: string): readonly Symptom[] {
  return bfdSymptom.of(file).filter(({ nodes }) => nodes.includes(one) && nodes.includes(other));
}

function mismatchOf(
  { near, far, link }: SessionEnds,
  [first, ...rest]: readonly Difference[],
  symptoms: readonly Symptom[],
  sideBySide: readonly string[],
): Mismatch | undefined {
  if (first === undefined) return undefined;
  const end = (node: string): SessionEnd => ({
    node,
    resource: link === undefined ? nodeResource(node) : interfaceResource(ownEnd(link, node)),
  });
  const [left, right] = [near.node, far!.node].sort();
  const ends = [end(left!), end(right!)] as const;
  const sorted = [...symptoms].sort((one, other) => (one.id < other.id ? -1 : 1));
  return { protocol: 'BGP', ends, differences: [first, ...rest], sideBySide, symptoms: sorted };
}
