// What a node remembers of how hosts got their addresses without having been asked: what servers on its ports offered as it passed, when their
// hosts answered that nothing listens there, and what servers answered to the node itself after hosts on its ports had asked twice in vain.
// Which host asked is not in here. Ages are by the node's own monotonic clock.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { count, rows, text, type Wire } from '../wire/fields.ts';
import { type DhcpOffer, dhcpAnswer, dhcpOffer } from './dhcp.ts';

/** The same was offered for one network, from the first time to the last. */
export type PassedOffer = Wire<typeof passedOffer>;
export const passedOffer = z.object({
  ...dhcpOffer.shape,
  ifname: text,
  /** The sender. */
  from: text,
  /** The relay's address in the network that it is for; absent: it was for the port's own. */
  gateway: text.exactOptional(),
  fromAgoMs: count,
  untilAgoMs: count,
});

/** A host answered that nothing listens for DHCP there, one time after another. */
export type DhcpRefusals = Wire<typeof dhcpRefusals>;
export const dhcpRefusals = z.object({ ifname: text, server: text, fromAgoMs: count, untilAgoMs: count });

/** Hosts of a port had asked in vain: what servers that hosts there had chosen before answered to the node then. */
export const dhcpDoubt = z.object({ agoMs: count, answers: rows(dhcpAnswer, LIMITS.dhcpAsks) });

export type WatchedDhcp = Wire<typeof watchedDhcp>;
export const watchedDhcp = z.object({
  offers: rows(passedOffer, LIMITS.observedOffers),
  refusals: rows(dhcpRefusals, LIMITS.dhcpFailures),
  doubts: rows(dhcpDoubt, LIMITS.dhcpFailures),
});

/** What the passive listener hands over of one packet. */
export type DhcpSign = { readonly ifname: string } & (
  | ({ readonly what: 'offered'; readonly from: string; readonly gateway?: string } & DhcpOffer)
  | { readonly what: 'refused'; readonly server: string }
  /** A client looks for servers; the same transaction twice is an answer that did not arrive. */
  | { readonly what: 'asked'; readonly transaction: number }
  /** It was answered, and takes what this server offered. */
  | { readonly what: 'chosen'; readonly transaction: number; readonly server: string }
);
