// The network as its nodes report it: which links are up, what one end alone knows, and what is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkMap } from '#correlate/network-map.ts';
import { changed, recorded, withInterface } from './recording.ts';

const mapOf = (input = recorded('healthy'), nodes = input.nodeNames) =>
  networkMap(input.intent, nodes, input.evidence, input.outcomes, []);

test('links of a healthy ring are up and confirmed, and nothing is missing', () => {
  const { nodes, links, confidence, missing, remarks } = mapOf();
  assert.deepEqual(
    nodes,
    ['r1', 'r2', 'r3', 'r4'].map((node) => ({ node, seen: true })),
  );
  assert.deepEqual([links.length, links.every(({ state }) => state === 'up')], [4, true]);
  assert.deepEqual([confidence, missing, remarks], [{ confirmed: 4, likely: 0, claimed: 0 }, [], []]);
});

test('a link with a port that is down is down, and told as missing', () => {
  const dark = changed(recorded('healthy'), {
    state: (state, node) => (node === 'r1' ? withInterface(state, 'eth1', () => ({ operUp: false })) : state),
  });
  const { links, missing } = mapOf(dark);
  assert.deepEqual(
    links.filter(({ state }) => state === 'down').map(({ from, to }) => [from.node, to.node].join()),
    ['r1,r2'],
  );
  assert.deepEqual(missing, ['r1 eth1 – r2 eth1: no-carrier at one end, up at the other']);
});

test('a node that did not answer is not seen, and nodes are in the order of their names', () => {
  const input = recorded('healthy');
  const silent = { ...input, evidence: input.evidence.filter(({ node }) => node !== 'r3') };
  const { nodes, links } = mapOf(silent, ['r4', 'r3', 'r2', 'r1']);
  assert.deepEqual(
    nodes.map(({ node, seen }) => `${node} ${seen}`),
    ['r1 true', 'r2 true', 'r3 false', 'r4 true'],
  );
  assert.ok(links.every(({ state }) => state !== 'down'));
});
