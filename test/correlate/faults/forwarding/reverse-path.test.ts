// reverse_path_drop: r2 takes packets of r1's network from eth1 and reaches that network by another interface, and strict filters that do their work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ForwardingState } from '#model/router/forwarding.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { named, sceneOf } from '../../scope-scene.ts';
import { forwardingOf, networkRoute, withForwarding } from './forwarding-scope.ts';

type Mode = ForwardingState['interfaces'][number]['reversePath'];

const filtering = (mode: Mode, back: readonly RouteAnswer[], counted: readonly [string, string] = ['4', '9']) =>
  withForwarding(
    {
      r2: (state) =>
        forwardingOf(state, {
          interfaces: forwardingOf(state).interfaces.map((row) => ({ ...row, reversePath: mode })),
        }),
    },
    {
      lookups: { r2: [...back, networkRoute('198.19.3.1', 'eth2')] },
      states: {
        r2: (state, phase): NodeState => ({
          ...state,
          nodeCounters: { TcpExtIPReversePathFilter: counted[phase === 'before' ? 0 : 1] },
        }),
      },
    },
  );
/** r2 reaches r1's hosts by r3, which has no way there but r2: the other parts of the row stay as they are. */
const ELSEWHERE = networkRoute('198.19.1.1', 'eth7');

test('a strict filter where packets come in and the way back leaves by another interface is named with the drops', () => {
  const scene = filtering('strict', [ELSEWHERE]);
  assert.deepEqual(named(scene), ['reverse_path_drop interface/r2/eth1']);
  assert.match(
    String(diagnose(sceneOf(scene)).findings[0]?.details['what']),
    /^r2 eth1 drops packets from networks of r1 \(as 198\.19\.1\.1\) for \S+: its reverse path filter is strict, and its own way back leaves by eth7; 5 packets were dropped so in the window$/,
  );
});

test('filters that do their work accuse no node', () => {
  const excuses: readonly (readonly [string, Parameters<typeof filtering>])[] = [
    ['both ways are one', ['strict', [networkRoute('198.19.1.1', 'eth1')]]],
    [
      'one of several equally good ways back',
      ['strict', [networkRoute('198.19.1.1', 'eth7', { ifnames: ['eth7', 'eth1'] })]],
    ],
    ['a loose filter', ['loose', [ELSEWHERE]]],
    ['no filter', ['off', [ELSEWHERE]]],
    ['nothing was dropped in the window', ['strict', [ELSEWHERE], ['9', '9']]],
    ['the way back is not known', ['strict', [{ destination: '198.19.1.1', kind: 'none' }]]],
  ];
  for (const [name, args] of excuses)
    assert.deepEqual(
      named(filtering(...args)).filter((found) => found.startsWith('reverse_path')),
      [],
      name,
    );
});

test('where a loopback of a sender alone shows it, it is likely, and more was dropped than our own probes', () => {
  const ways = [networkRoute('198.19.1.1', 'eth1'), networkRoute('198.19.255.1', 'eth7')];
  const scene = filtering('strict', ways);
  const [found] = diagnose(sceneOf(scene)).findings;
  assert.deepEqual(
    [found?.fault, found?.resource, found?.confidence],
    ['reverse_path_drop', 'interface/r2/eth1', 'likely'],
  );
  assert.match(String(found?.details['what']), /^r2 eth1 drops packets from r1 \(as 198\.19\.255\.1\) for /);
  const lost = { destination: '198.19.3.1', sent: 5, received: 0, rttMs: null };
  const body = { results: [lost] };
  const more = [{ node: 'r1', purpose: { kind: 'reach', round: 'first' } as const, body }];
  assert.deepEqual(
    named({ ...scene, more }).filter((each) => each.startsWith('reverse_path')),
    [],
    'the filter may have dropped our probes and nothing else',
  );
});
