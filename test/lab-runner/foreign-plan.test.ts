// Plans of networks of other people: what is read, and what a refusal tells the person who wrote the plan.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseForeignPlan } from '../../simulations/lab/foreign/plan.ts';
import type { TopologyNode } from '../../simulations/lab/topology.ts';

const node = (name: string, role: 'router' | 'host'): TopologyNode => ({
  ...{ name, role, image: undefined, services: [], frrFiles: {}, exec: [] },
});
const NETWORK = { file: 'net.clab.yml', nodes: [node('r1', 'router'), node('r2', 'router'), node('h1', 'host')] };
const PLAN = {
  checks: [{ node: 'h1', sh: 'true', full: true }],
  questions: [{ node: 'r1', q: 'What is wrong?' }],
};
const read = (plan: object) => parseForeignPlan(JSON.stringify(plan), NETWORK);
const refusal = (plan: object) => {
  const parsed = read(plan);
  assert.ok(!parsed.ok);
  return parsed.reason.split('\n');
};

test('reads a plan of checks and questions alone', () => {
  assert.deepEqual(read(PLAN), { ok: true, value: { about: '', after: [], settle: 0, noAgent: [], ...PLAN } });
});

test('reads every kind of step', () => {
  const after = [
    { node: 'h1', sh: 'true' },
    { wait: 20 },
    { reboot: 'r2' },
    { lldp: 'off', static: { r1: '198.18.0.1' } },
  ];
  const parsed = read({ ...PLAN, after });
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.after, after);
});

test('a node that is not there is refused with those that are', () => {
  assert.deepEqual(refusal({ ...PLAN, checks: [{ node: 'h9', sh: 'true' }], after: [{ reboot: 'h1' }] }), [
    'checks.0.node: expected a node of net.clab.yml (r1, r2, h1), got h9',
    'after.0.reboot: expected a router of net.clab.yml (r1, r2), got h1',
  ]);
});

test('a question at a node without an agent is refused', () => {
  assert.deepEqual(refusal({ ...PLAN, noAgent: ['r1'] }), [
    'questions.0.node: expected a node with an agent of net.clab.yml (r2), got r1',
  ]);
});

test('an empty plan, an unknown key and an unknown step are refused with what to write', () => {
  assert.deepEqual(refusal({ checks: [], after: [{ sleep: 3 }], questions: [], colour: 'red' }), [
    'checks: expected a check {node, sh} at least: without one, nothing shows that the network is well',
    'after.0: expected {node, sh}, {wait: seconds}, {reboot: node} or {lldp: "off", static: {node: address}}',
    'questions: expected a question at least, such as {"node": "r1", "q": "What is wrong?"}',
    'colour: unknown key',
  ]);
});

test('text that is not JSON is refused as such', () => {
  const parsed = parseForeignPlan('about: x', NETWORK);
  assert.ok(!parsed.ok);
  assert.match(parsed.reason, /^expected a plan as JSON: /);
});
