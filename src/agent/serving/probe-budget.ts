// What one asker may have this node send, so that it uses up neither the node's probes nor those of the nodes that are asked for it: packets and
// bytes a minute, and runs at once. The asker is who stands behind the call (docs/decisions/0046-the-asker-travels.md); users without a
// certificate count together, by the node that vouches for them: a node may name any number of those.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { ProbeCost } from '#model/links/probe-cost.ts';
import type { AdmittedCall } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type ProbeBudget = {
  /** Takes what the call costs; gives back the run, not the packets. Throws `caller/probe-budget`, which says when to try again. */
  take(asker: string, cost: ProbeCost): () => void;
};

type Account = { packets: number; bytes: number; runs: number; atMs: number };

const MINUTE_MS = 60_000;

export function createProbeBudget(clock: Pick<Clock, 'monotonicMs'>): ProbeBudget {
  /** In the order of last use. */
  const accounts = new Map<string, Account>();
  const accountOf = (asker: string): Account => {
    const nowMs = clock.monotonicMs();
    const known = accounts.get(asker);
    const account = known === undefined ? { packets: 0, bytes: 0, runs: 0, atMs: nowMs } : refilled(known, nowMs);
    accounts.delete(asker);
    if (accounts.size >= AGENT_LIMITS.probeAskers) forgetIdle(accounts);
    accounts.set(asker, account);
    return account;
  };
  return {
    take(asker, cost) {
      const account = accountOf(asker);
      if (account.runs >= AGENT_LIMITS.askerProbeRuns)
        throw over(asker, `${AGENT_LIMITS.askerProbeRuns} probe runs at once`, 1);
      for (const what of ['packets', 'bytes'] as const) {
        const most = MOST[what];
        // A run that is larger than the budget itself waits for no minute: it would wait for ever.
        const beyond = account[what] + cost[what] - Math.max(most, cost[what]);
        if (beyond > 0)
          throw over(asker, `${most} ${what} of probes a minute`, Math.ceil((beyond / most) * (MINUTE_MS / 1_000)));
      }
      account.packets += cost.packets;
      account.bytes += cost.bytes;
      account.runs += 1;
      return () => {
        account.runs -= 1;
      };
    },
  };
}

const MOST = { packets: AGENT_LIMITS.askerPacketsPerMinute, bytes: AGENT_LIMITS.askerBytesPerMinute } as const;

/** What was used is forgotten evenly over a minute. */
function refilled(account: Account, nowMs: number): Account {
  const share = (nowMs - account.atMs) / MINUTE_MS;
  account.packets = Math.max(0, account.packets - share * MOST.packets);
  account.bytes = Math.max(0, account.bytes - share * MOST.bytes);
  account.atMs = nowMs;
  return account;
}

/** The one that was used the longest time ago, of those without a run. */
function forgetIdle(accounts: Map<string, Account>): void {
  for (const [asker, { runs }] of accounts)
    if (runs === 0) {
      accounts.delete(asker);
      return;
    }
}

function over(asker: string, most: string, retryAfterSeconds: number): ParleyError {
  return new ParleyError(
    'caller/probe-budget',
    `expected at most ${most} for ${asker} at this node, got more: try again in ${retryAfterSeconds} s`,
    {
      data: { wireCode: WIRE_CODES.busy, wireMessage: 'probe budget used up', retryPossible: true, retryAfterSeconds },
    },
  );
}

/** `operator/alice`, `node/pe1`, `users of pe1`. */
export function payerOf({ caller, behind }: Pick<AdmittedCall, 'caller' | 'behind'>, self: string): string {
  if (behind?.claim === undefined)
    return caller.kind === 'operator' && caller.thumbprint === undefined
      ? `users of ${self}`
      : `${caller.kind}/${caller.name}`;
  const { claim, label } = behind;
  const asked = claim.via[0] ?? caller.name;
  if (claim.kind === 'local') return `users of ${asked}`;
  if (claim.kind === 'node') return `node/${asked}`;
  return label.replace(/ \(.*$/, '');
}
