// Scenario files: what is read, what is refused, and that the project's own are consistent with their topologies.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultIds } from '../../simulations/lab/faults/catalogue.ts';
import { stepsOf, unknownPlaces } from '../../simulations/lab/injection.ts';
import { planLab } from '../../simulations/lab/plan.ts';
import { loadScenario, parseScenario } from '../../simulations/lab/scenario.ts';
import { loadTopology } from '../../simulations/lab/topology.ts';

const SCENARIOS = join(import.meta.dirname, '../../simulations/scenarios');
const FILES = readdirSync(SCENARIOS).filter((file) => file.endsWith('.yml'));

const VALID = `
name: one
topology: ../topologies/t.clab.yml
inject:
  - cable: a:eth1--b:eth1
    exec: ["nft list ruleset"]
  - node: a
    exec: ["true"]
    undo: ["false"]
  - { fault: packet_loss, cable: "a:eth1--b:eth1", from: "b:eth1", percent: 2.5 }
settle: 5s
ask: { node: a, intent: "what is wrong" }
truth: [ { resource: interface/a/eth1, fault: packet_loss } ]
`;

test('reads injections, settling time, question and truth', () => {
  const parsed = parseScenario(VALID, '/labs/scenarios/one.yml');
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value, {
    name: 'one',
    file: '/labs/scenarios/one.yml',
    topologyFile: '/labs/topologies/t.clab.yml',
    timers: 'fast',
    inject: [
      { where: 'cable', cable: 'a:eth1--b:eth1', exec: ['nft list ruleset'], repaired: false },
      { where: 'node', node: 'a', exec: ['true'], undo: ['false'], repaired: false },
      {
        where: 'fault',
        fault: 'packet_loss',
        parameters: { cable: 'a:eth1--b:eth1', from: 'b:eth1', percent: 2.5 },
      },
    ],
    settleMs: 5_000,
    ask: { node: 'a', intent: 'what is wrong' },
    truth: [{ resource: 'interface/a/eth1', fault: 'packet_loss' }],
  });
});

test('says all problems at once, each with its path', () => {
  const text = VALID.replace('settle: 5s', 'settle: soon\ncolour: red')
    .replace('exec: ["true"]', 'exec: []')
    .replace('percent: 2.5', 'percent: 200')
    .replace('interface/a/eth1,', 'a eth1,');
  const parsed = parseScenario(text, '/labs/one.yml');
  assert.ok(!parsed.ok);
  const paths = parsed.reason.split('\n').map((line) => line.split(': ')[0]);
  assert.deepEqual(paths, ['settle', 'truth.0.resource', 'colour', 'inject.1.exec', 'inject.2.percent']);
});

test('an unknown fault is refused with the list of known ones', () => {
  const parsed = parseScenario(VALID.replace('fault: packet_loss, cable', 'fault: gremlins, cable'), '/labs/one.yml');
  assert.deepEqual(parsed, {
    ok: false,
    reason: `inject.2.fault: there is no gremlins, known are ${faultIds().join(', ')}`,
  });
});

test('a healthy control has an empty truth and needs no injection', () => {
  const parsed = parseScenario(
    VALID.replace(/inject:[\s\S]*settle: 5s/, '').replace(/truth:.*/, 'truth: []'),
    '/x.yml',
  );
  assert.ok(parsed.ok);
  assert.deepEqual([parsed.value.inject, parsed.value.truth, parsed.value.settleMs], [[], [], 0]);
});

test('loss drops what arrives at the port of the sending end', () => {
  const step = (from: string) =>
    stepsOf({ cables: [], nodes: [] }, [
      { where: 'fault', fault: 'packet_loss', parameters: { cable: 'a:eth1--b:eth1', from, percent: 2.5 } },
    ])[0];
  assert.match(JSON.stringify(step('a:eth1')), /ingress device \{a\} .*mod 10000 < 250 drop/);
  assert.match(JSON.stringify(step('b:eth1')), /ingress device \{b\} /);
});

test('every scenario of the project is read, and its places are in its topology [CARD-9]', async () => {
  assert.ok(FILES.length >= 7);
  for (const file of FILES) {
    const loaded = await loadScenario(join(SCENARIOS, file));
    assert.ok(loaded.ok, loaded.ok ? '' : `${file}: ${loaded.reason}`);
    const topology = await loadTopology(loaded.value.topologyFile);
    assert.ok(topology.ok);
    const lab = planLab(topology.value, {
      name: 'x',
      prefix: 'x-',
      status: 'running',
      owner: { pid: 1, startTicks: '1' },
      timers: 'fast',
      agents: 'none',
      seed: 1,
      folder: '/x',
    });
    assert.deepEqual(unknownPlaces(lab, stepsOf(lab, loaded.value.inject)), [], file);
    assert.ok(topology.value.nodes.some((node) => node.name === loaded.value.ask.node));
    assert.equal(`${loaded.value.name}.yml`, file);
  }
});
