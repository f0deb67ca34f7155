// Exact changes on real FRR, from the fault to `healthy`: what `parley remedy last --apply` draws up is what the node had before, it is kept
// only because the same question is answered `healthy`, and nothing else of the node is another afterwards. Needs root.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { askNode } from '../../simulations/lab/ask.ts';
import { inject } from '../../simulations/lab/injection.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { identityDir, LAB_ADMIN } from '../../simulations/lab/pki.ts';
import { parseInjection } from '../../simulations/lab/scenario.ts';
import { until } from '../fakes/clock.ts';

const IDENTITY = '/root/operator';
const QUESTION = 'What is wrong?';
const ASKED = 'spine1';
const dir = mkdtempSync(join(tmpdir(), 'rm-labs-'));
let lab: RunningLab;

before(async () => {
  const topologyFile = await writeNetwork(networkOf('leaf-spine-xs'), dir);
  const prefix = `rm-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile, name: 'remedies', prefix, dir, seed: 7, configuration: true });
  await until(async () => (await verdict()) === 'healthy', 'a healthy network');
  cpSync(identityDir(lab.record, 'operator', LAB_ADMIN), pathInNode(node(ASKED), IDENTITY), { recursive: true });
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const node = (name: string) => lab.record.nodes.find((entry) => entry.name === name)!;
const running = async (name: string) => {
  const { stdout } = await runInNode(node(name), ['vtysh', '-c', 'show running-config']);
  // A profile of BFD's timers is a line of its own, and not known from outside.
  const lines = stdout.split('\n').filter((line) => !/ bfd profile /.test(line));
  return lines.toSorted().join('\n');
};

const REMEMBERED_MS = 40_000;
/** For how long the youngest session of a node has been up. */
const bgpUpMs = async (name: string): Promise<number> => {
  const { stdout } = await runInNode(node(name), ['vtysh', '-c', 'show bgp ipv4 unicast summary json']);
  const { peers = {} } = JSON.parse(stdout) as {
    readonly peers?: Readonly<Record<string, { peerUptimeMsec?: number }>>;
  };
  return Math.min(...Object.values(peers).map(({ peerUptimeMsec = 0 }) => peerUptimeMsec));
};

type Remedied = {
  readonly outcomes: readonly {
    readonly status: string;
    readonly reason?: string;
    readonly changes?: readonly { readonly sign: string; readonly context: string; readonly line: string }[];
  }[];
};

async function remedy(): Promise<{ readonly said: Remedied; readonly exitCode: number }> {
  const program = ['node', '--conditions=parley-source', '/opt/parley/src/main.ts'];
  const args = ['remedy', 'last', '--apply', '--json', '--socket', CONTROL_SOCKET, '--identity', IDENTITY];
  const ended = await runInNode(node(ASKED), [...program, ...args], { timeoutMs: 90_000 });
  assert.ok(ended.stdout.startsWith('{'), ended.stderr);
  return { said: JSON.parse(ended.stdout) as Remedied, exitCode: ended.exitCode };
}

const verdict = async () => (await askNode(node(ASKED), lab.record, QUESTION)).verdict;

type Case = {
  readonly fault: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly at: string;
  readonly found: string;
  readonly changes: readonly string[];
  /** What the protocols and the logs of both ends say beside it, once both sessions were tried again. */
  readonly witnesses?: readonly RegExp[];
  /** Only memory shows it: the node must have been read as it was before. */
  readonly remembered?: true;
};

/** Whether an OPEN of every one of these sessions was refused, as this end has it: BGP tries again when its timers say so. */
async function refusedAll(name: string, neighbours: readonly string[]): Promise<boolean> {
  const { stdout } = await runInNode(node(name), ['vtysh', '-c', 'show bgp neighbors json']);
  const rows = JSON.parse(stdout) as Readonly<Record<string, { readonly lastNotificationReason?: string }>>;
  return neighbours.every((peer) => rows[peer]?.lastNotificationReason === 'OPEN Message Error/Bad Peer AS');
}

const NETWORK = networkOf('leaf-spine-xs');
const [leaf1, leaf2] = ['leaf1', 'leaf2'].map((name) => NETWORK.routers.find((router) => router.name === name)!);
const port = leaf1!.core[0]!;
const peers = [port.peer.address4, port.peer.address6];
const asnOfPeer = NETWORK.routers.find(({ name }) => name === port.peer.node)!.asn;
const bgp = `router bgp ${leaf1!.asn}`;

const CASES: readonly Case[] = [
  {
    fault: 'blackhole_route',
    parameters: { prefix: leaf2!.hosts[0]!.prefix4 },
    at: 'leaf1',
    found: 'blackhole_route node/leaf1',
    changes: [`- : ip route ${leaf2!.hosts[0]!.prefix4} Null0`],
  },
  {
    fault: 'bgp_missing_route_advertisement',
    parameters: { prefix: leaf1!.hosts[0]!.prefix4 },
    at: 'leaf1',
    remembered: true,
    found: 'bgp_missing_route_advertisement node/leaf1',
    changes: [`+ ${bgp}: network ${leaf1!.hosts[0]!.prefix4}`],
  },
  {
    fault: 'bgp_neighbor_misconfig',
    parameters: { interface: port.ifname, neighbors: peers, was: asnOfPeer },
    at: 'leaf1',
    found: `bgp_neighbor_misconfig interface/leaf1/${port.ifname}`,
    changes: peers.flatMap((peer) => [
      `- ${bgp}: neighbor ${peer} remote-as 65099`,
      `+ ${bgp}: neighbor ${peer} remote-as ${asnOfPeer}`,
    ]),
    witnesses: [
      /"leaf1 sent OPEN Message Error, Bad Peer AS"/,
      /"spine1 received OPEN Message Error, Bad Peer AS"/,
      /"leaf1 logged an OPEN that it refused: [0-9a-f.:]+, [1-9]\d* in two minutes, the last \d+ s before"/,
    ],
  },
  {
    fault: 'bfd_session_missing',
    parameters: { interface: port.ifname, neighbors: peers },
    at: 'leaf1',
    found: `bfd_session_missing interface/leaf1/${port.ifname}`,
    changes: peers.map((peer) => `+ ${bgp}: neighbor ${peer} bfd`),
  },
  {
    fault: 'arp_cache_poisoning',
    parameters: { interface: port.ifname, neighbor: port.peer.address4 },
    at: 'leaf1',
    found: 'arp_cache_poisoning node/leaf1',
    changes: [`- live interface ${port.ifname}: ip neighbour ${port.peer.address4} 02:11:22:33:44:55`],
  },
];

for (const { fault, parameters, at, found, changes, witnesses, remembered } of CASES)
  test(`${fault} is mended by its exact change, and the same question is answered healthy [TS-19]`, async () => {
    // What was announced is remembered once the sessions had time to exchange all prefixes, and the node was read after that.
    if (remembered)
      await until(async () => (await bgpUpMs(at)) >= REMEMBERED_MS, `sessions of ${at} that are remembered`, 90_000);
    const was = await running(at);
    const problems: string[] = [];
    const injection = parseInjection({ fault, node: at, ...parameters }, 'inject', problems);
    assert.deepEqual(problems, []);
    assert.deepEqual(await (await inject(lab.record, [injection!])).problems(), []);
    if (witnesses !== undefined)
      await until(
        async () => (await refusedAll(at, peers)) && refusedAll(port.peer.node, [port.address4, port.address6]),
        `OPENs between ${at} and ${port.peer.node} that were refused, at both ends`,
        90_000,
      );
    const { findings, printed } = await askNode(node(ASKED), lab.record, QUESTION);
    assert.deepEqual(
      findings.map((each) => `${each.fault} ${each.resource}`),
      [found],
    );
    const told = JSON.stringify((printed['findings'] as readonly { readonly details: unknown }[])[0]?.details);
    for (const words of witnesses ?? []) assert.match(told, words);
    const { said, exitCode } = await remedy();
    assert.deepEqual([said.outcomes[0]?.status, exitCode], ['confirmed', 0], JSON.stringify(said));
    const drawn = said.outcomes[0]!.changes!.map(({ sign, context, line }) => `${sign} ${context}: ${line}`);
    assert.deepEqual(drawn.toSorted(), changes.toSorted());
    assert.equal(await verdict(), 'healthy');
    assert.equal(await running(at), was);
  });
