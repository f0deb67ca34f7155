// cables_swapped on the ring: the cables of r3 eth1 (to r2) and r3 eth2 (to r4) are swapped, or those of ports of two nodes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { cablesSwapped } from '#correlate/faults/link/cables-swapped.ts';
import { linkOf } from '../../pair-scene.ts';
import { withInterface } from '../../recording.ts';
import { type Change, named, ring } from '../../ring.ts';
import { caseOf, lossOf, onLink, symptom } from '../proposing.ts';

/** `r2:eth2` → `r3:eth2`: who is heard where, as LLDP names nodes and ports; ports that are not listed hear whom they heard. */
const hearing =
  (heard: Readonly<Record<string, string>>): Change =>
  (state, node) => ({
    ...state,
    neighbours: state.neighbours.map((row) => {
      const [systemName, portId] = (heard[`${node}:${row.ifname}`] ?? '').split(':');
      return systemName === '' || portId === undefined ? row : { ...row, systemName: systemName!, portId };
    }),
  });

const AT_R3 = { 'r3:eth1': 'r4:eth1', 'r3:eth2': 'r2:eth2', 'r2:eth2': 'r3:eth2', 'r4:eth1': 'r3:eth1' };
const FOUND = ['cables_swapped interface/r3/eth1', 'cables_swapped interface/r3/eth2'];

test('two ports of a node that hear each other’s neighbours are both named, and their far ends are not', () => {
  const input = ring(hearing(AT_R3));
  assert.deepEqual(named(input), FOUND);
  const [first] = diagnose(input).findings;
  assert.deepEqual(
    [first?.confidence, first?.details['what']],
    [
      'certain',
      'r3 eth1 has an address for r2 eth2 and hears r4 eth1, for which r3 eth2 has one: the two cables are swapped',
    ],
  );
});

test('where the two cables share no node, either pair of ends may have been exchanged: all are named as likely', () => {
  const panel = { 'r1:eth1': 'r4:eth1', 'r3:eth2': 'r2:eth1', 'r2:eth1': 'r3:eth2', 'r4:eth1': 'r1:eth1' };
  const { findings } = diagnose(ring(hearing(panel)));
  assert.deepEqual(
    findings.map(({ fault, resource, confidence }) => `${fault} ${resource} ${confidence}`),
    ['r1/eth1', 'r2/eth1', 'r3/eth2', 'r4/eth1'].map((end) => `cables_swapped interface/${end} likely`),
  );
});

test('one port that hears a stranger or another port, or hears it beside its neighbour, is no swap', () => {
  assert.deepEqual(named(ring(hearing({ 'r3:eth1': 'r4:eth1' }))), []);
  assert.deepEqual(named(ring(hearing({ 'r3:eth1': 'switch:7', 'r3:eth2': 'switch:8' }))), []);
  const beside: Change = (state, node) => {
    const moved = hearing(AT_R3)(state, node, '');
    return { ...state, neighbours: [...state.neighbours, ...moved.neighbours] };
  };
  assert.deepEqual(named(ring(beside)), []);
});

test('what one side alone hears crosswise is no swap', () => {
  const { 'r3:eth1': one, 'r3:eth2': other } = AT_R3;
  assert.deepEqual(named(ring(hearing({ 'r3:eth1': one, 'r3:eth2': other }))), []);
});

test('a port that is down keeps what it heard last, and accuses no cable', () => {
  const down: Change = (state, node) => {
    const moved = hearing(AT_R3)(state, node, '');
    return node === 'r3' ? withInterface(moved, 'eth1', () => ({ operUp: false })) : moved;
  };
  assert.ok(!named(ring(down)).some((found) => found.startsWith('cables_swapped')));
});

test('it takes along what crosses either cable, and routes of the nodes at their ends', () => {
  const detail = { node: 'b', ifname: linkOf('a-b').to.ifname, set: '', heard: '', otherNode: 'b', other: '' };
  const own = symptom('cables_swapped', {
    subject: 'interface/b/x',
    detail: { ...detail, other: linkOf('b-c').from.ifname },
  });
  const others = [
    onLink('isis', 'a-b'),
    onLink('bgp', 'b-c'),
    onLink('isis', 'c-d', { id: 'isis elsewhere' }),
    symptom('route', { nodes: ['a', 'd'], detail: { how: 'none', owner: 'a', at: 'd' } }),
    symptom('route', { id: 'route of d alone', nodes: ['d'], detail: { how: 'none', owner: 'd', at: 'd' } }),
  ];
  const [found] = cablesSwapped.propose(caseOf([own, ...others]), [lossOf('a', 'b')]);
  const explained = found!.explains.map((share) => share.symptom).sort();
  assert.deepEqual(explained, ['bgp', 'cables_swapped', 'isis', 'loss a>b', 'route']);
});
