// clock_wrong: a node's wall clock contradicts those of all others. Beyond the difference that signed statements allow for, the node refuses
// consents and orders of the others, and certificates begin or end too early for it; times in its log match no other log. Packets go on.
// A headcount is no proof: two machines may have one wrong clock. It is likely, and only while it lasts: a router before its first step of NTP is none.
import { LIMITS } from '#base/limits.ts';
import { nodeResource } from '#model/names.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type FactWith, factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';

/** `asideMs`: ahead of the others; negative where behind. `others`: nodes that agree with each other. */
type Detail = { readonly node: string; readonly asideMs: number; readonly others: number };

type Reading = FactWith<'clock'>['value'];

/** A slow node signs so much later than the first. */
const SPREAD_MS = LIMITS.callMs;
const WRONG_MS = LIMITS.consentSkewMs + SPREAD_MS;
/** Both readings of one clock show the same, but for how slowly states were answered. */
const STEADY_MS = 2 * SPREAD_MS;
/** Of two clocks that differ either may be the wrong one. */
const LEAST_WITNESSES = 2;

export const clockWrong = defineFault<Detail>({
  id: 'clock_wrong',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'the clock of a node differs by more than a minute from those of all other nodes, which agree with each other, and does so for the whole of the question',
  detect: ({ facts, past }) => (past === undefined ? detected(factsOf({ facts }, 'clock')) : []),
  describe: (detail) => sentence(detail),
  remedy: ({ node }) => ({
    node,
    summary: `set the clock of ${nodeRef(node)}`,
    command: 'timedatectl timesync-status',
    decide: 'whether its time service runs and reaches its source; a large step may end certificates and sessions',
  }),
});

function sentence({ node, asideMs, others }: Detail): string {
  const side = asideMs > 0 ? 'ahead of' : 'behind';
  return `the clock of ${nodeRef(node)} is ${ageWords(Math.abs(asideMs))} ${side} those of ${others} other nodes`;
}

function detected(facts: readonly FactWith<'clock'>[]): readonly Detection<Detail>[] {
  const agreeing = largestAgreement(facts.map(({ value }) => value));
  if (agreeing.length < LEAST_WITNESSES || agreeing.length * 2 <= facts.length) return remarkOf(facts);
  const first = asideOf(agreeing.map(({ signedMs }) => signedMs));
  const last = asideOf(agreeing.flatMap(({ lastMs }) => lastMs ?? []));
  return facts.flatMap(({ value: { node, signedMs, lastMs }, source }): readonly Detection<Detail>[] => {
    const asideMs = first(signedMs);
    if (Math.abs(asideMs) < WRONG_MS) return [];
    const lastAsideMs = lastMs === undefined ? undefined : last(lastMs);
    const detail = { node, asideMs, others: agreeing.length };
    const found = { resource: nodeResource(node), evidence: source, nodes: [node], detail };
    if (lastAsideMs !== undefined && Math.abs(lastAsideMs - asideMs) <= STEADY_MS)
      return [{ ...found, confidence: 'likely' }];
    const why = lastAsideMs === undefined ? 'it was read once' : 'it was set, or answered late, while the question ran';
    return [{ ...found, remark: `${sentence(detail)}; ${why}` }];
  });
}

/** How far a time is aside of all of these: ahead, or negative where behind. */
function asideOf(times: readonly number[]): (ms: number) => number {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return (ms) => (ms > last ? ms - last : ms < first ? ms - first : 0);
}

/** The most nodes that signed within the time that answers may take. */
function largestAgreement(readings: readonly Reading[]): readonly Reading[] {
  const sorted = readings.toSorted((one, other) => one.signedMs - other.signedMs);
  const groups = sorted.map(({ signedMs }) =>
    sorted.filter((each) => each.signedMs >= signedMs && each.signedMs <= signedMs + SPREAD_MS),
  );
  return groups.reduce((most, group) => (group.length > most.length ? group : most), []);
}

/** No majority: that clocks differ is said, and none is accused. */
function remarkOf(facts: readonly FactWith<'clock'>[]): readonly Detection<Detail>[] {
  const sorted = facts.toSorted((one, other) => one.value.signedMs - other.value.signedMs);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const asideMs = last.value.signedMs - first.value.signedMs;
  if (asideMs < WRONG_MS) return [];
  const [early, late] = [first.value.node, last.value.node];
  const remark = `the clocks of ${nodeRef(early)} and ${nodeRef(late)} are ${ageWords(asideMs)} apart; which of them is wrong is not known`;
  const detail = { node: late, asideMs, others: 1 };
  return [
    {
      resource: nodeResource(late),
      evidence: [...first.source, ...last.source],
      ...{ nodes: [early, late], remark, detail },
    },
  ];
}
