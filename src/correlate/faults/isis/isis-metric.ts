// isis_metric_misconfig: one end of a link has a metric far from its other end's and from everybody else's.
import { interfaceResource } from '#model/names.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { Rule } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';

export const isisMetric: Rule = {
  fault: 'isis_metric_misconfig',
  resourceForm: 'interface',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'one end of a link has an IS-IS metric unlike all others, so that traffic takes another way',
  exact: '`isis metric` with what all others have',
  propose: (file) =>
    symptomsOfKind(file, 'metric').map((symptom) => {
      const end = { node: String(symptom.detail['node']), ifname: String(symptom.detail['ifname']) };
      return newProposal(isisMetric, interfaceResource(end), [shareOf(symptom)], symptom.source, {
        confidence: 'likely',
        details: { what: symptom.text, metric: symptom.detail['metric'] ?? 0 },
        remedy: {
          node: end.node,
          summary: `set the metric of ${mark(end.node)} ${end.ifname} back to ${symptom.detail['others']}`,
          ...frrChange(file.world, end.node, onInterface(end.ifname, `isis metric ${symptom.detail['others']}`)),
        },
      });
    }),
};
