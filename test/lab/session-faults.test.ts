// Rings of four routers in which two ends of one session contradict each other: each kind is made on real routers with real agents, seen to
// be named at its end, and taken out again; and what looks like it and is meant is not named.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FaultId } from '#correlate/faults/registry.ts';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { planNetwork } from '../../simulations/generate/network.ts';
import { type RunLine, runCampaign } from '../../simulations/lab/campaign.ts';
import { configure } from '../../simulations/lab/faults/fault.ts';
import type { Injection, Scenario } from '../../simulations/lab/scenario.ts';

const dir = mkdtempSync(join(tmpdir(), 'lb-sess-'));
after(() => rmSync(dir, { recursive: true }));

type Case = readonly [name: string, inject: readonly Injection[], at: readonly string[], fault?: FaultId];

async function answers(protocol: 'bgp' | 'isis' | 'ospf', cases: readonly Case[]) {
  if (cases.length === 0) return [];
  const routers = ['r1', 'r2', 'r3', 'r4'];
  const network = planNetwork({
    ...{ name: `sess-${protocol}`, protocol },
    routers: routers.map((name, index) => ({
      name,
      hostCount: 1,
      ...(protocol === 'bgp' ? { asn: 65_001 + index } : {}),
    })),
    edges: routers.map((name, index) => [name, routers[(index + 1) % routers.length]!] as const),
  });
  const topologyFile = await writeNetwork(network, join(dir, protocol));
  const lines: RunLine[] = [];
  const scenarios = cases.map(
    ([name, inject, at, fault]): Scenario => ({
      ...{ name, file: '-', topologyFile, timers: 'fast', inject, settleMs: 6_000 },
      ask: { node: 'r3', intent: 'What is wrong?' },
      truth: truthOf(at, fault),
    }),
  );
  await runCampaign(scenarios, {
    ...{ dir, name: protocol, prefix: `lb-s${protocol[0]}-`, seed: 4 },
    print: (line) => lines.push(line),
  });
  return lines.map(({ scenario, verdict, predicted, invalid, failed }) => ({
    ...{ scenario, verdict, predicted, invalid, failed },
  }));
}

const truthOf = (at: readonly string[], fault: FaultId = 'session_mismatch') =>
  at.map((resource) => ({ resource, fault }));

const right = (cases: readonly Case[]) =>
  cases.map(([scenario, , at, fault]) => ({
    ...{ scenario, verdict: at.length === 0 ? 'healthy' : 'fault', predicted: truthOf(at, fault) },
    ...{ invalid: undefined, failed: undefined },
  }));

/** Lines below `head`, entered at a node and taken out again. */
const lines = (
  node: string,
  head: string,
  exec: readonly string[],
  undo: readonly string[],
  more: readonly string[] = [],
): Injection => ({
  ...{ where: 'node', node, repaired: false },
  exec: [configure(head, ...exec), ...more],
  undo: [configure(head, ...undo), ...more],
});

/** A statement about the neighbour at the other end of r1 eth1 – r2 eth1. */
const neighbour = (node: 'r1' | 'r2', statement: string, undo = statement): Injection => {
  const peer = node === 'r1' ? '198.18.0.1' : '198.18.0.0';
  return lines(node, 'router bgp', [`neighbor ${peer} ${statement}`], [`no neighbor ${peer} ${undo}`]);
};

const session = (way: string): Injection => ({
  ...{ where: 'fault', fault: 'session_mismatch' },
  parameters: { node: 'r2', interface: 'eth1', neighbor: '198.18.0.0', way },
});

const [R1, R2] = ['interface/r1/eth1', 'interface/r2/eth1'];

/** A neighbour behind a port for hosts, where no router is. */
const stranger = (node: string, peer: string, ...statements: readonly string[]): Injection =>
  lines(
    node,
    'router bgp',
    [`neighbor ${peer} remote-as 65099`, ...statements.map((each) => `neighbor ${peer} ${each}`)],
    [`no neighbor ${peer}`],
  );

const shut = (node: string, peer: string): Injection =>
  lines(node, 'router bgp', [`neighbor ${peer} shutdown`], [`no neighbor ${peer} shutdown`]);

const BGP: readonly Case[] = [
  ['bgp-healthy', [], []],
  ['password-at-one-end', [session('password')], [R2]],
  [
    'passwords-differ',
    [neighbour('r1', 'password tiger5', 'password'), neighbour('r2', 'password tiger6', 'password')],
    [R1, R2],
  ],
  ['ttl-security', [session('ttl-security')], [R2]],
  ['family-not-activated', [session('families')], [R2]],
  ['shut-since', [session('shutdown')], [R2]],
  ['both-wait', [neighbour('r1', 'passive'), neighbour('r2', 'passive'), cleared('r1')], [R1, R2]],
  [
    'all-that-is-meant',
    [
      ...[neighbour('r2', 'passive'), cleared('r2')],
      stranger('r2', '198.19.2.99'),
      stranger('r4', '198.19.4.99', 'description backup provider', 'shutdown'),
      ...[shut('r3', '198.18.0.5'), shut('r4', '198.18.0.4')],
    ],
    [],
  ],
];

/** The session must be set up anew before `passive` shows. */
function cleared(node: 'r1' | 'r2'): Injection {
  const command = `vtysh -c 'clear bgp ${node === 'r1' ? '198.18.0.1' : '198.18.0.0'}'`;
  return { where: 'node', node, exec: [command], undo: [], repaired: false };
}

const circuit = (node: string, key: string): Injection =>
  lines(node, 'interface eth1', [`isis password md5 ${key}`], [`no isis password md5 ${key}`]);
const net = (id: number) => `net 49.0001.0000.0000.000${id}.00`;

const ISIS: readonly Case[] = [
  [
    'system-id-twice',
    [lines('r2', 'router isis core', [`no ${net(2)}`, net(1)], [`no ${net(1)}`, net(2)])],
    ['node/r1', 'node/r2'],
    'duplicate_router_id',
  ],
  ['isis-passwords-differ', [circuit('r1', 'tiger5'), circuit('r2', 'tiger6')], [R1, R2]],
  ['metric-style', [lines('r2', 'router isis core', ['metric-style narrow'], ['metric-style wide'])], ['node/r2']],
];

const KEY = ['ip ospf authentication message-digest', 'ip ospf message-digest-key 1 md5 tiger5'];
const NO_KEY = ['no ip ospf authentication', 'no ip ospf message-digest-key 1'];

const OSPF: readonly Case[] = [
  ['authentication', [lines('r2', 'interface eth1', KEY, NO_KEY)], [R2]],
  [
    'router-id-twice',
    [
      lines(...(['r2', 'router ospf', ['ospf router-id 198.19.255.1'], ['ospf router-id 198.19.255.2']] as const), [
        `vtysh -c 'clear ip ospf process'`,
      ]),
    ],
    ['node/r2'],
    'duplicate_router_id',
  ],
];

/** Every way takes minutes: these few stand for them, and `PARLEY_ALL_SESSION_FAULTS=1` runs all. */
const FEW = new Set(['password-at-one-end', 'family-not-activated', 'all-that-is-meant', 'metric-style']);
const chosen = (cases: readonly Case[]) =>
  process.env['PARLEY_ALL_SESSION_FAULTS'] === '1' ? cases : cases.filter(([name]) => FEW.has(name));

test('two ends of a BGP session that contradict each other are named, and what is meant is healthy', async () => {
  assert.deepEqual(await answers('bgp', chosen(BGP)), right(chosen(BGP)));
});

test('a system id twice, passwords that differ and another metric style of IS-IS are named', async () => {
  assert.deepEqual(await answers('isis', chosen(ISIS)), right(chosen(ISIS)));
});

test('authentication at one end and a router id twice of OSPF are named', async () => {
  assert.deepEqual(await answers('ospf', chosen(OSPF)), right(chosen(OSPF)));
});
