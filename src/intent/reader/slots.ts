// What a question asks, slot by slot, before it becomes an intent.
import type { AskedService, FromHost, RoutingProtocol, Topic } from '#model/intent.ts';

export type Slots = {
  readonly topic: Topic;
  /** Two ends and what lies between, in order; `isDirected`: it was said from which to which. */
  readonly way?: { readonly nodes: readonly string[]; readonly isDirected: boolean };
  /** The two ends of one link. */
  readonly isLink: boolean;
  readonly on: readonly string[];
  readonly except: readonly string[];
  readonly ifname?: string;
  readonly address?: string;
  /** The host from which packets come. */
  readonly fromHost?: FromHost;
  /** The neighbour of a session, where it is not one of the two ends. */
  readonly neighbour?: string;
  readonly protocol?: RoutingProtocol;
  readonly isSrv6: boolean;
  readonly service?: AskedService;
  readonly when?: string;
  readonly isBeforeFault: boolean;
};

/** Why a question is not answered; the first three say nothing of its words. */
export type RefusalReason = 'order' | 'unsupported' | 'unknown-name' | 'unclear' | 'language' | 'off-topic';

export type Refusal = {
  readonly reason: RefusalReason;
  /** For people, without a full stop. */
  readonly words: string;
  /** The question as it may have been meant, to be typed again. */
  readonly didYouMean?: string;
};

export function unclear(words: string): Refusal {
  return { reason: 'unclear', words };
}

export function unsupported(words: string): Refusal {
  return { reason: 'unsupported', words };
}
