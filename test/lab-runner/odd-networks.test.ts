// What the second generator draws: the same from the same seed, connected, with addresses that belong to nobody, and with the truth where a case
// has one, and never in what routers read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAULT_DEFINITIONS } from '#correlate/faults/registry.ts';
import { drawCase, type OddCase } from '../../simulations/generate/odd/draw.ts';
import { MECHANISMS } from '../../simulations/generate/odd/faults/all.ts';
import { isConnected, wayBetween } from '../../simulations/generate/odd/graph.ts';
import { ODDITIES } from '../../simulations/generate/odd/oddities/all.ts';
import { SHAPES } from '../../simulations/generate/odd/shapes.ts';
import { frrConf, topologyOf, writeOdd } from '../../simulations/generate/odd/write.ts';
import { loadTopology } from '../../simulations/lab/topology.ts';

const DRAWN = Array.from({ length: 120 }, (_, index) => drawCase({ seed: 5, index, isHealthy: index % 3 === 0 }));

const read = ({ draft }: OddCase): string =>
  [JSON.stringify(topologyOf(draft)), ...draft.routers.map(frrConf)].join('\n');

test('the same seed draws the same network, and another one another', () => {
  const again = drawCase({ seed: 5, index: 7, isHealthy: false });
  assert.equal(read(again), read(DRAWN[7]!));
  assert.deepEqual(again.fault, DRAWN[7]!.fault);
  assert.deepEqual(again.questions, DRAWN[7]!.questions);
  assert.notEqual(read(drawCase({ seed: 6, index: 7, isHealthy: false })), read(again));
});

test('a network is the same whether it is healthy or not', () => {
  assert.equal(read(drawCase({ seed: 5, index: 7, isHealthy: true })), read(DRAWN[7]!));
});

test('all shapes come in turn, with four to nine routers, all connected', () => {
  assert.deepEqual([...new Set(DRAWN.map(({ draft }) => draft.shape))].sort(), SHAPES.map(({ name }) => name).sort());
  for (const { id, draft } of DRAWN) {
    assert.ok(isConnected(draft), id);
    assert.ok(draft.routers.length >= 4 && draft.routers.length <= 9, `${id}: ${draft.routers.length} routers`);
    assert.ok(draft.oddities.length >= 2 && draft.oddities.length <= 5, `${id}: ${draft.oddities.length} oddities`);
    assert.equal(new Set(draft.oddities).size, draft.oddities.length, id);
  }
});

test('every address is of a documentation, benchmarking or private range', () => {
  const allowed = new BlockList();
  for (const [base, bits] of [
    ['198.18.0.0', 15],
    ['192.0.2.0', 24],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['0.0.0.0', 32],
  ] as const)
    allowed.addSubnet(base, bits);
  for (const [base, bits] of [
    ['fd00::', 8],
    ['2001:db8::', 32],
    ['::', 128],
  ] as const)
    allowed.addSubnet(base, bits, 'ipv6');
  const office = new BlockList();
  office.addSubnet('192.168.0.0', 16);
  for (const entry of DRAWN) {
    const text = read(entry);
    const isDuplicated = entry.draft.oddities.includes('private duplicates behind NAT');
    for (const [address] of text.matchAll(/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g))
      assert.ok(allowed.check(address) || (isDuplicated && office.check(address)), `${entry.id}: ${address}`);
    for (const [address] of text.matchAll(/(?<![\w:.])(?:2001|f[cd][0-9a-f]{2}):[0-9a-f:]*/g))
      assert.ok(allowed.check(address, 'ipv6'), `${entry.id}: ${address}`);
  }
});

test('no two interfaces have one address, unless an oddity or the shape says so', () => {
  for (const { id, draft } of DRAWN) {
    const all = [
      ...draft.routers.flatMap((router) => [
        router.loopback4,
        router.loopback6,
        ...router.loopbackLines.flatMap((line) => /^ip address (\S+)\/32$/.exec(line)?.[1] ?? []),
        ...router.ports.flatMap((port) => [port.address4, port.address6].map((address) => address?.split('/')[0])),
      ]),
      ...draft.hosts.flatMap((host) => [host.address4, host.address6]),
    ].filter((address) => address !== undefined && !draft.shared.has(address));
    assert.deepEqual(
      all.filter((address, at) => all.indexOf(address) !== at),
      [],
      id,
    );
  }
});

test('a faulty case has its truth, about nodes and interfaces that exist and faults that have a page; a healthy one has none', () => {
  const ids = new Set<string>(FAULT_DEFINITIONS.map(({ id }) => id));
  for (const [index, { id, draft, fault }] of DRAWN.entries()) {
    assert.equal(fault === undefined, index % 3 === 0, id);
    if (fault === undefined) continue;
    const ends = new Set([...draft.links].flatMap(({ a, b }) => [a, b]).map(({ node, ifname }) => `${node}:${ifname}`));
    const nodes = new Set([...draft.routers, ...draft.hosts, ...draft.switches].map(({ name }) => name));
    assert.ok(fault.truth.right.length > 0 && fault.truth.place.length > 0, id);
    for (const pair of fault.truth.right) assert.ok(ids.has(pair.split(' ')[1]!), `${id}: ${pair}`);
    for (const resource of [...fault.truth.place, ...fault.truth.right.map((pair) => pair.split(' ')[0]!)]) {
      const [form, node = '', port = ''] = resource.split('/');
      if (form === 'node') assert.ok(nodes.has(node), `${id}: ${resource}`);
      else if (form === 'interface') assert.ok(ends.has(`${node}:${port}`), `${id}: ${resource}`);
      else
        assert.ok(
          resource
            .slice('link/'.length)
            .split('--')
            .every((end) => ends.has(end)),
          `${id}: ${resource}`,
        );
    }
  }
});

test('what routers and hosts read names neither an oddity nor a fault', () => {
  const words = new Set([
    ...ODDITIES.map(({ name }) => name),
    ...FAULT_DEFINITIONS.map(({ id }) => id),
    'fault',
    'oddity',
    'truth',
  ]);
  for (const { id, ...entry } of DRAWN) {
    const text = read({ id, ...entry });
    assert.deepEqual(
      [...words].filter((word) => new RegExp(`\\b${word}\\b`).test(text)),
      [],
      id,
    );
  }
});

test('every oddity and every means to a fault finds a place in some network', () => {
  assert.equal(new Set(ODDITIES.map(({ name }) => name)).size, ODDITIES.length);
  assert.ok(
    MECHANISMS.filter(({ fault }, at) => MECHANISMS.findIndex((each) => each.fault === fault) !== at).length >= 8,
  );
  const many = Array.from({ length: 900 }, (_, index) => drawCase({ seed: 11, index, isHealthy: false }));
  const oddities = new Set(many.flatMap(({ draft }) => draft.oddities));
  assert.deepEqual(
    ODDITIES.map(({ name }) => name).filter((name) => !oddities.has(name)),
    [],
  );
  const means = new Set(many.map(({ fault }) => `${fault!.name}: ${fault!.by}`));
  // Few networks have virtual routers: what was not drawn by chance is asked for.
  const rare = MECHANISMS.map(({ fault, by }) => `${fault}: ${by}`).filter((name) => !means.has(name));
  assert.deepEqual(
    rare.filter((name) => !many.some((_, index) => hasPlace(index, name))),
    [],
  );
});

function hasPlace(index: number, fault: string): boolean {
  try {
    return drawCase({ seed: 11, index, isHealthy: false, faults: [fault] }).fault !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

test('hosts use each other, and a question names routers that are adjacent and have agents', () => {
  for (const { id, draft, flows, questions } of DRAWN) {
    assert.ok(
      flows.some(({ works }) => works),
      id,
    );
    assert.equal(questions[0]!.q, 'What is wrong?');
    for (const { node, q } of questions) {
      assert.ok(draft.routers.find(({ name }) => name === node)!.hasAgent, `${id}: ${node}`);
      const way = /^is the path (.*) dropping packets\?$/.exec(q)?.[1]?.split(' -> ');
      if (way !== undefined) assert.deepEqual(wayBetween(draft, way[0]!, way.at(-1)!), way, id);
    }
  }
});

test('the files of a network are a topology that labs run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'odd-'));
  try {
    for (const { draft } of DRAWN.slice(0, 12)) {
      const topology = await loadTopology(await writeOdd(draft, folder));
      assert.ok(topology.ok, topology.ok ? '' : topology.reason);
      assert.deepEqual(topology.value.notes, []);
      assert.equal(topology.value.nodes.length, draft.routers.length + draft.hosts.length + draft.switches.length);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
