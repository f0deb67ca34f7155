// The containerlab subset: what is read, what is refused with its path, and that the project's own files are valid.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse as parseYaml } from 'yaml';
import { loadTopology, parseTopology } from '../../simulations/lab/topology.ts';

const SIMULATIONS = join(import.meta.dirname, '../../simulations');
const TOPOLOGIES = join(SIMULATIONS, 'topologies');
const schema = JSON.parse(readFileSync(join(SIMULATIONS, 'schemas/clab-subset.schema.json'), 'utf8'));
const files = readdirSync(TOPOLOGIES).filter((file) => file.endsWith('.clab.yml'));

const TWO_NODES = `
name: two
topology:
  nodes:
    a: { kind: linux, image: x, binds: ["two/a.conf:/etc/frr/frr.conf"], exec: ["ip link set lo up"] }
    b: { kind: linux, image: x, memory: 1Gb }
  links:
    - endpoints: ["a:eth1", "b:eth2"]
      vars: { mtu: 1500 }
`;

test('every topology of the project is valid under containerlab’s own rules [CARD-9]', () => {
  const containerlab = JSON.parse(readFileSync(join(SIMULATIONS, 'schemas/clab.schema.json'), 'utf8'));
  const validate = new Ajv({ allErrors: true, strict: false }).compile(containerlab);
  for (const file of files) {
    const topology = parseYaml(readFileSync(join(TOPOLOGIES, file), 'utf8'));
    assert.equal(validate(topology), true, `${file}: ${JSON.stringify(validate.errors)}`);
    assert.equal(validate({ ...topology, colour: 'red' }), false);
  }
});

test('every topology of the project is valid under the schema of the containerlab subset [CARD-9]', () => {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  assert.ok(files.includes('srv6-three.clab.yml') && files.includes('pair.clab.yml'));
  for (const file of files) {
    const valid = validate(parseYaml(readFileSync(join(TOPOLOGIES, file), 'utf8')));
    assert.equal(valid, true, `${file}: ${JSON.stringify(validate.errors)}`);
  }
});

test('the schema refuses an unknown node key and a management interface in a link [CARD-9]', () => {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  assert.equal(validate(parseYaml(TWO_NODES)), true);
  assert.equal(validate(parseYaml(TWO_NODES.replace('memory:', 'memmory:'))), false);
  assert.equal(validate(parseYaml(TWO_NODES.replace('a:eth1', 'a:eth0'))), false);
});

test('every topology of the project is read by the lab and its files exist [CARD-9]', async () => {
  for (const file of files) {
    const loaded = await loadTopology(join(TOPOLOGIES, file));
    assert.ok(loaded.ok, loaded.ok ? '' : loaded.reason);
    for (const node of loaded.value.nodes) {
      for (const path of Object.values(node.frrFiles)) assert.ok(readFileSync(path, 'utf8').length > 0);
    }
  }
});

test('reads nodes, binds, exec lists and links with their MTU', () => {
  const parsed = parseTopology(TWO_NODES, '/labs/two.clab.yml');
  assert.ok(parsed.ok);
  assert.equal(parsed.value.name, 'two');
  assert.deepEqual(parsed.value.nodes[0], {
    name: 'a',
    image: 'x',
    role: 'router',
    services: [],
    frrFiles: { 'frr.conf': '/labs/two/a.conf' },
    exec: ['ip link set lo up'],
  });
  assert.deepEqual(parsed.value.links, [
    { a: { node: 'a', ifname: 'eth1' }, b: { node: 'b', ifname: 'eth2' }, mtu: 1500 },
  ]);
});

test('keys of containerlab that labs do not use are ignored with a note', () => {
  const parsed = parseTopology(TWO_NODES, '/labs/two.clab.yml');
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.notes, ['topology.nodes.b.memory: not used by namespace labs']);
});

test('unknown keys are refused, all at once, each with its path', () => {
  const text = TWO_NODES.replace('memory:', 'memmory:').replace('mtu: 1500', 'mtuu: 1500');
  const parsed = parseTopology(`${text}colour: red\n`, '/labs/two.clab.yml');
  assert.deepEqual(parsed, {
    ok: false,
    reason: [
      'topology.nodes.b.memmory: unknown key',
      'topology.links.0.vars.mtuu: unknown key',
      'colour: unknown key',
    ].join('\n'),
  });
});

test('refuses a link to a node that is not there and an interface used twice', () => {
  const text = `${TWO_NODES}    - endpoints: ["a:eth1", "c:eth1"]\n`;
  assert.deepEqual(parseTopology(text, '/labs/two.clab.yml'), {
    ok: false,
    reason: [
      'topology.links.1.endpoints.0: a:eth1 is used twice',
      'topology.links.1.endpoints.1: there is no node c',
    ].join('\n'),
  });
});

test('nodes inherit from defaults and kinds', () => {
  const text = TWO_NODES.replace(
    '  nodes:',
    '  defaults: { exec: ["true"] }\n  kinds: { linux: { image: y } }\n  nodes:',
  ).replace('b: { kind: linux, image: x, memory: 1Gb }', 'b:');
  const parsed = parseTopology(text, '/labs/two.clab.yml');
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.nodes[1], {
    name: 'b',
    image: 'y',
    role: 'router',
    services: [],
    frrFiles: {},
    exec: ['true'],
  });
});
