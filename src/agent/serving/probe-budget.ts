// What one asker may have this node send, so that it uses up neither the node's probes nor those of the nodes that are asked for it: packets and
// bytes a minute, TCP ports of no well-known service, and a share of what the node sends at any instant. The asker is who stands behind the call
// (docs/decisions/0046-the-asker-travels.md). What another node says of who asked is its own word, so that its askers have accounts apart from
// those of the same name elsewhere, and all of them together are bounded by an account of that node, as its TLS certificate names it.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { ProbeAmount, ProbeCost } from '#model/links/probe-cost.ts';
import type { AdmittedCall } from '#model/ports.ts';
import { HELPER_LIMITS } from '#router/helper/limits.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** `through`: the node that called for the asker; absent where the asker called this node itself. */
export type Payer = { readonly asker: string; readonly through?: string };

/** To be called once: what the call was answered with, or failed with. */
export type Settle = (outcome: { readonly error?: unknown }) => void;

export type ProbeBudget = {
  /**
   * Takes what the call costs; waits a bounded time where the asker's or the node's share at this instant is taken. The returned function gives
   * the share back, and the packets as well where the call failed before it sent anything. Rejects with `caller/probe-budget`, which says when to
   * try again, or that the call can never pass; and with the signal's reason.
   */
  take(payer: Payer, cost: ProbeCost, signal: AbortSignal): Promise<Settle>;
};

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const KINDS = ['packets', 'bytes'] as const;
const METERED = [...KINDS, 'ports'] as const;
const WORDS = {
  packets: 'packets of probes',
  bytes: 'bytes of probes',
  ports: 'TCP ports other than 53, 80, 443 and 8080',
} as const satisfies Readonly<Record<(typeof METERED)[number], string>>;

type PerMinute = ProbeAmount & { readonly ports: number };
type Share = { readonly perMinute: PerMinute; readonly perSecond: ProbeAmount; readonly runs: number };
type Running = ProbeAmount & { readonly runs: number; isOpen: boolean; untilMs: number };
type Account = {
  /** For the words of a refusal. */
  readonly name: string;
  readonly share: Share;
  packets: number;
  bytes: number;
  ports: number;
  atMs: number;
  readonly running: Set<Running>;
  waiting: number;
};
type Caller = { readonly all: Account | undefined; readonly askers: Map<string, Account> };

const OF_ASKER: Share = {
  perMinute: {
    packets: AGENT_LIMITS.askerPacketsPerMinute,
    bytes: AGENT_LIMITS.askerBytesPerMinute,
    ports: AGENT_LIMITS.askerPortsPerMinute,
  },
  perSecond: { packets: AGENT_LIMITS.askerPacketsPerSecond, bytes: AGENT_LIMITS.askerBytesPerSecond },
  runs: AGENT_LIMITS.askerProbeRuns,
};
const OF_CALLER = times(OF_ASKER, AGENT_LIMITS.callerShares);
const OF_NODE: Share = {
  perMinute: {
    packets: Number.POSITIVE_INFINITY,
    bytes: Number.POSITIVE_INFINITY,
    ports: AGENT_LIMITS.nodePortsPerMinute,
  },
  perSecond: { packets: HELPER_LIMITS.probePacketsPerSecondOfNode, bytes: HELPER_LIMITS.probeBytesPerSecondOfNode },
  runs: HELPER_LIMITS.helperProbeRuns,
};

/** Refused before a packet was sent. */
const SENT_NOTHING: ReadonlySet<string> = new Set([
  'caller/bad-argument',
  'caller/off-link',
  'caller/source-address',
  'caller/unknown-command',
  'caller/unknown-vrf',
  'node/helper-busy',
  'node/helper-unreachable',
  'node/no-loopback',
  'node/probe-not-permitted',
]);

export function createProbeBudget(clock: Pick<Clock, 'monotonicMs' | 'sleep'>): ProbeBudget {
  const node = openAccount('all askers', OF_NODE, clock.monotonicMs());
  const callers = new Map<string, Caller>();
  const accountsOf = ({ asker, through }: Payer): readonly [Account, ...Account[]] => {
    const nowMs = clock.monotonicMs();
    const isUnused = (account: Account) => isIdle(account, nowMs);
    // Callers are named by their certificates: no text that a caller makes up is a key here.
    const caller = ofMap(callers, through ?? '', AGENT_LIMITS.probeCallers, {
      isUnused: ({ all, askers }) => (all === undefined || isUnused(all)) && [...askers.values()].every(isUnused),
      open: () => ({
        all: through === undefined ? undefined : openAccount(`all that ${through} asks for`, OF_CALLER, nowMs),
        askers: new Map(),
      }),
    });
    const own = ofMap(caller.askers, asker, AGENT_LIMITS.probeAskers, {
      isUnused,
      open: () => openAccount(through === undefined ? asker : `${asker} through ${through}`, OF_ASKER, nowMs),
    });
    const accounts: readonly [Account, ...Account[]] = [own, ...(caller.all === undefined ? [] : [caller.all]), node];
    for (const account of accounts) refill(account, nowMs);
    return accounts;
  };
  return {
    async take(payer, cost, signal) {
      const accounts = accountsOf(payer);
      const [own] = accounts;
      refuseLarge(own, cost);
      const deadlineMs = clock.monotonicMs() + AGENT_LIMITS.probeShareMs;
      // Accounts with a call that waits are not forgotten: they stay the same throughout.
      own.waiting += 1;
      try {
        for (;;) {
          const nowMs = clock.monotonicMs();
          for (const account of accounts) {
            refill(account, nowMs);
            refuseOverMinute(account, cost);
          }
          const full = accounts.flatMap((account) => fullShare(account, cost) ?? [])[0];
          if (full === undefined) return charge(accounts, cost, clock);
          if (nowMs >= deadlineMs || own.waiting > AGENT_LIMITS.probeShareWaiting) throw over(full, 1);
          await clock.sleep(AGENT_LIMITS.probeShareTurnMs, signal);
        }
      } finally {
        own.waiting -= 1;
      }
    },
  };
}

function charge(accounts: readonly Account[], cost: ProbeCost, clock: Pick<Clock, 'monotonicMs'>): Settle {
  const startedMs = clock.monotonicMs();
  const run: Running = { ...cost.perSecond, runs: cost.runs ?? 1, isOpen: true, untilMs: Number.POSITIVE_INFINITY };
  for (const account of accounts) {
    for (const kind of METERED) account[kind] += cost[kind] ?? 0;
    account.running.add(run);
  }
  return ({ error }) => {
    const sentNothing = error instanceof ParleyError && SENT_NOTHING.has(error.code);
    run.isOpen = false;
    run.untilMs = cost.isBurst === true && !sentNothing ? startedMs + SECOND_MS : clock.monotonicMs();
    if (!sentNothing) return;
    for (const account of accounts)
      for (const kind of METERED) account[kind] = Math.max(0, account[kind] - (cost[kind] ?? 0));
  };
}

/** What no wait would let pass, as the account is too small for it. */
function refuseLarge({ name, share }: Account, cost: ProbeCost): void {
  for (const kind of KINDS) {
    if (cost[kind] > share.perMinute[kind])
      throw tooLarge(`${share.perMinute[kind]} ${kind} in one call for ${name}`, cost[kind]);
    if (cost.perSecond[kind] > share.perSecond[kind])
      throw tooLarge(`${share.perSecond[kind]} ${kind} a second for ${name}`, cost.perSecond[kind]);
  }
}

function refuseOverMinute(account: Account, cost: ProbeCost): void {
  for (const kind of METERED) {
    const most = account.share.perMinute[kind];
    const beyond = account[kind] + (cost[kind] ?? 0) - most;
    if (beyond > 0)
      throw over(
        `${most} ${WORDS[kind]} a minute for ${account.name}`,
        Math.ceil((beyond / most) * (MINUTE_MS / SECOND_MS)),
      );
  }
}

/** Which share at this instant has no room for the call, in words; undefined where it fits. */
function fullShare({ name, share, running }: Account, cost: ProbeCost): string | undefined {
  const all = [...running];
  const runs = all.reduce((total, run) => total + (run.isOpen ? run.runs : 0), cost.runs ?? 1);
  if (runs > share.runs) return `${share.runs} probe runs at once for ${name}`;
  const kind = KINDS.find(
    (each) => all.reduce((total, run) => total + run[each], cost.perSecond[each]) > share.perSecond[each],
  );
  return kind === undefined ? undefined : `${share.perSecond[kind]} ${kind} of probes a second for ${name}`;
}

function openAccount(name: string, share: Share, atMs: number): Account {
  return { name, share, packets: 0, bytes: 0, ports: 0, atMs, running: new Set(), waiting: 0 };
}

/** What was used is forgotten evenly over a minute. */
function refill(account: Account, nowMs: number): void {
  const part = (nowMs - account.atMs) / MINUTE_MS;
  if (part > 0)
    for (const kind of METERED) account[kind] = Math.max(0, account[kind] - part * account.share.perMinute[kind]);
  account.atMs = nowMs;
  for (const run of account.running) if (run.untilMs <= nowMs) account.running.delete(run);
}

/** It is as it was opened: to forget no asker gets a second budget by it. */
function isIdle(account: Account, nowMs: number): boolean {
  refill(account, nowMs);
  return METERED.every((kind) => account[kind] === 0) && account.running.size === 0 && account.waiting === 0;
}

type Entry<Value> = { readonly isUnused: (value: Value) => boolean; readonly open: () => Value };

/** Opens what is not there. Where the map is full it forgets what is unused, and refuses where nothing is. */
function ofMap<Value>(all: Map<string, Value>, key: string, most: number, { isUnused, open }: Entry<Value>): Value {
  const there = all.get(key);
  if (there !== undefined) return there;
  if (all.size >= most) for (const [each, value] of all) if (isUnused(value)) all.delete(each);
  if (all.size >= most) throw over(`${most} askers of one caller, or callers, in a minute`, 1);
  const opened = open();
  all.set(key, opened);
  return opened;
}

function times({ perMinute, perSecond, runs }: Share, factor: number): Share {
  const scaled = ({ packets, bytes }: ProbeAmount) => ({ packets: factor * packets, bytes: factor * bytes });
  return {
    perMinute: { ...scaled(perMinute), ports: factor * perMinute.ports },
    perSecond: scaled(perSecond),
    runs: factor * runs,
  };
}

function over(most: string, retryAfterSeconds: number): ParleyError {
  return new ParleyError(
    'caller/probe-budget',
    `expected at most ${most} at this node, got more: try again in ${retryAfterSeconds} s`,
    {
      data: { wireCode: WIRE_CODES.busy, wireMessage: 'probe budget used up', retryPossible: true, retryAfterSeconds },
    },
  );
}

function tooLarge(most: string, got: number): ParleyError {
  return new ParleyError(
    'caller/probe-budget',
    `expected at most ${most} at this node, got ${Math.round(got)}: ask for less`,
    {
      data: { wireCode: WIRE_CODES.invalidParams, wireMessage: 'more than the probe budget', retryPossible: false },
    },
  );
}

/** `operator/alice`, `node/pe1` or `users of pe1`: users without a certificate count together, as a node may name any number of them. */
export function payerOf({ caller, behind }: Pick<AdmittedCall, 'caller' | 'behind'>, self: Party): Payer {
  if (caller.kind === 'operator' && caller.thumbprint === undefined) return { asker: `users of ${self.name}` };
  const own = `${caller.kind}/${caller.name}`;
  if (caller.kind !== 'node') return { asker: own };
  // This node's own part of a question: it named the node itself through which that came.
  const through = caller === self ? behind?.claim?.via.at(-1) : caller.name;
  return { asker: behind?.account ?? own, ...(through === undefined ? {} : { through }) };
}
