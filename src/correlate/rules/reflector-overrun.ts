// reflector_overrun: the receiving node's own socket buffers overflowed. Explains lost probes without accusing the network:
// never a finding.
import { nodeResource } from '#model/names.ts';
import { factsOf } from '../facts.ts';
import type { Rule } from './rule.ts';

const SOCKET_COUNTERS = ['Udp6RcvbufErrors', 'Udp6InErrors'];

export const reflectorOverrun: Rule = {
  fault: 'reflector_overrun',
  resourceForm: 'node',
  accuses: false,
  nika: null,
  netOpsBench: null,
  summary: 'probes arrived and were dropped by the receiving node’s own socket; says nothing against the network',
  propose: (file, symptoms) =>
    file.path.flatMap((node) => {
      const errors = factsOf(file, 'node-errors').filter(
        ({ value }) => value.node === node && SOCKET_COUNTERS.includes(value.counter),
      );
      let left = Math.max(0, ...errors.map(({ value }) => value.packets));
      const dropped = left;
      const covered = symptoms.filter(({ fact }) => {
        const fits = fact.value.to === node && fact.value.directionKnown && fact.value.lost * 0.9 <= left;
        if (fits) left -= fact.value.lost;
        return fits;
      });
      if (covered.length === 0) return [];
      return [
        {
          fault: 'reflector_overrun',
          resource: nodeResource(node),
          confidence: 'likely' as const,
          score: 0.5,
          explains: covered.map(({ id, fact }) => ({ symptom: id, lost: fact.value.lost, spread: 0 })),
          evidence: errors.flatMap(({ source }) => source),
          against: [],
          details: { droppedPackets: dropped },
        },
      ];
    }),
};
