// Whether the same call may succeed a little later: `retryPossible` of NET-13, by which controllers decide to try again by themselves. What
// the caller must change, a person must mend, or is a defect, comes back the same.

const PASSING: ReadonlySet<string> = new Set([
  // Held, open or used up by others, who let go of it.
  'caller/candidate-held',
  'caller/commit-open',
  'caller/probe-budget',
  'caller/relay-budget',
  'caller/too-many-questions',
  'node/config-busy',
  'node/helper-busy',
  'peer/relay-busy',
  'us/audit-overloaded',
  'us/audit-stalled',
  'us/too-many-calls',
  // Away or late, as while a daemon or a link restarts.
  'node/frr-unavailable',
  'node/helper-unreachable',
  'node/netconf-unreachable',
  'node/table-unsteady',
  'node/timeout',
  'node/unreachable',
  'peer/timeout',
  'peer/unreachable',
  'us/stopping',
]);

/** By the code of a ParleyError. */
export function canRetryHelp(code: string): boolean {
  return PASSING.has(code);
}
