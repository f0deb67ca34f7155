// Bounds of correlate. Listed in docs/limits.md.

export const CORRELATE_LIMITS = {
  /** Proposals that one diagnosis weighs against each other. */
  rankedProposals: 12,
  /** Links that an answer and its report list, each with its sources. */
  linkRows: 2_000,
  /** Remarks about links that only one end reports, or whose ends contradict each other. */
  oddLinks: 20,
  /** Remarks of one answer; the rest is counted. */
  remarks: 100,
  /** Findings of one kind in one answer, each on its likeness to others alone, that are believed; more are one remark about the method. */
  alikeFindings: 5,
  /** Places that such a remark names; the rest is counted. */
  alikePlaces: 4,
  /** Times in the history that one question evaluates. */
  pastMoments: 16,
  /** Remembered states for which it looks for such a time: what all nodes may have been then is compared for each. */
  pastStatesTried: 64,
  /** Changes of settings that one finding carries. */
  findingChanges: 8,
  /** Counters and settings of a place without a named fault that differ from others'. */
  differingStates: 8,
  /** Changes of settings that an answer to what changed lists; the rest is counted. */
  toldChanges: 200,
  /** Rows of the table that answers a question for data; the rest is counted. */
  tableRows: 200,
  /** Lines of an answer that say what is not known of changes. */
  unknownChanges: 40,
  /** Rules of one base chain that are followed for a packet; of longer chains it is not known what they do. */
  followedRules: 1_024,
  /** Values of the demands of these rules. */
  followedValues: 8_192,
  /** Rules and values that are looked at for one answer, shared evenly by the nodes; of the rest of a node's rules it is not known what they do. */
  followedSteps: 6_000_000,
  /** Age up to which a change of a setting is shown with a finding: one day. */
  changeAgeMs: 86_400_000,
} as const;
