// mtu_mismatch: the end of a link that differs from the network is named with the MTU to set; links that agree are left alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, recorded, withInterface } from '../../recording.ts';
import { remembering } from '../../ring.ts';

/** The MTU of r1 eth1 and of r2 eth1 in the healthy ring of four, where all others have 9,000. */
function found(one: number, other: number) {
  const state = (told: NodeState, node: string) =>
    node === 'r1'
      ? withInterface(told, 'eth1', () => ({ mtu: one }))
      : node === 'r2'
        ? withInterface(told, 'eth1', () => ({ mtu: other }))
        : told;
  return diagnose(changed(recorded('healthy'), { state })).findings.map(({ fault, resource, confidence, remedy }) => [
    ...[fault, resource, confidence, remedy?.node, remedy?.command],
  ]);
}

test('the end that differs from all others is named, for certain, with what the others have', () => {
  assert.deepEqual(found(1_400, 9_000), [
    ['mtu_mismatch', 'interface/r1/eth1', 'certain', 'r1', 'ip link set eth1 mtu 9000'],
  ]);
  assert.deepEqual(found(9_000, 1_400), [
    ['mtu_mismatch', 'interface/r2/eth1', 'certain', 'r2', 'ip link set eth1 mtu 9000'],
  ]);
});

test('ends that agree with each other and with the rest are no mismatch', () => {
  assert.deepEqual(found(9_000, 9_000), []);
});

test('ends that agree on less than they had are named with what they had, from settings or from whole states', () => {
  const shrunk = (told: NodeState, node: string) =>
    node === 'r1' || node === 'r2' ? withInterface(told, 'eth1', () => ({ mtu: 1_400 })) : told;
  const setting = { kind: 'mtu', subject: 'eth1', is: '1400', agoMs: 60_000 } as const;
  const remedies = (was: (told: NodeState, node: string) => NodeState) =>
    diagnose(changed(recorded('healthy'), { state: (told, node) => was(shrunk(told, node), node) })).findings.map(
      ({ fault, resource, remedy }) => [fault, resource, remedy?.change?.live],
    );
  const back = (ifname: string, mtu: number) => [{ kind: 'link-mtu', ifname, mtu, now: 1_400 }];
  const both = [
    ['mtu_mismatch', 'interface/r1/eth1', back('eth1', 2_000)],
    ['mtu_mismatch', 'interface/r2/eth1', back('eth1', 2_000)],
  ];
  const ends = (_: NodeState, node: string) => node === 'r1' || node === 'r2';
  const bySetting = remembering({ ...setting, was: '2000' });
  assert.deepEqual(
    remedies((told, node) => (ends(told, node) ? bySetting(told) : told)),
    both,
  );
  const seen = (told: NodeState) => ({
    ...told,
    past: [{ fromAgoMs: 90_000, untilAgoMs: 5_000, state: withInterface(told, 'eth1', () => ({ mtu: 2_000 })) }],
  });
  assert.deepEqual(
    remedies((told, node) => (ends(told, node) && !('past' in told) ? (seen(told) as NodeState) : told)),
    both,
  );
  // It was smaller still, and has grown.
  assert.deepEqual(
    remedies((told) => remembering({ ...setting, was: '1300' })(told)),
    [],
  );
});
