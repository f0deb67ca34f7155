// Nodes that others hear and the asked one does not know: how it learns to reach them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askRings, type SurveyParts } from '#agent/investigation/ask-states.ts';
import { PARLEY_SUBTYPE } from '#discovery/lldp/descriptor.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { descriptorOf, hexOf } from '../../discovery/discovery-bed.ts';
import { createFakeClock } from '../../fakes/clock.ts';

const never = new AbortController().signal;
const hears = (...names: readonly string[]) =>
  ({
    adjacencies: [],
    neighbours: names.map((name) => ({
      ...{ ifname: 'eth1', systemName: name },
      unknownTlvs: [{ oui: PARLEY_OUI, subtype: PARLEY_SUBTYPE, hex: hexOf(descriptorOf(name)) }],
    })),
  }) as unknown as NodeState;

/** All states are known, so that no session is opened for one; `exchanged`: who was asked for its peers. */
async function rings(states: Readonly<Record<string, NodeState>>, start: readonly string[]) {
  const clock = createFakeClock();
  const peers = createPeerTable({ node: 'pe1', clock });
  const exchanged: string[] = [];
  const sessions = {
    open: async (node: string) => {
      exchanged.push(node);
      throw new Error('no session');
    },
  };
  const parts = {
    ...{ node: 'pe1', peers, clock, sessions, knownStates: new Map(Object.entries(states)) },
  } as unknown as SurveyParts;
  const asked = await askRings(parts, start, {} as never, { sessionId: 's' } as never, never);
  return { nodes: asked.nodes, exchanged, peers };
}

test('a neighbour that a state names is asked at the address of its announcement, without a peer exchange', async () => {
  const states = { pe1: hears('p2'), p2: hears('pe1', 'pe3'), pe3: hears('p2', 'pe4'), pe4: hears('pe3') };
  const { nodes, exchanged, peers } = await rings(states, ['pe1', 'p2']);
  assert.deepEqual([nodes, exchanged], [['pe1', 'p2', 'pe3', 'pe4'], []]);
  assert.deepEqual(
    peers.find('pe3')?.hints.map(({ source, toldBy, hops }) => [source, toldBy, hops]),
    [['peer-exchange', 'p2', 1]],
  );
  assert.equal(peers.find('p2'), undefined, 'what this node heard itself is no news of others');
});

test('one of which a state says only the name is sought by asking those who hear it', async () => {
  const named = { adjacencies: [], neighbours: [{ ifname: 'eth1', systemName: 'pe3', unknownTlvs: [] }] };
  const { nodes, exchanged } = await rings({ pe1: hears(), p2: named as unknown as NodeState }, ['pe1', 'p2']);
  assert.deepEqual([nodes, exchanged], [['pe1', 'p2'], ['p2']]);
});
