// The lab's book: names are claimed once, entries survive, and stale ones are told from living ones by process and start time.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createRegistry, isAlive, isStale, type LabRecord, markProcess } from '../../simulations/lab/registry.ts';

const dir = mkdtempSync(join(tmpdir(), 'lb-registry-'));
after(() => rmSync(dir, { recursive: true }));
const registry = createRegistry(dir);
const me = markProcess(process.pid)!;
const gone = { pid: process.pid, startTicks: '1' };

function record(name: string, over: Partial<LabRecord> = {}): LabRecord {
  return {
    schemaVersion: 1,
    name,
    prefix: 'lb-x-',
    status: 'running',
    owner: me,
    topologyFile: '/x',
    timers: 'fast',
    agents: 'none',
    seed: 1,
    folder: registry.folderOf(name),
    nodes: [{ name: 'a', role: 'router', services: [], namespace: 'lb-x-a', uid: 61_001, folder: '/x/a', init: me }],
    cables: [],
    ...over,
  };
}

test('an entry is there before anything else and is gone with its folder afterwards', async () => {
  await registry.create(record('one'));
  assert.deepEqual(await registry.find('one'), record('one'));
  assert.ok(existsSync(registry.folderOf('one')));
  await registry.forget(record('one'));
  assert.equal(await registry.find('one'), undefined);
  assert.equal(existsSync(registry.folderOf('one')), false);
});

test('a name that is taken is refused and the first entry stays', async () => {
  await registry.create(record('two', { seed: 11 }));
  await assert.rejects(registry.create(record('two', { seed: 12 })), { code: 'caller/lab-exists' });
  assert.equal((await registry.find('two'))?.seed, 11);
  assert.deepEqual(
    (await registry.list()).map((entry) => entry.name),
    ['two'],
  );
});

test('a process number that was given to somebody else is not the same process', () => {
  assert.equal(isAlive(me), true);
  assert.equal(isAlive(gone), false);
  assert.equal(isAlive(undefined), false);
  assert.equal(markProcess(4_194_305), undefined);
});

test('a lab in the making or of one run is stale once its owner is gone', () => {
  assert.equal(isStale(record('x', { status: 'starting' })), false);
  assert.equal(isStale(record('x', { status: 'starting', owner: gone })), true);
  assert.equal(isStale(record('x', { status: 'running', owner: gone })), true);
});

test('a lab that is up outlives its owner and is stale only when none of its nodes lives', () => {
  const nodes = record('x').nodes;
  assert.equal(isStale(record('x', { status: 'up', owner: gone })), false);
  assert.equal(
    isStale(record('x', { status: 'up', owner: gone, nodes: nodes.map((node) => ({ ...node, init: gone })) })),
    true,
  );
});
