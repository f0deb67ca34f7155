// Who tries services: only where a filter could drop them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planServiceProbes } from '#measure/hosts/filtered-services.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, stateOf } from '../../correlate/scope-scene.ts';

const states = (change: Readonly<Record<string, (state: NodeState) => NodeState>> = {}) =>
  new Map(
    [1, 2, 3].map((number) => {
      const state = stateOf(number as 1 | 2 | 3);
      return [`r${number}`, change[`r${number}`]?.(state) ?? state] as const;
    }),
  );

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
