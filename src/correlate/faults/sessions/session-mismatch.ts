// session_mismatch: a session or adjacency does not come up, or carries nothing, because its two ends contradict each other in a way that
// has no name of its own. Every fault that has a name is stronger. Secrets are never compared: counters and logs tell that passwords differ.
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';
import { bgpMismatches } from './bgp-ends.ts';
import { igpMismatches } from './igp-ends.ts';
import { type Mismatch, oddEnd } from './mismatch.ts';
import { unusableAdjacencies } from './unusable.ts';

/** Below every named fault. */
const SCORE = 1;

/** `sideBySide`: settings and state, `password: yes / no`, in the order of `ends`. */
type Detail = {
  readonly protocol: Mismatch['protocol'];
  readonly node: string;
  readonly ends: readonly string[];
  readonly differs: readonly string[];
  readonly sideBySide: readonly string[];
};

export const sessionMismatch = defineCause<Detail>({
  id: 'session_mismatch',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'the two ends of a session or adjacency contradict each other, and it is down or carries nothing for that alone; the resource is the end that differs from its other sessions, else both ends',
  explain: (file) =>
    [...bgpMismatches(file), ...igpMismatches(file), ...unusableAdjacencies(file)].flatMap((mismatch) =>
      explanationsOf(file, mismatch),
    ),
  describe: ({ protocol, ends, differs }) => `${protocol} ${ends.join(' – ')}: ${differs.join('; ')}`,
  remedy: ({ node, protocol, ends, differs }) => ({
    node,
    summary: `make the two ends of the ${protocol} session ${ends.join(' – ')} agree: ${differs.join('; ')}`,
    decide: 'which of the two ends is as it should be',
  }),
});

function explanationsOf({ world }: CaseFile, mismatch: Mismatch): readonly Explanation<Detail>[] {
  const { protocol, ends, differences, sideBySide, symptoms } = mismatch;
  const odd = oddEnd(mismatch);
  const isLikely = odd === undefined || differences.every(({ confidence }) => confidence === 'likely');
  const nodes = ends.map(({ node }) => node);
  return (odd === undefined ? ends : [odd]).map(({ node, resource }) => ({
    resource,
    score: SCORE,
    ...(isLikely ? { confidence: 'likely' as const } : {}),
    ...(odd === undefined ? { together: symptoms[0]!.id } : {}),
    explains: symptoms.map(shareOf),
    evidence: sourcesOf(world, ...nodes),
    detail: {
      ...{ protocol, node, ends: nodes.map(nodeRef), differs: differences.map(({ words }) => words) },
      sideBySide: [...sideBySide],
    },
  }));
}
