// `parley baseline` as an operator runs it: saved from a healthy answer only, held against later questions, cleared.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { linksOfTopology } from '../../src/cli/commands/clab-links.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';

let bed: AgentBed;
const local = (...words: readonly string[]) => runParley([...words, '--socket', bed.socketOf('pe1')]);
const json = (text: string) => JSON.parse(text) as Readonly<Record<string, never>>;
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3']);
});
after(() => bed.down());

const TOPOLOGY = `
name: three
topology:
  nodes:
    pe1: { kind: linux }
    p2: { kind: linux }
    br0: { kind: bridge }
  links:
    - endpoints: ["pe1:eth1", "p2:eth1"]
    - endpoints: [{ node: p2, interface: eth2 }, { node: pe1, interface: eth9 }]
    - endpoints: ["pe1:eth3", "br0:eth1"]
    - endpoints: ["pe1:eth4", "mgmt-net:eth4"]
`;

test('links of a containerlab file: brief and extended; bridges and hosts are left out with a note', () => {
  const { name, links, notes } = linksOfTopology(TOPOLOGY, 'three.clab.yml');
  assert.equal(name, 'three');
  assert.deepEqual(links, [
    { a: { node: 'pe1', ifname: 'eth1' }, b: { node: 'p2', ifname: 'eth1' } },
    { a: { node: 'p2', ifname: 'eth2' }, b: { node: 'pe1', ifname: 'eth9' } },
  ]);
  assert.deepEqual(notes, [
    'link 3 of three.clab.yml does not join two of its nodes: left out',
    'link 4 of three.clab.yml does not join two of its nodes: left out',
  ]);
  for (const text of ['', '[', 'topology: { links: [] }', 'topology: 7'])
    assert.throws(() => linksOfTopology(text, 'x.yml'), { code: 'caller/unreadable-file' });
});

test('without a healthy answer there is nothing to save', async () => {
  const said = await local('baseline', 'save', '--json');
  assert.equal(said.exitCode, 2);
  assert.equal(json(said.stdout)['error']!['code'], 'caller/no-baseline');
  const shown = await local('baseline', 'show');
  assert.deepEqual([shown.exitCode, shown.stdout.startsWith('no baseline')], [0, true]);
});

test('saved from a healthy answer, told with the next, cleared; never from an answer with a fault', async () => {
  const healthy = json((await local('ask', 'What is wrong?', '--json')).stdout);
  assert.equal(healthy['verdict']!['kind'], 'healthy');
  const saved = await local('baseline', 'save', '--json');
  assert.equal(saved.exitCode, 0, saved.stdout);
  const [kept] = json(saved.stdout)['baselines']! as unknown as readonly Record<string, never>[];
  assert.deepEqual(
    [kept!['node'], kept!['nodes'], kept!['source']!['id']],
    ['pe1', ['p2', 'pe1', 'pe3'], healthy['id']],
  );
  const again = await local('ask', 'What is wrong?', '--progress', '--json');
  assert.match(again.stderr, /held against the baseline of 20/);
  assert.equal(json(again.stdout)['verdict']!['kind'], 'healthy');
  const all = await local('baseline', 'show', '--all');
  assert.match(all.stdout, /^link +link\/p2:eth1--pe1:eth1 +up$/m);
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 30 });
  const bad = json((await local('ask', 'What is wrong?', '--json')).stdout);
  assert.notEqual(bad['verdict']!['kind'], 'healthy');
  const refused = await local('baseline', 'save', String(bad['id']), '--json');
  assert.equal(json(refused.stdout)['error']!['code'], 'caller/no-baseline');
  const cleared = await local('baseline', 'clear');
  assert.match(cleared.stdout, /^no baseline/);
});

test('a topology is imported, and shown', async () => {
  const file = join(bed.dir, 'three.clab.yml');
  await writeFile(file, TOPOLOGY);
  const said = await local('baseline', 'import', file);
  assert.deepEqual([said.exitCode, said.stderr.split('\n').length], [0, 3], said.stderr);
  assert.match(said.stdout, /saved by .+ from topology three\n {2}nodes {7}2: p2, pe1\n {2}link {8}2\n/);
});
