// Which hosts are asked, and who tries services: only those that were heard, only where a filter could drop them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planHostConfirmation, planHostScan, planHostSearch, planServiceProbes } from '#measure/hosts/hosts.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, stateOf } from '../../correlate/scope-scene.ts';

const states = (change: Readonly<Record<string, (state: NodeState) => NodeState>> = {}) =>
  new Map(
    [1, 2, 3].map((number) => {
      const state = stateOf(number as 1 | 2 | 3);
      return [`r${number}`, change[`r${number}`]?.(state) ?? state] as const;
    }),
  );

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

const answered = (node: string, ports: unknown) =>
  ({ kind: 'host-scan', node, body: { ports } }) as unknown as Evidence;

test('where a host is silent, the link is asked who lives, and nobody is searched for', () => {
  const well = [{ ifname: 'eth3', answers: [{ address: '198.19.3.10', macs: ['02:00:00:00:03:10'] }] }];
  const calls = planHostConfirmation(states(), [
    answered('r1', [{ ifname: 'eth3', answers: [] }]),
    answered('r3', well),
  ]);
  assert.deepEqual(
    calls.map((call) => [call.node, call.phase, call.arguments['census'], call.arguments['ports']]),
    [['r1', 'deepen', true, [{ ifname: 'eth3', addresses: ['198.19.1.10'] }]]],
  );
});

test('a host that lives without its address is looked for at likely addresses, one that sleeps is not', () => {
  const census = (...alive: readonly string[]) => [answered('r1', [{ ifname: 'eth3', answers: [], alive }])];
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

test('services are tried only where a filter may drop them', () => {
  assert.deepEqual(planServiceProbes(states()), []);
  const telnet = dropping([
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination-port', values: ['23'] },
  ]);
  assert.deepEqual(planServiceProbes(states({ r2: (state) => telnet(state, 'before') })), []);
  const http = dropping([
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination-port', values: ['80'] },
  ]);
  const calls = planServiceProbes(states({ r2: (state) => http(state, 'before') }));
  assert.deepEqual(
    calls.map((call) => call.node),
    ['r1', 'r3'],
  );
  const serviceProbes = calls[0]!.arguments['serviceProbes'] as readonly {
    readonly service: string;
    readonly destination: string;
  }[];
  assert.deepEqual(
    serviceProbes.map(({ service, destination }) => `${service} ${destination}`),
    ['tcp 198.19.3.10', 'tcp 198.19.255.3'],
  );
});
