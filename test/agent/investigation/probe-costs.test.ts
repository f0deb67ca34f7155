// What a question puts on links: the costs that the tools themselves state, a relayed search for hosts as its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProbeCosts } from '#agent/investigation/probe-costs.ts';
import { measurementTools } from '#agent/tools/measurements.ts';
import { costOfReach, costOfScan } from '#model/links/probe-cost.ts';
import type { RouterPort } from '#model/router/router-port.ts';

const costs = createProbeCosts(measurementTools({} as RouterPort, async () => ({ lines: [] })));

test('a reachability call counts its probes, to each address', () => {
  const destinations = ['192.0.2.1', '192.0.2.2'];
  const { packets, bytes } = costs({ name: 'parley-reach', arguments: { destinations, count: 5 } })!;
  assert.equal(packets, 10);
  assert.equal(bytes, costOfReach({ destinations, count: 5 }).bytes);
});

test('a search for hosts counts the same through a relay', () => {
  const hosts = { ports: [{ ifname: 'eth1', addresses: ['192.0.2.9'] }] };
  const own = costs({ name: 'parley-host-scan', arguments: hosts });
  assert.equal(own?.packets, costOfScan(hosts as never).packets);
  assert.deepEqual(costs({ name: 'parley-relay', arguments: { node: 'p2', hosts } }), own);
});

test('what sends nothing, is not known or is refused counts nothing', () => {
  assert.equal(costs({ name: 'parley-node-state', arguments: { parts: 'all' } }), undefined);
  assert.equal(costs({ name: 'parley-relay', arguments: { node: 'p2' } }), undefined);
  assert.equal(costs({ name: 'no-such-tool', arguments: {} }), undefined);
  assert.equal(costs({ name: 'parley-reach', arguments: { destinations: 'all' } }), undefined);
});
