// When rules of a packet filter last dropped anything, as their node remembers it: what meets a rule seldom, a hello every ten seconds
// or a session that is tried every two minutes, need not come by while somebody asks.

export type FilterDrop = {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  readonly handle: number;
  /** How long ago its counter was seen to have moved. */
  readonly agoMs: number;
};
