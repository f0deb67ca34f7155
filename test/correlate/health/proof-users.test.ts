// Hosts that ask in vain for what they were given before keep the verdict from being healthy; hosts that are silent, or switched off, and that no other
// host asks for do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { UnansweredRequests } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { HOST1, HOST3, type Scene, sceneOf, wellOn } from '../scope-scene.ts';

const ROW: UnansweredRequests = {
  ...{ ifname: 'eth3', okIfname: 'eth3', client: HOST1.address, server: HOST3.address, port: 80 },
  ...{ okTimes: 5, okAgoMs: 40_000, times: 3, sinceAgoMs: 20_000, lastAgoMs: 2_000 },
};
const asking =
  (...rows: readonly UnansweredRequests[]): NonNullable<Scene['states']>[string] =>
  (state) => ({
    ...state,
    history: { ...state.history!, watchedHosts: { asks: [], names: [], unanswered: rows } },
  });
const reasons = (rows: readonly UnansweredRequests[], scene: Scene = {}) =>
  diagnose(sceneOf({ ...scene, states: { ...scene.states, r1: asking(...rows) } })).verdict.reasons.filter((each) =>
    /in vain/.test(each),
  );
const tried = (open: boolean): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service: 'tcp', port: 80, sent: 1, answered: open, open },
});
const SAID =
  '198.19.3.10 port 80: 198.19.1.10 (behind r1 eth3) ask for it in vain, 3 connections in the last 20 s, and were answered until 40 s ago';

test('a host that asks in vain for what it was given is told, with the place as far as it is known', () => {
  assert.deepEqual(reasons([ROW]), [`${SAID}; whether it answers r3 eth3, the port of its network, was not tested`]);
  assert.deepEqual(reasons([ROW], { serviceProbes: { r3: [tried(false)] } }), [
    `${SAID}; it does not answer r3 eth3, the port of its network, either`,
  ]);
  assert.deepEqual(reasons([ROW], { serviceProbes: { r3: [tried(true)] } }), [
    `${SAID}; it answers r3 eth3, the port of its network: what they send, or the answer, is lost on the way, between r1, r2, r3`,
  ]);
  const gone = wellOn('r3', { answers: [], echoed: [], asks: [{ mac: '', sender: '', target: HOST3.address }] });
  assert.deepEqual(reasons([ROW], { hosts: { r3: [gone] } }), [
    `${SAID}; no host answers for its address at r3 eth3, the port of its network`,
  ]);
  assert.match(reasons([{ ...ROW, server: '198.51.100.10' }])[0]!, /; no node has a network of its address$/);
  const moved = reasons([{ ...ROW, ifname: 'br20' }])[0]!;
  assert.match(moved, /198\.19\.1\.10 \(behind r1 br20, and behind eth3 when it was answered\)/);
});

test('a node on the way that translates addresses is named', () => {
  const source = { family: 'ip', table: 'nat', chain: 'post', path: ['post'], hook: 'postrouting', handle: 1 };
  const rule = { ...source, verdict: 'other' as const, outInterfaces: [], inInterfaces: [], matches: [] };
  const r2: NonNullable<Scene['states']>[string] = (state) => ({
    ...state,
    filters: [{ ...rule, matchesRest: true, rewrites: ['source = 203.0.113.5:4096-4351'] }],
  });
  const [line = ''] = reasons([ROW], { states: { r2 }, serviceProbes: { r3: [tried(true)] } });
  assert.match(line, /between r1, r2, r3; r2 translates addresses there$/);
});

test('what was never answered, is over, was asked for once, or is what a node asks for is no matter', () => {
  assert.deepEqual(reasons([]), []);
  assert.deepEqual(reasons([{ ...ROW, okTimes: 1 }]), []);
  assert.deepEqual(reasons([{ ...ROW, lastAgoMs: 30_001 }]), []);
  assert.deepEqual(reasons([{ ...ROW, times: 1 }]), []);
  assert.deepEqual(reasons([{ ...ROW, client: '198.19.255.2' }]), []);
  const one = { ...ROW, times: 1 };
  const both = reasons([one, { ...one, client: '198.19.1.11' }]);
  assert.match(both[0]!, /198\.19\.1\.10 \(.*\), 198\.19\.1\.11 \(.*\) ask for it in vain, 2 connections/);
});

test('a host that is switched off and that no host asks for is no matter', () => {
  const off = wellOn('r3', { answers: [], echoed: [] });
  const { verdict, findings } = diagnose(sceneOf({ hosts: { r3: [off] } }));
  assert.deepEqual([findings, verdict.reasons.filter((each) => each.includes(HOST3.address))], [[], []]);
});
