// Before a campaign: every cable must be a perfect wire. Under TCP load, what one end transmits the other receives, frame for frame, both
// ways; and the cables' hygiene is as it was made.
import { spawn } from 'node:child_process';
import pLimit from 'p-limit';
import { cableProblems, offloadCheck } from './cables.ts';
import { runInNetwork } from './node-processes.ts';
import type { CableRecord, LabRecord } from './registry.ts';
import { waitUntil } from './wait.ts';

const FIRST_PORT = 5_202;
/** Cables that are tested at once: each has a port of its own, as several may end at one node. */
const AT_ONCE = 2;
const LOAD_BYTES = '20M';
const SETTLE_MS = 3_000;
/** On a busy machine a reading of both ends takes long, and hellos come between. */
const COMPARE_MS = 10_000;
const STILL_ATTEMPTS = 50;

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
  const before = await stillFrames(lab, cable);
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

type Frames = { readonly aTx: number; readonly aRx: number; readonly bTx: number; readonly bRx: number };

/** Hellos are always under way: the equality must hold at one moment within the bound. */
async function comparedFrames(lab: LabRecord, cable: CableRecord, before: Frames): Promise<string[]> {
  let difference = '';
  const probe = async () => {
    const now = await frames(lab, cable);
    const forward = now.aTx - before.aTx - (now.bRx - before.bRx);
    const backward = now.bTx - before.bTx - (now.aRx - before.aRx);
    difference = `tx and rx differ by ${forward} forward and ${backward} backward`;
    return forward === 0 && backward === 0 ? undefined : difference;
  };
  return waitUntil('tx = rx', probe, { timeoutMs: COMPARE_MS }).then(
    () => [],
    () => [difference],
  );
}

/** A reading during which nothing was sent: one end read before and after the other says the same. */
async function stillFrames(lab: LabRecord, cable: CableRecord): Promise<Frames> {
  for (let attempt = 0; ; attempt++) {
    const first = await frames(lab, cable);
    const second = await frames(lab, cable);
    if (JSON.stringify(first) === JSON.stringify(second) || attempt === STILL_ATTEMPTS) return second;
  }
}

async function frames(lab: LabRecord, cable: CableRecord): Promise<Frames> {
  const read = async (end: CableRecord['a']) => {
    const folder = `/sys/class/net/${end.ifname}/statistics`;
    const said = await runInNetwork(namespaceOf(lab, end.node), [
      'cat',
      `${folder}/tx_packets`,
      `${folder}/rx_packets`,
    ]);
    const [tx = 0, rx = 0] = said.stdout.trim().split('\n').map(Number);
    return { tx, rx };
  };
  const [a, b] = await Promise.all([read(cable.a), read(cable.b)]);
  return { aTx: a.tx, aRx: a.rx, bTx: b.tx, bRx: b.rx };
}

async function addressOf(namespace: string, ifname: string): Promise<string | undefined> {
  const said = await runInNetwork(namespace, ['ip', '-j', 'address', 'show', 'dev', ifname]);
  const [link] = JSON.parse(said.stdout || '[]') as { addr_info?: { local?: string; scope?: string }[] }[];
  return link?.addr_info?.find((entry) => entry.scope === 'global')?.local;
}

function namespaceOf(lab: LabRecord, node: string): string {
  return lab.nodes.find((entry) => entry.name === node)!.namespace;
}
