// dns_service_down, http_service_down: a host serves names or pages, as the operator says or as its router saw lately, and the host,
// which is there, refuses its own router. dns_record_error: its name server answers and does not know the name that the operator
// asks about, or that it gave its router before. Without one of both nobody is accused: nothing else tells a router what a host is meant to serve.

import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { called } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';

type Service = { readonly fault: string; readonly name: string; readonly how: string; readonly nika: string | null };

const SERVICES: readonly (Service & { readonly summary: string })[] = [
  {
    ...{ fault: 'dns_service_down', name: 'dns', how: 'refused', nika: 'dns_service_down' },
    summary:
      'a host that is a name server, as the question says or its router saw lately, is there and refuses questions',
  },
  {
    ...{ fault: 'http_service_down', name: 'http', how: 'refused', nika: null },
    summary:
      'a host that serves web pages, as the question says or its router saw lately, is there and refuses connections',
  },
  {
    ...{ fault: 'dns_record_error', name: 'dns', how: 'no-record', nika: 'dns_record_error' },
    summary:
      'a name server answers and does not know a name that it is to know, as the question says or its router was told lately',
  },
];

export const hostServices: readonly FaultDefinition[] = SERVICES.map((service) => ({
  id: service.fault,
  resource: 'node',
  accuses: true,
  labels: { nika: service.nika, netOpsBench: null },
  summary: service.summary,
  propose: (file) =>
    symptomsOfKind(file, 'service')
      .filter(({ detail }) => detail['how'] === service.how && detail['name'] === service.name)
      .flatMap((symptom) => {
        const { node, ifname, address } = symptom.detail as { node: string; ifname: string; address: string };
        const view = file.world.views.get(node);
        if (view === undefined) return [];
        const { node: host, label } = called(file.world, view, ifname, address);
        const what =
          service.how === 'refused' ? 'start its service again' : `add ${symptom.detail['record']} to its records`;
        return [
          newProposal({ id: service.fault }, host, [shareOf(symptom)], symptom.source, {
            confidence: symptom.detail['seen'] === true ? 'likely' : 'certain',
            details: { what: symptom.text, address, port: symptom.detail['port'] ?? 0 },
            remedy: { node, summary: `${label} behind ${mark(node)}: ${what}` },
          }),
        ];
      }),
}));
