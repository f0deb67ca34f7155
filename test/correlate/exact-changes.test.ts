// The exact change of each remedy that has one: recordings of real FRR routers, changed as a node would tell it. Where the right value is not
// known, there is no change and the remedy says what a person must decide.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { joined } from '#correlate/engine/exact-change.ts';
import type { IsisCircuit, OspfInterface } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, recorded } from './recording.ts';

const healthy = recorded('healthy');
type Change = (state: NodeState, node: string) => NodeState;
type Drawn = readonly [found: string, change: unknown, decide?: string];

const drawn = (input: DiagnoseInput): readonly Drawn[] =>
  diagnose(input).findings.map(({ fault, resource, remedy }) => {
    const { change, decide } = remedy ?? {};
    return decide === undefined ? [`${fault} ${resource}`, change] : [`${fault} ${resource}`, change, decide];
  });
const after = (state: Change) => drawn(changed(healthy, { state }));
const lines = (...all: readonly string[]) => ({ lines: all });

/** Both ends of r1 eth1 – r2 eth1 have lost their adjacency; `own` says what r1's circuit there is, if there is one. */
const isis =
  (own: (circuit: IsisCircuit) => Partial<IsisCircuit> | undefined, router: Partial<NodeState['isis']> = {}): Change =>
  (state, node) => {
    const cut = {
      ...state,
      isis: { ...state.isis!, tag: 'core' },
      adjacencies: state.adjacencies.filter(({ ifname }) => !['r1', 'r2'].includes(node) || ifname !== 'eth1'),
    };
    if (node !== 'r1') return cut;
    const circuits = cut.isis.circuits.flatMap((row) => {
      if (row.ifname !== 'eth1') return [row];
      const said = own(row);
      return said === undefined ? [] : [{ ...row, ...said }];
    });
    return { ...cut, isis: { ...cut.isis, ...router, circuits } };
  };

test('an IS-IS circuit is made like the other end, where nobody keeps a secret of it', () => {
  assert.deepEqual(after(isis(() => ({ password: 'md5' }))), [
    ['isis_authentication_mismatch interface/r1/eth1', lines('interface eth1', ' no isis password')],
  ]);
  const secret: Change = (state, node) => {
    const told = isis((row) => row)(state, node);
    const circuits = told.isis!.circuits.map((row) =>
      node === 'r1' && row.ifname === 'eth1' ? row : { ...row, password: 'md5' as const },
    );
    return { ...told, isis: { ...told.isis!, circuits } };
  };
  assert.deepEqual(after(secret), [
    ['isis_authentication_mismatch interface/r1/eth1', undefined, 'the password: no agent tells it'],
  ]);
  assert.deepEqual(after(isis(() => ({ network: 'broadcast' }))), [
    ['isis_network_type_mismatch interface/r1/eth1', lines('interface eth1', ' isis network point-to-point')],
  ]);
  assert.deepEqual(after(isis(() => ({ passive: true }))), [
    ['isis_neighbor_missing interface/r1/eth1', lines('interface eth1', ' no isis passive')],
  ]);
  assert.deepEqual(after(isis(() => undefined)), [
    [
      'isis_neighbor_missing interface/r1/eth1',
      lines(
        'interface eth1',
        ' ip router isis core',
        ' ipv6 router isis core',
        ' isis network point-to-point',
        ' isis hello-interval 1',
      ),
    ],
  ]);
});

test('a level is set where it is wrong: at the circuit, or at the router', () => {
  assert.deepEqual(after(isis(() => ({ level: '1' }), { level: '1-2' })), [
    ['isis_level_mismatch node/r1', lines('interface eth1', ' isis circuit-type level-2-only')],
  ]);
  const found = after(isis(() => ({ level: '1-2' }), { level: '1' }));
  assert.deepEqual(found, [['isis_level_mismatch node/r1', lines('router isis core', ' is-type level-2-only')]]);
  const [other] = after(isis(() => ({ level: '1' }), { level: '1' }));
  assert.deepEqual(other, [
    'isis_level_mismatch node/r1',
    undefined,
    'which levels the router is to speak: its process and its circuit both exclude what is usual',
  ]);
});

test('a metric goes back to what everybody else has', () => {
  const metric: Change = (state, node) =>
    node !== 'r1'
      ? state
      : {
          ...state,
          isis: {
            ...state.isis!,
            circuits: state.isis!.circuits.map((row) => (row.ifname === 'eth1' ? { ...row, metric: 5_000 } : row)),
          },
        };
  assert.deepEqual(after(metric), [
    ['isis_metric_misconfig interface/r1/eth1', lines('interface eth1', ' isis metric 10')],
  ]);
});

test('BFD is switched on for the protocol that both run, and for none where both are there', () => {
  const oneSided: Change = (state, node) => {
    if (node === 'r1') return { ...state, bfd: state.bfd!.filter((row) => row.ifname !== 'eth1') };
    if (node !== 'r2') return state;
    const bfd = state.bfd!.map((row) => (row.peer === '198.18.1.0' ? { ...row, status: 'down' as const } : row));
    return { ...state, bfd };
  };
  const without =
    (part: 'isis' | 'bgp'): Change =>
    (state, node) => {
      const { [part]: _gone, ...rest } = oneSided(state, node);
      return part === 'isis' ? { ...rest, adjacencies: [] } : rest;
    };
  const resource = 'bfd_session_missing interface/r1/eth1';
  assert.deepEqual(after(without('isis')), [[resource, lines('router bgp 65001', ' neighbor 198.18.1.1 bfd')]]);
  assert.deepEqual(after(without('bgp')), [[resource, lines('interface eth1', ' isis bfd')]]);
  assert.deepEqual(after(oneSided), [
    [resource, undefined, 'for which protocol: more than one runs between the two, or none is known'],
  ]);
});

test('BGP: the number that the neighbour runs under; a process under a wrong number is a person’s matter', () => {
  assert.deepEqual(drawn(recorded('bgpnbr')), [
    ['bgp_neighbor_misconfig interface/r1/eth1', lines('router bgp 65001', ' neighbor 198.18.1.1 remote-as 65002')],
  ]);
  const [own] = drawn(recorded('bgpasn'));
  assert.deepEqual(own?.slice(1), [
    undefined,
    'a process under another number is a new one: all of it must be configured again',
  ]);
});

test('a black hole of the configuration is taken out in either of FRR’s words; one of the kernel alone is not', () => {
  const input = recorded('blackhole');
  const [found] = drawn(input);
  assert.match(JSON.stringify(found), /"lines":\["no ip route (\S+) Null0","no ip route \1 blackhole"\]/);
  const kernel = changed(input, {
    state: (state) => ({
      ...state,
      ...(state.staticRoutes === undefined
        ? {}
        : { staticRoutes: state.staticRoutes.map((route) => ({ ...route, protocol: 'boot' })) }),
    }),
  });
  const [other] = drawn(kernel);
  assert.deepEqual(other?.slice(1), [
    undefined,
    'the route is not of the configuration: whoever set it must take it away',
  ]);
});

test('a fixed neighbour entry is deleted as it is', () => {
  const live = [{ kind: 'neighbour-delete', ifname: 'eth2', address: '198.18.2.1', mac: '02:11:22:33:44:55' }];
  assert.deepEqual(drawn(recorded('arp')), [['arp_cache_poisoning node/r2', { live }]]);
});

test('no lines are drawn up for a node that FRR does not configure', () => {
  const foreign: Change = (state, node) => {
    const told = isis(() => ({ network: 'broadcast' }))(state, node);
    return { ...told, inventory: { ...told.inventory, driver: 'netconf' } };
  };
  assert.deepEqual(after(foreign), [['isis_network_type_mismatch interface/r1/eth1', undefined]]);
});

const row = (change: Partial<OspfInterface> = {}): OspfInterface => ({
  ...{ ifname: 'eth1', area: '0.0.0.0', network: 'POINTOPOINT', helloMs: 1_000, deadMs: 4_000, passive: false },
  ...{ neighbours: [], ...change },
});

/** r1 – r2 over OSPF; r1's end as given. */
const ospf =
  (own: OspfInterface | undefined): Change =>
  (state, node) => {
    const { isis: _isis, bgp: _bgp, bfd: _bfd, ...rest } = state;
    const well = { routerId: '198.18.255.9', address: '198.18.9.9', state: 'Full' };
    const others = ['eth1', 'eth2'].map((ifname) => row({ ifname, neighbours: [well] }));
    const mine = node === 'r1' ? own : row();
    const rows = node === 'r1' || node === 'r2' ? [mine, others[1]].filter((each) => each !== undefined) : others;
    return { ...rest, adjacencies: [], daemons: [{ name: 'ospfd', alive: true }], ospf: rows };
  };

test('OSPF: area, timers and the circuit itself as the other end has them', () => {
  assert.deepEqual(after(ospf(row({ area: '0.0.0.1' }))), [
    ['ospf_area_misconfiguration node/r1', lines('interface eth1', ' ip ospf area 0.0.0.0')],
  ]);
  assert.deepEqual(after(ospf(row({ helloMs: 5_000 }))), [
    [
      'ospf_timer_mismatch interface/r1/eth1',
      lines('interface eth1', ' ip ospf hello-interval 1', ' ip ospf dead-interval 4'),
    ],
  ]);
  assert.deepEqual(after(ospf(undefined)), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' ip ospf area 0.0.0.0')],
  ]);
  assert.deepEqual(after(ospf(row({ passive: true }))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' no ip ospf passive')],
  ]);
});

test('two changes of one node are one, each under its own head', () => {
  const base = { node: 'r1', summary: 'both' };
  const one = { ...base, command: 'a', change: lines('interface eth1', ' isis metric 10') };
  const other = { ...base, command: 'b', change: lines('no ip route 198.19.1.0/24 Null0') };
  assert.deepEqual(joined(one, other), {
    ...base,
    command: 'a; b',
    change: lines('interface eth1', ' isis metric 10', 'exit', 'no ip route 198.19.1.0/24 Null0'),
  });
  assert.deepEqual(joined(one, one), one);
  assert.deepEqual(joined(one, { ...other, node: 'r2' }), one);
});
