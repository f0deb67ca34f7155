// What is concluded of a web server and a name server that are reached over IPv6 alone: as of one over IPv4. Where the server answers, nothing is lacking
// in the proof of health.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { serviceProof } from '#correlate/health/proof-services.ts';
import type { AnsweredService } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Scene, sceneOf } from '../../scope-scene.ts';

const ADDRESS = 'fd00:c:3::10';
const ROW = { ifname: 'eth3', address: ADDRESS };
const PAGE: AnsweredService = { ...ROW, service: 'tcp', port: 80, okAgoMs: 9_000, times: 3 };
const QUESTION: AnsweredService = { ...ROW, service: 'udp', port: 53, okAgoMs: 9_000, times: 3 };

/** r3 has seen a host serve over IPv6, which gave it such an answer before. */
const serving =
  (answered: AnsweredService): ((state: NodeState) => NodeState) =>
  (state) => ({
    ...state,
    history: {
      ...state.history!,
      services: [{ ...ROW, service: answered.service, port: answered.port, agoMs: 9_000 }],
      watchedHosts: { servicesMs: 300_000, asks: [], names: [], answered: [answered] },
    },
  });
const try6 = (change: Partial<ServiceProbeResult>): ServiceProbeResult => ({
  ...{ destination: ADDRESS, service: 'tcp', port: 80, sent: 1, answered: true, open: true },
  ...change,
});
const echo = try6({ service: 'echo', sent: 3 });
const scene = (answered: AnsweredService, ...whole: readonly ServiceProbeResult[]): Scene => ({
  states: { r3: serving(answered) },
  whole: { r3: whole },
});
const found = (each: Scene) =>
  diagnose(sceneOf(each)).findings.map(({ fault, resource, confidence }) => [fault, resource, confidence]);
const proofOf = (each: Scene) => {
  const { intent, nodeNames, evidence, outcomes } = sceneOf(each);
  return serviceProof(caseFileOf(intent, nodeNames ?? [], evidence, outcomes).world);
};
const verdictOf = (each: Scene) => diagnose(sceneOf(each)).verdict;

test('a web server that accepts connections over IPv6 and sends nothing any more is http_service_down', () => {
  const hung = scene(PAGE, try6({ reply: 'none' }), try6({ reply: 'none' }));
  assert.deepEqual(found(hung), [['http_service_down', 'node/h3', 'likely']]);
  assert.equal(
    diagnose(sceneOf(hung)).findings[0]?.details['what'],
    'HTTP at fd00:c:3::10 port 80 behind r3: accepts connections and sent nothing within 2.5 s; it answered this router 9 s ago',
  );
});

test('one that refuses is named as well, and one that was always slow is no proof of health', () => {
  const refused = try6({ open: false });
  assert.deepEqual(found(scene(PAGE, refused, refused)), [['http_service_down', 'node/h3', 'likely']]);
  const slow = verdictOf(scene({ ...PAGE, times: 1 }, try6({ reply: 'none' }), try6({ reply: 'none' })));
  assert.equal(slow.kind, 'inconclusive');
  assert.match(slow.reasons.join('\n'), /fd00:c:3::10 port 80 behind r3 .*: was seen to serve, and now accepts/);
});

test('a name server over IPv6 that is silent, though its host answers echoes, is dns_service_down', () => {
  const silent = try6({ service: 'udp', port: 53, answered: false, open: false });
  assert.deepEqual(found(scene(QUESTION, silent, silent, echo)), [['dns_service_down', 'node/h3', 'likely']]);
  // Nothing shows that the host is there.
  assert.deepEqual(found(scene(QUESTION, silent, silent, { ...echo, answered: false, open: false })), []);
});

test('a web server that is silent is no proof of health while the kernel of its router keeps its MAC address; one that is gone is off', () => {
  const silent = try6({ answered: false, open: false });
  const rowIn = (state: string) => ({ address: ADDRESS, ifname: 'eth3', mac: '02:00:00:00:03:10', state });
  const near = (state: string): Scene => {
    const each = scene(PAGE, silent, silent);
    return { ...each, states: { r3: (own) => ({ ...serving(PAGE)(own), neighbourTable: [rowIn(state)] }) } };
  };
  const lackingOf = (each: Scene) => {
    assert.deepEqual(found(each), []);
    return proofOf(each).lacking;
  };
  assert.deepEqual(lackingOf(near('REACHABLE')), [
    'HTTP at fd00:c:3::10 port 80 behind {r3} (h3): was seen to serve, and now does not answer its router',
  ]);
  for (const state of ['STALE', 'DELAY', 'PROBE']) {
    const line =
      'HTTP at fd00:c:3::10 port 80 behind {r3} (h3): was seen to serve, and now does not answer its router; whether its host is still there is not known';
    assert.deepEqual(lackingOf(near(state)), [line], state);
    assert.equal(verdictOf(near(state)).kind, 'inconclusive', state);
  }
  for (const state of ['FAILED', 'INCOMPLETE']) assert.deepEqual(lackingOf(near(state)), [], state);
  // A name server is not accused either.
  const silent53 = try6({ service: 'udp', port: 53, answered: false, open: false });
  const asks = scene(QUESTION, silent53, silent53, { ...echo, answered: false, open: false });
  assert.deepEqual(
    found({ ...asks, states: { r3: (own) => ({ ...serving(QUESTION)(own), neighbourTable: [rowIn('STALE')] }) } }),
    [],
  );
});

test('where the server answers, nothing is found, nothing of it is lacking, and the proof says so', () => {
  const well = scene(PAGE, try6({ reply: 'page' }));
  assert.deepEqual(found(well), []);
  const { proven, lacking } = proofOf(well);
  assert.deepEqual(lacking, []);
  assert.equal(proven[0], 'HTTP at fd00:c:3::10 port 80 behind {r3} (h3): answers {r3}');
});
