// Generated networks: addresses follow from positions, every file of a topology is valid, hosts have no agent.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { topologyOf, writeNetwork } from '../../simulations/generate/files.ts';
import { frrConf } from '../../simulations/generate/frr-conf.ts';
import { networkOf, sizeNames } from '../../simulations/generate/sizes.ts';
import { sndlibNames } from '../../simulations/generate/sndlib.ts';
import { loadTopology } from '../../simulations/lab/topology.ts';

const SCHEMAS = join(import.meta.dirname, '../../simulations/schemas');

test('every size is a valid containerlab topology [CARD-9]', async () => {
  const read = async (name: string) => JSON.parse(await readFile(join(SCHEMAS, name), 'utf8'));
  const validators = [
    new Ajv({ allErrors: true, strict: false }).compile(await read('clab.schema.json')),
    new Ajv({ allErrors: true, allowUnionTypes: true }).compile(await read('clab-subset.schema.json')),
  ];
  for (const size of sizeNames())
    for (const validate of validators)
      assert.equal(validate(topologyOf(networkOf(size))), true, `${size}: ${JSON.stringify(validate.errors)}`);
});

test('abilene has twelve routers, fifteen links, and one host behind each router', () => {
  const network = networkOf('abilene');
  assert.equal(sndlibNames().length, 22);
  assert.deepEqual([network.routers.length, network.links.length, network.hosts.length], [12, 15, 12]);
  assert.deepEqual(network.links[0], {
    a: { node: 'atlam5', ifname: 'eth1' },
    b: { node: 'atlang', ifname: 'eth1' },
  });
  assert.deepEqual(network.routers[1]?.core[0], {
    ifname: 'eth1',
    address4: '198.18.0.1',
    address6: 'fd00:1:1::1',
    prefix4: '198.18.0.0/31',
    prefix6: 'fd00:1:1::/127',
    peer: { node: 'atlam5', ifname: 'eth1', address4: '198.18.0.0', address6: 'fd00:1:1::' },
  });
});

test('every interface and every address is used once', () => {
  for (const size of ['leaf-spine-large', 'germany50']) {
    const { routers, hosts } = networkOf(size);
    const addresses = [
      ...routers.flatMap((router) => [router.loopback4, router.loopback6, router.locator]),
      ...routers.flatMap((router) => router.core.flatMap((port) => [port.address4, port.address6])),
      ...hosts.flatMap((host) => [host.prefix4, host.prefix6, host.hostAddress4, host.routerAddress4]),
    ];
    assert.equal(new Set(addresses).size, addresses.length, size);
    const ports = routers.flatMap((router) =>
      [...router.core, ...router.hosts].map((port) => `${router.name}:${port.ifname}`),
    );
    assert.equal(new Set(ports).size, ports.length, size);
  }
});

test('a leaf announces its loopback, links and IPv4 host prefix, and its IPv6 host prefix to nobody', () => {
  const network = networkOf('leaf-spine-xs');
  const conf = frrConf(network, network.routers[2]!);
  assert.deepEqual(conf.match(/^ {2}network .*/gm), [
    '  network 198.19.255.3/32',
    '  network 198.18.0.0/31',
    '  network 198.18.0.2/31',
    '  network 198.19.1.0/24',
    '  network fd00:0:0:3::1/128',
    '  network fd00:5a:3::/48',
    '  network fd00:1:1::/127',
    '  network fd00:1:2::/127',
  ]);
  assert.match(conf, /^router bgp 65101\n/m);
  assert.match(conf, /^ neighbor 198\.18\.0\.1 remote-as 65001\n/m);
});

test('a written network is read by the lab, with its hosts as hosts', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'generate-'));
  t.after(() => rm(folder, { recursive: true }));
  const loaded = await loadTopology(await writeNetwork(networkOf('leaf-spine-xs'), folder));
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.reason);
  assert.deepEqual(
    loaded.value.nodes.map((node) => [node.name, node.role]),
    [
      ['spine1', 'router'],
      ['spine2', 'router'],
      ['leaf1', 'router'],
      ['leaf2', 'router'],
      ['h1', 'host'],
      ['h2', 'host'],
    ],
  );
  assert.match(await readFile(loaded.value.nodes[0]!.frrFiles['frr.conf']!, 'utf8'), /^hostname spine1$/m);
});

test('an unknown size is refused with the known ones', () => {
  assert.throws(() => networkOf('moon'), /expected one of leaf-spine-xs.*abilene.*got moon/);
});
