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
import { until } from '../fakes/clock.ts';
import { memoryOf } from './memory.ts';

const dir = mkdtempSync(join(tmpdir(), 'ho-labs-'));
const NOW = 'What is wrong?';
const PAST = 'What was wrong in the last two minutes?';
/** Asking an agent starts a program on the machine that it runs on. */
const ASK_MS = 500;
const BOUND_MS = 60_000;
/** Looks are four seconds apart, and one that finds somebody missing takes over two: what lasts longer than both was looked at. */
const LOOKED_MS = 10_000;
let lab: RunningLab;

before(async () => {
  const topologyFile = await writeNetwork(networkOf('leaf-spine-xs'), dir);
  const prefix = `ho-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile, name: 'monitored-hosts', prefix, dir, seed: 3 });
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

const isHost = ({ address }: { readonly address: string }) => /^198\.19\.\d+\.10$/.test(address);
const HOST = '198.19.1.10';
const RIGHT = [`ip address add ${HOST}/24 dev eth1`, 'ip route replace default via 198.19.1.1'];

/** The watches of the two leaves, whose ports the hosts are on. */
const watches = async () => (await memories()).flatMap(({ watchedHosts }) => watchedHosts ?? []);
const memories = () => Promise.all(['leaf1', 'leaf2'].map((name) => memoryOf(node(name))));

/** Age of the newest look that did not find the host as usual, in ms. */
async function missedAgoMs(): Promise<number | undefined> {
  const looks = (await watches()).flatMap((watched) => watched.looks ?? []);
  const missed = looks.filter(({ ports }) => ports.some(({ asked }) => asked.includes(HOST)));
  return missed.length === 0 ? undefined : Math.min(...missed.map(({ untilAgoMs }) => untilAgoMs));
}

test('hosts that are well are no finding, now and for the time before', async () => {
  const known = async () => (await memories()).every(({ hosts }) => hosts?.some(isHost) === true);
  await until(known, 'both leaves know their hosts', BOUND_MS, ASK_MS);
  const looked = async () => (await watches()).every(({ hostsMs }) => hostsMs !== undefined && hostsMs > LOOKED_MS);
  await until(looked, 'both leaves look at hosts', BOUND_MS, ASK_MS);
  assert.deepEqual(await found(NOW), []);
  assert.deepEqual(await found(PAST), []);
});

test('a host that had no address for some seconds is named, as over', async () => {
  await on('h1', 'ip -4 address flush dev eth1');
  await until(async () => (await missedAgoMs()) !== undefined, 'the host is missed', BOUND_MS, ASK_MS);
  await on('h1', ...RIGHT);
  await until(async () => (await missedAgoMs())! > LOOKED_MS, 'the host is there again', BOUND_MS, ASK_MS);
  assert.deepEqual(await found(PAST), ['host_missing_ip interface/h1/eth1 true']);
  assert.deepEqual(await found(NOW), []);
});

test('a host that is switched off is nobody’s fault', async () => {
  const offMs = performance.now();
  await on('h2', 'ip link set eth1 down');
  await until(() => performance.now() - offMs > LOOKED_MS, 'it was looked for', BOUND_MS, ASK_MS);
  assert.deepEqual(await found(NOW), []);
  assert.deepEqual(await found(PAST), ['host_missing_ip interface/h1/eth1 true']);
});
