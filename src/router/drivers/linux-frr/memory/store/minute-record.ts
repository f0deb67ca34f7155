// One minute of a node in few numbers: each monitored link's probes, each interface's counters, what went up and down. Pure.
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { LinkMonitor, WatchRound } from '#model/router/link-monitor.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import type { MinuteRecord } from './records.ts';

/** Late reflections correct a round for so long; only then it is counted. */
export const LATE_MS = 12_000;

/** Rounds that ended within `lengthMs` before `LATE_MS` ago. */
export function linkMinutes(links: readonly LinkMonitor[], lengthMs: number): MinuteRecord['links'] {
  return links.flatMap(({ ifname, rounds }) => {
    const counted = rounds.filter(([agoMs]) => agoMs >= LATE_MS && agoMs < LATE_MS + lengthMs);
    if (counted.length === 0) return [];
    const sum = (of: (round: WatchRound) => number) => counted.reduce((total, round) => total + of(round), 0);
    const delays = counted
      .map(leastRtt)
      .filter((delayUs) => delayUs > 0)
      .sort((one, other) => one - other);
    const sent = sum(([, sent6, , , sent4]) => sent6 + sent4);
    const received = sum(([, , , received6, , , received4]) => received6 + received4);
    return [[ifname, sent, received, delays[0] ?? 0, delays[delays.length >> 1] ?? 0, delays.at(-1) ?? 0] as const];
  });
}

function leastRtt([, , , , , , , leastRttUs]: WatchRound): number {
  return Math.round(leastRttUs);
}

/** What counters of interfaces rose by from one state to another; an interface whose counters began anew is left out. */
export function portMinutes(
  was: NodeState | undefined,
  is: NodeState | undefined,
): Pick<MinuteRecord, 'ports' | 'portsMs'> {
  const portsMs = Math.round((is?.countersReadMs ?? 0) - (was?.countersReadMs ?? 0));
  if (was === undefined || is === undefined || portsMs <= 0) return { ports: [], portsMs: 0 };
  const before = new Map(was.inventory.interfaces.map((entry) => [entry.name, entry]));
  const ports = is.inventory.interfaces
    .filter(({ kind, operUp }) => kind !== 'loopback' && operUp)
    .slice(0, DRIVER_LIMITS.minutePorts)
    .flatMap((now) => {
      const then = before.get(now.name);
      const rises = then === undefined ? [] : risesOf(then, now);
      const [rx = 0, tx = 0, rxBytes = 0, txBytes = 0, errors = 0, drops = 0] = rises;
      const isRead = rises.length > 0 && rises.every((rise) => Number.isSafeInteger(rise) && rise >= 0);
      return isRead ? [[now.name, rx, tx, rxBytes, txBytes, errors, drops] as const] : [];
    });
  return { ports, portsMs };
}

function risesOf(then: InterfaceState, now: InterfaceState): readonly number[] {
  const counts = ({ counters: c }: InterfaceState) => [
    ...[c.rxPackets, c.txPackets, c.rxBytes, c.txBytes].map(Number),
    Number(c.rxErrors) + Number(c.txErrors),
    Number(c.rxDropped) + Number(c.txDropped),
  ];
  const before = counts(then);
  return counts(now).map((count, index) => count - before[index]!);
}

/** The newest events of the last `lengthMs`. */
export function eventMinutes(events: readonly HistoryEvent[], lengthMs: number): MinuteRecord['events'] {
  return events
    .filter(({ agoMs }) => agoMs < lengthMs)
    .slice(-DRIVER_LIMITS.minuteEvents)
    .map(({ agoMs, kind, subject, up, changes }) => [agoMs, kind, subject, up ? 1 : 0, changes] as const);
}
