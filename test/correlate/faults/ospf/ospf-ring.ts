// The ring with OSPF in place of IS-IS, BGP and BFD: r1 – r2 is not adjacent, all other links are.
import type { OspfInterface } from '#model/router/control-plane.ts';
import { all, type Change } from '../../ring.ts';

const FULL = { routerId: '198.18.255.9', address: '198.18.9.9', state: 'Full' };

export const row = (change: Partial<OspfInterface> = {}): OspfInterface => ({
  ...{ ifname: 'eth1', area: '0.0.0.0', network: 'POINTOPOINT', helloMs: 1_000, deadMs: 4_000, passive: false },
  ...{ neighbours: [], ...change },
});

/** `ends` says what r1 and r2 run on their interfaces eth1; undefined: nothing. */
export const ospf = (r1: OspfInterface | undefined, r2: OspfInterface | undefined = row()): Change =>
  all((state, node) => {
    const { isis: _isis, bgp: _bgp, bfd: _bfd, ...rest } = state;
    const [one, other] = ['eth1', 'eth2'].map((ifname) => row({ ifname, neighbours: [FULL] }));
    const own = node === 'r1' ? r1 : node === 'r2' ? r2 : one;
    const rows = [own, other].filter((each) => each !== undefined);
    return { ...rest, adjacencies: [], daemons: [{ name: 'ospfd', alive: true }], ospf: rows };
  });
