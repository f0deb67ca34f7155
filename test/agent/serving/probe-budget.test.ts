// What one asker may have a node send: more than three questions' worth a minute, never all that the node has; and who pays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_LIMITS } from '#agent/limits.ts';
import { createProbeBudget, type Payer, payerOf } from '#agent/serving/probe-budget.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS as BASE_LIMITS } from '#base/limits.ts';
import { planConfirmation, planExtended, planFirst } from '#measure/registry.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { PlannedCall } from '#model/call.ts';
import type { ProbeCost } from '#model/links/probe-cost.ts';
import type { AdmittedCall } from '#model/ports.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { cliExecTool } from '#network/device/cli-exec.ts';
import { dhcpTool } from '#network/measurement/dhcp.ts';
import { echoTools } from '#network/measurement/echo-tools.ts';
import { hostScanTool, serviceProbeTool } from '#network/measurement/hosts.ts';
import { reachTool } from '#network/measurement/routes.ts';
import { srv6PingTool } from '#network/measurement/srv6-ping.ts';
import { HELPER_LIMITS } from '#router/helper/limits.ts';
import type { Network, Router } from '../../../simulations/generate/network.ts';
import { networkOf } from '../../../simulations/generate/sizes.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { createFakeClock, settle } from '../../fakes/clock.ts';
import { scopeOf } from '../../measure/scope.ts';

const LIMITS = { packets: 150_000, bytes: 150_000_000, runs: 48 };
const OPERATORS = ['operator/ann', 'operator/bob', 'users of pe1'];
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

const never = new AbortController().signal;
const run = (packets: number, bytes: number, more: Partial<ProbeCost> = {}): ProbeCost => ({
  ...{ packets, bytes, perSecond: { packets: 0, bytes: 0 } },
  ...more,
});
const perSecond = (packets: number): ProbeCost => ({
  packets,
  bytes: 100 * packets,
  perSecond: { packets, bytes: 100 * packets },
});

function budgetOf(clock = createFakeClock()) {
  const budget = createProbeBudget(clock);
  const take = (payer: Payer | string, cost: ProbeCost, signal = never) =>
    budget.take(typeof payer === 'string' ? { asker: payer } : payer, cost, signal);
  const spend = async (payer: Payer | string, cost: ProbeCost) => (await take(payer, cost))({});
  /** Whether it is granted without any wait. */
  const fitsAtOnce = async (payer: Payer | string, cost: ProbeCost) => {
    const over = new AbortController();
    const granted = take(payer, cost, over.signal).then(
      () => true,
      () => false,
    );
    await settle();
    over.abort(new Error('waited'));
    return granted;
  };
  return { clock, take, spend, fitsAtOnce };
}

/** What the calls of one node cost, as its tools count them. */
function costsOf(calls: readonly PlannedCall[]): ReadonlyMap<string, readonly ProbeCost[]> {
  const costs = new Map<string, ProbeCost[]>();
  for (const { node, name, arguments: args } of calls) {
    const cost = TOOLS.get(name)?.probes?.(args);
    if (cost !== undefined) costs.set(node, [...(costs.get(node) ?? []), cost]);
  }
  return costs;
}

/** A question about everything: every link in doubt, confirmed, and looked at longer; nothing at hosts and services in doubt. */
function largeQuestion() {
  const states = statesOf(networkOf('leaf-spine-large'));
  const scope = scopeOf(states);
  const links = scopeLinks(states);
  assert.equal(links.length, 64);
  const doubts = {
    ...{ slow: [], narrow: [], scans: [], tries: [], dhcp: [], serviceProbes: [], routingEnds: [], through: [] },
    ...{ lossy: links, dead: [], echoesLost: [], classes: [], reaches: [], unseen: [] },
    ...{ nonReporting: new Set<string>(), routes: true },
  };
  const losses = links.map((link) => ({ link, share: 0.02 }));
  const phases = [
    planFirst(scope),
    planConfirmation(scope, doubts),
    ...planExtended(scope, { losses, damage: [], classes: [] }),
  ];
  return { phases, calls: phases.flat() };
}

test('a question about everything on a leaf-spine of 4 + 16 takes less than a third of a budget at each node [TS-22]', () => {
  const { phases, calls } = largeQuestion();
  assert.ok(calls.length > 200, `${calls.length} calls`);
  const costs = [...costsOf(calls).values()];
  const most = (what: 'packets' | 'bytes') =>
    Math.max(...costs.map((each) => each.reduce((sum, cost) => sum + cost[what], 0)));
  assert.ok(most('packets') > 1_000);
  assert.ok(3 * most('packets') <= LIMITS.packets, `${most('packets')} packets`);
  assert.ok(3 * most('bytes') <= LIMITS.bytes, `${most('bytes')} bytes`);
  const atOnce = phases.flatMap((phase) => [...costsOf(phase).values()].map(({ length }) => length));
  assert.ok(Math.max(...atOnce) > 8);
  assert.ok(Math.max(...atOnce) <= BASE_LIMITS.helperProbes, `${Math.max(...atOnce)} runs at once`);
  assert.equal(3 * BASE_LIMITS.helperProbes, LIMITS.runs);
});

test('three operators who ask through one node find three times what their questions need there, and wait for nothing [TS-22]', async () => {
  const { phases } = largeQuestion();
  for (const [index, phase] of phases.entries())
    for (const [node, costs] of costsOf(phase)) {
      const { take, fitsAtOnce } = budgetOf();
      // The first round, which each question has, three times over; a round of doubts, which sends fast for a second or two, once.
      for (let turn = 0; turn < (index === 0 ? 3 : 1); turn++)
        for (const asker of OPERATORS)
          for (const cost of costs)
            assert.ok(await fitsAtOnce({ asker, through: 'pe1' }, cost), `round ${index} at ${node}`);
      // Another node's question of the same moment fits beside them.
      if (index === 0) for (const cost of costs) await take({ asker: 'node/pe2', through: 'pe2' }, cost);
    }
  const all = [...costsOf(phases.flat()).values()];
  const { spend } = budgetOf();
  for (const cost of all.flatMap((each) => (each.length > 15 ? each : [])))
    for (let turn = 0; turn < 3; turn++)
      for (const asker of OPERATORS)
        await spend({ asker, through: 'pe1' }, { ...cost, perSecond: { packets: 0, bytes: 0 } });
});

test('one asker uses up its own budget and no other’s, and is told when to try again [TS-22]', async () => {
  const { clock, take, spend } = budgetOf();
  const tenth = run(10_000, 1_000_000);
  for (let turn = 0; turn < 15; turn++) await spend('operator/eve', tenth);
  await assert.rejects(take('operator/eve', tenth), {
    ...coded,
    message:
      'expected at most 150000 packets of probes a minute for operator/eve at this node, got more: try again in 4 s',
  });
  for (const other of ['operator/ann', 'users of pe1', 'node/p2'])
    for (let turn = 0; turn < 15; turn++) await spend(other, tenth);
  await clock.advance(4_000);
  await spend('operator/eve', tenth);
  await assert.rejects(take('operator/eve', tenth), coded);
  const large = run(10, 50_000_000);
  for (let turn = 0; turn < 3; turn++) await spend('operator/bob', large);
  await assert.rejects(take('operator/bob', large), {
    message: /150000000 bytes of probes a minute.*try again in 20 s/,
  });
});

test('one asker has thirty ports of no well-known service tried in a minute, and all of them four times as many [TS-22]', async () => {
  const { clock, take, spend } = budgetOf();
  const at = (port: number) =>
    TOOLS.get('parley-service-probe')!.probes!({
      serviceProbes: [{ destination: '198.18.1.10', service: 'tcp', port }],
    })!;
  for (let port = 1; port <= 30; port++) await spend('operator/eve', at(port));
  await assert.rejects(take('operator/eve', at(31)), (error: unknown) => {
    assert.ok(error instanceof ParleyError && error.code === coded.code && error.data['retryAfterSeconds'] === 2);
    assert.match(
      error.message,
      /^expected at most 30 TCP ports other than 53, 80, 443 and 8080 a minute for operator\/eve/,
    );
    return true;
  });
  for (let turn = 0; turn < 100; turn++) await spend('operator/eve', at(443));
  const payers = ['a', 'b', 'c', 'd'].map((name) => ({ asker: `operator/${name}`, through: 'pe1' }));
  for (const payer of payers.slice(0, 3)) for (let port = 1; port <= 30; port++) await spend(payer, at(port));
  await assert.rejects(take(payers[3]!, at(1)), { message: /at most 90 TCP ports .* for all that pe1 asks for/ });
  await assert.rejects(take('operator/ann', at(1)), { message: /at most 120 TCP ports .* for all askers/ });
  await spend('operator/ann', at(80));
  await clock.advance(2_000);
  await spend('operator/eve', at(31));
});

test('a node that names an honest asker uses up that asker’s budget through itself alone [TS-22]', async () => {
  const { take, spend, fitsAtOnce } = budgetOf();
  const all = run(LIMITS.packets, 1);
  await spend({ asker: 'operator/alice', through: 'p2' }, all);
  await assert.rejects(take({ asker: 'operator/alice', through: 'p2' }, run(1, 1)), {
    ...coded,
    message: /150000 packets of probes a minute for operator\/alice through p2 at this node/,
  });
  assert.ok(await fitsAtOnce('operator/alice', all));
  assert.ok(await fitsAtOnce({ asker: 'operator/alice', through: 'pe1' }, all));
});

test('askers that a node makes up share the ceiling of that node, and others still find their shares [TS-22]', async () => {
  const { take, spend, fitsAtOnce } = budgetOf();
  for (let made = 0; made < 3; made++) await spend({ asker: `node/x${made}`, through: 'evil' }, run(LIMITS.packets, 1));
  await assert.rejects(take({ asker: 'node/x4', through: 'evil' }, run(1, 1)), {
    ...coded,
    message: /450000 packets of probes a minute for all that evil asks for/,
  });
  const again = budgetOf();
  for (let opened = 0; opened < 144; opened++)
    await again.take({ asker: `node/x${opened % 9}`, through: 'evil' }, run(1, 1));
  assert.equal(await again.fitsAtOnce({ asker: 'node/x10', through: 'evil' }, run(1, 1)), false);
  for (let opened = 0; opened < 48; opened++) await again.take('operator/ann', run(1, 1));
  assert.ok(await fitsAtOnce('operator/ann', run(1, 1)));
});

test('an account is forgotten once it is whole again, never before: new names give no fresh budget [TS-22]', async () => {
  const { clock, take, spend } = budgetOf();
  const payer = (name: string) => ({ asker: `node/${name}`, through: 'evil' });
  await spend(payer('first'), run(LIMITS.packets, 1));
  for (let made = 1; made < AGENT_LIMITS.probeAskers; made++) await spend(payer(`x${made}`), run(1, 1));
  await assert.rejects(take(payer('one more'), run(1, 1)), { ...coded, message: /256 askers of one caller/ });
  await assert.rejects(take(payer('first'), run(1, 1)), coded);
  await clock.advance(1_000);
  await spend(payer('one more'), run(1, 1));
  await assert.rejects(take(payer('first'), run(2_501, 1)), coded);
});

test('one asker leaves the rate and the runs of three others at any instant, and waits for its own share [TS-22]', async () => {
  const { clock, take, fitsAtOnce } = budgetOf();
  const fast = perSecond(5_000);
  const first = await take('operator/eve', fast);
  const second = take('operator/eve', fast);
  for (const other of ['operator/ann', 'users of pe1', 'node/p2']) assert.ok(await fitsAtOnce(other, fast));
  await clock.advance(1_000);
  first({});
  await clock.advance(50);
  (await second)({});
  const third = await take('operator/eve', fast);
  const late = assert.rejects(take('operator/eve', fast), {
    ...coded,
    message:
      'expected at most 5000 packets of probes a second for operator/eve at this node, got more: try again in 1 s',
  });
  await clock.advance(3_000);
  await late;
  third({});
  const askers = ['operator/a', 'operator/b', 'operator/c', 'operator/d'];
  const runs = budgetOf();
  for (const asker of askers) for (let turn = 0; turn < LIMITS.runs; turn++) await runs.take(asker, run(1, 100));
  assert.equal(await runs.fitsAtOnce('operator/a', run(1, 100)), false);
  assert.equal(askers.length * LIMITS.runs, HELPER_LIMITS.helperProbeRuns);
  assert.equal(askers.length * AGENT_LIMITS.askerPacketsPerSecond, HELPER_LIMITS.probePacketsPerSecondOfNode);
  assert.equal(askers.length * AGENT_LIMITS.askerBytesPerSecond, HELPER_LIMITS.probeBytesPerSecondOfNode);
});

test('calls that wait are bounded in number, stop with their caller, and leave nothing behind', async () => {
  const { clock, take } = budgetOf();
  const open = await take('operator/eve', perSecond(5_000));
  const abort = new AbortController();
  const waiting = Array.from({ length: AGENT_LIMITS.probeShareWaiting }, () =>
    assert.rejects(take('operator/eve', perSecond(1), abort.signal), /gone/),
  );
  await assert.rejects(take('operator/eve', perSecond(1)), coded);
  abort.abort(new Error('gone'));
  await Promise.all(waiting);
  open({});
  (await take('operator/eve', perSecond(5_000)))({});
  assert.equal(clock.sleepers, 0);
});

test('a burst counts for a second, however soon it is over', async () => {
  const { clock, fitsAtOnce, spend } = budgetOf();
  await spend('operator/eve', { ...perSecond(4_000), isBurst: true });
  assert.equal(await fitsAtOnce('operator/eve', perSecond(4_000)), false);
  await clock.advance(1_000);
  assert.ok(await fitsAtOnce('operator/eve', perSecond(4_000)));
});

test('a call that could never pass is refused before it is charged, and says so [TS-22]', async () => {
  const { take, fitsAtOnce } = budgetOf();
  const sids = Array.from({ length: 16 }, (_, index) => `fd00::${index + 1}`);
  const ping = { Count: 10_000, payloadBytes: 8_192, segments: sids, destination: 'fd00::ff' };
  const cost = TOOLS.get('ietf-srv6-ping')!.probes!(ping)!;
  assert.equal(cost.bytes, 1_367_040_000);
  await assert.rejects(take('users of pe1', cost), (error: unknown) => {
    assert.ok(error instanceof ParleyError && error.code === 'caller/probe-budget');
    assert.equal(error.data['retryPossible'], false);
    assert.match(error.message, /at most 150000000 bytes in one call for users of pe1 at this node, got 1367040000/);
    return true;
  });
  const fast = { ...ping, Count: 1_000, segments: [], intervalMs: 0.2 };
  await assert.rejects(take('users of pe1', TOOLS.get('ietf-srv6-ping')!.probes!(fast)!), {
    message: /at most 2500000 bytes a second for users of pe1/,
  });
  assert.ok(await fitsAtOnce('users of pe1', run(LIMITS.packets, LIMITS.bytes)));
});

test('a call that failed before it sent anything gets its packets back, any other does not [TS-22]', async () => {
  const { take } = budgetOf();
  const all = run(LIMITS.packets, LIMITS.bytes);
  for (const code of ['node/helper-busy', 'caller/bad-argument', 'caller/off-link'] as const)
    (await take('operator/eve', all))({ error: new ParleyError(code, 'expected room, got none') });
  (await take('operator/eve', all))({ error: new ParleyError('node/timeout', 'expected an answer, got none') });
  await assert.rejects(take('operator/eve', run(1, 1)), coded);
});

test('scans, pings and traces cost what they send at most [TS-22]', () => {
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => `198.18.${index >> 8}.${index & 255}`);
  const scan = TOOLS.get('parley-host-scan')!.probes!({ ports: [{ ifname: 'eth1', addresses: addresses(512) }] })!;
  assert.equal(scan.packets, 2 * 512 + 6 * 256 + 20);
  const [ping, trace, path] = echoTools({} as DevicePort);
  const destination = '198.18.0.1';
  const pinged = ping!.probes!({ destination, count: 100, size: 9_000 })!;
  assert.deepEqual([pinged.packets, pinged.bytes, pinged.perSecond.packets], [100, 904_800, 5]);
  assert.equal(trace!.probes!({ destination, hops: 32 })!.packets, 32);
  assert.ok(path!.probes!({ destination })!.bytes > 16 * 9_000);
  const command = cliExecTool({} as DevicePort).probes!;
  assert.equal(command({ cmd: 'ping 198.18.0.1 repeat 50' })!.packets, 50);
  assert.equal(command({ cmd: 'show version' }), undefined);
  // No asker has more than a quarter of the processes that ping for the helper.
  assert.equal(4 * Math.floor(LIMITS.runs / pinged.runs!), HELPER_LIMITS.helperEchoes);
});

test('names that a node makes up find no budget each, and count through that node [TS-22]', () => {
  const self = { kind: 'node', domain: 'lab.example', name: 'p2' } as const;
  const node = { kind: 'node', domain: 'lab.example', name: 'pe1' } as const;
  const behind = (claim: object, account: string, caller: object = node) =>
    ({ caller, behind: { parties: [], label: 'any words', account, claim } }) as unknown as AdmittedCall;
  const local = { kind: 'local', name: 'a', via: ['pe9'] };
  assert.deepEqual(payerOf(behind(local, 'users of pe9'), self), { asker: 'users of pe9', through: 'pe1' });
  assert.deepEqual(payerOf(behind({ kind: 'node', via: [] }, 'node/pe1'), self), { asker: 'node/pe1', through: 'pe1' });
  assert.deepEqual(payerOf({ caller: node } as AdmittedCall, self), { asker: 'node/pe1', through: 'pe1' });
  // This node's own part of a question: of its own users, and of one that pe1 passed on.
  const own = { kind: 'local', name: 'a', via: [] };
  assert.deepEqual(payerOf(behind(own, 'users of p2', self), self), { asker: 'users of p2' });
  const passed = { kind: 'local', name: 'a', via: ['pe9', 'pe1'] };
  assert.deepEqual(payerOf(behind(passed, 'users of pe9', self), self), { asker: 'users of pe9', through: 'pe1' });
  assert.deepEqual(payerOf({ caller: self } as AdmittedCall, self), { asker: 'node/p2' });
  const user = { kind: 'operator', domain: 'lab.example', name: 'local', role: 'operator' } as const;
  assert.deepEqual(payerOf({ caller: user } as AdmittedCall, self), { asker: 'users of p2' });
  const ann = { ...user, name: 'ann', thumbprint: 'ab' };
  assert.deepEqual(payerOf({ caller: ann } as AdmittedCall, self), { asker: 'operator/ann' });
});
