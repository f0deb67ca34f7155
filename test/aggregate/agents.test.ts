// Agents of routers below an aggregator: they register themselves, with real processes over mutual TLS.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../scripts/source-files.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';
import { freePort } from '../free-port.ts';
import { untilShown } from '../until-written.ts';

const open: { bed?: AgentBed; root?: ChildProcess } = {};
after(async () => {
  const { root } = open;
  if (root !== undefined) {
    const exited = new Promise((resolve) => root.once('exit', resolve));
    if (root.exitCode === null && root.kill()) await exited;
  }
  await open.bed?.down();
});

test('a router registers its tools with its parent, and is asked there [AX-4] [AX-15]', async () => {
  const port = await freePort();
  // Heartbeats long enough for a process that waits for a processor.
  const parent = { node: 'root', addresses: ['127.0.0.1'], port, segment: 'pe1', heartbeatMs: 20_000 };
  const bed = await upAgents(['pe1', 'p2'], { pe1: { parent }, p2: { parent: { ...parent, segment: 'p2' } } });
  open.bed = bed;
  await bed.domain.identity('root');
  await bed.domain.identity('alice', { kind: 'operator', role: 'operator' });
  const config = join(bed.dir, 'root.yaml');
  const socket = join(bed.dir, 'root.sock');
  await writeFile(
    config,
    `node: root\nstate: ${join(bed.dir, 'root-state')}\nidentity: {dir: ${join(bed.dir, 'root')}}\ncontrol: {socket: ${socket}}\nlisten: {host: 127.0.0.1, port: ${port}}\n`,
  );
  open.root = spawn(process.execPath, ['--conditions=parley-source', 'src/main.ts', 'aggregate', '--config', config], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  const both = /p2 {2}registered leaf, \d\d+ tools, [\d.]+ ms\n.*pe1 {2}registered leaf, \d\d+ tools, [\d.]+ ms/;
  const args = ['--conditions=parley-source', join(ROOT, 'src/main.ts'), 'aggregate', 'tree', '--watch'];
  await untilShown([...args, '--socket', socket], [both], open.root);

  const way = ['--connect', `127.0.0.1:${port}`, '--identity', join(bed.dir, 'alice')];
  const peers = await runParley(['call', 'pe1.parley-peers', '{}', ...way, '--json']);
  assert.equal(peers.exitCode, 0, peers.stderr + peers.stdout);
  assert.ok(peers.stdout.includes('"node":"pe1"'), peers.stdout);
  const asked = await runParley([
    'call',
    'p2.parley-ask',
    JSON.stringify({ intent: 'What is wrong?' }),
    ...way,
    '--json',
  ]);
  assert.ok(asked.stdout.includes('"verdict"'), asked.stderr + asked.stdout);
  const trail = await bed.audit('pe1');
  assert.ok(
    trail.some(({ party }) => party === 'controller/root'),
    JSON.stringify(trail.map(({ party }) => party)),
  );
});
