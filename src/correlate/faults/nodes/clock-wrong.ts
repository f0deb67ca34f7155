// clock_wrong: a node's wall clock contradicts those of all others. Beyond the difference that signed statements allow for, the node refuses
// consents and orders of the others, and certificates begin or end too early for it; times in its log match no other log. Packets go on.
import { LIMITS } from '#base/limits.ts';
import { nodeResource } from '#model/names.ts';
import { type FactWith, factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';

/** `asideMs`: ahead of the others; negative where behind. `others`: nodes that agree with each other. */
type Detail = { readonly node: string; readonly asideMs: number; readonly others: number };

type Reading = FactWith<'clock'>['value'];

/** A slow node signs so much later than the first. */
const SPREAD_MS = LIMITS.callMs;
const WRONG_MS = LIMITS.consentSkewMs + SPREAD_MS;
/** Of two clocks that differ either may be the wrong one. */
const LEAST_WITNESSES = 2;

export const clockWrong = defineFault<Detail>({
  id: 'clock_wrong',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'the clock of a node differs by more than a minute from those of all other nodes, which agree with each other',
  detect: ({ facts, past }) => (past === undefined ? detected(factsOf({ facts }, 'clock')) : []),
  describe: ({ node, asideMs, others }) =>
    `the clock of ${nodeRef(node)} is ${duration(asideMs)} ${asideMs > 0 ? 'ahead of' : 'behind'} those of ${others} other nodes`,
  remedy: ({ node }) => ({
    node,
    summary: `set the clock of ${nodeRef(node)}`,
    command: 'timedatectl timesync-status',
    decide: 'whether its time service runs and reaches its source; a large step may end certificates and sessions',
  }),
});

function duration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  return seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function detected(facts: readonly FactWith<'clock'>[]): readonly Detection<Detail>[] {
  const agreeing = largestAgreement(facts.map(({ value }) => value));
  if (agreeing.length < LEAST_WITNESSES || agreeing.length * 2 <= facts.length) return remarkOf(facts);
  const times = agreeing.map(({ signedMs }) => signedMs);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return facts.flatMap(({ value: { node, signedMs }, source }) => {
    const asideMs = signedMs > last ? signedMs - last : signedMs < first ? signedMs - first : 0;
    if (Math.abs(asideMs) < WRONG_MS) return [];
    const detail = { node, asideMs, others: agreeing.length };
    return [{ resource: nodeResource(node), evidence: source, nodes: [node], detail }];
  });
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
  const remark = `the clocks of ${nodeRef(early)} and ${nodeRef(late)} are ${duration(asideMs)} apart; which of them is wrong is not known`;
  const detail = { node: late, asideMs, others: 1 };
  return [
    {
      resource: nodeResource(late),
      evidence: [...first.source, ...last.source],
      ...{ nodes: [early, late], remark, detail },
    },
  ];
}
