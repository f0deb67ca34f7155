// One real lab of three routers: healthy, with perfect hidden cables; faults land, are seen, and leave nothing behind.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { cableProblems } from '../../simulations/lab/cables.ts';
import { inject } from '../../simulations/lab/injection.ts';
import { namespaceNames, processesIn } from '../../simulations/lab/namespaces.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { runInNetwork, runInNode } from '../../simulations/lab/node-processes.ts';
import { namespacesOf } from '../../simulations/lab/plan.ts';
import { markProcess } from '../../simulations/lab/registry.ts';
import { routerOffloads, selfTest } from '../../simulations/lab/self-test.ts';
import { until } from '../fakes/clock.ts';
import { prepareStandIn } from './stand-in.ts';

const standIn = prepareStandIn('network');
let lab: RunningLab;

before(async () => {
  lab = await upLab(standIn.options);
});
after(async () => {
  await lab?.down();
  standIn.remove();
});

function node(name: string) {
  return lab.record.nodes.find((entry) => entry.name === name)!;
}

async function pingFrom(name: string, address: string, count: number): Promise<number> {
  const said = await runInNetwork(node(name).namespace, [
    'ping',
    '-q',
    '-c',
    String(count),
    '-i',
    '0.002',
    '-W',
    '1',
    address,
  ]);
  return Number(/(\d+) received/.exec(said.stdout)?.[1]);
}

test('customers reach each other over End at p2 and End.DT6 at pe3 [CARD-9]', async () => {
  const before = await sidPackets('p2', 'fd00:5a:2::e');
  const said = await runInNetwork(node('pe1').namespace, [
    'ping',
    '-q',
    '-c',
    '5',
    '-i',
    '0.01',
    '-I',
    'fd00:c:1::1',
    'fd00:c:3::1',
  ]);
  assert.match(said.stdout, /5 received/);
  assert.equal((await sidPackets('p2', 'fd00:5a:2::e')) - before, 10);
});

async function sidPackets(name: string, sid: string): Promise<number> {
  const said = await runInNetwork(node(name).namespace, ['ip', '-s', '-6', 'route', 'show', sid]);
  return Number(/packets (\d+)/.exec(said.stdout)?.[1]);
}

test('cables are as dumb as a wire and routers have no offloads', async () => {
  for (const cable of lab.record.cables) {
    assert.deepEqual(await cableProblems(cable), []);
    assert.deepEqual(await routerOffloads(lab.record, cable), []);
  }
});

test('a dirty cable is noticed: offload, filter, IPv6', async () => {
  const cable = lab.record.cables[0]!;
  const change = (script: string) => runInNetwork(cable.namespace, ['bash', '-ec', script]);
  await change('ethtool -K port0 gro on; echo 0 > /proc/sys/net/ipv6/conf/all/disable_ipv6; nft add table netdev dirt');
  assert.deepEqual(await cableProblems(cable), [
    'IPv6 is on',
    'port0 generic-receive-offload: on',
    'there are filters',
  ]);
  await change(
    'ethtool -K port0 gro off; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; nft delete table netdev dirt',
  );
  assert.deepEqual(await cableProblems(cable), []);
});

test('tx equals rx on every cable under TCP load', async () => {
  assert.deepEqual(await selfTest(lab.record), []);
});

test('the self-test sees a cable that loses', async () => {
  const landed = await inject(lab.record, [loss('pe1:eth1', 5)]);
  const problems = await selfTest(lab.record);
  assert.deepEqual(await landed.undo(), []);
  const lost = Number(/tx and rx differ by (\d+) forward/.exec(problems.join('\n'))?.[1]);
  assert.ok(lost >= 20, problems.join('\n'));
});

function loss(from: string, percent: number) {
  return { where: 'fault' as const, fault: 'packet_loss', parameters: { cable: 'pe1:eth1--p2:eth1', from, percent } };
}

test('loss lands in one direction, stays, and is undone without a trace', async () => {
  const landed = await inject(lab.record, [loss('p2:eth1', 100)]);
  assert.deepEqual(await landed.problems(), []);
  assert.equal(await pingFrom('p2', 'fd00:12::', 3), 0);
  assert.deepEqual(await landed.undo(), []);
  assert.equal(await pingFrom('p2', 'fd00:12::', 3), 3);
});

test('an injection that somebody removes makes the run invalid', async () => {
  const landed = await inject(lab.record, [loss('pe1:eth1', 3)]);
  await runInNetwork(lab.record.cables[0]!.namespace, ['nft', 'flush', 'ruleset']);
  assert.deepEqual(await landed.problems(), ['cable pe1:eth1--p2:eth1: filters changed during the run']);
  assert.deepEqual(await landed.undo(), []);
});

test('an injection that changes nothing did not land', async () => {
  const landed = await inject(lab.record, [{ where: 'node', node: 'pe1', exec: ['true'], undo: [], repaired: false }]);
  assert.deepEqual(await landed.problems(), ['node pe1: the injection did not land']);
  await landed.undo();
});

test('the ACL counts SRv6 packets that leave pe1 and nothing else', async () => {
  // A cable that lost everything a moment ago has cost the network its routes.
  await until(async () => (await pingFrom('pe1', 'fd00:0:0:3::1', 1)) === 1, 'pe1 to reach pe3');
  const parameters = { node: 'pe1', interface: 'eth1', acl: 'acl-2001', percent: 100 };
  const landed = await inject(lab.record, [{ where: 'fault', fault: 'acl_misconfig', parameters }]);
  assert.equal(await pingFrom('pe1', 'fd00:0:0:3::1', 4), 4);
  assert.equal(await pingFrom('pe1', 'fd00:c:3::1', 4), 0);
  const rules = await runInNode(node('pe1'), ['nft', 'list', 'chain', 'ip6', 'filter', 'acl-2001']);
  assert.match(rules.stdout, /oifname "eth1" exthdr rt exists .*counter packets 4 /);
  assert.deepEqual(await landed.problems(), []);
  assert.deepEqual(await landed.undo(), []);
});

test('a fault without an undo is reported as left in the lab', async () => {
  const landed = await inject(lab.record, [
    { where: 'node', node: 'p2', exec: ['ip -6 route del fd00:5a:2::d6/128'], undo: [], repaired: false },
  ]);
  assert.deepEqual(await landed.problems(), []);
  assert.deepEqual(await landed.undo(), ['node p2: routes6']);
  await runInNode(node('p2'), [
    'bash',
    '-c',
    'ip -6 route add fd00:5a:2::d6/128 encap seg6local action End.DT6 table 254 count dev sr0',
  ]);
});

test('going down removes every namespace, process and folder of the lab and no other', async () => {
  const record = lab.record;
  const others = namespaceNames().filter((name) => !namespacesOf(record).includes(name));
  const pids = (await Promise.all(namespacesOf(record).map(processesIn))).flat();
  assert.ok(pids.length >= 3 * 8);
  await lab.down();
  assert.deepEqual(
    namespaceNames().filter((name) => namespacesOf(record).includes(name)),
    [],
  );
  assert.deepEqual(
    pids.filter((pid) => markProcess(pid) !== undefined),
    [],
  );
  assert.equal(existsSync(record.folder), false);
  assert.deepEqual(await lab.registry.list(), []);
  const still = namespaceNames();
  assert.ok(others.filter((name) => name.startsWith('lb-keep')).every((name) => still.includes(name)));
});
