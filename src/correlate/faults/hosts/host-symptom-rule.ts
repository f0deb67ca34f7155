// The shape of rules about a host's trouble: the trouble says it all, and the host or its port is named. Nothing else explains it.
import type { ResourceId } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Proposal, Rule } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, troublesOfKind } from '../../engine/proposal.ts';
import type { Trouble, TroubleKind } from '../../engine/symptom.ts';

export type HostFault = {
  readonly fault: string;
  /** What its troubles have as `sign` of their family. */
  readonly is: string;
  readonly form: 'node' | 'interface';
  readonly summary: string;
  readonly remedy: string;
};

/** Faults that are told apart by one detail of the same kind of trouble. */
export type HostFamily = {
  readonly kind: TroubleKind;
  readonly sign: 'how' | 'what';
  readonly confidence?: (trouble: Trouble) => Proposal['confidence'];
  /** Other troubles that come of this one. */
  readonly consequences?: (file: CaseFile, trouble: Trouble) => readonly Trouble[];
};

export function rulesAboutHosts(family: HostFamily, faults: readonly HostFault[]): readonly Rule[] {
  const { kind, sign, confidence = () => 'certain', consequences = () => [] } = family;
  return faults.map(({ fault, is, form, summary, remedy }) => ({
    fault,
    resourceForm: form,
    accuses: true,
    nika: fault,
    netOpsBench: null,
    summary,
    propose: (file) =>
      troublesOfKind(file, kind)
        .filter(({ detail }) => detail[sign] === is)
        .map((trouble) =>
          newProposal(
            { fault },
            String(trouble.detail[form === 'node' ? 'host' : 'port']) as ResourceId,
            [trouble, ...consequences(file, trouble)].map(shareOf),
            trouble.source,
            {
              confidence: confidence(trouble),
              // A trouble with a `what` of its own keeps it.
              details: { what: trouble.text, ...trouble.detail },
              remedy: {
                node: String(trouble.detail['near'] ?? trouble.nodes[0]),
                summary: `${remedy}: ${trouble.text}`,
              },
            },
          ),
        ),
  }));
}
