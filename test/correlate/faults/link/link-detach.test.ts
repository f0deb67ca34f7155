// link_detach: the healthy recording of four FRR routers in a ring, with an interface that is no longer there: what ran over it follows from
// that, at both ends, and nothing of it is a fault of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';

type Change = (state: NodeState, node: string) => NodeState;

function changed(change: Change): DiagnoseInput {
  const text = readFileSync(join(import.meta.dirname, '../../recorded/healthy.json.txt'), 'utf8');
  const { intent, nodes, outcomes, evidence } = JSON.parse(text) as {
    readonly intent: DiagnoseInput['intent'];
    readonly nodes: readonly string[];
    readonly outcomes: DiagnoseInput['outcomes'];
    readonly evidence: DiagnoseInput['evidence'];
  };
  const rewritten = evidence
    .filter((entry) => entry.kind === 'state' || entry.kind === 'lookups')
    .map((entry) =>
      entry.kind === 'state'
        ? { ...entry, body: change(entry.body as unknown as NodeState, entry.node) as never }
        : entry,
    );
  return { intent, nodeNames: nodes, outcomes, evidence: rewritten };
}

const named = (input: DiagnoseInput) => diagnose(input).findings.map(({ fault, resource }) => `${fault} ${resource}`);

/** r1 has lost eth1, towards r2, whose port is still lit. */
const detached: Change = (state, node) => {
  if (node === 'r1') {
    const interfaces = state.inventory.interfaces.filter(({ name }) => name !== 'eth1');
    return {
      ...withoutSession(state, '198.18.1.1'),
      inventory: { ...state.inventory, interfaces },
      neighbours: state.neighbours.filter(({ ifname }) => ifname !== 'eth1'),
      adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth1'),
      bfd: state.bfd!.filter(({ peer }) => peer !== '198.18.1.1'),
    };
  }
  if (node !== 'r2') return state;
  return {
    ...withoutSession(state, '198.18.1.0'),
    neighbours: state.neighbours.filter(({ ifname }) => ifname !== 'eth1'),
    adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth1'),
    bfd: state.bfd!.map((row) => (row.peer === '198.18.1.0' ? { ...row, status: 'down' as const } : row)),
  };
};

function withoutSession(state: NodeState, peer: string): NodeState {
  const sessions = state.bgp!.sessions.map((row) => (row.peer === peer ? { ...row, state: 'Active' } : row));
  return { ...state, bgp: { ...state.bgp!, sessions } };
}

test('a detached interface explains what ran over it, at both ends [TS-17]', () => {
  assert.deepEqual(named(changed(detached)), ['link_detach interface/r1/eth1']);
});

test('sessions that are lost while every interface is there are no detached interface', () => {
  const lost: Change = (state, node) => (node === 'r2' ? withoutSession(state, '198.18.1.0') : state);
  assert.deepEqual(
    named(changed(lost)).filter((text) => text.startsWith('link_')),
    [],
  );
});

test('an interface that went with its dead neighbour’s last word is still a finding of its own', () => {
  const dead: Change = (state, node) => {
    const gone = detached(state, node);
    if (node !== 'r3') return gone;
    const interfaces = gone.inventory.interfaces.map((entry) =>
      entry.name === 'eth1' ? { ...entry, operUp: false } : entry,
    );
    return { ...gone, inventory: { ...gone.inventory, interfaces } };
  };
  const input = changed(dead);
  const evidence = input.evidence.filter((entry) => entry.node !== 'r2');
  assert.ok(named({ ...input, evidence }).includes('link_detach interface/r1/eth1'));
});
