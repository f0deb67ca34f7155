// Before a campaign: every cable must be a perfect wire. Under TCP load, what one end transmits the other receives, frame for frame, both
// ways; and the cables' hygiene is as it was made.
import { spawn } from 'node:child_process';
import pLimit from 'p-limit';
import { cableProblems, offloadCheck } from './cables.ts';
import { runInNetwork } from './node-processes.ts';
import type { CableRecord, LabRecord } from './registry.ts';
import { waitUntil } from './wait.ts';
import {
  type BracketedCounts,
  type EndCounts,
  isPerfect,
  type LostFrames,
  lossWords,
  lostBetween,
  slackOf,
  spanOf,
} from './wire-counts.ts';

const FIRST_PORT = 5_202;
/** Cables that are tested at once: each has a port of its own, as several may end at one node. */
const AT_ONCE = 2;
const LOAD_BYTES = '20M';
const SETTLE_MS = 3_000;
/** On a busy machine a reading of both ends takes long, and hellos come between. */
const COMPARE_MS = 10_000;
const BASE_ATTEMPTS = 50;
/** Frames that may be sent while both ends are read; of the 14,000 of the load a wire may lose fewer than these unseen. */
const TIGHT_FRAMES = 4;

/** What is wrong, one line each; empty when all cables are perfect. */
export async function selfTest(lab: LabRecord): Promise<string[]> {
  const limit = pLimit(AT_ONCE);
  const found = lab.cables.map((cable, index) => limit(() => problemsOf(lab, cable, FIRST_PORT + index)));
  return (await Promise.all(found)).flat();
}

async function problemsOf(lab: LabRecord, cable: CableRecord, port: number): Promise<string[]> {
  const name = `${cable.a.node}:${cable.a.ifname}--${cable.b.node}:${cable.b.ifname}`;
  const problems = [
    ...(await cableProblems(cable)),
    ...(await routerOffloads(lab, cable)),
    ...(await loadProblems(lab, cable, port)),
  ];
  return problems.map((problem) => `${name}: ${problem}`);
}

/** Offloads that are on at the routers' ends. */
export async function routerOffloads(lab: LabRecord, cable: CableRecord): Promise<string[]> {
  const said = await Promise.all(
    [cable.a, cable.b].map((end) =>
      runInNetwork(namespaceOf(lab, end.node), ['bash', '--norc', '-c', offloadCheck(end.ifname)]),
    ),
  );
  return said.flatMap((answer) => answer.stdout.split('\n').filter(Boolean));
}

async function loadProblems(lab: LabRecord, cable: CableRecord, port: number): Promise<string[]> {
  const [from, to] = [namespaceOf(lab, cable.a.node), namespaceOf(lab, cable.b.node)];
  const address = await addressOf(to, cable.b.ifname);
  if (address === undefined) return ['no address to send to'];
  const before = await tightReading(lab, cable);
  const server = spawn('ip', ['netns', 'exec', to, 'iperf3', '-s', '-1', '-p', String(port)], { stdio: 'ignore' });
  try {
    const listens = async () =>
      (await runInNetwork(to, ['ss', '-Hltn', `sport = :${port}`])).stdout === '' ? 'port' : undefined;
    await waitUntil('iperf3 to listen', listens, { timeoutMs: SETTLE_MS, intervalMs: 20 });
    const load = await runInNetwork(from, ['iperf3', '-c', address, '-p', String(port), '-n', LOAD_BYTES]);
    if (load.exitCode !== 0)
      return [`no TCP through the cable: ${load.stderr.trim() || load.stdout.trim().slice(-200)}`];
  } finally {
    server.kill('SIGKILL');
  }
  return comparedFrames(lab, cable, before);
}

/** Hellos, and what agents send, are always under way: a reading is tight where little was sent while it was taken. */
async function comparedFrames(lab: LabRecord, cable: CableRecord, before: BracketedCounts): Promise<string[]> {
  let tightest: LostFrames | undefined;
  const probe = async () => {
    const lost = lostBetween(before, await bracketed(lab, cable));
    if (tightest === undefined || slackOf(lost) < slackOf(tightest)) tightest = lost;
    return slackOf(lost) <= TIGHT_FRAMES && isPerfect(lost) ? undefined : 'a tight reading';
  };
  await waitUntil('a tight reading of both ends', probe, { timeoutMs: COMPARE_MS }).catch(() => {});
  return tightest === undefined || isPerfect(tightest) ? [] : [lossWords(tightest)];
}

/** The tightest of some readings; the first that is exact ends them. */
async function tightReading(lab: LabRecord, cable: CableRecord): Promise<BracketedCounts> {
  let best = await bracketed(lab, cable);
  for (let attempt = 1; attempt < BASE_ATTEMPTS && spanOf(best) > 0; attempt++) {
    const next = await bracketed(lab, cable);
    if (spanOf(next) < spanOf(best)) best = next;
  }
  return best;
}

/** Each end is read before and after the other: what one had sent by then is between the two. */
async function bracketed(lab: LabRecord, cable: CableRecord): Promise<BracketedCounts> {
  const [a, b] = [await countsOf(lab, cable.a), await countsOf(lab, cable.b)];
  return { a: [a, await countsOf(lab, cable.a)], b: [b, await countsOf(lab, cable.b)] };
}

async function countsOf(lab: LabRecord, end: CableRecord['a']): Promise<EndCounts> {
  const folder = `/sys/class/net/${end.ifname}/statistics`;
  const said = await runInNetwork(namespaceOf(lab, end.node), ['cat', `${folder}/tx_packets`, `${folder}/rx_packets`]);
  const [tx = 0, rx = 0] = said.stdout.trim().split('\n').map(Number);
  return { tx, rx };
}

async function addressOf(namespace: string, ifname: string): Promise<string | undefined> {
  const said = await runInNetwork(namespace, ['ip', '-j', 'address', 'show', 'dev', ifname]);
  const [link] = JSON.parse(said.stdout || '[]') as { addr_info?: { local?: string; scope?: string }[] }[];
  return link?.addr_info?.find((entry) => entry.scope === 'global')?.local;
}

function namespaceOf(lab: LabRecord, node: string): string {
  return lab.nodes.find((entry) => entry.name === node)!.namespace;
}
