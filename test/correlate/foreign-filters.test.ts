// Filters for addresses that nobody of the network has, at a router on the way of tries that die: they took other packets, whatever
// their counters say, also where it is not known from which of its addresses a node sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { Evidence } from '#model/evidence.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';
import { changed, recorded } from './recording.ts';
import { dropping, HOST3, named, type Scene } from './scope-scene.ts';

const is = (field: FilterMatch['field'], ...values: readonly string[]): FilterMatch => ({ field, values });
const dead = (service: 'echo' | 'tcp', port?: number): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service, sent: 3, answered: false, open: false },
  ...(port === undefined ? {} : { port }),
});
const serviceProbes = { r1: [dead('echo'), dead('tcp', 80)] };

/** Its loopback has no IPv4 address: the kernel sends from another. */
function withoutLoopback(state: NodeState): NodeState {
  const { inventory } = state;
  const interfaces = inventory.interfaces.map((entry) =>
    entry.kind === 'loopback' ? { ...entry, addresses: entry.addresses.filter((each) => each.includes(':')) } : entry,
  );
  const loopbacks = inventory.loopbacks.filter((each) => each.includes(':'));
  return { ...state, inventory: { ...inventory, interfaces, loopbacks } };
}

const accused = (hook: string, rule: FilterMatch, extra: Scene['states'] = {}) =>
  named({ states: { ...extra, r2: dropping([rule], hook) }, serviceProbes });

for (const hook of ['forward', 'prerouting'])
  test(`a ${hook} filter for addresses of nobody here is not accused of what it cannot have taken`, () => {
    for (const extra of [{}, { r1: withoutLoopback }])
      for (const rule of [is('source', '203.0.113.0/24'), is('destination', '203.0.113.0/24', '192.0.2.7')])
        assert.deepEqual(accused(hook, rule, extra), [], JSON.stringify([rule, Object.keys(extra)]));
  });

test('one for an address that the sender has, or that is sent to, is', () => {
  assert.deepEqual(accused('forward', is('destination', '198.19.3.0/24')), ['acl_misconfig node/r2']);
  assert.deepEqual(accused('forward', is('source', '198.19.255.1')), ['acl_misconfig node/r2']);
  assert.deepEqual(accused('forward', is('source', '198.18.1.0'), { r1: withoutLoopback }), ['acl_misconfig node/r2']);
});

test('nor is it where probes between routers die', () => {
  const rule = is('source', '203.0.113.0/24');
  const input = changed(recorded('healthy'), {
    state: (state, node, phase) => (node === 'r1' ? state : dropping([rule], 'prerouting')(state, phase as 'after')),
  });
  const evidence = input.evidence.map((entry): Evidence => {
    if (entry.id !== 'probe/r1/parley-reach') return entry;
    const { results } = structuredClone(entry.body) as { results: Record<string, unknown>[] };
    return { ...entry, body: { results: results.map((row) => ({ ...row, received: 0, rttMs: null })) } as never };
  });
  const { findings, verdict } = diagnose({ ...input, evidence });
  assert.deepEqual([findings, verdict.kind], [[], 'inconclusive']);
});
