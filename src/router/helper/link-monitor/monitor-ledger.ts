// The bookkeeping of the standing probes over one link, round by round: sent, reflected and received of each IP family. Late
// reflections correct rounds that were told before. A run of lost probes is an outage of the link or of a node, and marks its rounds
// as dark: it is no loss of packets here and there. Pure: time is an argument.
import { LIMITS } from '#base/limits.ts';
import type { WatchCounts } from '#model/router/link-monitor.ts';
import type { ProbeMessage } from '../../protocol/probe-message.ts';
import type { MonitorRound } from '../../protocol/read-operations.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { createWayClock, type WayClock } from './one-way-delay.ts';

export type ProbeFamily = 4 | 6;

export type ToldRound = Omit<MonitorRound, 'ifname'>;

export type MonitorLedger = {
  /** Rounds since anything came back. */
  readonly silentRounds: number;
  /** Starts a round; true when the sessions must be new ones, whose reflector counts from zero. */
  begin(): boolean;
  /** A probe goes out now; its sequence number. */
  send(family: ProbeFamily, nowMs: number): number;
  /** The stack refused a probe, or the node was late itself: the round says nothing. */
  spoil(): void;
  /** This node was so late with one turn of the round. */
  late(lateMs: number): void;
  hear(family: ProbeFamily, message: ProbeMessage, nowMs: number): void;
  /** The last rounds, oldest first. */
  tell(nowMs: number): readonly ToldRound[];
};

/** So many lost probes in a row are an outage. */
const OUTAGE_PROBES = 8;
/** Rounds that late reflections still correct. */
const KEPT_ROUNDS = 4;

type Probe = { readonly family: ProbeFamily; readonly sequence: number; readonly sentMs: number; back: boolean };
type Round = {
  readonly number: number;
  readonly probes: Probe[];
  /** What the reflector had received when it answered last. */
  readonly seen: Map<ProbeFamily, number>;
  /** The same of the round before, kept when that one is forgotten. */
  base: ReadonlyMap<ProbeFamily, number>;
  readonly ways: WayClock;
  leastRttMs: number;
  firstMs: number;
  lastMs: number;
  spoilt: boolean;
};

export function createMonitorLedger(): MonitorLedger {
  const next = new Map<ProbeFamily, number>();
  let rounds: Round[] = [];
  let roundCount = 0;
  let silentRounds = 0;
  let renew = true;
  let sessionCount = 0;
  const findProbe = (family: ProbeFamily, sequence: number) => {
    for (const round of rounds) {
      const probe = round.probes.find((each) => each.family === family && each.sequence === sequence);
      if (probe !== undefined) return { round, probe };
    }
    return undefined;
  };
  return {
    get silentRounds() {
      return silentRounds;
    },
    begin() {
      const last = rounds.at(-1);
      const answered = last === undefined || last.probes.length === 0 || last.seen.size > 0;
      silentRounds = answered ? 0 : silentRounds + 1;
      const incomplete = last !== undefined && new Set(last.probes.map(({ family }) => family)).size > last.seen.size;
      const isFresh =
        renew || incomplete || Math.max(0, ...next.values()) + HELPER_LIMITS.monitorRoundProbes > LIMITS.probeCount;
      renew = false;
      if (isFresh) {
        next.clear();
        sessionCount += 1;
      }
      rounds.push({
        ...{ number: roundCount++, probes: [], seen: new Map(), base: isFresh ? new Map() : (last?.seen ?? new Map()) },
        ...{ leastRttMs: Number.POSITIVE_INFINITY, firstMs: 0, lastMs: 0, spoilt: false },
        ways: createWayClock(sessionCount),
      });
      // Numbers of a new session would be taken for those of the old one.
      if (isFresh) for (const round of rounds.slice(0, -1)) forgetProbes(round);
      rounds = rounds.slice(-KEPT_ROUNDS);
      return isFresh;
    },
    send(family, nowMs) {
      const sequence = next.get(family) ?? 0;
      next.set(family, sequence + 1);
      const round = rounds.at(-1)!;
      if (round.probes.length === 0) round.firstMs = nowMs;
      round.probes.push({ family, sequence, sentMs: nowMs, back: false });
      round.lastMs = nowMs;
      return sequence;
    },
    spoil() {
      const round = rounds.at(-1);
      if (round !== undefined) round.spoilt = true;
    },
    late(lateMs) {
      rounds.at(-1)?.ways.noteTurn(lateMs);
    },
    hear(family, message, nowMs) {
      const found = message.kind === 'reflection' ? findProbe(family, message.sequence) : undefined;
      if (found === undefined || found.probe.back) return;
      const { round, probe } = found;
      probe.back = true;
      round.leastRttMs = Math.min(round.leastRttMs, nowMs - probe.sentMs);
      round.ways.note(message, probe.sentMs, nowMs);
      round.seen.set(family, Math.max(round.seen.get(family) ?? 0, message.reflectorReceived));
      if (message.reflectorRefused > 0) {
        round.spoilt = true;
        renew = true;
      }
    },
    tell(nowMs) {
      const dark = darkOf(rounds.flatMap(({ probes }) => probes));
      const told = rounds.filter(({ probes }) => probes.length > 0 && !isForgotten(probes));
      return told.map((round) => {
        const counts = countsOf(round, dark);
        if (counts === undefined) renew = true;
        const ways = round.ways.least();
        return {
          round: round.number,
          agoMs: Math.max(0, Math.round(nowMs - round.lastMs)),
          forMs: Math.round(round.lastMs - round.firstMs),
          counts: counts ?? spoilt(round),
          ...(ways === undefined ? {} : { ways }),
        };
      });
    },
  };
}

/** Rounds of an earlier session were reported as they are; they are not reported again. */
const FORGOTTEN = -1;

function forgetProbes(round: Round): void {
  for (const [index, probe] of round.probes.entries()) round.probes[index] = { ...probe, sequence: FORGOTTEN };
}

function isForgotten(probes: readonly Probe[]): boolean {
  return probes[0]?.sequence === FORGOTTEN;
}

/** Probes in runs of lost ones. */
function darkOf(probes: readonly Probe[]): ReadonlySet<Probe> {
  const dark = new Set<Probe>();
  let run: Probe[] = [];
  for (const probe of [...probes, undefined]) {
    if (probe !== undefined && !probe.back) {
      run.push(probe);
      continue;
    }
    if (run.length >= OUTAGE_PROBES) for (const each of run) dark.add(each);
    run = [];
  }
  return dark;
}

/** Undefined when the reflector's numbers make no sense: it has started anew. */
function countsOf(round: Round, dark: ReadonlySet<Probe>): WatchCounts | undefined {
  const six = ofFamily(round, 6);
  const four = ofFamily(round, 4);
  if (six === undefined || four === undefined) return undefined;
  const darkCount = round.probes.filter((probe) => dark.has(probe)).length;
  const rttUs = Number.isFinite(round.leastRttMs) ? Math.max(1, Math.round(round.leastRttMs * 1_000)) : 0;
  return [...six, ...four, rttUs, round.spoilt ? round.probes.length : darkCount];
}

function ofFamily(round: Round, family: ProbeFamily): readonly [number, number, number] | undefined {
  const probes = round.probes.filter((probe) => probe.family === family);
  const received = probes.filter(({ back }) => back).length;
  if (probes.length === 0) return [0, 0, 0];
  const seen = round.seen.get(family);
  if (seen === undefined) return [probes.length, 0, 0];
  const reflected = seen - (round.base.get(family) ?? 0);
  return reflected < 0 ? undefined : [probes.length, reflected, received];
}

function spoilt(round: Round): WatchCounts {
  return [0, 0, 0, 0, 0, 0, 0, round.probes.length];
}
