// What filters, services and tries between hosts look like in the network of scope-scene.ts: matches, what was tried, who serves.

import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';
import { HOST3 } from './scope-scene.ts';

export const is = (field: FilterMatch['field'], ...values: readonly string[]): FilterMatch => ({ field, values });
export const ICMP = [is('network', 'ip'), is('protocol', 'icmp')];
export const HTTP = [is('protocol', 'tcp'), is('destination-port', '80')];
export const DNS = [is('protocol', 'udp'), is('destination-port', '53')];

/** Three tries of h3's service. */
export const tried = (
  service: ServiceProbeResult['service'],
  answered: boolean,
  port?: number,
): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service, sent: 3, answered, open: answered },
  ...(port === undefined ? {} : { port }),
});
export const SILENT_ECHO = { r1: [tried('echo', false), tried('tcp', true, 80)] };

/** The router of h3 saw it serve pages, or a name. */
export const served =
  (service: 'tcp' | 'udp', port: number) =>
  (state: NodeState): NodeState => ({
    ...state,
    history: {
      ...state.history!,
      services: [{ ifname: 'eth3', address: HOST3.address, service, port, agoMs: 20_000 }],
    },
  });
export const SILENT_HTTP = { r1: [tried('echo', true), tried('tcp', false, 80)] };
export const SILENT_DNS = { r1: [tried('echo', true), tried('udp', false, 53)] };
