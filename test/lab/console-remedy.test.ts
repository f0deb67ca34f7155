// A remedy from the chat window on real FRR: a wrong MTU is found, the exact change waits for an admin, is signed in the browser, applied, judged by the same
// question, and kept; another time it is rolled back after a reload. The configuration helper has verified the browser's signature. Needs root.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { pathInNode, runInNetwork } from '../../simulations/lab/node-processes.ts';
import { identityDir, LAB_ADMIN } from '../../simulations/lab/pki.ts';
import { browserObstacle } from '../console/browser.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/srv6-three.clab.yml');
const HOST = join(import.meta.dirname, 'console-remedy-host.ts');
const PORT = 9514;
const WALK_MS = 400_000;

const obstacle = await browserObstacle();
const dir = mkdtempSync(join(tmpdir(), 'cr-labs-'));
let lab: RunningLab;

before(async () => {
  const prefix = `cr-${randomBytes(2).toString('hex')}-`;
  const options = { name: 'console-remedy', prefix, dir, seed: 7, configuration: true, consent: 'required' } as const;
  lab = await upLab({ topologyFile: TOPOLOGY, ...options });
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const pe1 = () => lab.record.nodes.find(({ name }) => name === 'pe1')!;
const inPe1 = (...argv: readonly string[]) => runInNetwork(pe1().namespace, argv, WALK_MS);
const mtu = async () => /mtu (\d+)/.exec((await inPe1('ip', 'link', 'show', 'eth1')).stdout)?.[1];

type Walked = {
  readonly approved: string;
  readonly proposed: string;
  readonly said: string;
  readonly sentences: readonly string[];
};

async function walk(wanted: 'keep' | 'back'): Promise<Walked> {
  await inPe1('ip', 'link', 'set', 'eth1', 'mtu', '1400');
  const identity = identityDir(lab.record, 'operator', LAB_ADMIN);
  const args = ['--conditions=parley-source', HOST, `https://127.0.0.1:${PORT}`, identity, wanted];
  const { stdout, stderr } = await inPe1(process.execPath, ...args);
  assert.ok(stdout.startsWith('{'), stderr);
  return JSON.parse(stdout) as Walked;
}

function lastCommit(): Readonly<Record<string, unknown>> {
  const commits = pathInNode(pe1(), '/var/lib/parley-config/commits');
  const last = readdirSync(commits).toSorted().at(-1)!;
  return JSON.parse(readFileSync(join(commits, last, 'record.json'), 'utf8'));
}

for (const [wanted, state, left] of [
  ['keep', 'CONFIRMED', '9000'],
  ['back', 'ROLLED_BACK', '1400'],
] as const)
  test(`a remedy is proposed, consented to, applied and ${wanted === 'keep' ? 'kept' : 'rolled back after a reload'} in the browser [TS-19, TS-28]`, async (t) => {
    if (obstacle !== undefined) {
      t.diagnostic(`NOT RUN: ${obstacle}`);
      console.log(`test of a remedy in the browser NOT RUN: ${obstacle}`);
      return;
    }
    const { approved, proposed, said, sentences } = await walk(wanted);
    for (const line of ['interface eth1: mtu 1400', 'interface eth1: mtu 9000']) {
      assert.ok(approved.includes(line), approved);
      assert.ok(proposed.includes(line), proposed);
    }
    assert.match(sentences[0]!, /pe1 eth1 MTU mismatch/);
    assert.match(said, wanted === 'keep' ? /^Kept: the fault is gone/ : /^Rolled back: you rolled it back/);
    assert.equal(await mtu(), left);
    const { basis, by, state: ended } = lastCommit();
    assert.deepEqual({ basis, by, ended }, { basis: 'consent', by: `operator/${LAB_ADMIN}`, ended: state });
  });
