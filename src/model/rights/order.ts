// An order to stop or to go on, for one node or for the whole domain: numbered, signed by an admin, carried from agent to agent.

/** `reads`: all but reads of callers at the router itself and of admins are refused; `all`: these as well; `none`: nothing is stopped. */
export const ORDER_STOPS = ['none', 'reads', 'all'] as const;
export type OrderStop = (typeof ORDER_STOPS)[number];

export type Order = {
  /** The domain, or one node of it. */
  readonly scope: { readonly kind: 'domain' } | { readonly kind: 'node'; readonly node: string };
  readonly domain: string;
  /** The highest number of a scope counts. */
  readonly number: number;
  readonly stop: OrderStop;
  readonly reason: string;
  /** Name of the admin. */
  readonly by: string;
  /** RFC 3339, the admin's clock. */
  readonly time: string;
};

export const ORDER_TOOL = 'parley-order';
