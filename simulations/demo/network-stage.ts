// The demo on real routers: FRR, lldpd, kernel SRv6 and an agent in network namespaces, with hidden cables between them.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from '../lab/injection.ts';
import { type RunningLab, upLab } from '../lab/network-lab.ts';
import { CONTROL_SOCKET } from '../lab/node-files.ts';
import { commandInNode, pathInNode, REPOSITORY } from '../lab/node-processes.ts';
import { identityDir, LAB_OPERATOR } from '../lab/pki.ts';
import type { NodeRecord } from '../lab/registry.ts';
import { selfTest } from '../lab/self-test.ts';
import { type Act, ASKED } from './acts.ts';
import type { Stage } from './stage.ts';
import { summarizeTls, type TlsSummary } from './tls-capture.ts';

const TOPOLOGY = join(REPOSITORY, 'simulations/topologies/srv6-three.clab.yml');
const MAIN = join(REPOSITORY, 'src/main.ts');
const CAPTURE_END_MS = 2_000;

export async function openNetworkStage(init: {
  readonly reportFolder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<Stage> {
  const { reportFolder, say, signal } = init;
  const lab = await upLab({ topologyFile: TOPOLOGY, name: 'demo', say, signal });
  try {
    const problems = await selfTest(lab.record);
    if (problems.length > 0) throw new Error(`the cables are not perfect: ${problems.join('; ')}`);
    say('cables checked: every frame sent under TCP load arrives, at both ends of each');
    const caFile = join(reportFolder, 'ca.pem');
    await copyFile(join(lab.record.folder, 'pki/ca/ca.pem'), caFile);
    const captures = await startCaptures(lab);
    return stageOf(lab, captures, caFile, reportFolder);
  } catch (error) {
    await lab.down();
    throw error;
  }
}

function stageOf(lab: RunningLab, captures: Captures, caFile: string, reportFolder: string): Stage {
  const asked = lab.record.nodes.find((node) => node.name === ASKED)!;
  return {
    kind: 'namespaces',
    description: `${lab.record.nodes.length} routers with FRR, lldpd and an agent each, in network namespaces (up in ${lab.seconds} s)`,
    namespaces: [...lab.record.nodes, ...lab.record.cables].map((each) => each.namespace),
    reportFolder,
    caFile,
    inject: async (act) => {
      const landed = await inject(lab.record, act.inject);
      return async () => {
        const problems = await landed.problems();
        return [...problems, ...(await landed.undo())];
      };
    },
    askCommand: (act, intent, file) => askCommand(lab, asked, act, intent, file),
    fetchReport: async (act, file) => {
      if (act.door === 'unix-socket') await copyFile(pathInNode(asked, reportInNode(act)), file);
    },
    tls: () => captures.summary(),
    down: async () => {
      await captures.stop();
      await lab.down();
    },
  };
}

function reportInNode(act: Act): string {
  return `/run/parley/${act.name}.json`;
}

/** On the node over its Unix socket, or from its network over mutual TLS with the operator's certificate. */
function askCommand(lab: RunningLab, node: NodeRecord, act: Act, intent: string, file: string): readonly string[] {
  const flags = ['--json', '--progress', '--save'];
  if (act.door === 'mutual-tls') {
    const identity = identityDir(lab.record, 'operator', LAB_OPERATOR);
    const reach = ['--connect', '[::1]:9514', '--node', node.name, '--identity', identity];
    const command = [process.execPath, '--conditions=parley-source', MAIN, 'ask', intent, ...flags, file, ...reach];
    return ['ip', 'netns', 'exec', node.namespace, ...command];
  }
  const inside = [
    'node',
    '--conditions=parley-source',
    '/opt/parley/src/main.ts',
    'ask',
    intent,
    ...flags,
    reportInNode(act),
  ];
  return commandInNode(node, [...inside, '--socket', CONTROL_SOCKET]);
}

type Captures = { summary(): Promise<TlsSummary>; stop(): Promise<void> };

/** Listens on port 9514 in every node's network for as long as the demo runs. */
async function startCaptures(lab: RunningLab): Promise<Captures> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-demo-'));
  const running = lab.record.nodes.map((node) => {
    const file = join(folder, `${node.name}.pcap`);
    const listen = ['tcpdump', '-i', 'any', '-U', '-w', file, '-Z', 'root', 'tcp port 9514'];
    return { file, child: spawn('ip', ['netns', 'exec', node.namespace, ...listen], { stdio: 'ignore' }) };
  });
  const end = () => Promise.all(running.map(({ child }) => endOf(child)));
  return {
    summary: async () => {
      await end();
      const each = await Promise.all(running.map(async ({ file }) => summarizeTls(await readFile(file))));
      return each.reduce(addUp);
    },
    stop: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function addUp(one: TlsSummary, other: TlsSummary): TlsSummary {
  const versions = { ...one.versions };
  for (const [version, count] of Object.entries(other.versions)) versions[version] = (versions[version] ?? 0) + count;
  return {
    versions,
    plainText: one.plainText + other.plainText,
    underWay: one.underWay + other.underWay,
    packets: one.packets + other.packets,
  };
}

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), CAPTURE_END_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
