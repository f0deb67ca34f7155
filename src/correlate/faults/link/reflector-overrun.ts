// reflector_overrun: the receiving node's own socket buffers overflowed. Explains lost probes without accusing the network:
// never a finding.
import { nodeResource } from '#model/names.ts';
import { type CaseFile, type FactWith, factsOf } from '../../engine/facts.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { type LossSymptom, underWay } from '../../engine/loss-symptom.ts';

const SOCKET_COUNTERS = ['Udp6RcvbufErrors', 'Udp6InErrors'];
export const OVERRUN_SCORE = 0.5;
/** Of the probes that a socket is said to have dropped, its counters must show this share. */
const COVERED = 0.9;

/** Packets that the sockets of a node dropped in the window. */
function droppedBySockets(file: CaseFile, node: string): number {
  return Math.max(0, ...socketErrors(file, node).map(({ value }) => value.packets));
}

function socketErrors(file: CaseFile, node: string): readonly FactWith<'node-errors'>[] {
  return factsOf(file, 'node-errors').filter(
    ({ value }) => value.node === node && SOCKET_COUNTERS.includes(value.counter),
  );
}

/** True when the receiver’s sockets dropped about what was lost on the way to it, or more; what was never sent did not get there. */
export function explainedBySockets(file: CaseFile, { fact }: LossSymptom): boolean {
  const { to, directionKnown } = fact.value;
  const { lost } = underWay(fact.value);
  return directionKnown && lost > 0 && lost * COVERED <= droppedBySockets(file, to);
}

export const reflectorOverrun: FaultDefinition = {
  id: 'reflector_overrun',
  resource: 'node',
  accuses: false,
  labels: { nika: null, netOpsBench: null },
  summary: 'probes arrived and were dropped by the receiving node’s own socket; says nothing against the network',
  propose: (file, losses) =>
    file.path.flatMap((node) => {
      const dropped = droppedBySockets(file, node);
      let left = dropped;
      const covered = losses.filter(({ fact }) => {
        const { lost } = underWay(fact.value);
        const fits = fact.value.to === node && fact.value.directionKnown && lost > 0 && lost * COVERED <= left;
        if (fits) left -= lost;
        return fits;
      });
      if (covered.length === 0) return [];
      return [
        {
          fault: 'reflector_overrun',
          resource: nodeResource(node),
          confidence: 'likely' as const,
          score: OVERRUN_SCORE,
          explains: covered.map(({ id, fact }) => ({ symptom: id, lost: underWay(fact.value).lost, spread: 0 })),
          evidence: socketErrors(file, node).flatMap(({ source }) => source),
          against: [],
          details: { droppedPackets: dropped },
        },
      ];
    }),
};
