// A link that is small at both ends, held against the others, while one of the others is wrong at one end as well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { sceneOf } from '../../scope-scene.ts';

/** r1 – r2 – r3 with four more links between r1 and r2; `sizes` of both ends of each. */
function mtuSymptoms(sizes: readonly (readonly [number, number])[]): readonly string[] {
  const grown =
    (node: string, side: 0 | 1) =>
    (state: NodeState): NodeState => ({
      ...state,
      inventory: {
        ...state.inventory,
        interfaces: [
          ...state.inventory.interfaces.filter(({ name }) => name === 'lo'),
          ...sizes.map((pair, index) => ({
            ...state.inventory.interfaces.find(({ name }) => name !== 'lo')!,
            name: `eth${index}`,
            mac: `02:00:00:0${side}:00:0${index}`,
            mtu: pair[side],
            addresses: [`198.18.9.${index * 2 + side}/31`, `fd00:9:${index}::${side}/127`],
          })),
        ],
      },
      neighbours: sizes.map((_, index) => ({
        ifname: `eth${index}`,
        chassisId: node,
        portId: `eth${index}`,
        systemName: node,
        unknownTlvs: [],
      })),
      daemons: [{ name: 'zebra', alive: true }],
    });
  const { intent, evidence, outcomes } = sceneOf({ states: { r1: grown('r2', 0), r2: grown('r1', 1) } });
  const mine = evidence.filter(({ node }: Evidence) => node !== 'r3');
  const file = caseFileOf(intent, ['r1', 'r2'], mine, outcomes);
  return file.symptoms.filter(({ kind }) => kind === 'mtu').map(({ text }) => text.replace(/[{}]/g, ''));
}

test('a link that is small at both ends is seen beside one that is small at one', () => {
  assert.deepEqual(
    mtuSymptoms([
      [1_400, 1_400],
      [1_400, 9_000],
      [9_000, 9_000],
      [9_000, 9_000],
    ]),
    [
      'r1 eth0 – r2 eth0: MTU 1400 at both ends, 9000 on every other link',
      'r1 eth1 – r2 eth1: MTU 1400 at one end, 9000 at the other',
    ],
  );
});

test('where links have several sizes none of them is wrong', () => {
  assert.deepEqual(
    mtuSymptoms([
      [1_500, 1_500],
      [4_000, 4_000],
      [9_000, 9_000],
      [9_000, 9_000],
    ]),
    [],
  );
});
