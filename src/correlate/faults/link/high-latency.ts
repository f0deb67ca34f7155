// high_latency: one direction of a link is far slower than the other, and its round trip far beyond that over its siblings, while nothing
// is lost. Loops in both directions show which, or a rise that standing probes saw in one alone. A link that is as slow one way as the
// other is long, and one without loops may be, unless it was seen to be quick before. Of a time that is over both ends are named. Of a link without
// addresses of its own, or of IPv4 alone, that rose in a direction which is not known, none is.
import { interfaceResource } from '#model/names.ts';
import { factsOf } from '../../engine/facts.ts';
import { type Detection, defineCause, type Explanation, type Slice } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type WorldLink } from '../../network/world.ts';
import { type SlowLinkDetail, slowLinkSymptom } from '../../symptoms/links/slow-link.ts';

/** A node that had no time for its packets delays them as a slow link does, for a while. */
const SEEN_ONCE = 'seen by one measurement only, and no loop probe confirms it';
const MAY_BE_LONG = 'no loop shows which way is slow: the link may be long, and may have been so for ever';
const WAY_NOT_KNOWN =
  'it became slow, and neither a loop nor the standing probes show which way: one of its ends may be well';
/** Measurements that must have seen it where no loop confirms it. */
const LEAST_LOOKS = 2;

type Detail = {
  readonly roundTripMs: number;
  readonly othersMs?: number;
  /** What it was at other times, of a time that is over. */
  readonly usualMs?: number;
  readonly direction: string;
  readonly roseSecondsAgo?: number;
};

export const highLatency = defineCause<Detail>({
  id: 'high_latency',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: 'high_latency' },
  summary:
    'a link delays packets far more one way than the other, and than its siblings do; the resource is the sending interface of the slow direction',
  memories: ['probe-rounds'],
  explain: (file) =>
    slowLinkSymptom
      .of(file)
      .flatMap((symptom) => (symptom.link === undefined ? [] : slowDirections(symptom, symptom.link))),
  detect: inProbeRounds,
});

function slowDirections(symptom: Symptom<SlowLinkDetail>, link: WorldLink): readonly Explanation<Detail>[] {
  const {
    roundTripMs,
    othersMs,
    roseSecondsAgo,
    slowFrom: known = [],
    rose = false,
    looks,
    wayUnknown,
  } = symptom.detail;
  const slow = [link.from, link.to].filter(({ node }) => known.length === 0 || known.includes(node));
  // Risen above what it was is slow, in whichever direction.
  const isLong = known.length === 0 && !rose;
  const isOnce = (known.length === 0 || rose) && (looks ?? LEAST_LOOKS) < LEAST_LOOKS;
  const notPlaced = wayUnknown === true ? WAY_NOT_KNOWN : undefined;
  const withheld = isOnce ? SEEN_ONCE : isLong ? MAY_BE_LONG : notPlaced;
  return slow.map((end) => ({
    ...{ resource: interfaceResource(end), explains: [shareOf(symptom)], evidence: symptom.source },
    // A loop is timed by one clock; of a rise one end alone tells.
    confidence: known.length > 0 && !rose ? 'certain' : 'likely',
    ...(withheld === undefined ? {} : { withheld }),
    together: symptom.id,
    remedy: { node: end.node, summary: `check what lies between ${endsOf(link)}: it delays packets` },
    detail: {
      ...{ roundTripMs, othersMs },
      direction: known.length > 0 ? `from ${nodeRef(end.node)}` : 'not known: there is no loop over this link alone',
      ...(roseSecondsAgo === undefined ? {} : { roseSecondsAgo }),
    },
  }));
}

function endsOf({ from, to }: WorldLink): string {
  return `${nodeRef(from.node)} ${from.ifname} and ${nodeRef(to.node)} ${to.ifname}`;
}

function inProbeRounds(slice: Slice): readonly Detection<Detail>[] {
  return factsOf(slice, 'monitored-delay').flatMap(({ value: { link, ends, roundTripMs, usualMs } }) =>
    ends.map((end) => ({
      resource: interfaceResource(end),
      evidence: sourcesOf(slice.world, ...ends.map(({ node }) => node)),
      nodes: ends.map(({ node }) => node),
      link,
      detail: { roundTripMs, usualMs, direction: 'not known: only round trips were measured' },
    })),
  );
}
