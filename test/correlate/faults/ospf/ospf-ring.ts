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

export const row6 = (change: Partial<OspfInterface> = {}): OspfInterface =>
  row({ version: 3, instanceId: 0, mtu: 1_500, authentication: 'none', ...change });

const FULL6 = { routerId: '198.18.255.9', address: 'fe80::9', state: 'Full' };
const full = (each: OspfInterface, neighbour: OspfInterface['neighbours'][number]) => ({
  ...each,
  neighbours: [neighbour],
});

/** Only OSPFv3 runs: `r1` and `r2` as in `ospf`. */
export const ospf6 = (r1: OspfInterface | undefined, r2: OspfInterface | undefined = row6()): Change =>
  all((state, node) => {
    const { isis: _isis, bgp: _bgp, bfd: _bfd, ospf: _ospf, ...rest } = state;
    const [one, other] = ['eth1', 'eth2'].map((ifname) => full(row6({ ifname }), FULL6));
    const own = node === 'r1' ? r1 : node === 'r2' ? r2 : one;
    const rows = [own, other].filter((each) => each !== undefined);
    return { ...rest, adjacencies: [], daemons: [{ name: 'ospf6d', alive: true }], ospf6: rows };
  });

/** Both versions run on all links; of the two, `broken` is not adjacent between r1 and r2. */
export const dual = (broken: 2 | 3, r1: OspfInterface | undefined, r2: OspfInterface | undefined): Change =>
  all((state, node) => {
    const rows6 = (broken === 3 ? ospf6(r1, r2) : ospf6(full(row6(), FULL6), full(row6(), FULL6)))(
      state,
      node,
      'after',
    );
    const rows4 = (broken === 2 ? ospf(r1, r2) : ospf(full(row(), FULL), full(row(), FULL)))(state, node, 'after');
    const daemons = ['ospf6d', 'ospfd'].map((name) => ({ name, alive: true }));
    return { ...rows4, ospf6: rows6.ospf6 ?? [], daemons };
  });
