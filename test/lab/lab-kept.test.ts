// A campaign keeps its lab: built once, agents started anew after each injection, built again only when it is not healthy any more; and
// an agent that lies or is dead changes nothing for the others. On real routers with real agents.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { accusedInnocent } from '../../bench/diagnosis/circumstances.ts';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { type Answer, askNode } from '../../simulations/lab/ask.ts';
import { type RunLine, runCampaign } from '../../simulations/lab/campaign.ts';
import { runInNetwork, runInNode } from '../../simulations/lab/node-processes.ts';
import type { LabRecord } from '../../simulations/lab/registry.ts';
import type { Injection, Scenario } from '../../simulations/lab/scenario.ts';

const dir = mkdtempSync(join(tmpdir(), 'lb-kept-'));
after(() => rmSync(dir, { recursive: true }));
const topologyFile = await writeNetwork(networkOf('leaf-spine-xs'), dir);
const STUB: Answer = { printed: {}, verdict: 'healthy', findings: [], report: undefined, seconds: 1 };

function scenario(name: string, ...inject: Injection[]): Scenario {
  const ask = { node: 'leaf1', intent: 'check loss between leaf1 and leaf2 via spine1' };
  return { name, file: '-', topologyFile, timers: 'fast', inject, settleMs: 0, ask, truth: [] };
}
const fault = (id: string, parameters: Record<string, unknown>): Injection => ({
  where: 'fault',
  fault: id,
  parameters,
});
const agentsOf = async (lab: LabRecord) => {
  const routers = lab.nodes.filter((node) => node.role === 'router');
  // The oldest: programs that an agent has just started are its children.
  const said = await Promise.all(routers.map((node) => runInNode(node, ['pgrep', '-o', '-u', 'parley'])));
  return said.map(({ stdout }) => stdout.trim());
};

test('the lab is built once, agents start anew after an injection, and a lab that is not healthy is built again', async () => {
  const lines: RunLine[] = [];
  const agents: string[][] = [];
  await runCampaign(
    [
      scenario('quiet'),
      scenario('still-quiet'),
      scenario('loss', fault('packet_loss', { cable: 'leaf1:eth1--spine1:eth1', from: 'leaf1:eth1', percent: 50 })),
      scenario('dead-agent', fault('agent_silent', { node: 'spine2', how: 'dead' })),
      scenario('after-damage'),
      scenario('after-stale-route'),
    ],
    {
      ...{ dir, name: 'kept', prefix: 'lb-kp-', seed: 1 },
      print: (line) => lines.push(line),
      ask: async (node, lab) => {
        agents.push(await agentsOf(lab));
        // Damage that no injection knows of and nobody undoes.
        if (lines.length === 3) await runInNetwork(node.namespace, ['ip', 'link', 'set', 'eth1', 'down']);
        // A next hop that BGP knows nothing of: half of the flows to spine1 go to spine2 and come back; echoes that are tried twice do not show it.
        const stale = 'fd00:0:0:1::1/128 via fd00:1:2::1 dev eth2 proto bgp metric 20';
        if (lines.length === 4) await runInNetwork(node.namespace, ['bash', '-c', `ip -6 route append ${stale}`]);
        return STUB;
      },
    },
  );
  assert.deepEqual(
    lines.map(({ scenario: name, rebuilt, invalid }) => [name, rebuilt, invalid]),
    [
      ['quiet', 'first run', undefined],
      ['still-quiet', undefined, undefined],
      ['loss', undefined, undefined],
      ['dead-agent', undefined, undefined],
      ['after-damage', 'not healthy', undefined],
      ['after-stale-route', 'not healthy', undefined],
    ],
  );
  const [first, second, third, fourth] = agents;
  assert.deepEqual(first, second, 'nothing was injected: the same agents');
  assert.deepEqual(third, second, 'they start anew after an injection, not before it');
  assert.equal(fourth!.filter((pid) => pid === '').length, 1, 'one is dead');
  assert.equal(fourth!.filter((pid) => third!.includes(pid)).length, 0, 'the others are new');
});

test('an agent that counts half of what it receives is contradicted, and nobody else is accused', async () => {
  const lines: RunLine[] = [];
  await runCampaign(
    [scenario('liar', fault('agent_lying', { node: 'spine1', lie: 'receives-less', interfaces: [] }))],
    {
      ...{ dir, name: 'kept', prefix: 'lb-kl-', seed: 1 },
      print: (line) => lines.push(line),
      ask: (node, lab, intent, options) => askNode(node, lab, intent, options),
    },
  );
  const [line] = lines;
  assert.equal(line?.invalid, undefined);
  assert.equal(line?.failed, undefined);
  assert.notEqual(line?.verdict, 'healthy');
  assert.deepEqual(accusedInnocent('spine1', line!.predicted, []), []);
});
