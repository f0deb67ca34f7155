// Captures: probes at the head of a path, and what opens a BGP session that is down.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCapture, planHandshakes } from '#measure/nodes/capture.ts';
import type { Intent } from '#model/intent.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const ASKED: Intent = { kind: 'neighbour-down', text: '', path: [], encapsulation: 'ip', protocol: 'bgp' };

function withSession(number: 1 | 2 | 3, state: string) {
  const row = { neighbor: '198.18.1.1', state, vrf: 'default' };
  return { ...stateOf(number), bgp: { sessions: [row], networks: [] } } as never;
}

test('probes are captured where they leave the head of a path', () => {
  const [call, ...others] = planCapture(STATES);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [call?.id, call?.arguments['interface'], call?.arguments['filter']],
    ['probe/r1/capture', 'eth2', 'probe'],
  );
  assert.deepEqual(planCapture(new Map([['r1', stateOf(1)]])), []);
});

test('a session that is down at both ends is captured on the link between them', () => {
  const down = new Map([
    ['r1', withSession(1, 'Active')],
    ['r2', withSession(2, 'Connect')],
    ['r3', withSession(3, 'Established')],
  ]);
  assert.deepEqual(
    planHandshakes(ASKED, down).map(({ id, arguments: args }) => [id, args['filter'], args['port']]),
    [
      ['probe/r1/capture/eth2', 'handshake', 179],
      ['probe/r2/capture/eth1', 'handshake', 179],
    ],
  );
  assert.deepEqual(planHandshakes({ ...ASKED, protocol: 'isis' }, down), []);
  assert.deepEqual(planHandshakes({ ...ASKED, kind: 'fault' }, down), []);
});
