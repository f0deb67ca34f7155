// dns_service_down: a name server refuses its own router, or gave it answers and is silent. Without the operator's word, or names that it served lately, nothing tells a
// router what a host is meant to serve.
import { refusedService } from './expected-services.ts';

export const dnsServiceDown = refusedService(
  {
    id: 'dns_service_down',
    nika: 'dns_service_down',
    summary:
      'a host that is a name server, as the question says or its router saw lately, is there and refuses questions, or no longer answers them',
  },
  'dns',
);
