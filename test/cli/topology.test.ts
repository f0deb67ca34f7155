// `parley topology` as an operator runs it, and what it draws.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drawn } from '../../src/cli/commands/topology.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';

let bed: AgentBed;
const local = (...words: readonly string[]) => runParley(['topology', ...words, '--socket', bed.socketOf('pe1')]);
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3']);
});
after(() => bed.down());

test('nodes and links as both ends tell them; a node that is silent ends it with 3', async () => {
  const said = await local();
  assert.deepEqual([said.exitCode, said.stderr.includes('· finding the nodes\n')], [0, true], said.stderr);
  assert.match(said.stdout, /^3 nodes, 2 links: \d confirmed, \d likely, 0 claimed by one end only\n/);
  assert.match(said.stdout, /^p2 eth1 – pe1 eth1 +up +\w+ +addresses/m);
  const { nodes, missing } = JSON.parse((await local('--json')).stdout);
  assert.deepEqual(nodes, [
    { node: 'p2', seen: true },
    { node: 'pe1', seen: true },
    { node: 'pe3', seen: true },
  ]);
  assert.deepEqual(missing, []);
  const picture = await local('--mermaid');
  assert.equal(picture.stdout.split('\n')[0], 'graph LR');
  await bed.stop('pe3');
  const without = await local();
  assert.equal(without.exitCode, 3);
  assert.match(without.stdout, /^no answer from pe3: their links are unknown$/m);
});

test('a drawing says what is down, what one end only claims, and lets no name out of its quotes', () => {
  const link = {
    from: { node: 'a', ifname: 'eth1' },
    to: { node: 'b"]', ifname: 'eth2' },
    signs: [],
    claims: [],
    contradictions: [],
  };
  const text = drawn({
    nodes: [{ node: 'a', seen: true }],
    links: [
      { ...link, state: 'down', confidence: 'confirmed' },
      { ...link, state: 'up', confidence: 'claimed' },
      { ...link, state: 'unknown', confidence: 'likely' },
    ],
    confidence: { confirmed: 1, likely: 1, claimed: 1 },
    missing: [],
    remarks: [],
  });
  assert.deepEqual(text.split('\n'), [
    'graph LR',
    '  n0["a"]',
    '  n1(["b#34;#93; ?"])',
    '  n0 x--x|"eth1 – eth2"| n1',
    '  n0 -.-|"eth1 – eth2"| n1',
    '  n0 ---|"eth1 – eth2"| n1',
  ]);
});
