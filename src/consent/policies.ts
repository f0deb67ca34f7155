// Changes that an admin has agreed to beforehand, and whose consent a node needs otherwise (TS-28). The agent matches its own settings, the
// configuration helper those that root has given it.

export type ConsentMode = 'required' | 'operator-present' | 'off';

/** A change that an admin has agreed to beforehand. */
export type ConsentPolicy = {
  readonly name: string;
  readonly tool: string;
  /** Who may have it so; every caller of the tool when absent. */
  readonly users?: readonly string[] | undefined;
  /** At most so long before it undoes itself. */
  readonly rollbackSeconds: number;
  /** Covers changes of MTUs, links and filter rules as well; without it only what a configuration holds. */
  readonly live?: boolean | undefined;
};

/** The policy that covers a change; never one that is confirmed at once (`rollbackMs` 0). */
export function policyFor(
  policies: readonly ConsentPolicy[],
  change: { readonly tool: string; readonly user: string; readonly rollbackMs: number; readonly live: boolean },
): ConsentPolicy | undefined {
  const { tool, user, rollbackMs, live } = change;
  return policies.find(
    (each) =>
      each.tool === tool &&
      (each.users === undefined || each.users.includes(user)) &&
      rollbackMs > 0 &&
      rollbackMs <= each.rollbackSeconds * 1_000 &&
      (!live || each.live === true),
  );
}

/** Changes that two admins must agree to. */
export type TwoAdminsRule = {
  readonly name: string;
  /** Every tool when absent. */
  readonly tool?: string | undefined;
  /** Only changes of MTUs, links and filter rules. */
  readonly live?: boolean | undefined;
};

/** The rule by which a change needs two signatures, whatever else is set; undefined when one is enough. */
export function twoAdminsFor(
  rules: readonly TwoAdminsRule[],
  { tool, live }: { readonly tool: string; readonly live: boolean },
): TwoAdminsRule | undefined {
  return rules.find((each) => (each.tool === undefined || each.tool === tool) && (each.live !== true || live));
}
