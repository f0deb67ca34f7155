// A lab process that is killed without a chance to clean up leaves nothing that `down --stale` does not remove; Ctrl-C leaves nothing at all.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeStaleLabs } from '../../scripts/stale-labs.ts';
import { namespaceNames, processesIn } from '../../simulations/lab/namespaces.ts';
import { downStale } from '../../simulations/lab/network-lab.ts';
import { createRegistry, markProcess } from '../../simulations/lab/registry.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { HANG_MS } from '../until-written.ts';
import { prepareStandIn, TOPOLOGY } from './stand-in.ts';

const LAB = join(import.meta.dirname, '../../simulations/lab/lab.ts');
const standIn = prepareStandIn('crash');
const prefix = standIn.options.prefix!;
const registry = createRegistry(standIn.dir);
after(async () => {
  await downStale(registry);
  standIn.remove();
});

function startUp(): ChildProcess {
  const args = [
    '--conditions=parley-source',
    LAB,
    'up',
    TOPOLOGY,
    '--name',
    'crash',
    '--prefix',
    prefix,
    '--no-agents',
  ];
  return spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, PARLEY_LAB_DIR: standIn.dir } });
}

function ours(): string[] {
  return namespaceNames().filter((name) => name.startsWith(prefix));
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

for (const [moment, reached] of [
  ['while namespaces are made', () => ours().length > 0],
  ['while routers start', () => existsSync(join(registry.folderOf('crash'), 'pe3/start.log'))],
] as const) {
  test(`killed ${moment}: down --stale leaves nothing`, async () => {
    const child = startUp();
    const exit = ended(child);
    await waitUntil(moment, () => (reached() ? undefined : 'not yet'), { timeoutMs: HANG_MS, intervalMs: 1 });
    child.kill('SIGKILL');
    await exit;
    assert.ok(ours().length > 0);
    const pids = (await Promise.all(ours().map(processesIn))).flat();
    assert.deepEqual(await downStale(registry), ['crash']);
    assert.deepEqual(ours(), []);
    assert.deepEqual(
      pids.filter((pid) => markProcess(pid) !== undefined),
      [],
    );
    assert.equal(existsSync(registry.folderOf('crash')), false);
    assert.deepEqual(await registry.list(), []);
  });
}

test('the next run of the tests removes what an interrupted one left', async () => {
  const child = startUp();
  const exit = ended(child);
  await waitUntil('namespaces', () => (ours().length > 0 ? undefined : 'none'), { timeoutMs: HANG_MS, intervalMs: 5 });
  child.kill('SIGKILL');
  await exit;
  const parent = join(standIn.dir, '..');
  assert.ok((await removeStaleLabs(parent)).includes('crash'));
  assert.deepEqual(ours(), []);
  assert.equal(existsSync(standIn.dir), false);
});

test('Ctrl-C while routers start takes everything down', async () => {
  const child = startUp();
  const exit = ended(child);
  await waitUntil('namespaces', () => (ours().length > 0 ? undefined : 'none'), { timeoutMs: HANG_MS, intervalMs: 5 });
  child.kill('SIGINT');
  assert.notEqual(await exit, 0);
  assert.deepEqual(ours(), []);
  assert.deepEqual(await registry.list(), []);
});

test('a lab that is up is not stale although its command has ended', async () => {
  assert.equal(await ended(startUp()), 0);
  assert.deepEqual(await downStale(registry), []);
  assert.equal(ours().length, 5);
  const [record] = await registry.list();
  for (const { init } of record!.nodes) process.kill(init!.pid, 'SIGKILL');
  await waitUntil('stale', async () => ((await downStale(registry)).length > 0 ? undefined : 'alive'), {
    timeoutMs: HANG_MS,
  });
  assert.deepEqual(ours(), []);
});
