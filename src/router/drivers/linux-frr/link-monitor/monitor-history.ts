// The node's memory of its standing probes: five minutes of rounds for each link that it probes, and beside them how many damaged
// packets it had noticed. What late reflections correct is corrected. Bounded in links, rounds and age.
import { LIMITS } from '#base/limits.ts';
import type { History } from '#model/router/control-plane.ts';
import type { LinkRise, RecurringLoss, WatchCounts, WatchTarget, WatchWays } from '#model/router/link-monitor.ts';
import type { NodeCounters } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { type Rise, riseOf } from './delay-onset.ts';
import { recurringLossOf } from './recurring-loss.ts';

export type TakenRound = {
  readonly ifname: string;
  readonly round: number;
  readonly atMs: number;
  readonly counts: WatchCounts;
  readonly ways?: WatchWays;
};

export type MonitorHistory = {
  /** What one call of the helper told: the rounds of these links, the newest still incomplete. */
  add(targets: readonly WatchTarget[], rounds: readonly TakenRound[], damaged: number | undefined, atMs: number): void;
  history(nowMs: number): Pick<History, 'watch' | 'damage' | 'watched'>;
  /** Links over which round trips have risen and stayed so. */
  rises(nowMs: number): readonly LinkRise[];
  /** Links that lose packets again and again, and have not stopped. */
  recurringLosses(nowMs: number): readonly RecurringLoss[];
};

/** Longer without a round than this, and the watch has begun anew. */
const BREAK_MS = 8_000;
/** Told again within this time, a round of the same number is the same one. */
const CORRECTED_MS = 10_000;
/** Number of rounds that nothing corrects any more. */
const EARLIER = -1;

type Kept = { atMs: number; readonly round: number; counts: WatchCounts; ways?: WatchWays };
/** `rise` outlives the rounds that showed it, as long as all that came since are slow. */
type Link = { readonly target: WatchTarget; rounds: Kept[]; rise: Rise | undefined };

export function createMonitorHistory(): MonitorHistory {
  const links = new Map<string, Link>();
  let damage: { readonly atMs: number; readonly packets: number }[] = [];
  let sinceMs: number | undefined;
  let lastMs = 0;
  return {
    add(targets, rounds, damaged, atMs) {
      if (sinceMs === undefined || atMs - lastMs > BREAK_MS) sinceMs = atMs;
      lastMs = atMs;
      for (const target of targets.slice(0, LIMITS.monitoredLinks)) {
        const known = links.get(target.ifname);
        const same = known?.target.far4 === target.far4 && known?.target.far6 === target.far6;
        if (known === undefined || !same) links.set(target.ifname, { target, rounds: [], rise: undefined });
      }
      for (const taken of rounds) note(links.get(taken.ifname), taken);
      if (damaged !== undefined) damage.push({ atMs, packets: damaged });
      const isYoung = (entry: { readonly atMs: number }) => atMs - entry.atMs <= DRIVER_LIMITS.monitorHistoryMs;
      damage = damage.filter(isYoung).slice(-LIMITS.monitorRounds);
      for (const [ifname, link] of links) {
        link.rounds = link.rounds.filter(isYoung).slice(-LIMITS.monitorRounds);
        link.rise = riseOf(link.rounds, link.rise);
        const gone = link.rounds.length === 0 && !targets.some((target) => target.ifname === ifname);
        if (gone) links.delete(ifname);
      }
    },
    rises(nowMs) {
      return [...links.values()].flatMap(({ target, rise }): LinkRise[] => {
        if (rise === undefined) return [];
        const { atMs, ...seen } = rise;
        return [{ ifname: target.ifname, far: farOf(target), agoMs: Math.max(0, Math.round(nowMs - atMs)), ...seen }];
      });
    },
    recurringLosses(nowMs) {
      return [...links.values()].flatMap(({ target, rounds }): RecurringLoss[] => {
        const loss = recurringLossOf(told(rounds), nowMs);
        return loss === undefined ? [] : [{ ifname: target.ifname, far: farOf(target), ...loss }];
      });
    },
    history(nowMs) {
      const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
      const watching = sinceMs !== undefined && nowMs - lastMs <= BREAK_MS;
      return {
        watch: [...links.values()].map(({ target, rounds }) => ({
          ifname: target.ifname,
          far: farOf(target),
          rounds: told(rounds).map(({ atMs, counts }) => [ago(atMs), ...counts] as const),
        })),
        damage: damage.map(({ atMs, packets }) => [ago(atMs), packets] as const),
        watched: watching ? [{ what: 'links', forMs: ago(sinceMs!) }] : [],
      };
    },
  };
}

function farOf({ far4, far6 }: WatchTarget): string[] {
  return [far6, far4].filter((address) => address !== undefined);
}

/** The newest may still be waiting for its answers. */
function told(rounds: readonly Kept[]): readonly Kept[] {
  return rounds.slice(0, -1);
}

function note(link: Link | undefined, { round, atMs, counts, ways }: TakenRound): void {
  if (link === undefined) return;
  const known = link.rounds.find((each) => each.round === round && Math.abs(each.atMs - atMs) <= CORRECTED_MS);
  const entry = { round, counts, ...(ways === undefined ? {} : { ways }) };
  if (known !== undefined) return void Object.assign(known, entry);
  // Counted from the beginning again: the helper is another, or the link was down. What is older is as it was, and its clocks compare with none.
  if (round <= (link.rounds.at(-1)?.round ?? EARLIER))
    link.rounds = link.rounds.map((each) => ({ round: EARLIER, atMs: each.atMs, counts: each.counts }));
  link.rounds.push({ atMs, ...entry });
}

/** Packets whose checksums did not match, of all protocols and of IPv4 headers. */
export function damagedPackets(counters: NodeCounters): number {
  return Object.entries(counters).reduce((sum, [name, value]) => sum + (CHECKSUMS.test(name) ? Number(value) : 0), 0);
}

const CHECKSUMS = /^(?:IpExtInCsumErrors|(?:Udp|Tcp|Icmp)(?:6|Lite)?InCsumErrors|Icmp6InCsumErrors|Udp6InCsumErrors)$/;
