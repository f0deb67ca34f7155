// isis_authentication_mismatch: one end of a link demands a password that the other does not send. FRR keeps the other end "Up".

import { differing } from './isis-mismatch.ts';
import type { Rule } from './rule.ts';

export const isisAuthentication: Rule = {
  fault: 'isis_authentication_mismatch',
  resourceForm: 'interface',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'one end of an IS-IS link authenticates its hellos, or demands it, and the other does not',
  propose: (file) =>
    differing(
      file,
      isisAuthentication,
      (circuit) => circuit.password,
      (kind) => (kind === 'none' ? 'no password' : `a password (${kind})`),
    ),
};
