// Rings of four routers with hosts, one of OSPF and one of IS-IS: faults of a link-state protocol that leaf-spine fabrics do not have. Each is
// injected, seen to have landed, asked about and taken out again, on real routers with real agents.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { planNetwork } from '../../simulations/generate/network.ts';
import { type RunLine, runCampaign } from '../../simulations/lab/campaign.ts';
import type { Injection, Scenario } from '../../simulations/lab/scenario.ts';

const dir = mkdtempSync(join(tmpdir(), 'lb-ring-'));
after(() => rmSync(dir, { recursive: true }));

type Asked = readonly [
  name: string,
  inject: readonly Injection[],
  node: string,
  intent: string,
  truth: Scenario['truth'],
];

const fault = (id: string, parameters: Record<string, unknown>): Injection => ({
  where: 'fault',
  fault: id,
  parameters,
});

async function answers(protocol: 'ospf' | 'isis', cases: readonly Asked[]) {
  const routers = ['r1', 'r2', 'r3', 'r4'];
  const network = planNetwork({
    name: `ring-${protocol}`,
    protocol,
    routers: routers.map((name) => ({ name, hostCount: 1 })),
    edges: routers.map((name, index) => [name, routers[(index + 1) % routers.length]!] as const),
  });
  const topologyFile = await writeNetwork(network, join(dir, protocol));
  const lines: RunLine[] = [];
  const scenarios = cases.map(
    ([name, inject, node, intent, truth]): Scenario => ({
      ...{ name, file: '-', topologyFile, timers: 'fast', inject, settleMs: 4_000, truth },
      ask: { node, intent },
    }),
  );
  await runCampaign(scenarios, {
    ...{ dir, name: protocol, prefix: `lb-${protocol[0]}-`, seed: 4 },
    print: (line) => lines.push(line),
  });
  return lines.map(({ scenario, verdict, predicted, invalid, failed }) => [
    scenario,
    verdict,
    predicted,
    invalid,
    failed,
  ]);
}

const right = (cases: readonly Asked[]) =>
  cases.map(([name, , , , truth]) => [name, truth.length === 0 ? 'healthy' : 'fault', truth, undefined, undefined]);

/** r2 sends to r1 the long way round, which is legal; it takes from r1 what a reverse path filter of this strength lets through. */
const detour = (strength: 1 | 2): readonly Injection[] => {
  const [path, cost] = ['/proc/sys/net/ipv4/conf/eth1/rp_filter', 'ip ospf cost'];
  const vtysh = (line: string) => `vtysh -c 'configure terminal' -c 'interface eth1' -c '${line}'`;
  return [
    {
      ...{ where: 'node' as const, node: 'r2', repaired: false },
      exec: [vtysh(`${cost} 500`), `echo ${strength} > ${path}`],
      undo: [`echo 0 > ${path}`, vtysh(`no ${cost}`)],
    },
  ];
};

const OSPF: readonly Asked[] = [
  ['ospf-healthy', [], 'r3', 'What is wrong?', []],
  [
    'ospf-area',
    [fault('ospf_area_misconfiguration', { node: 'r2', interface: 'eth1' })],
    'r1',
    'Why is the OSPF adjacency between r1 and r2 down?',
    [{ resource: 'node/r2', fault: 'ospf_area_misconfiguration' }],
  ],
  [
    'ospf-timer',
    [fault('ospf_timer_mismatch', { node: 'r2', interface: 'eth2', seconds: 5, was: 1 })],
    'r4',
    'What is wrong?',
    [{ resource: 'interface/r2/eth2', fault: 'ospf_timer_mismatch' }],
  ],
  [
    'ospf-missing',
    [fault('ospf_neighbor_missing', { node: 'r3', interface: 'eth1' })],
    'r3',
    'OSPF neighbor missing on r3',
    [{ resource: 'node/r3', fault: 'ospf_neighbor_missing' }],
  ],
  [
    'ospf-filter',
    [fault('ospf_acl_block', { node: 'r4' })],
    'r2',
    'What is wrong?',
    [{ resource: 'node/r4', fault: 'ospf_acl_block' }],
  ],
  [
    'no-forwarding',
    [fault('forwarding_disabled', { node: 'r3' })],
    'r1',
    'What is wrong?',
    [{ resource: 'node/r3', fault: 'forwarding_disabled' }],
  ],
  [
    'reverse-path-strict',
    detour(1),
    'r4',
    'What is wrong?',
    [{ resource: 'interface/r2/eth1', fault: 'reverse_path_drop' }],
  ],
  ['reverse-path-loose', detour(2), 'r4', 'What is wrong?', []],
];

const ISIS: readonly Asked[] = [
  ['isis-healthy', [], 'r1', 'is everything all right?', []],
  [
    'isis-area',
    [
      fault('isis_area_mismatch', {
        ...{ node: 'r3', interface: 'eth1', peer: 'r2', peerInterface: 'eth2' },
        systemId: '0000.0000.0003',
      }),
    ],
    'r2',
    'Why is the IS-IS adjacency between r2 and r3 down?',
    [{ resource: 'node/r3', fault: 'isis_area_mismatch' }],
  ],
  [
    'isis-metric',
    [fault('isis_metric_misconfig', { node: 'r1', interface: 'eth2', metric: 5_000 })],
    'r4',
    'What is wrong?',
    [{ resource: 'interface/r1/eth2', fault: 'isis_metric_misconfig' }],
  ],
  [
    'fib-discards',
    [fault('rib_fib_mismatch', { node: 'r1', prefix: '198.19.2.0/24' })],
    'r3',
    'What is wrong?',
    [{ resource: 'node/r1', fault: 'rib_fib_mismatch' }],
  ],
  [
    'fib-elsewhere',
    [fault('rib_fib_mismatch', { node: 'r2', prefix: '198.19.3.0/24', nextHop: '198.18.0.0' })],
    'r2',
    'What is wrong?',
    [{ resource: 'node/r2', fault: 'rib_fib_mismatch' }],
  ],
  [
    'cables-swapped',
    [fault('cables_swapped', { ends: ['r3:eth1', 'r3:eth2'], cables: ['r2:eth2--r3:eth1', 'r3:eth2--r4:eth1'] })],
    'r1',
    'What is wrong?',
    [
      { resource: 'interface/r3/eth1', fault: 'cables_swapped' },
      { resource: 'interface/r3/eth2', fault: 'cables_swapped' },
    ],
  ],
  [
    'restarts',
    [fault('daemon_restarts', { node: 'r3', daemon: 'isisd', way: 'crash' })],
    'r1',
    'What is wrong?',
    [{ resource: 'node/r3', fault: 'daemon_restarts' }],
  ],
  [
    'older-filter',
    [fault('http_legacy_filter', { node: 'r2' })],
    'r4',
    'What is wrong?',
    [{ resource: 'node/r2', fault: 'http_acl_block' }],
  ],
  [
    'rule-discards',
    [fault('policy_route_misconfig', { node: 'r1', prefix: '198.19.1.0/24', interface: 'eth3' })],
    'r3',
    'What is wrong?',
    [{ resource: 'node/r1', fault: 'policy_route_misconfig' }],
  ],
  [
    'srv6-hmac',
    [fault('srv6_hmac_mismatch', { node: 'r4', interfaces: ['eth1', 'eth2'] })],
    'r2',
    'What is wrong?',
    [{ resource: 'node/r4', fault: 'srv6_hmac_mismatch' }],
  ],
];

test('faults of OSPF are named, each at its place, and a ring without one is healthy', async () => {
  assert.deepEqual(await answers('ospf', OSPF), right(OSPF));
});

test('faults of IS-IS and of a kernel that has other routes than zebra are named, and a ring without one is healthy', async () => {
  assert.deepEqual(await answers('isis', ISIS), right(ISIS));
});
