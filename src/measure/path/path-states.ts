// How the nodes of a path forward, and what they remember: their whole states, read while the probes run and so at no cost of time. The
// readings before and after stay small, so that both ends' counters are read at almost one moment. And where a rule that was not there
// before took packets, services of hosts along the path are tried. Pure.

import { LIMITS } from '#base/limits.ts';
import { callFor } from '../call.ts';
import { decodeNodeState } from '../decode/decode.ts';
import { defineServiceProbes } from '../hosts/service-probe.ts';
import { planSeenServices } from '../hosts/services.ts';
import { planUsedServices } from '../hosts/used-services.ts';
import { defineMeasurement } from '../measurement.ts';

export const pathStates = defineMeasurement({
  kinds: ['path-state'],
  about: 'path',
  rounds: {
    first: ({ states }) =>
      [...states.keys()].map((node) => callFor(node, { kind: 'path-state' }, { parts: 'all' }, LIMITS.callMs)),
  },
  read: decodeNodeState,
});

/** As their own routers and those of other hosts on the path would have them. */
export const pathServices = {
  ...defineServiceProbes({
    confirmation: (_, { filtered }) =>
      filtered === undefined
        ? []
        : [...planUsedServices(filtered, 'confirmation'), ...planSeenServices(filtered, 'confirmation')],
  }),
  about: 'path' as const,
};
