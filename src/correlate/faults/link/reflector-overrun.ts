// reflector_overrun: the receiving node's own socket buffers overflowed. Explains lost probes without accusing the network:
// never a finding.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { type LossSymptom, underWay } from '../../engine/loss-symptom.ts';
import { droppedBySockets, OVERRUN_SCORE, SOCKET_SHARE, socketErrors } from '../../engine/loss-witnesses.ts';

type Detail = { readonly droppedPackets: number };

export const reflectorOverrun = defineCause<Detail>({
  id: 'reflector_overrun',
  resource: 'node',
  accuses: false,
  labels: { nika: null, netOpsBench: null },
  summary: 'probes arrived and were dropped by the receiving node’s own socket; says nothing against the network',
  explain: (file, losses) => file.path.flatMap((node) => overrunAt(file, losses, node)),
});

function overrunAt(file: CaseFile, losses: readonly LossSymptom[], node: string): readonly Explanation<Detail>[] {
  const dropped = droppedBySockets(file, node);
  let left = dropped;
  const covered = losses.filter(({ fact }) => {
    const { lost } = underWay(fact.value);
    const fits = fact.value.to === node && fact.value.directionKnown && lost > 0 && lost * SOCKET_SHARE <= left;
    if (fits) left -= lost;
    return fits;
  });
  if (covered.length === 0) return [];
  return [
    {
      resource: nodeResource(node),
      confidence: 'likely',
      score: OVERRUN_SCORE,
      explains: covered.map(({ id, fact }) => ({ symptom: id, lost: underWay(fact.value).lost, spread: 0 })),
      evidence: socketErrors(file, node).flatMap(({ source }) => source),
      detail: { droppedPackets: dropped },
    },
  ];
}
