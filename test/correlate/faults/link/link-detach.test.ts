// link_detach: the healthy recording of four FRR routers in a ring, with an interface that is no longer there: what ran over it follows from
// that, at both ends, and nothing of it is a fault of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { linkDetach } from '#correlate/faults/link/link-detach.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { linkOf } from '../../pair-scene.ts';
import { caseOf, lossOf, onLink, ringWorld, symptom } from '../proposing.ts';

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

const GONE = { node: 'a', ifname: 'to-b', from: 'gone', peer: 'b', port: 'to-a' };
const detach = (symptoms: readonly ReturnType<typeof symptom>[], world = ringWorld()) =>
  linkDetach
    .propose(caseOf(symptoms, world), [lossOf('a', 'b')])
    .map(({ resource, score, explains, remedy }) => [
      ...[resource, score, explains.map(({ symptom: id }) => id).join(' '), remedy?.node, remedy?.summary],
    ]);
const NAMED = ['a', '{a} to-b is gone: check the module or the driver'];

test('a port that is gone at either end of its link is named where it is gone', () => {
  const world = ringWorld({}, { a: { inventory: { interfaces: [] } } });
  const at = (detail: object) => detach([onLink('down', 'b-a', { detail })], world);
  assert.deepEqual(at({ from: 'up', to: 'gone' }), [['interface/a/to-b', 4, 'down down loss a>b', ...NAMED]]);
  assert.deepEqual(at({ from: 'gone', to: 'up' }), [['interface/a/to-b', 4, 'down down loss a>b', ...NAMED]]);
  assert.deepEqual(at({ from: 'shut', to: 'no-carrier' }), []);
});

test('sessions between the two ends follow, and the dark port of the neighbour with its own', () => {
  const inventory = { interfaces: [{ name: 'to-a', addresses: ['198.18.12.1/31'] }] };
  const world = ringWorld({}, { b: { inventory } });
  const session = (id: string, node: string, peer: string, more: object = {}) =>
    symptom('bgp', { id, detail: { node, peer }, ...more });
  const dark = { node: 'b', ifname: 'to-a', from: 'no-carrier', peer: 'a', port: 'to-b' };
  const symptoms = [
    symptom('down', { id: 'gone', nodes: ['a'], detail: GONE }),
    symptom('down', { id: 'dark', nodes: ['b'], detail: dark }),
    symptom('down', { id: 'other', nodes: ['c'], detail: { ...dark, node: 'c', port: 'to-d' } }),
    session('to it', 'a', '198.18.12.1'),
    session('from it', 'b', '198.18.12.0'),
    session('of it elsewhere', 'b', '203.0.113.1'),
    session('of another link', 'b', '203.0.113.2', { link: linkOf('b-c') }),
    session('of another node', 'c', '198.18.12.1'),
  ];
  assert.deepEqual(detach(symptoms, world), [
    ['interface/a/to-b', 4, 'gone to it from it dark from it of it elsewhere', ...NAMED],
  ]);
  // A neighbour that was not asked says nothing.
  const stranger = symptom('down', { id: 'gone', nodes: ['a'], detail: { ...GONE, peer: 'x' } });
  assert.deepEqual(detach([stranger, session('to it', 'a', '198.18.12.1')], world)[0]?.[2], 'gone');
});
