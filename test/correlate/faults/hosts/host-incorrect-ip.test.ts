// A host that has an address of another network; and one that was given another of its own, or a new network card.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Evidence } from '#model/evidence.ts';
import type { RelayedPurpose } from '#model/purpose.ts';
import { HOST1, named, sceneOf, wellOn } from '../../scope-scene.ts';

const SILENT = wellOn('r1', { answers: [], echoed: [] });

test('a host that answers for another address has a wrong one', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.0.10', macs: [HOST1.mac] }] };
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [census] } }), [
    'host_incorrect_ip interface/h1/eth1',
  ]);
});

test('the address that it has now is told, and what is to be done', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.0.10', macs: [HOST1.mac] }] };
  const [finding] = diagnose(sceneOf({ hosts: { r1: [SILENT] }, census: { r1: [census] } })).findings;
  const what = 'host h1 on r1 eth3 is no longer 198.19.1.10 but 198.19.0.10';
  assert.deepEqual(
    [finding?.details['what'], finding?.details['now'], finding?.confidence],
    [what, '198.19.0.10', 'certain'],
  );
  assert.deepEqual(finding?.remedy, { node: 'r1', summary: `give the host its address back: ${what}` });
});

test('hosts of a router that is asked through a neighbour alone are judged by what that neighbour heard of it', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.0.10', macs: [HOST1.mac] }] };
  const direct = sceneOf({ hosts: { r1: [SILENT] }, census: { r1: [census] } });
  const through = (entry: Evidence, told: string): Evidence => {
    if (entry.kind !== 'host-scan' || entry.node !== 'r1') return entry;
    const args = { node: 'r1', hosts: entry.request.params['arguments'] ?? {} };
    const purpose = { kind: 'relay', node: 'r1', of: entry.purpose as RelayedPurpose } as const;
    return {
      ...entry,
      id: `${entry.phase}/r2/parley-relay/r1/parley-host-scan`,
      purpose,
      node: 'r2',
      kind: 'relayed',
      request: { ...entry.request, params: { ...entry.request.params, arguments: args } },
      body: { node: told, hosts: entry.body as JsonValue },
    };
  };
  const named = (told: string) => {
    const evidence = direct.evidence.map((entry) => through(entry, told));
    return diagnose({ ...direct, evidence }).findings.map(({ fault, resource }) => `${fault} ${resource}`);
  };
  assert.deepEqual(named('r1'), ['host_incorrect_ip interface/h1/eth1']);
  assert.deepEqual(named('r3'), []);
});

test('a host that was given another address of its network is well', () => {
  const census = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.1.55', macs: [HOST1.mac] }] };
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [census] } }), []);
});

test('a new network card that has the old address is no finding', () => {
  const answers = [{ address: HOST1.address, macs: ['02:00:00:00:99:99'] }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { answers })] } }), []);
});
