// Routers that watch their hosts, on real FRR: a host that had lost its address for some seconds is named when it has it again; nothing is
// said of hosts that are well, or of one that is switched off. Looks cost little. Names carry the prefix `ho-`; needs root.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { askNode } from '../../simulations/lab/ask.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';

const dir = mkdtempSync(join(tmpdir(), 'ho-labs-'));
const NOW = 'What is wrong?';
const PAST = 'What was wrong in the last two minutes?';
/** Looks are four seconds apart, and one that finds somebody missing looks for over two: what lasts longer than both is seen for certain. */
const TWO_LOOKS = 'sleep 10';
let lab: RunningLab;

before(async () => {
  const topologyFile = await writeNetwork(networkOf('leaf-spine-xs'), dir);
  const prefix = `ho-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile, name: 'watched-hosts', prefix, dir, seed: 3 });
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const node = (name: string) => lab.record.nodes.find((entry) => entry.name === name)!;

async function on(name: string, ...commands: readonly string[]): Promise<void> {
  const said = await runInNode(node(name), ['bash', '-ec', commands.join('; ')]);
  assert.equal(said.exitCode, 0, said.stderr);
}

async function found(intent: string): Promise<readonly string[]> {
  const { findings, printed } = await askNode(node('spine1'), lab.record, intent);
  const told = printed['findings'] as readonly { readonly details: { readonly over?: boolean } }[];
  return findings.map(({ fault, resource }, index) => `${fault} ${resource} ${told[index]?.details.over === true}`);
}

const RIGHT = ['ip address add 198.19.1.10/24 dev eth1', 'ip route replace default via 198.19.1.1'];

test('hosts that are well are no finding, now and for the time before', async () => {
  await on('h1', TWO_LOOKS);
  assert.deepEqual(await found(NOW), []);
  assert.deepEqual(await found(PAST), []);
});

test('a host that had no address for eight seconds is named, as over', async () => {
  await on('h1', 'ip -4 address flush dev eth1', 'sleep 8', ...RIGHT, 'sleep 4');
  assert.deepEqual(await found(PAST), ['host_missing_ip interface/h1/eth1 true']);
  assert.deepEqual(await found(NOW), []);
});

test('a host that is switched off is nobody’s fault', async () => {
  await on('h2', 'ip link set eth1 down', TWO_LOOKS);
  assert.deepEqual(await found(NOW), []);
  assert.deepEqual(await found(PAST), ['host_missing_ip interface/h1/eth1 true']);
});
