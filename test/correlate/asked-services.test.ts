// Services that an operator says are to be there: a host that refuses is named, one that nobody asked about is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { AskedService, Intent } from '#model/intent.ts';
import type { KnockResult } from '#model/router/hosts.ts';
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

const knock = (service: 'tcp' | 'udp', port: number, answer: Partial<KnockResult>): KnockResult => ({
  ...{ destination: HOST3.address, service, port, sent: 1, answered: true, open: true },
  ...answer,
});
const REFUSED = { answered: true, open: false };

test('a name server that refuses its own router is dns_service_down, when the question says that it is one', () => {
  const refused = { r1: [knock('udp', 53, REFUSED)], r3: [knock('udp', 53, REFUSED)] };
  assert.deepEqual(said({ knocks: refused }, DNS), ['dns_service_down node/h3']);
  assert.deepEqual(said({ knocks: refused }, HTTP), ['HTTP at 198.19.3.10 port 80: nobody saw that it serves']);
  assert.deepEqual(diagnose(sceneOf({ knocks: refused })).findings, []);
});

test('a refusal counts although the host is silent to the questions that follow at once', () => {
  const silent = knock('udp', 53, { answered: false, open: false });
  assert.deepEqual(said({ knocks: { r3: [knock('udp', 53, REFUSED), silent, silent] } }, DNS), [
    'dns_service_down node/h3',
  ]);
  assert.deepEqual(said({ knocks: { r3: [knock('udp', 53, REFUSED), knock('udp', 53, {})] } }, DNS), []);
});

test('a web server that refuses its own router is http_service_down', () => {
  assert.deepEqual(said({ knocks: { r3: [knock('tcp', 80, REFUSED)] } }, HTTP), ['http_service_down node/h3']);
});

test('a refusal that only others hear may come from the way', () => {
  const knocks = { r1: [knock('tcp', 80, REFUSED)], r3: [knock('tcp', 80, {})] };
  assert.deepEqual(said({ knocks }, HTTP), []);
});

test('a service that is silent although its host is there is a trouble without a cause', () => {
  const knocks = { r3: [knock('udp', 53, { answered: false, open: false })] };
  assert.match(said({ knocks }, DNS).join(), /r3 tried udp port 53 at 198.19.3.10 behind r3: nothing came back/);
});

test('a name server that does not know the name that it is asked for is dns_record_error', () => {
  const record = 'www.lab.example';
  const asked = { ...DNS, record };
  assert.deepEqual(said({ knocks: { r3: [knock('udp', 53, { record, found: false })] } }, asked), [
    'dns_record_error node/h3',
  ]);
  assert.deepEqual(said({ knocks: { r3: [knock('udp', 53, { record, found: true })] } }, asked), []);
});

test('other questions to the same server do not hide that it does not know the name', () => {
  const record = 'www.lab.example';
  const asked = { ...DNS, record };
  const lost = knock('udp', 53, { record, found: false });
  const others = [knock('udp', 53, { tookMs: [3] }), knock('udp', 53, { record: 'other.lab.example', found: true })];
  assert.deepEqual(said({ knocks: { r3: [...others, lost] } }, asked), ['dns_record_error node/h3']);
  assert.match(said({ knocks: { r3: others } }, asked).join(), /nobody saw that it knows www\.lab\.example/);
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
  const knocks = { r3: [knock('udp', 53, REFUSED)] };
  assert.deepEqual(found({ states: seenOn(20_000)!, knocks }), [['dns_service_down', 'node/h3', 'likely']]);
});

test('a host that still serves, or was not seen to, or does not answer its router at all, is not accused', () => {
  const states = seenOn(20_000)!;
  assert.deepEqual(found({ states, knocks: { r3: [knock('udp', 53, {})] } }), []);
  assert.deepEqual(found({ knocks: { r3: [knock('udp', 53, REFUSED)] } }), []);
  assert.deepEqual(found({ states, knocks: { r3: [knock('udp', 53, { answered: false, open: false })] } }), []);
});

test('a host whose address a route leads elsewhere is not accused of what somebody else refuses in its name', () => {
  const knocks = { r3: [knock('udp', 53, REFUSED)] };
  const way = (ifname: string) => ({ r3: [{ destination: HOST3.address, kind: 'unicast' as const, ifname }] });
  assert.deepEqual(found({ states: seenOn(20_000)!, knocks, lookups: way('eth1') }), []);
  assert.deepEqual(found({ states: seenOn(20_000)!, knocks, lookups: way('eth3') }), [
    ['dns_service_down', 'node/h3', 'likely'],
  ]);
});
