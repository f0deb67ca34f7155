// Who tries whether somebody serves names, and which name servers are timed: only what hosts asked, and only beside one that is known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planAskedNames, planNameTimes } from '#measure/hosts/names.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const SERVER = '198.19.1.10';

/** The host behind r3 asks `asked`; the one behind r1 was seen to serve names, unless nobody was. */
function states(asked: readonly string[], known = true): ReadonlyMap<string, NodeState> {
  return new Map(
    ([1, 2, 3] as const).map((number) => {
      const state = stateOf(number);
      const served = [{ ifname: 'eth3', address: SERVER, service: 'udp' as const, port: 53, agoMs: 9 }];
      const heard = asked.map((to) => ({
        ifname: 'eth3',
        what: 'dns-query' as const,
        from: '198.19.3.10',
        to,
        agoMs: 9,
      }));
      const history = {
        ...state.history!,
        ...(number === 1 && known ? { services: served } : {}),
        ...(number === 3 ? { heard } : {}),
      };
      return [`r${number}`, { ...state, history }] as const;
    }),
  );
}

const serviceProbe = (destination: string) => ({ destination, service: 'udp', port: 53 });

test('an address that a host asks for names is tried by its router and by the one that it is attached to', () => {
  assert.deepEqual(
    planAskedNames(states(['198.19.1.53'])).map((call) => [call.id, call.arguments]),
    [
      ['probe/r3/parley-service-probe/names', { alongDefault: true, serviceProbes: [serviceProbe('198.19.1.53')] }],
      ['probe/r1/parley-service-probe/names', { alongDefault: true, serviceProbes: [serviceProbe('198.19.1.53')] }],
    ],
  );
});

test('a known name server, one beyond the network, and any where none is known, are left alone', () => {
  assert.deepEqual(planAskedNames(states([SERVER])), []);
  assert.deepEqual(planAskedNames(states(['203.0.113.53'])), []);
  assert.deepEqual(planAskedNames(states(['198.19.1.53'], false)), []);
});

const tried = (change: Partial<ServiceProbeResult> = {}, from = 'r1') => ({
  ...{ from, destination: SERVER, service: 'udp' as const, port: 53, sent: 2, answered: false, open: false },
  ...change,
});

test('a name server that was slow, or silent, at the first look is timed by its own router', () => {
  const slow = tried({ answered: true, open: true, tookMs: [400] });
  for (const first of [slow, tried()])
    assert.deepEqual(
      planNameTimes(states([]), [first]).map((call) => [call.id, call.phase, call.arguments]),
      [
        [
          'deepen/r1/parley-service-probe/times',
          'deepen',
          { alongDefault: true, serviceProbes: [{ ...serviceProbe(SERVER), timed: true }] },
        ],
      ],
    );
});

test('one that was quick, that refused, or that only others tried, is not', () => {
  const quick = tried({ answered: true, open: true, tookMs: [2] });
  for (const first of [quick, tried({ answered: true }), tried({}, 'r2')])
    assert.deepEqual(planNameTimes(states([]), [first]), []);
  assert.deepEqual(planNameTimes(states([]), []), []);
});
