// Which hosts are asked: only those that were heard, and others only where one of them has gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostScanned } from '#measure/doubts.ts';
import { planHostConfirmation, planHostScan, planHostSearch } from '#measure/hosts/host-scan.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const states = () => new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

test('each router asks the hosts that it has heard, and for its own address', () => {
  const calls = planHostScan(states());
  assert.deepEqual(
    calls.map(({ node, arguments: { ports } }) => [node, ports]),
    [
      ['r1', [{ ifname: 'eth3', addresses: ['198.19.1.10', '198.19.1.1'] }]],
      ['r3', [{ ifname: 'eth3', addresses: ['198.19.3.10', '198.19.3.1'] }]],
    ],
  );
});

test('the host that asks is asked for by its router, though it was never heard', () => {
  const intent = { path: [{ as: 'r1', key: 'r1' }], fromHost: { address: '198.19.1.77' } };
  assert.deepEqual(
    planHostScan(states(), intent).map(({ arguments: { ports } }) => ports),
    [
      [{ ifname: 'eth3', addresses: ['198.19.1.77', '198.19.1.10', '198.19.1.1'] }],
      [{ ifname: 'eth3', addresses: ['198.19.3.10', '198.19.3.1'] }],
    ],
  );
});

const answered = (node: string, port: Partial<HostScanned>): HostScanned => ({
  ...{ node, ifname: 'eth3', answers: [], asks: [] },
  ...port,
});

test('where a host is silent, the link is asked who lives, and nobody is searched for', () => {
  const well = { answers: [{ address: '198.19.3.10', macs: ['02:00:00:00:03:10'] }] };
  const calls = planHostConfirmation(states(), [answered('r1', {}), answered('r3', well)]);
  assert.deepEqual(
    calls.map((call) => [call.node, call.phase, call.arguments['census'], call.arguments['ports']]),
    [['r1', 'deepen', true, [{ ifname: 'eth3', addresses: ['198.19.1.10'] }]]],
  );
});

test('a host that lives without its address is looked for at likely addresses, one that sleeps is not', () => {
  const census = (...alive: readonly string[]) => [answered('r1', { alive })];
  assert.deepEqual(planHostSearch(states(), census()), []);
  assert.deepEqual(planHostSearch(states(), census('02:00:00:00:01:99')), []);
  const calls = planHostSearch(states(), census('02:00:00:00:01:10'));
  assert.deepEqual(
    calls.map(({ node, id }) => [node, id]),
    [['r1', 'deepen/r1/parley-host-scan/search']],
  );
  const [port] = calls[0]!.arguments['ports'] as readonly { readonly addresses: readonly string[] }[];
  for (const address of ['198.19.1.10', '198.19.0.10', '198.19.200.10', '198.19.1.77'])
    assert.ok(port!.addresses.includes(address), address);
  assert.ok(!port!.addresses.includes('198.19.1.1'));
});
