// isis_authentication_mismatch: one end of a link demands a password that the other does not send. FRR keeps the other end "Up".

import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { differing } from './isis-mismatch.ts';

export const isisAuthentication: FaultDefinition = {
  id: 'isis_authentication_mismatch',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'one end of an IS-IS link authenticates its hellos, or demands it, and the other does not',
  exact: '`no isis password`, where nobody else has one',
  propose: (file) =>
    differing(
      file,
      isisAuthentication,
      (circuit) => circuit.password,
      (kind) => (kind === 'none' ? 'no password' : `a password (${kind})`),
      (end, wanted) =>
        wanted === 'none'
          ? frrChange(file.world, end.node, onInterface(end.ifname, 'no isis password'))
          : { decide: 'the password: no agent tells it' },
    ),
};
