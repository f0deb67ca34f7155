// Services that an operator says are to be there: a host that refuses is named, one that nobody asked about is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { AskedService, Intent } from '#model/intent.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { HOST3, type Scene, sceneOf } from './scope-scene.ts';

const DNS: AskedService = { name: 'dns', port: 53 };
const HTTP: AskedService = { name: 'http', port: 80 };

function said(scene: Scene, service: AskedService): readonly string[] {
  const intent: Intent = {
    ...{ kind: 'reachability', text: '', path: [], encapsulation: 'ip' },
    ...{ destination: HOST3.address, service },
  };
  const { verdict, findings } = diagnose({ ...sceneOf(scene), intent });
  const open = verdict.reasons.filter((reason) => /DNS|HTTP|port \d/.test(reason));
  return findings.length > 0 ? findings.map(({ fault, resource }) => `${fault} ${resource}`) : open;
}

const serviceProbe = (
  service: 'tcp' | 'udp',
  port: number,
  answer: Partial<ServiceProbeResult>,
): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service, port, sent: 1, answered: true, open: true },
  ...answer,
});
const REFUSED = { answered: true, open: false };

test('a name server that refuses its own router is dns_service_down, when the question says that it is one', () => {
  const refused = { r1: [serviceProbe('udp', 53, REFUSED)], r3: [serviceProbe('udp', 53, REFUSED)] };
  assert.deepEqual(said({ serviceProbes: refused }, DNS), ['dns_service_down node/h3']);
  assert.deepEqual(said({ serviceProbes: refused }, HTTP), ['HTTP at 198.19.3.10 port 80: nobody saw that it serves']);
  assert.deepEqual(diagnose(sceneOf({ serviceProbes: refused })).findings, []);
});

test('a refusal counts although the host is silent to the questions that follow at once', () => {
  const silent = serviceProbe('udp', 53, { answered: false, open: false });
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('udp', 53, REFUSED), silent, silent] } }, DNS), [
    'dns_service_down node/h3',
  ]);
  assert.deepEqual(
    said({ serviceProbes: { r3: [serviceProbe('udp', 53, REFUSED), serviceProbe('udp', 53, {})] } }, DNS),
    [],
  );
});

test('a web server that refuses its own router is http_service_down', () => {
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('tcp', 80, REFUSED)] } }, HTTP), [
    'http_service_down node/h3',
  ]);
});

test('a refusal that only others hear may come from the way', () => {
  const serviceProbes = { r1: [serviceProbe('tcp', 80, REFUSED)], r3: [serviceProbe('tcp', 80, {})] };
  assert.deepEqual(said({ serviceProbes }, HTTP), []);
});

test('a service that is silent although its host is there is a symptom without a cause', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, { answered: false, open: false })] };
  assert.match(said({ serviceProbes }, DNS).join(), /r3 tried udp port 53 at 198.19.3.10 behind r3: nothing came back/);
});

test('a name server that does not know the name that it is asked for is dns_record_error', () => {
  const record = 'www.lab.example';
  const asked = { ...DNS, record };
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('udp', 53, { record, found: false })] } }, asked), [
    'dns_record_error node/h3',
  ]);
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('udp', 53, { record, found: true })] } }, asked), []);
});

test('other questions to the same server do not hide that it does not know the name', () => {
  const record = 'www.lab.example';
  const asked = { ...DNS, record };
  const lost = serviceProbe('udp', 53, { record, found: false });
  const others = [
    serviceProbe('udp', 53, { tookMs: [3] }),
    serviceProbe('udp', 53, { record: 'other.lab.example', found: true }),
  ];
  assert.deepEqual(said({ serviceProbes: { r3: [...others, lost] } }, asked), ['dns_record_error node/h3']);
  assert.match(said({ serviceProbes: { r3: others } }, asked).join(), /nobody saw that it knows www\.lab\.example/);
});

const seenOn = (agoMs: number): Scene['states'] => ({
  r3: (state) => ({
    ...state,
    history: {
      ...state.history!,
      services: [{ ifname: 'eth3', address: HOST3.address, service: 'udp', port: 53, agoMs }],
    },
  }),
});
const found = (scene: Scene) =>
  diagnose(sceneOf(scene)).findings.map(({ fault, resource, confidence }) => [fault, resource, confidence]);

test('a host that its router saw serve names lately, and that refuses now, is dns_service_down without being asked about', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, REFUSED)] };
  assert.deepEqual(found({ states: seenOn(20_000)!, serviceProbes }), [['dns_service_down', 'node/h3', 'likely']]);
});

test('a host that still serves, or was not seen to, or does not answer its router at all, is not accused', () => {
  const states = seenOn(20_000)!;
  assert.deepEqual(found({ states, serviceProbes: { r3: [serviceProbe('udp', 53, {})] } }), []);
  assert.deepEqual(found({ serviceProbes: { r3: [serviceProbe('udp', 53, REFUSED)] } }), []);
  assert.deepEqual(
    found({ states, serviceProbes: { r3: [serviceProbe('udp', 53, { answered: false, open: false })] } }),
    [],
  );
});

test('a host whose address a route leads elsewhere is not accused of what somebody else refuses in its name', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, REFUSED)] };
  const way = (ifname: string) => ({ r3: [{ destination: HOST3.address, kind: 'unicast' as const, ifname }] });
  assert.deepEqual(found({ states: seenOn(20_000)!, serviceProbes, lookups: way('eth1') }), []);
  assert.deepEqual(found({ states: seenOn(20_000)!, serviceProbes, lookups: way('eth3') }), [
    ['dns_service_down', 'node/h3', 'likely'],
  ]);
});
