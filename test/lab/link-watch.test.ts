// Nodes that watch their own links, on real routers: a loss on a cable that is over is named with its direction, one that becomes slow too,
// and a time in which nothing was wrong is called healthy because all of it was watched.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { WatchRound } from '#model/router/link-monitor.ts';
import { askNode } from '../../simulations/lab/ask.ts';
import { inject } from '../../simulations/lab/injection.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';
import { until } from '../fakes/clock.ts';
import { memoryOf } from './memory.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/srv6-three.clab.yml');
const SINCE_MS = 20_000;
const INTENT = 'What was wrong in the last 20 seconds?';
/** Asking an agent starts a program on the machine that it runs on. */
const ASK_MS = 500;
const BOUND_MS = 120_000;
/** Short outages of a cable, of which three must be seen. */
const MOMENTS = 12;
/** Rounds without a loss between two of them: a question takes less time than that, and what is away for longer has stopped. */
const QUIET_ROUNDS = 6;
const dir = mkdtempSync(join(tmpdir(), 'lw-labs-'));
let lab: RunningLab;

before(async () => {
  const prefix = `lw-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile: TOPOLOGY, name: 'link-watch', prefix, dir, seed: 5 });
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const node = (name: string) => lab.record.nodes.find((entry) => entry.name === name)!;

const memoryAt = (name: string) => memoryOf(node(name));

/** Rounds over pe1 eth1 – p2 eth1, whichever end probes it, oldest first. */
async function roundsOfFirstLink(): Promise<readonly WatchRound[]> {
  const memories = await Promise.all([memoryAt('pe1'), memoryAt('p2')]);
  return memories.flatMap((memory) => memory.watch!.find(({ ifname }) => ifname === 'eth1')?.rounds ?? []);
}

const lostIn = ([, sent6, , received6, sent4, , received4]: WatchRound) => sent6 + sent4 - received6 - received4;

async function hasWatchedLongEnough(): Promise<boolean> {
  const memories = await Promise.all(['pe1', 'p2', 'pe3'].map(memoryAt));
  return memories.every(
    ({ watched, spanMs, stateReadings, watch }) =>
      spanMs > SINCE_MS &&
      stateReadings!.reachMs > SINCE_MS &&
      watched!.some(({ what, forMs }) => what === 'links' && forMs > SINCE_MS) &&
      watch!.every(({ rounds }) => rounds.every((round) => round[0] > SINCE_MS || round[8] === 0)),
  );
}

test('a time in which nothing was wrong is healthy, once all of it was watched', async () => {
  await until(hasWatchedLongEnough, 'every node has watched its links', BOUND_MS, ASK_MS);
  const { verdict, findings, printed } = await askNode(node('pe3'), lab.record, INTENT);
  assert.deepEqual([verdict, findings], ['healthy', []], JSON.stringify(printed['verdict']));
});

test('what is sent over a link all the time has a hop limit of one, in both IP families', async () => {
  const heard = ['tcpdump', '-vni', 'eth1', '-Q', 'out', '-c', '40', `udp dst port 9515`];
  const { stdout } = await runInNode(node('pe1'), heard, { timeoutMs: BOUND_MS });
  const limits = [...stdout.matchAll(/\b(?:hlim|ttl) \d+/g)].map(([text]) => text);
  assert.deepEqual([...new Set(limits)].sort(), ['hlim 1', 'ttl 1'], stdout);
});

test('a cable that becomes slow one way is named with its direction, though no loop leads over it', async () => {
  const parameters = { cable: 'pe1:eth1--p2:eth1', from: 'p2:eth1', delayMs: 40 };
  const landed = await inject(lab.record, [{ where: 'fault', fault: 'high_latency', parameters }]);
  const rises = async (nodes = ['pe1', 'p2']) =>
    (await Promise.all(nodes.map(memoryAt))).flatMap((memory) => memory.rises ?? []);
  await until(async () => (await rises()).length === 1, 'one end has seen the round trip rise', BOUND_MS, ASK_MS);
  const { verdict, findings, printed } = await askNode(node('pe3'), lab.record, 'What is wrong?');
  const seen = await rises(['pe1', 'p2', 'pe3']);
  assert.deepEqual(await landed.undo(), []);
  assert.deepEqual(
    [verdict, findings],
    ['fault', [{ resource: 'interface/p2/eth1', fault: 'high_latency' }]],
    JSON.stringify([printed['verdict'], seen]),
  );
  await until(async () => (await rises()).length === 0, 'the link is quick again', BOUND_MS, ASK_MS);
});

test('a loss on a cable that is over is named with its direction', async () => {
  const parameters = { cable: 'pe1:eth1--p2:eth1', from: 'pe1:eth1', percent: 20 };
  const lossy = async () => (await roundsOfFirstLink()).filter((round) => lostIn(round) > 0).length;
  const before = await lossy();
  const landed = await inject(lab.record, [{ where: 'fault', fault: 'packet_loss', parameters }]);
  await until(async () => (await lossy()) >= before + 4, 'probes are lost', BOUND_MS, ASK_MS);
  assert.deepEqual(await landed.undo(), []);
  await until(
    async () => lostIn((await roundsOfFirstLink()).at(-1)!) === 0,
    'no probe is lost any more',
    BOUND_MS,
    ASK_MS,
  );
  const { verdict, findings, printed } = await askNode(node('pe3'), lab.record, 'What was wrong in the last minute?');
  assert.deepEqual(
    [verdict, findings],
    ['fault', [{ resource: 'interface/pe1/eth1', fault: 'packet_loss' }]],
    JSON.stringify([printed['verdict'], await roundsOfFirstLink()]),
  );
  const [finding] = printed['findings'] as readonly { readonly details: Readonly<Record<string, unknown>> }[];
  assert.equal(finding!.details['over'], true);
});

test('a cable that loses packets for a moment again and again is not called healthy, though this question’s own probes lose nothing', async () => {
  const parameters = { cable: 'pe1:eth1--p2:eth1', from: 'pe1:eth1', percent: 40 };
  const recurring = async () =>
    (await Promise.all(['pe1', 'p2'].map(memoryAt))).flatMap((memory) => memory.recurringLosses ?? []);
  const lossy = async () => (await roundsOfFirstLink()).filter((round) => lostIn(round) > 0).length;
  for (let moment = 0; moment < MOMENTS && (await recurring()).length === 0; moment++) {
    const before = await lossy();
    const landed = await inject(lab.record, [{ where: 'fault', fault: 'packet_loss', parameters }]);
    assert.deepEqual(await landed.undo(), []);
    const isOver = async () =>
      (await lossy()) > before &&
      (await roundsOfFirstLink()).slice(-QUIET_ROUNDS).every((round) => lostIn(round) === 0);
    await until(isOver, 'a round lost probes, and the next ones did not', BOUND_MS, ASK_MS);
  }
  const { verdict, findings, printed } = await askNode(node('pe3'), lab.record, 'What is wrong?');
  const said = JSON.stringify([printed['verdict'], printed['findings']]);
  assert.deepEqual([verdict, findings], ['inconclusive', []], said);
  assert.match(said, /pe1 eth1[^"]*standing probes lost \d+ of \d+/);
  await until(async () => (await recurring()).length === 0, 'the loss is over', BOUND_MS, ASK_MS);
});

test('a cable that delivers frames twice is named, and no agent is accused of its counters', async () => {
  const parameters = { cable: 'pe1:eth1--p2:eth1', from: 'pe1:eth1', percent: 30 };
  const landed = await inject(lab.record, [{ where: 'fault', fault: 'duplicated_frames', parameters }]);
  const { verdict, findings, printed } = await askNode(node('pe3'), lab.record, 'What is wrong?');
  assert.deepEqual(await landed.undo(), []);
  const found = [{ resource: 'link/p2:eth1--pe1:eth1', fault: 'duplicated_frames' }];
  assert.deepEqual([verdict, findings], ['fault', found], JSON.stringify(printed['verdict']));
});
