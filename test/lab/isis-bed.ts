// A lab of three routers whose agents find each other through IS-IS only: LLDP is off in their configuration. Each router
// gets the veth pair and the lines of FRR that docs/operations/parley.yaml names. Names carry the prefix `is-`.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET, HELPER_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { askDaemon } from '../../simulations/lab/vty.ts';

export const NODES = ['pe1', 'p2', 'pe3'] as const;
export type Name = (typeof NODES)[number];

const TOPOLOGIES = join(import.meta.dirname, '../../simulations/topologies');
const DOMAIN = 'isis.example';
const FIRST_UID = 61_001;
const PROGRAM = 'node --conditions=parley-source /opt/parley/src';
const SETUP = [
  'ip link add isis0 mtu 1500 type veth peer name agent0 mtu 1500',
  'ip link set isis0 up',
  'ip link set agent0 up',
  "vtysh -c 'configure terminal' -c 'interface isis0' -c 'ipv6 router isis core' -c 'isis network point-to-point' -c 'isis circuit-type level-2-only'",
];

export type IsisBed = {
  readonly lab: RunningLab;
  inNode(
    name: Name,
    script: string,
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  /** A program inside a node with the agent's user and no privileges. */
  asAgent(name: Name, argv: readonly string[]): ReturnType<IsisBed['inNode']>;
  /** `parley <args> --json` inside a node, as an operator there. */
  parley(name: Name, ...args: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** What isisd of a node answers to a show command. */
  isisd(name: Name, command: string): Promise<string>;
  startAgent(name: Name): Promise<void>;
  /** Ends the agent and waits until its process is gone. */
  stopAgent(name: Name, signal: 'TERM' | 'KILL'): Promise<void>;
  log(name: Name): string;
  down(): Promise<void>;
};

export async function upIsisBed(): Promise<IsisBed> {
  const dir = mkdtempSync(join(tmpdir(), 'is-labs-'));
  const folder = mkdtempSync(join(tmpdir(), 'is-extra-'));
  chmodSync(folder, 0o755);
  const remove = () => {
    for (const each of [dir, folder]) rmSync(each, { recursive: true, force: true });
  };
  try {
    await writeNodeFolders(folder);
    const topologyFile = join(dir, 'isis-three.clab.yml');
    writeFileSync(topologyFile, topology());
    const helper = `${PROGRAM}/agent/privileged-helper.ts --socket ${HELPER_SOCKET} --frr /run/frr --lldpd-socket /run/lldpd.socket`;
    const standIn = { agent: 'bash /opt/extra/agent.sh', helper: `bash /opt/extra/helper.sh ${helper}`, folder };
    const lab = await upLab({
      topologyFile,
      name: 'isis',
      prefix: `is-${randomBytes(2).toString('hex')}-`,
      dir,
      standIn,
      seed: 1,
    });
    return bedOf(lab, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

function bedOf(lab: RunningLab, remove: () => void): IsisBed {
  const nodeOf = (name: Name) => lab.record.nodes.find((node) => node.name === name)!;
  const inNode = (name: Name, script: string) => runInNode(nodeOf(name), ['bash', '-c', script]);
  return {
    lab,
    inNode,
    asAgent: (name, argv) => runInNode(nodeOf(name), argv, { asAgent: true }),
    async parley(name, ...args) {
      const said = await runInNode(
        nodeOf(name),
        [...`${PROGRAM}/main.ts`.split(' '), ...args, '--json', '--socket', CONTROL_SOCKET],
        { timeoutMs: 60_000 },
      );
      if (said.stdout === '') throw new Error(`parley ${args.join(' ')}: ${said.stderr}`);
      return JSON.parse(said.stdout.trim().split('\n').at(-1)!);
    },
    isisd: (name, command) => askDaemon(pathInNode(nodeOf(name), '/run/frr/isisd.vty'), command),
    async startAgent(name) {
      const start =
        'setpriv --reuid parley --regid parley --groups parley-agent,parley-config --no-new-privs --inh-caps=-all bash /opt/extra/agent.sh';
      await inNode(name, `setsid ${start} < /dev/null >> /var/log/parley/agent.out 2>&1 &`);
    },
    async stopAgent(name, signal) {
      const script = `pid=$(cat /run/parley/agent.pid); kill -${signal} $pid; for i in $(seq 400); do [ -d /proc/$pid ] || exit 0; sleep 0.025; done; exit 1`;
      const said = await inNode(name, script);
      if (said.exitCode !== 0) throw new Error(`the agent of ${name} does not end: ${said.stderr}`);
    },
    log: (name) => {
      const logs = join(nodeOf(name).folder, 'log');
      const files = [...readdirSync(logs), ...readdirSync(join(logs, 'parley')).map((file) => `parley/${file}`)];
      return files
        .filter((file) => file.includes('parley'))
        .flatMap((file) => {
          try {
            return [`== ${file}`, readFileSync(join(logs, file), 'utf8').split('\n').slice(-25).join('\n')];
          } catch {
            return [];
          }
        })
        .join('\n');
    },
    async down() {
      await lab.down();
      remove();
    },
  };
}

/** An identity and a configuration for each node, readable by its agent alone. */
async function writeNodeFolders(folder: string): Promise<void> {
  const clock = createSystemClock();
  const authority = mkdtempSync(join(tmpdir(), 'is-ca-'));
  try {
    await initAuthority({ dir: authority, domain: DOMAIN, clock });
    for (const [index, name] of NODES.entries()) {
      const own = join(folder, name);
      mkdirSync(own, { mode: 0o755 });
      const identity = join(own, 'identity');
      await issueCertificate({ dir: authority, kind: 'node', name, out: identity, clock });
      for (const path of [identity, ...readdirSync(identity).map((file) => join(identity, file))])
        chownSync(path, FIRST_UID + index, FIRST_UID + index);
      writeFileSync(join(own, 'agent.yml'), stringify(configOf(name)), { mode: 0o644 });
    }
  } finally {
    rmSync(authority, { recursive: true, force: true });
  }
  const agent = `echo $$ > /run/parley/agent.pid\nexec ${PROGRAM}/main.ts agent --config /opt/extra/$(hostname)/agent.yml\n`;
  writeFileSync(join(folder, 'agent.sh'), agent, { mode: 0o644 });
  writeFileSync(join(folder, 'helper.sh'), 'echo $$ > /run/parley-helper/helper.pid\nexec "$@" --node $(hostname)\n', {
    mode: 0o644,
  });
}

function configOf(node: Name) {
  return {
    node,
    domain: DOMAIN,
    control: { socket: CONTROL_SOCKET, group: 'parley' },
    identity: { dir: `/opt/extra/${node}/identity` },
    state: '/var/lib/parley',
    driver: { kind: 'linux-frr', helper: HELPER_SOCKET },
    discovery: { lldp: false, isis: { interface: 'isis0' } },
    log: { level: 'debug', file: '/var/log/parley/agent.log' },
  };
}

/** The three routers of the stock topology, each with the pair and the lines of FRR. */
function topology(): string {
  const stock = readFileSync(join(TOPOLOGIES, 'srv6-three.clab.yml'), 'utf8');
  const more = SETUP.map((line) => `        - ${JSON.stringify(line)}\n`).join('');
  return stock
    .replaceAll('srv6-three/', `${TOPOLOGIES}/srv6-three/`)
    .replaceAll('      exec:\n', `      exec:\n${more}`);
}
