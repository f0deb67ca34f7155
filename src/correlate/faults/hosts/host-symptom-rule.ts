// The shape of rules about a host's symptom: the symptom says it all, and the host or its port is named. Nothing else explains it.
import type { ResourceId } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { SharedSymptomKind, Symptom } from '../../engine/symptom.ts';

export type HostFault = {
  readonly fault: string;
  /** What its symptoms have as `sign` of their family. */
  readonly is: string;
  readonly form: 'node' | 'interface';
  readonly summary: string;
  readonly remedy: string;
};

/** Faults that are told apart by one detail of the same kind of symptom. */
export type HostFamily = {
  readonly kind: SharedSymptomKind;
  readonly sign: 'how' | 'what';
  readonly confidence?: (symptom: Symptom) => Proposal['confidence'];
  /** Other symptoms that come of this one. */
  readonly consequences?: (file: CaseFile, symptom: Symptom) => readonly Symptom[];
};

export function rulesAboutHosts(family: HostFamily, faults: readonly HostFault[]): readonly FaultDefinition[] {
  const { kind, sign, confidence = () => 'certain', consequences = () => [] } = family;
  return faults.map(({ fault, is, form, summary, remedy }) => ({
    id: fault,
    resource: form,
    accuses: true,
    labels: { nika: fault, netOpsBench: null },
    summary,
    propose: (file) =>
      symptomsOfKind(file, kind)
        .filter(({ detail }) => detail[sign] === is)
        .map((symptom) =>
          newProposal(
            { id: fault },
            String(symptom.detail[form === 'node' ? 'host' : 'port']) as ResourceId,
            [symptom, ...consequences(file, symptom)].map(shareOf),
            symptom.source,
            {
              confidence: confidence(symptom),
              // A symptom with a `what` of its own keeps it.
              details: { what: symptom.text, ...symptom.detail },
              remedy: {
                node: String(symptom.detail['near'] ?? symptom.nodes[0]),
                summary: `${remedy}: ${symptom.text}`,
              },
            },
          ),
        ),
  }));
}
