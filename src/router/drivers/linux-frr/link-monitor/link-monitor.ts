// Keeps the standing probes over this node's links going: asks the helper for one round after another and remembers what it tells,
// beside how many damaged packets the kernel has noticed. Stops with the agent; a helper that does not answer is asked again later.

import { type Clock, STOPPED } from '#base/clock.ts';
import { slept } from '#base/every.ts';
import type { History } from '#model/router/control-plane.ts';
import type { WatchTarget } from '#model/router/link-monitor.ts';
import type { NodeCounters } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';
import type { MonitorRound } from '../../../protocol/read-operations.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { createMonitorHistory, damagedPackets } from './monitor-history.ts';

export type LinkMonitor = {
  /** What it saw rise, what it sees lose packets again and again, and the rounds themselves where the past is asked about. */
  history(withPast: boolean): Pick<History, 'watch' | 'damage' | 'watched' | 'rises' | 'recurringLosses'>;
  stop(): void;
};

/** `targets`: the links as they are now; `counters`: the kernel's, read once a round. */
export function startLinkMonitor(
  helper: ReadHelper,
  clock: Clock,
  targets: () => readonly WatchTarget[],
  counters: () => Promise<NodeCounters>,
): LinkMonitor {
  const history = createMonitorHistory();
  const stopped = new AbortController();
  const beganMs = clock.monotonicMs();
  const turn = async () => {
    const links = targets();
    if (links.length === 0) await slept(clock, ROUTER_LIMITS.monitorRoundMs, stopped.signal);
    const answer = links.length === 0 ? [] : await askHelper(helper, links, stopped.signal);
    const nowMs = clock.monotonicMs();
    const rounds = answer
      // The helper outlives its agents: what it began to count for an earlier one, and was cut short, is not what this one has watched.
      .filter(({ agoMs, forMs }) => nowMs - agoMs - forMs >= beganMs)
      .map(({ agoMs, forMs: _forMs, ...round }) => ({ ...round, atMs: nowMs - agoMs }));
    history.add(links, rounds, damagedPackets(await counters()), nowMs);
  };
  const run = async () => {
    while (!stopped.signal.aborted)
      await turn().catch(() => slept(clock, ROUTER_LIMITS.monitorRoundMs, stopped.signal));
  };
  void run();
  return {
    history: (withPast) => {
      const nowMs = clock.monotonicMs();
      const rises = history.rises(nowMs);
      const recurringLosses = history.recurringLosses(nowMs);
      return {
        ...(withPast ? history.history(nowMs) : {}),
        ...(rises.length === 0 ? {} : { rises }),
        ...(recurringLosses.length === 0 ? {} : { recurringLosses }),
      };
    },
    stop: () => stopped.abort(STOPPED),
  };
}

function askHelper(
  helper: ReadHelper,
  links: readonly WatchTarget[],
  signal: AbortSignal,
): Promise<readonly MonitorRound[]> {
  return helper.call(
    'link-watch',
    { links },
    { signal, timeoutMs: ROUTER_LIMITS.monitorRoundMs + ROUTER_LIMITS.helperReadMs },
  );
}
