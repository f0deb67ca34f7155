// http_service_down: a web server refuses its own router, or gave it pages and is silent or accepts connections and sends nothing in time. Without the operator's word, or pages that it served lately, nothing tells a
// router what a host is meant to serve.
import { refusedService } from './expected-services.ts';

export const httpServiceDown = refusedService(
  {
    id: 'http_service_down',
    nika: null,
    summary:
      'a host that serves web pages, as the question says or its router saw lately, is there and refuses connections, or accepts them and sends nothing in time',
  },
  'http',
);
