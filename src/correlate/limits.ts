// Bounds of correlate: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const CORRELATE_LIMITS = {
  /** Proposals that are weighed against each other in one diagnosis. */
  rankedProposals: 12,
  /** Links that an answer and its report list with what says that they are there. */
  linkRows: 2_000,
  /** Remarks about links that one end alone claims, or that are contradicted. */
  oddLinks: 20,
  /** Moments of the past that one question looks at. */
  pastMoments: 16,
} as const;
