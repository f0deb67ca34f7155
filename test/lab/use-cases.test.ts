// The two use cases of the troubleshooting draft, from the operator's sentence to the remedy, on real routers with real BGP: an MTU
// that differs between two sites, and a filter that denies port 179. On Linux a capture sees a SYN before the filter does, so the
// sign is SYN in, no SYN-ACK out and a counter that moves, where the draft says that no SYN comes in.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { askNode } from '../../simulations/lab/ask.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';
import { until } from '../fakes/clock.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/two-sites.clab.yml');
const dir = mkdtempSync(join(tmpdir(), 'uc-labs-'));
let lab: RunningLab;

before(async () => {
  const prefix = `uc-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile: TOPOLOGY, name: 'use-cases', prefix, dir, seed: 5 });
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const node = (name: string) => lab.record.nodes.find((entry) => entry.name === name)!;
async function onRouter(name: string, ...words: readonly string[]): Promise<string> {
  const said = await runInNode(node(name), words);
  assert.equal(said.exitCode, 0, said.stderr);
  return said.stdout;
}

type Printed = {
  readonly sentence: string;
  readonly verdict: { readonly kind: string };
  readonly findings: readonly {
    readonly resource: string;
    readonly fault: string;
    readonly details: Readonly<Record<string, unknown>>;
    readonly remedy?: { readonly node: string; readonly command?: string };
  }[];
};

async function ask(name: string, intent: string): Promise<Printed> {
  return (await askNode(node(name), lab.record, intent)).printed as unknown as Printed;
}

const pairs = (answer: Printed) => answer.findings.map(({ fault, resource }) => `${fault} ${resource}`);

test('"Verify reachability between Site-A and Site-B" names the loss, the MTU, the place and the command that mends it [TS-8]', async () => {
  const intent = 'Verify reachability between Site-A and Site-B';
  await onRouter('router2', 'ip', 'link', 'set', 'eth1', 'mtu', '1400');
  const answer = await ask('site-a', intent);
  assert.deepEqual(pairs(answer), ['mtu_mismatch interface/router2/eth1']);
  assert.match(
    answer.sentence,
    /^Packet loss 0 % between Site-A and Site-B \(\d+ probes\)\. Found on .*router2 eth1 mtu mismatch/,
  );
  const remedy = answer.findings[0]!.remedy!;
  assert.deepEqual([remedy.node, remedy.command], ['router2', 'ip link set eth1 mtu 9000']);
  await onRouter('router2', ...remedy.command!.split(' '));
  const mended = await ask('site-a', intent);
  assert.equal(mended.verdict.kind, 'healthy', JSON.stringify(mended.verdict));
  assert.deepEqual(mended.findings, []);
});

test('"Diagnose why BGP neighbor … is down" finds the filter that denies port 179, shows the SYN without an answer, and its removal brings the session back [TS-9]', async () => {
  const neighbour = '198.18.255.12';
  type Summary = { readonly ipv4Unicast: { readonly peers: Readonly<Record<string, { readonly state: string }>> } };
  const state = async () => {
    const said = JSON.parse(await onRouter('router1', 'vtysh', '-c', 'show bgp summary json')) as Summary;
    return said.ipv4Unicast.peers[neighbour]?.state;
  };
  const rule = (side: string) => `add rule inet foo input ip daddr ${neighbour} tcp ${side} 179 counter drop`;
  await onRouter(
    'router2',
    'nft',
    `add table inet foo; add chain inet foo input { type filter hook input priority 0; }; ${rule('dport')}; ${rule('sport')}`,
  );
  await until(async () => (await state()) !== 'Established', 'the session to be lost', 20_000);
  const answer = await ask('router1', `Diagnose why BGP neighbor ${neighbour} is down`);
  assert.deepEqual(pairs(answer), ['bgp_acl_block node/router2']);
  const [finding] = answer.findings;
  assert.ok(Number(finding?.details['droppedPackets']) > 0);
  const seen = finding?.details['handshakes'] as readonly string[];
  assert.ok(
    seen.some((line) => /^198\.18\.255\.12 port 179: [1-9]\d* SYN in, no SYN-ACK out$/.test(line)),
    JSON.stringify(finding),
  );
  assert.match(
    finding?.remedy?.command ?? '',
    /^nft delete rule inet foo input handle \d+; nft delete rule inet foo input handle \d+$/,
  );
  await onRouter('router2', 'sh', '-c', finding!.remedy!.command!);
  await until(async () => (await state()) === 'Established', 'the session to come back', 20_000);
});
