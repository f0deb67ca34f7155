// Echoes from afar: every host is tried by one node that is not its router, and again where nobody from afar is answered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostScanned, ServiceTried } from '#measure/doubts.ts';
import { planFarDoubts, planFarEchoes, unansweredFromAfar } from '#measure/hosts/far-echoes.ts';
import { planHostConfirmation } from '#measure/hosts/host-scan.ts';
import type { PlannedCall } from '#model/call.ts';
import { HOST1, HOST3, stateOf } from '../../correlate/scope-scene.ts';

const states = () => new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const told = (calls: readonly PlannedCall[]) =>
  calls.map(({ id, node, arguments: { serviceProbes } }) => [
    id,
    node,
    (serviceProbes as readonly { readonly destination: string }[]).map(({ destination }) => destination),
  ]);
const echo = (from: string, destination: string, answered: boolean): ServiceTried => ({
  ...{ from, destination, service: 'echo', sent: 3, answered, open: answered },
});

test('each host is tried by one node that is neither its router nor, where there is another, a neighbour of that', () => {
  assert.deepEqual(told(planFarEchoes(states())), [
    ['probe/r3/parley-service-probe/far', 'r3', [HOST1.address]],
    ['probe/r1/parley-service-probe/far', 'r1', [HOST3.address]],
  ]);
  assert.deepEqual(planFarEchoes(new Map([['r1', stateOf(1)]])), []);
});

test('a node that limits the echoes for itself tries hosts only where no other can', () => {
  const limited = (...nodes: readonly string[]) =>
    new Map(
      [1, 2, 3, 4].map((number) => {
        const node = `r${number}`;
        const { inventory, ...rest } = stateOf((number === 4 ? 2 : number) as 1 | 2 | 3);
        // The fourth has links to none of them.
        const interfaces = inventory.interfaces.filter(({ kind }) => number !== 4 || kind === 'loopback');
        const apart = number === 4 ? { neighbours: [], adjacencies: [] } : {};
        const state = { ...rest, ...apart, inventory: { ...inventory, interfaces } };
        const rule = {
          ...{ family: 'inet', table: 'copp', chain: 'input', path: ['input'], hook: 'input', handle: 4 },
          ...{ verdict: 'drop' as const, inInterfaces: [], outInterfaces: [], matchesRest: true },
          ...{ matches: [{ field: 'protocol' as const, values: ['icmp'] }], unread: ['limit rate over 20/second'] },
        };
        return [node, nodes.includes(node) ? { ...state, filters: [rule] } : state] as const;
      }),
    );
  const tried = (...nodes: readonly string[]) =>
    told(planFarEchoes(limited(...nodes))).map(([, node, hosts]) => [node, hosts]);
  const [one, three] = [HOST1, HOST3].map(({ address }) => [address]);
  assert.deepEqual(tried(), [
    ['r3', one],
    ['r1', three],
  ]);
  assert.deepEqual(tried('r3'), [
    ['r4', one],
    ['r1', three],
  ]);
  assert.deepEqual(tried('r1', 'r3'), [['r4', [...one!, ...three!]]]);
  assert.deepEqual(tried('r1', 'r2', 'r3', 'r4'), tried());
});

test('a host that answers its router and nobody from afar is looked at twice, by both at once', () => {
  const near = (node: string, address: string, echoed: readonly string[]): HostScanned => ({
    ...{ node, ifname: 'eth3', answers: [{ address, macs: ['02:00:00:00:01:10'] }], asks: [], echoed },
  });
  const scans = [near('r1', HOST1.address, [HOST1.address]), near('r3', HOST3.address, [])];
  const unanswered = unansweredFromAfar(scans, [echo('r2', HOST1.address, false), echo('r1', HOST3.address, false)]);
  assert.deepEqual(unanswered, [HOST1.address]);
  assert.deepEqual(told(planFarDoubts(states(), unanswered)), [
    ['deepen/r3/parley-service-probe/far', 'r3', [HOST1.address]],
  ]);
  const asked = planHostConfirmation(states(), scans, unanswered).map(({ node, phase }) => [node, phase]);
  assert.deepEqual(asked, [['r1', 'deepen']]);
  assert.deepEqual(unansweredFromAfar(scans, [echo('r2', HOST1.address, true)]), []);
});
