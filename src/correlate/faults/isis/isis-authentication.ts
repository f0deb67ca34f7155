// isis_authentication_mismatch: one end of a link demands a password that the other does not send. FRR keeps the other end "Up".
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import { defineCircuitMismatch } from './circuit-mismatch.ts';

export const isisAuthentication = defineCircuitMismatch({
  id: 'isis_authentication_mismatch',
  summary: 'one end of an IS-IS link authenticates its hellos, or demands it, and the other does not',
  exact: '`no isis password`, where no other node has one',
  property: ({ password }) => password,
  words: (password) => (password === 'none' ? 'no password' : `a password (${password})`),
  change: (world, { node, ifname }, wanted) =>
    wanted === 'none'
      ? frrChange(world, node, onInterface(ifname, 'no isis password'))
      : { decide: 'the password: no agent tells it' },
});
