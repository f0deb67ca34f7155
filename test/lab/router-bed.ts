// Three routers in a row in network namespaces of their own (prefix `rt-`), each with FRR, lldpd, the privileged helper and a
// driver. Every process is a child of the test and ends by its pid; namespaces and folders that were made here are removed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '#base/error.ts';
import { createEmbeddedHubDriver } from '#router/drivers/embedded/hub-driver.ts';
import { type RouterBed, settle } from '../contracts/router-port.ts';

const ROOT = join(import.meta.dirname, '../..');
const SYSCTLS = [
  'net.ipv6.conf.all.forwarding=1',
  'net.ipv6.conf.default.forwarding=1',
  'net.ipv6.conf.all.accept_dad=0',
  'net.ipv6.conf.default.accept_dad=0',
];

export type RealBed = RouterBed & {
  readonly lldpOf: (node: string) => ReturnType<typeof createEmbeddedHubDriver>['lldp'];
  readonly namespaceOf: (node: string) => string;
  /** Ends the helper of a node with SIGKILL and waits until it is gone. */
  readonly killHelper: (node: string) => Promise<void>;
  readonly startHelper: (node: string) => Promise<void>;
  /** Resident memory of a node's helper. */
  readonly helperPid: (node: string) => number;
  readonly down: () => Promise<void>;
};

type Node = {
  readonly name: string;
  readonly number: number;
  readonly namespace: string;
  readonly ports: readonly string[];
};

export async function upRouterBed(): Promise<RealBed> {
  const mark = `rt-${randomBytes(2).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), `${mark}-`));
  chmodSync(folder, 0o777);
  const nodes: readonly Node[] = [
    { name: 'pe1', number: 1, namespace: `${mark}-pe1`, ports: ['eth1'] },
    { name: 'p2', number: 2, namespace: `${mark}-p2`, ports: ['eth1', 'eth2'] },
    { name: 'pe3', number: 3, namespace: `${mark}-pe3`, ports: ['eth1'] },
  ];
  const children = new Map<string, ChildProcess>();
  const nodeOf = (name: string) => nodes.find((node) => node.name === name)!;
  const start = (key: string, node: Node, command: string) => {
    const inside = `hostname ${node.name}; ${command}`;
    children.set(
      key,
      spawn('ip', ['netns', 'exec', node.namespace, 'unshare', '--uts', '--mount', 'sh', '-c', inside], {
        cwd: ROOT,
        stdio: 'ignore',
      }),
    );
  };
  const startHelper = async (name: string) => {
    const node = nodeOf(name);
    const own = join(folder, name);
    const options = `--socket ${own}.helper --frr /var/run/frr/${node.namespace} --lldpd-socket ${own}.lldp --node ${name} --log ${own}.log`;
    start(
      `helper ${name}`,
      node,
      `exec ${process.execPath} --conditions=parley-source src/agent/privileged-helper.ts ${options}`,
    );
  };

  const down = async () => {
    for (const child of children.values()) await end(child);
    for (const node of nodes) {
      quiet('ip', ['netns', 'del', node.namespace]);
      for (const path of [`/etc/frr/${node.namespace}`, `/var/run/frr/${node.namespace}`])
        rmSync(path, { recursive: true, force: true });
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const node of nodes) makeNamespace(node);
    connect(nodes[0]!, 'eth1', 'fd00:12::1/64', nodes[1]!, 'eth1', 'fd00:12::2/64');
    connect(nodes[1]!, 'eth2', 'fd00:23::2/64', nodes[2]!, 'eth1', 'fd00:23::3/64');
    for (const node of nodes) {
      startDaemons(node, folder, start);
      await startHelper(node.name);
      const own = join(folder, node.name);
      start(
        `driver ${node.name}`,
        node,
        `exec ${process.execPath} --conditions=parley-source test/lab/driver-host.ts ${node.name} ${own}.helper ${own}.driver`,
      );
    }
    const ports = (name: string) => createEmbeddedHubDriver({ socket: join(folder, `${name}.driver`), node: name });
    const bed: RealBed = {
      head: ports('pe1').router,
      mid: ports('p2').router,
      tail: ports('pe3').router,
      names: { head: 'pe1', mid: 'p2', tail: 'pe3' },
      ifnames: { head: 'eth1', midHead: 'eth1', midTail: 'eth2', tail: 'eth1' },
      segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
      tailLoopback: 'fd00:0:0:3::1',
      blackhole: 'fd00:dead::1',
      unrouted: '2001:db8::1',
      addAcl: async () => nft(nodeOf('pe1'), ACL),
      removeAcl: async () => nft(nodeOf('pe1'), 'delete table ip6 lab\n'),
      leftovers: async () => nodes.map((node) => leftoversOf(node)).join('\n'),
      lldpOf: (name) => ports(name).lldp,
      namespaceOf: (name) => nodeOf(name).namespace,
      startHelper,
      killHelper: (name) => end(children.get(`helper ${name}`)!),
      helperPid: (name) => children.get(`helper ${name}`)!.pid!,
      down,
    };
    let ailment: string | undefined = 'nothing was read yet';
    await settle(
      async () => {
        ailment = await ailmentOf(bed);
        return ailment === undefined;
      },
      () => `three healthy routers (${ailment})`,
      25_000,
    );
    return bed;
  } catch (error) {
    await down();
    throw error;
  }
}

const ACL = `table ip6 lab {
  chain acl-2001 {
    ip6 nexthdr 43 counter drop
  }
  chain out {
    type filter hook postrouting priority 0;
    oifname "eth1" jump acl-2001
  }
}
`;

/** What is not well yet; undefined when adjacencies, neighbours and routes are there and nothing is missing. */
async function ailmentOf(bed: RealBed): Promise<string | undefined> {
  try {
    const states = await Promise.all([bed.head.state(), bed.mid.state(), bed.tail.state()]);
    const missing = states.flatMap((state) => state.missing);
    if (missing.length > 0) return JSON.stringify(missing);
    const { adjacencies, neighbours } = states[1]!;
    if (adjacencies.filter(({ hostname, state }) => hostname !== undefined && state === 'up').length !== 2)
      return JSON.stringify(adjacencies);
    if (neighbours.length !== 2) return JSON.stringify(neighbours);
    for (const router of [bed.head, bed.tail]) {
      const { kind } = await router.route(router === bed.head ? bed.tailLoopback : 'fd00:0:0:1::1');
      if (kind !== 'unicast') return `route: ${kind}`;
    }
    const probe = {
      destination: bed.tailLoopback,
      segments: bed.segments,
      count: 5,
      intervalMs: 1,
      payloadBytes: 64,
      lingerMs: 200,
    };
    const result = await bed.head.probe(probe);
    return result.received === 5 ? undefined : JSON.stringify(result);
  } catch (error) {
    return messageOf(error);
  }
}

function makeNamespace(node: Node): void {
  execFileSync('ip', ['netns', 'add', node.namespace]);
  inside(node, ['sysctl', '-qw', ...SYSCTLS]);
  ip(node, ['link', 'set', 'lo', 'up']);
  ip(node, ['link', 'add', 'sr0', 'type', 'bridge']);
  ip(node, ['link', 'set', 'sr0', 'up']);
  const loopback = `fd00:0:0:${node.number}::1/128`;
  ip(node, ['addr', 'add', loopback, 'dev', 'lo', 'nodad']);
  ip(node, [
    '-6',
    'route',
    'add',
    `fd00:5a:${node.number}::e/128`,
    'encap',
    'seg6local',
    'action',
    'End',
    'count',
    'dev',
    'sr0',
  ]);
  ip(node, [
    '-6',
    'route',
    'add',
    `fd00:5a:${node.number}::d6/128`,
    'encap',
    'seg6local',
    'action',
    'End.DT6',
    'table',
    '254',
    'count',
    'dev',
    'sr0',
  ]);
  // Lets End.DT6's table deliver a decapsulated probe to the loopback.
  ip(node, ['-6', 'route', 'add', 'local', loopback, 'dev', 'lo', 'table', '254', 'metric', '1']);
}

function connect(
  one: Node,
  oneName: string,
  oneAddress: string,
  other: Node,
  otherName: string,
  otherAddress: string,
): void {
  const far = ['peer', 'name', otherName, 'netns', other.namespace, 'mtu', '9000'];
  execFileSync('ip', ['link', 'add', oneName, 'netns', one.namespace, 'mtu', '9000', 'type', 'veth', ...far]);
  for (const [node, name, address] of [
    [one, oneName, oneAddress],
    [other, otherName, otherAddress],
  ] as const) {
    ip(node, ['addr', 'add', address, 'dev', name, 'nodad']);
    ip(node, ['link', 'set', name, 'up']);
  }
}

function startDaemons(node: Node, folder: string, start: (key: string, node: Node, command: string) => void): void {
  const own = join(folder, node.name);
  const config = `/etc/frr/${node.namespace}`;
  const run = `/var/run/frr/${node.namespace}`;
  for (const path of [config, run]) {
    mkdirSync(path, { recursive: true });
    execFileSync('chown', ['frr:frr', path]);
  }
  writeFileSync(`${config}/vtysh.conf`, '');
  writeFileSync(`${config}/frr.conf`, frrConfiguration(node));
  for (const daemon of ['zebra', 'staticd', 'isisd']) {
    const wait = daemon === 'zebra' ? '' : `until [ -S ${run}/zserv.api ]; do sleep 0.05; done;`;
    start(
      `${daemon} ${node.name}`,
      node,
      `${wait} exec /usr/lib/frr/${daemon} -N ${node.namespace} --log file:${own}.frr.log`,
    );
  }
  // The configuration goes in through the daemons, as at a boot.
  const listening = ['zebra', 'staticd', 'isisd'].map((daemon) => `[ -S ${run}/${daemon}.vty ]`).join(' && ');
  start(`vtysh ${node.name}`, node, `until ${listening}; do sleep 0.05; done; exec vtysh -N ${node.namespace} -b`);
  writeFileSync(`${own}.lldp.conf`, 'configure lldp tx-interval 1\nconfigure lldp portidsubtype ifname\n');
  const privately = 'mkdir -p /run/lldpd; mount -t tmpfs tmpfs /run/lldpd; mkdir /run/lldpd/etc';
  start(
    `lldpd ${node.name}`,
    node,
    `${privately}; exec lldpd -d -k -i -S ${node.name} -u ${own}.lldp -O ${own}.lldp.conf -I 'eth*'`,
  );
}

function frrConfiguration(node: Node): string {
  const ports = node.ports.flatMap((name) => [
    `interface ${name}`,
    ' ipv6 router isis 1',
    ' isis network point-to-point',
    ' isis circuit-type level-2-only',
    ' isis hello-interval 1',
    'exit',
  ]);
  return [
    `hostname ${node.name}`,
    `ipv6 route fd00:5a:${node.number}::/48 blackhole`,
    ...(node.number === 1 ? ['ipv6 route fd00:dead::/32 blackhole'] : []),
    ...ports,
    'interface lo',
    ' ipv6 router isis 1',
    ' isis passive',
    'exit',
    'router isis 1',
    ` net 49.0001.0000.0000.000${node.number}.00`,
    ' is-type level-2-only',
    ' metric-style wide',
    // Without it the first LSP, which has no prefixes yet, stands for 30 s.
    ' lsp-gen-interval 1',
    ' redistribute ipv6 static level-2',
    'exit',
    '',
  ].join('\n');
}

/** A shell of one of our processes that is to start programs: they come and go as they are needed. */
function waitsForWork(pid: string): boolean {
  const isOurs = quiet('cat', [`/proc/${pid}/cmdline`]).includes('read -r lines');
  const parent = /^PPid:\t(\d+)$/m.exec(quiet('cat', [`/proc/${pid}/status`]))?.[1] ?? '1';
  return isOurs && parent !== '1';
}

/** What a probe or a capture could leave: programs, sockets, routes and rules. */
function leftoversOf(node: Node): string {
  const pids = quiet('ip', ['netns', 'pids', node.namespace]).trim().split(/\s+/).filter(Boolean);
  const programs = pids
    .flatMap((pid) => (waitsForWork(pid) ? [] : quiet('cat', [`/proc/${pid}/comm`]).trim()))
    .toSorted();
  const sockets = inside(node, ['cat', '/proc/net/udp6', '/proc/net/raw6', '/proc/net/packet'])
    .split('\n')
    .map((line) => line.trim().split(/\s+/)[1] ?? '')
    .toSorted();
  const routes = ip(node, ['-6', 'route', 'show', 'table', 'all', 'proto', 'boot'])
    .split('\n')
    .map((line) => line.trim().split(/ {2}encap| metric/)[0]);
  return JSON.stringify({
    programs,
    sockets,
    routes,
    rules: ip(node, ['-6', 'rule']),
    filters: inside(node, ['nft', 'list', 'ruleset']),
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function nft(node: Node, commands: string): void {
  execFileSync('ip', ['netns', 'exec', node.namespace, 'nft', '-f', '-'], { input: commands });
}

function inside(node: Node, command: readonly string[]): string {
  return execFileSync('ip', ['netns', 'exec', node.namespace, ...command], { encoding: 'utf8' });
}

function ip(node: Node, args: readonly string[]): string {
  return execFileSync('ip', ['-n', node.namespace, ...args], { encoding: 'utf8' });
}

function quiet(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
