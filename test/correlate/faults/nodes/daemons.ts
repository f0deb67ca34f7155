// Routing daemons of r3 in the ring: dead, or started again 15 seconds ago while its agent watched.
import { at, type Change } from '../../ring.ts';

export const ALL = ['bfdd', 'bgpd', 'isisd', 'staticd', 'zebra'];

export const dead = (names: readonly string[]): Change =>
  at(['r3'], (state) => ({
    ...state,
    daemons: state.daemons!.map((daemon) => ({ ...daemon, alive: !names.includes(daemon.name) })),
  }));

export const startedAgain =
  (names: readonly string[]): Change =>
  (state, node) => ({
    ...state,
    history: { ...state.history!, spanMs: 600_000 },
    daemons: state.daemons!.map((daemon) => ({
      ...daemon,
      upMs: node === 'r3' && names.includes(daemon.name) ? 15_000 : 4_000_000,
    })),
  });
