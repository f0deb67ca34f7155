// Services that do not answer: missed because the operator says so, or dropped by a filter that nobody is known to miss anything by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterHits } from '#correlate/engine/facts.ts';
import type { World } from '#correlate/network/world.ts';
import type { Attempt } from '#correlate/packet-filter/attempts.ts';
import { isMeant } from '#correlate/symptoms/service.ts';
import { DNS as NAMES, said, serviceProbe } from '../expected-scene.ts';
import { remarksTold } from '../remarks.ts';
import { dropping, sceneOf } from '../scope-scene.ts';
import { DNS, HTTP, ICMP, is, SILENT_DNS, SILENT_ECHO, SILENT_HTTP } from '../service-scene.ts';

const verdictOf = (scene: Parameters<typeof sceneOf>[0]) => {
  const told = diagnose(sceneOf(scene));
  const { verdict, findings } = told;
  const known = new Set(remarksTold(diagnose(sceneOf())));
  return {
    findings: findings.map(({ fault, resource }) => `${fault} ${resource}`),
    remarks: remarksTold(told).filter((remark) => !known.has(remark) && /intended/.test(remark)),
    open: verdict.reasons.filter((reason) => /nothing came back/.test(reason)),
  };
};

test('a filter of an edge against a service that nobody is known to use is a remark, whatever our own tries met', () => {
  assert.deepEqual(verdictOf({ states: { r2: dropping(DNS) }, serviceProbes: SILENT_DNS }), {
    findings: [],
    remarks: [
      'r2: a packet filter dropped 12 packets (protocol udp, destination-port 53); no host is known to miss them, so it may be intended',
    ],
    open: [],
  });
  assert.deepEqual(verdictOf({ states: { r2: dropping(HTTP) }, serviceProbes: SILENT_HTTP }).findings, []);
  const echoes = dropping([...ICMP, is('icmp-type', 'echo-request')]);
  assert.deepEqual(verdictOf({ states: { r2: echoes }, serviceProbes: SILENT_ECHO }).findings, []);
});

test('a service that is silent although its host is there is a symptom without a cause', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, { answered: false, open: false })] };
  assert.match(
    said({ serviceProbes }, NAMES).join(),
    /r3 tried udp port 53 at 198.19.3.10 behind r3: nothing came back/,
  );
});

test('a rule that was always there is meant where a question names the very TCP port alone, and nowhere else', () => {
  const [address, port] = ['198.19.3.10', 53];
  const rule = {
    node: 'r2',
    hook: 'forward',
    inInterfaces: [],
    outInterfaces: [],
    matches: DNS,
  } as unknown as FilterHits;
  const meant = (service: object | undefined, detail: object = {}) =>
    isMeant({ service, views: new Map() } as unknown as World, rule, {
      detail: { destination: address, service: 'tcp', port, ...detail },
    } as Attempt);
  assert.equal(meant({ name: 'tcp', address, port }), true);
  assert.equal(meant({ name: 'dns', address, port }), false, 'a service is to be there');
  assert.equal(meant(undefined), false);
  for (const other of [{ service: 'udp' }, { destination: '198.19.3.11' }, { port: 80 }])
    assert.equal(meant({ name: 'tcp', address, port }, other), false, JSON.stringify(other));
});
