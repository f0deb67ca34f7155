// One direction of one link as a finding about its wire words it: where it lies, and what to look at.
import type { Remedy } from '#model/finding.ts';
import type { LinkEnd } from '#model/names.ts';
import { nodeRef } from '../../network/node-ref.ts';

/** The end that receives, whose port a non-reporting router may not have told. */
export type FarEnd = { readonly node: string; readonly ifname?: string };

export type Stretch = {
  readonly segment: string;
  readonly direction: string;
  readonly interface: string;
  readonly peer: string;
  readonly peerInterface?: string;
};

/** A loss of packets: where it is, and what was measured of it. */
export type LossDetail = Stretch & {
  readonly what?: string;
  readonly lossPercent: number;
  /** Of packets of these lengths in octets alone, as `560 to 720`. */
  readonly lengths?: string;
  readonly probesSent?: number;
  readonly probesLost?: number;
  /** Counted by both ends in the window of the question. */
  readonly txPackets?: number;
  readonly rxPackets?: number;
  readonly lostAtLeast?: number;
  readonly lostAtMost?: number;
  /** Of a time that is over: how long it lasted, and packets that never arrived. */
  readonly seconds?: number;
  readonly lostPackets?: number;
};

/** `measuredBy`: the end that tells; the sending one when absent. */
export function stretchOf(from: LinkEnd, to: FarEnd, measuredBy = from.node): Stretch {
  const other = measuredBy === from.node ? to.node : from.node;
  return {
    segment: `${nodeRef(measuredBy)} – ${nodeRef(other)}`,
    direction: `${nodeRef(from.node)} → ${nodeRef(to.node)}`,
    interface: from.ifname,
    peer: to.node,
    ...(to.ifname === undefined ? {} : { peerInterface: to.ifname }),
  };
}

/** `at`: a node that gives its state, where a technician can check. */
export function cableRemedy(at: string, from: FarEnd, to: FarEnd): Remedy {
  const end = ({ node, ifname }: FarEnd) => (ifname === undefined ? nodeRef(node) : `${nodeRef(node)} ${ifname}`);
  return { node: at, summary: `check cable and optics between ${end(from)} and ${end(to)}` };
}
