// Packets a second and errors of each interface between the two readings of one exchange, by the node's own clock, and what
// differs between two exchanges. Loads differ always: only error counters that move in one of the two are a change.
import type { InterfaceCounters } from '#model/router/router-port.ts';
import type { World } from '../network/world.ts';

export type InterfaceRate = {
  /** `r1 eth1` */
  readonly subject: string;
  readonly rxPerSecond: number;
  readonly txPerSecond: number;
  /** Errors in the window. */
  readonly rxErrors: number;
  readonly txErrors: number;
};

/** Loads are remarked on when they differ by both. */
const LOAD_TIMES = 4;
const LOAD_PER_SECOND = 100;

export function ratesOf(world: World): readonly InterfaceRate[] {
  return [...world.views.values()].flatMap(({ node, before, after }) => {
    const [start, end] = [before?.countersReadMs, after?.countersReadMs];
    if (before === undefined || after === undefined || start === undefined || end === undefined || end <= start)
      return [];
    return after.inventory.interfaces.flatMap(({ name, counters }) => {
      const old = before.inventory.interfaces.find((each) => each.name === name)?.counters;
      return old === undefined ? [] : [rateOf(`${node} ${name}`, old, counters, (end - start) / 1000)];
    });
  });
}

function rateOf(subject: string, old: InterfaceCounters, now: InterfaceCounters, seconds: number): InterfaceRate {
  const moved = (name: keyof InterfaceCounters) => Math.max(0, Number(BigInt(now[name]) - BigInt(old[name])));
  const perSecond = (name: keyof InterfaceCounters) => Math.round(moved(name) / seconds);
  return {
    subject,
    rxPerSecond: perSecond('rxPackets'),
    txPerSecond: perSecond('txPackets'),
    rxErrors: moved('rxErrors'),
    txErrors: moved('txErrors'),
  };
}

export function rateRemarks(before: readonly InterfaceRate[], after: readonly InterfaceRate[]) {
  const errors: { readonly subject: string; readonly before: string; readonly after: string }[] = [];
  const remarks: string[] = [];
  for (const had of before) {
    const has = after.find(({ subject }) => subject === had.subject);
    if (has === undefined) continue;
    for (const name of ['rxErrors', 'txErrors'] as const)
      if (had[name] > 0 !== has[name] > 0)
        errors.push({ subject: `${had.subject} ${name}`, before: `${had[name]}`, after: `${has[name]}` });
    for (const name of ['rxPerSecond', 'txPerSecond'] as const) {
      const [low, high] = [Math.min(had[name], has[name]), Math.max(had[name], has[name])];
      if (high - low >= LOAD_PER_SECOND && high >= low * LOAD_TIMES)
        remarks.push(`load ${had.subject} ${name.slice(0, 2)}: ${had[name]} packets a second, then ${has[name]}`);
    }
  }
  return { errors, remarks };
}
