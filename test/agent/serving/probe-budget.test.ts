// What one asker may have a node send: more than three questions' worth a minute, never all that the node has; and who pays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProbeBudget, payerOf } from '#agent/serving/probe-budget.ts';
import { planConfirmation, planExtended, planFirst } from '#measure/registry.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { PlannedCall } from '#model/call.ts';
import type { AdmittedCall } from '#model/ports.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { dhcpTool } from '#network/measurement/dhcp.ts';
import { hostScanTool, serviceProbeTool } from '#network/measurement/hosts.ts';
import { reachTool } from '#network/measurement/routes.ts';
import { srv6PingTool } from '#network/measurement/srv6-ping.ts';
import type { Network, Router } from '../../../simulations/generate/network.ts';
import { networkOf } from '../../../simulations/generate/sizes.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { scopeOf } from '../../measure/scope.ts';

const LIMITS = { packets: 150_000, bytes: 150_000_000, runs: 24 };
const NODE_PACKETS_PER_MINUTE = 600_000;
const coded = { code: 'caller/probe-budget' };

const router = {} as RouterPort;
const TOOLS = new Map(
  [srv6PingTool, reachTool, hostScanTool, serviceProbeTool, dhcpTool].map((make) => {
    const tool = make(router);
    return [tool.name, tool] as const;
  }),
);

/** As the generator has it, with the small network's settings. */
function statesOf({ routers }: Network) {
  const first = stateOf(1);
  const lo = first.inventory.interfaces[0]!;
  const states = routers.map((each: Router) => {
    const ports = each.core.map(({ ifname, address4, address6 }) => ({
      ...lo,
      name: ifname,
      kind: 'physical' as const,
      addresses: [`${address4}/31`, `${address6}/127`],
    }));
    const hosts = each.hosts.map(({ ifname, routerAddress4, routerAddress6 }) => ({
      ...lo,
      name: ifname,
      kind: 'physical' as const,
      addresses: [`${routerAddress4}/24`, `${routerAddress6}/64`],
    }));
    const own = { ...lo, addresses: [`${each.loopback4}/32`, `${each.loopback6}/128`] };
    const state = {
      ...first,
      inventory: {
        ...first.inventory,
        node: each.name,
        interfaces: [own, ...ports, ...hosts],
        loopbacks: [each.loopback6, each.loopback4],
      },
      neighbours: each.core.map(({ ifname, peer }) => ({
        ifname,
        chassisId: peer.node,
        portId: peer.ifname,
        systemName: peer.node,
        unknownTlvs: [],
      })),
      staticRoutes: [],
      history: {
        ...first.history!,
        hosts: each.hosts.map(({ ifname, hostAddress4 }) => ({
          ifname,
          address: hostAddress4,
          mac: '02:00:00:00:00:10',
        })),
      },
    };
    return [each.name, state] as const;
  });
  return new Map(states);
}

/** Packets and bytes of each node, as its tools count them. */
function costOf(calls: readonly PlannedCall[]) {
  const costs = new Map<string, { packets: number; bytes: number; runs: number }>();
  for (const { node, name, arguments: args } of calls) {
    const cost = TOOLS.get(name)?.probes?.(args);
    if (cost === undefined) continue;
    const sum = costs.get(node) ?? { packets: 0, bytes: 0, runs: 0 };
    costs.set(node, { packets: sum.packets + cost.packets, bytes: sum.bytes + cost.bytes, runs: sum.runs + 1 });
  }
  return costs;
}

test('a question about everything on a leaf-spine of 4 + 16 takes less than a third of a budget at each node [TS-22]', () => {
  const states = statesOf(networkOf('leaf-spine-large'));
  const scope = scopeOf(states);
  const links = scopeLinks(states);
  assert.equal(links.length, 64);
  const none = {
    slow: [],
    narrow: [],
    scans: [],
    tries: [],
    dhcp: [],
    serviceProbes: [],
    routingEnds: [],
    through: [],
  };
  const doubts = {
    ...none,
    lossy: links,
    dead: [],
    echoesLost: [],
    classes: [],
    reaches: [],
    nonReporting: new Set<string>(),
    routes: true,
  };
  // Everything in doubt, everything confirmed, and a longer look at it: more than any question needs.
  const losses = links.map((link) => ({ link, share: 0.02 }));
  const calls = [
    ...planFirst(scope),
    ...planConfirmation(scope, doubts),
    ...planExtended(scope, { losses, damage: [], classes: [] }).flat(),
  ];
  assert.ok(calls.length > 200, `${calls.length} calls`);
  const costs = [...costOf(calls).values()];
  const most = (what: 'packets' | 'bytes') => Math.max(...costs.map((each) => each[what]));
  assert.ok(most('packets') > 1_000);
  assert.ok(3 * most('packets') <= LIMITS.packets, `${most('packets')} packets`);
  assert.ok(3 * most('bytes') <= LIMITS.bytes, `${most('bytes')} bytes`);
});

test('one asker uses up its own budget and no other’s, and is told when to try again [TS-22]', async () => {
  const clock = createFakeClock();
  const budget = createProbeBudget(clock);
  const run = { packets: 10_000, bytes: 1_000_000 };
  for (let turn = 0; turn < 15; turn++) budget.take('operator/eve', run)();
  assert.throws(() => budget.take('operator/eve', run), {
    ...coded,
    message:
      'expected at most 150000 packets of probes a minute for operator/eve at this node, got more: try again in 4 s',
  });
  // Three others still find theirs, which is what is left of all that the node sends.
  for (const other of ['operator/ann', 'users of pe1', 'node/p2'])
    for (let turn = 0; turn < 15; turn++) budget.take(other, run)();
  assert.ok(4 * LIMITS.packets <= NODE_PACKETS_PER_MINUTE);
  await clock.advance(4_000);
  budget.take('operator/eve', run)();
  assert.throws(() => budget.take('operator/eve', run), coded);
  const large = { packets: 10, bytes: 50_000_000 };
  for (let turn = 0; turn < 3; turn++) budget.take('operator/bob', large)();
  assert.throws(() => budget.take('operator/bob', large), {
    message: /150000000 bytes of probes a minute.*try again in 20 s/,
  });
});

test('runs of one asker at once are bounded, and given back when they end', () => {
  const budget = createProbeBudget(createFakeClock());
  const run = { packets: 1, bytes: 100 };
  const releases = Array.from({ length: LIMITS.runs }, () => budget.take('operator/eve', run));
  assert.throws(() => budget.take('operator/eve', run), { message: /24 probe runs at once.*try again in 1 s/ });
  budget.take('operator/ann', run)();
  releases[0]?.();
  budget.take('operator/eve', run)();
});

test('what is larger than a budget is taken once it is whole, and fills it for longer', async () => {
  const clock = createFakeClock();
  const budget = createProbeBudget(clock);
  const huge = { packets: 300_000, bytes: 1 };
  budget.take('operator/eve', huge)();
  assert.throws(() => budget.take('operator/eve', { packets: 1, bytes: 1 }), coded);
  await clock.advance(60_000);
  assert.throws(() => budget.take('operator/eve', { packets: 1, bytes: 1 }), coded);
  await clock.advance(1_000);
  budget.take('operator/eve', { packets: 1, bytes: 1 })();
});

test('names that a node makes up find no budget each: its users count together', () => {
  const node = { kind: 'node', domain: 'lab.example', name: 'pe1' };
  const behind = (claim: object, label: string) =>
    ({ caller: node, behind: { parties: [], label, claim } }) as unknown as AdmittedCall;
  const local = (name: string, via: readonly string[] = []) =>
    behind({ kind: 'local', name, via }, `operator/${name}@pe1 (vouched for by pe1)`);
  assert.deepEqual([payerOf(local('a'), 'p2'), payerOf(local('b'), 'p2')], ['users of pe1', 'users of pe1']);
  assert.equal(payerOf(local('a', ['pe9']), 'p2'), 'users of pe9');
  const certificate = (label: string) => behind({ kind: 'certificate', chain: [], via: [] }, label);
  assert.equal(payerOf(certificate('operator/alice (signed)'), 'p2'), 'operator/alice');
  assert.equal(payerOf(certificate('operator/alice (vouched for by pe1)'), 'p2'), 'operator/alice');
  assert.equal(payerOf(behind({ kind: 'node', via: [] }, 'node/pe1'), 'p2'), 'node/pe1');
  assert.equal(payerOf({ caller: node } as AdmittedCall, 'p2'), 'node/pe1');
  const user = { kind: 'operator', domain: 'lab.example', name: 'local', role: 'operator' };
  assert.equal(payerOf({ caller: user } as AdmittedCall, 'p2'), 'users of p2');
  assert.equal(payerOf({ caller: { ...user, name: 'ann', thumbprint: 'ab' } } as AdmittedCall, 'p2'), 'operator/ann');
});
