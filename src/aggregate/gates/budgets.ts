// How much one account may call (AX-17): calls a minute, and mutable calls and cost units in one budget session. An account is who the
// certificate names, so that a new connection brings no new budget.
import type { Clock } from '#base/clock.ts';

export type Budget = {
  readonly callsPerMinute: number;
  readonly mutableCallsPerSession: number;
  readonly costUnitsPerSession: number;
  /** After so long without a break the counts of a session begin again. */
  readonly sessionMinutes: number;
};

export const DEFAULT_BUDGET: Budget = {
  callsPerMinute: 600,
  mutableCallsPerSession: 1_000,
  costUnitsPerSession: 100_000,
  sessionMinutes: 1_440,
};

export type Spending = { readonly isMutable: boolean; readonly cost: number };

export type Spent = {
  readonly account: string;
  readonly callsInMinute: number;
  readonly mutableCalls: number;
  readonly costUnits: number;
};

export type Budgets = {
  /** Takes from the account, or says which bound is reached and takes nothing. */
  take(account: string, spending: Spending): string | undefined;
  spent(): readonly Spent[];
  /** What each account may spend. */
  readonly budget: Budget;
};

type Account = { minute: number; calls: number; session: number; mutableCalls: number; costUnits: number };

const MINUTE_MS = 60_000;
/** Accounts whose counts are kept; the one that was used least recently goes. */
const ACCOUNTS = 10_000;

export function createBudgets(budget: Budget, clock: Pick<Clock, 'monotonicMs'>): Budgets {
  const accounts = new Map<string, Account>();
  const current = (name: string): Account => {
    const minute = Math.floor(clock.monotonicMs() / MINUTE_MS);
    const session = Math.floor(minute / budget.sessionMinutes);
    const known = accounts.get(name) ?? { minute, calls: 0, session, mutableCalls: 0, costUnits: 0 };
    if (known.minute !== minute) Object.assign(known, { minute, calls: 0 });
    if (known.session !== session) Object.assign(known, { session, mutableCalls: 0, costUnits: 0 });
    if (accounts.size > ACCOUNTS - 1 || !accounts.has(name)) keep(accounts, name, known);
    return known;
  };
  return {
    budget,
    take(name, { isMutable, cost }) {
      const account = current(name);
      if (account.calls + 1 > budget.callsPerMinute) return `max_calls_per_minute is ${budget.callsPerMinute}`;
      if (isMutable && account.mutableCalls + 1 > budget.mutableCallsPerSession)
        return `max_mutable_calls_per_session is ${budget.mutableCallsPerSession}`;
      if (account.costUnits + cost > budget.costUnitsPerSession)
        return `max_cost_units_per_session is ${budget.costUnitsPerSession}`;
      account.calls += 1;
      if (isMutable) account.mutableCalls += 1;
      account.costUnits += cost;
      return undefined;
    },
    spent: () =>
      [...accounts].map(([account, { calls, mutableCalls, costUnits }]) => ({
        account,
        callsInMinute: calls,
        mutableCalls,
        costUnits,
      })),
  };
}

function keep(accounts: Map<string, Account>, name: string, account: Account): void {
  accounts.delete(name);
  accounts.set(name, account);
  const oldest = accounts.keys().next().value;
  if (accounts.size > ACCOUNTS && oldest !== undefined) accounts.delete(oldest);
}

/** As the answer to a registration names them (MCP-AX §6.2). */
export function budgetJson(budget: Budget) {
  return {
    max_calls_per_minute: budget.callsPerMinute,
    max_mutable_calls_per_session: budget.mutableCallsPerSession,
    max_cost_units_per_session: budget.costUnitsPerSession,
  };
}
