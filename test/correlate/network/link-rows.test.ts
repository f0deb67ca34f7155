// Links as an operator sees them, on recordings of four real FRR routers in a ring: what speaks for each, what one end alone says, and what a
// wrong cable would look like. None of it accuses anybody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, recorded, said } from '../recording.ts';

const healthy = recorded('healthy');
const rows = (input: typeof healthy) =>
  diagnose(input).links.map(({ from, to, confidence, signs, claims, contradictions }) =>
    [
      `${from.node}:${from.ifname}--${to.node}:${to.ifname}`,
      ...[confidence, signs.join(), claims.map(({ sign, by }) => `${by} ${sign}`).join(), contradictions.join()],
    ].join(' | '),
  );

/** LLDP of r1 eth1 hears another node there. */
const hearing = (name: string, portId: string) =>
  changed(healthy, {
    state: (state: NodeState, node) => ({
      ...state,
      neighbours: state.neighbours.map((entry) =>
        node === 'r1' && entry.ifname === 'eth1' ? { ...entry, systemName: name, portId, chassisId: 'c' } : entry,
      ),
    }),
  });

test('links of a healthy network are confirmed from both ends by signs of different origin', () => {
  const all = 'confirmed | addresses,lldp,isis,bgp |  | ';
  assert.deepEqual(rows(healthy), [
    `r1:eth1--r2:eth1 | ${all}`,
    `r1:eth2--r4:eth2 | ${all}`,
    `r2:eth2--r3:eth1 | ${all}`,
    `r3:eth2--r4:eth1 | ${all}`,
  ]);
  assert.ok(
    diagnose(healthy).verdict.reasons.includes(
      'r1 eth1 – r2 eth1: both ends up, IS-IS adjacency up on both (confirmed: addresses, LLDP, IS-IS, BGP)',
    ),
  );
});

test('LLDP that names another node than IS-IS and BGP do is told as a contradiction, and accuses nobody', () => {
  const wrong = hearing('r3', 'eth1');
  const told = 'r1 eth1: LLDP names r3, IS-IS names r2, BGP names r2';
  assert.deepEqual(
    rows(wrong).filter((row) => row.includes('r1:eth1')),
    [
      `r1:eth1--r2:eth1 | likely | addresses,isis,bgp | r2 lldp | ${told}`,
      'r1:eth1--r3:eth1 | claimed |  | r1 lldp | ',
    ],
  );
  const diagnosis = diagnose(wrong);
  assert.deepEqual(diagnosis.findings, []);
  const odd = (diagnosis.remarks ?? []).map(({ resource, text }) => `${resource} ${text}`);
  assert.ok(odd.includes(`interface/r1/eth1 ${told}: look where its cable leads`), odd.join('\n'));
  assert.ok(odd.includes('link/r1:eth1--r3:eth1 r1 eth1 – r3 eth1: claimed by r1 alone, by LLDP'));
});

test('what one end alone says of a link is said to be so', () => {
  const silent = changed(healthy, {
    state: (state, node) => ({
      ...state,
      neighbours: node === 'r1' ? [] : state.neighbours,
      ...(node === 'r1' ? { history: { ...state.history!, lastHeard: [] } } : {}),
    }),
  });
  assert.deepEqual(said(silent)[0], 'healthy');
  assert.equal(rows(silent)[0], 'r1:eth1--r2:eth1 | confirmed | addresses,isis,bgp | r2 lldp | ');
});

test('of more odd links than a list holds the rest is counted', () => {
  const names = Array.from({ length: 30 }, (_, index) => `eth${index + 10}`);
  const wrong = changed(healthy, {
    state: (state: NodeState, node) => {
      if (node !== 'r1' && node !== 'r3') return state;
      const [like] = state.inventory.interfaces.filter(({ name }) => name === 'eth1');
      const ports = names.map((name) => ({
        ...like!,
        name,
        addresses: [],
        mac: `02:00:00:00:${node}:${name.slice(3)}`,
      }));
      const heard = names.map((ifname) => ({
        ifname,
        chassisId: 'c',
        systemName: 'r3',
        portId: ifname,
        unknownTlvs: [],
      }));
      return {
        ...state,
        inventory: { ...state.inventory, interfaces: [...state.inventory.interfaces, ...ports] },
        neighbours: [...state.neighbours, ...(node === 'r1' ? heard : [])],
      };
    },
  });
  const odd = (diagnose(wrong).remarks ?? []).filter(({ kind }) => kind === 'link_signs').map(({ text }) => text);
  assert.deepEqual(
    [odd.length, odd.at(-1)],
    [21, '10 more links that one end alone claims, or whose signs contradict each other'],
  );
});
