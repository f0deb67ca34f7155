// What nodes' own records show of links in a time that is over: rounds of probes first, counts of packets where those say nothing. Each
// is a slice that the definitions judge as they judge the present.
import type { Fact } from '../engine/facts.ts';
import type { Memory } from '../engine/fault-definition.ts';
import { sourcesOf, type World, type WorldLink } from '../network/world.ts';
import { countedLosses } from '../observe/counted-loss.ts';
import { monitoredDelays } from '../observe/monitored-delay.ts';
import { lossless, monitoredLosses } from '../observe/monitored-loss.ts';
import { judged, keptSlice } from './kept-slices.ts';
import type { PastFinding } from './past.ts';

export type LinkFinding = PastFinding & { readonly link: WorldLink };

type Kept = { readonly memory: Memory; readonly link: WorldLink; readonly agoMs: number; readonly fact: Fact };

export function linkFindings(now: World): readonly LinkFinding[] {
  return recordsOf(now).flatMap(({ memory, link, agoMs, fact }) =>
    judged(keptSlice(now, link.from, memory, agoMs, {}, [fact])).map((proposal) => ({ proposal, agoMs, link })),
  );
}

/** Counts of packets add nothing where a link's probes lost nothing at all, or were judged. */
function recordsOf(now: World): readonly Kept[] {
  const shapeOf = ({ key, from, to }: WorldLink) => ({
    ...{ subject: key, source: sourcesOf(now, from.node, to.node), window: 'remembered' },
  });
  const inRounds = [
    ...monitoredLosses(now).map(({ agoMs, ...value }) => {
      const fact: Fact = { ...shapeOf(value.link), predicate: 'monitored-loss', value };
      return { link: value.link, agoMs, fact };
    }),
    ...monitoredDelays(now).map(({ agoMs, ...value }) => {
      const fact: Fact = { ...shapeOf(value.link), predicate: 'monitored-delay', value };
      return { link: value.link, agoMs, fact };
    }),
  ];
  const overruled = new Set([...lossless(now), ...inRounds.map(({ link }) => link.key)]);
  const inCounts = countedLosses(now)
    .filter(({ link }) => !overruled.has(link.key))
    .map(({ agoMs, ...value }) => {
      const fact: Fact = { ...shapeOf(value.link), predicate: 'counted-loss', value };
      return { memory: 'packet-counts' as const, link: value.link, agoMs, fact };
    });
  return [...inRounds.map((each) => ({ memory: 'probe-rounds' as const, ...each })), ...inCounts];
}
