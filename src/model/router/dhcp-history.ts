// What a node remembers of how hosts got their addresses without having been asked: what servers on its ports offered as it passed, when their
// hosts said that nobody listens there, and what servers said to the node itself when hosts on its ports had asked twice in vain.
// Which host asked is not in here. Ages are by the node's own monotonic clock.
import type { DhcpAnswer, DhcpOffer } from './dhcp.ts';

/** The same was offered for one network, from the first time to the last. */
export type PassedOffer = DhcpOffer & {
  readonly ifname: string;
  /** Who sent it. */
  readonly from: string;
  /** The relay's address in the network that it is for; absent: it was for the port's own. */
  readonly gateway?: string;
  readonly fromAgoMs: number;
  readonly untilAgoMs: number;
};

/** A host said that nobody listens for DHCP there, one time after another. */
export type DhcpRefusals = {
  readonly ifname: string;
  readonly server: string;
  readonly fromAgoMs: number;
  readonly untilAgoMs: number;
};

/** Hosts of a port had asked in vain: what servers that hosts there had chosen before said to the node then. */
export type DhcpDoubt = { readonly agoMs: number; readonly answers: readonly DhcpAnswer[] };

export type WatchedDhcp = {
  readonly offers: readonly PassedOffer[];
  readonly refusals: readonly DhcpRefusals[];
  readonly doubts: readonly DhcpDoubt[];
};

/** What the passive listener hands over of one packet. */
export type DhcpSign = { readonly ifname: string } & (
  | ({ readonly what: 'offered'; readonly from: string; readonly gateway?: string } & DhcpOffer)
  | { readonly what: 'refused'; readonly server: string }
  /** A client looks for servers; the same transaction twice is an answer that did not come. */
  | { readonly what: 'asked'; readonly transaction: number }
  /** It was answered, and takes what this server offered. */
  | { readonly what: 'chosen'; readonly transaction: number; readonly server: string }
);
