// Filters that drop questions for names; and those of which nobody is known to miss anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { remarksTold } from '../../remarks.ts';
import { dropping, HOST1, HOST3, named, sceneOf, wellOn } from '../../scope-scene.ts';
import { DNS, ICMP, SILENT_DNS, SILENT_ECHO, served, tried } from '../../service-scene.ts';

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

test('what a host was seen to serve is missed, by name servers whom a host behind the filter was heard to ask too', () => {
  const told = (scene: Parameters<typeof sceneOf>[0]) => {
    const { findings, remarks } = verdictOf(scene);
    return [...findings, ...remarks.map(() => 'remark')];
  };
  const named = ['dns_port_blocked node/r2'];
  assert.deepEqual(told({ states: { r2: dropping(DNS), r3: served('udp', 53) }, serviceProbes: SILENT_DNS }), named);

  // The filter is at h1's router; h3 serves names and h1 itself does not: what was tried there shows only what the filter takes.
  const at1 = { destination: HOST1.address, service: 'udp', port: 53, sent: 3, answered: false, open: false } as const;
  const serviceProbes = { r2: [at1] };
  const asking = (to: string) => (state: NodeState, phase: 'before' | 'after') => ({
    ...dropping(DNS)(state, phase),
    history: {
      ...state.history!,
      heard: [{ ifname: 'eth3', what: 'dns-query' as const, from: HOST1.address, to, agoMs: 4_000 }],
    },
  });
  const r3 = served('udp', 53);
  assert.deepEqual(told({ states: { r1: asking(HOST3.address), r3 }, serviceProbes }), ['dns_port_blocked node/r1']);
  assert.deepEqual(told({ states: { r1: asking('203.0.113.53'), r3 }, serviceProbes }), ['remark']);
  assert.deepEqual(told({ states: { r1: asking(HOST3.address) }, serviceProbes }), ['remark']);
});

test('a host that does not answer its own router either is silent by itself', () => {
  const states = { r2: dropping(DNS), r3: served('udp', 53) };
  const serviceProbes = { ...SILENT_DNS, r3: [tried('udp', false, 53)] };
  assert.deepEqual(named({ states, serviceProbes }), []);
  const hosts = { r3: [wellOn('r3', { echoed: [] })] };
  assert.deepEqual(named({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO, hosts }), []);
});
