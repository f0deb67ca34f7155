// BGP and BFD sessions of the ring, changed at one end or at both.
import type { BfdSession, BgpSession } from '#model/router/control-plane.ts';
import { at, type Change } from '../../ring.ts';

/** Address of r1 and r2 on the link between them. */
export const R1 = '198.18.1.0';
export const R2 = '198.18.1.1';

/** The session of a node with one peer: changed, or taken away. */
export const session = (
  node: string,
  peer: string,
  change: (row: BgpSession) => Partial<BgpSession> | undefined,
): Change =>
  at([node], (state) => {
    const sessions = state.bgp!.sessions.flatMap((row) => {
      const now = row.peer === peer ? change(row) : row;
      return now === undefined ? [] : [{ ...row, ...now }];
    });
    return { ...state, bgp: { ...state.bgp!, sessions } };
  });

/** The same of BFD. */
export const bfd = (node: string, peer: string, change: (row: BfdSession) => Partial<BfdSession> | undefined): Change =>
  at([node], (state) => ({
    ...state,
    bfd: state.bfd!.flatMap((row) => {
      const now = row.peer === peer ? change(row) : row;
      return now === undefined ? [] : [{ ...row, ...now }];
    }),
  }));
