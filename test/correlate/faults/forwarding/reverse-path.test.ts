// reverse_path_drop: r2 takes packets of r1's network from eth1 and reaches that network by another interface, and strict filters that do their work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ForwardingState } from '#model/router/forwarding.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { named, type Scene, sceneOf } from '../../scope-scene.ts';
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

const LOOPBACK_ELSEWHERE = [networkRoute('198.19.1.1', 'eth1'), networkRoute('198.19.255.1', 'eth7')];
const BECAME_STRICT: SettingChange = {
  ...{ kind: 'forwarding', subject: 'eth1', setting: 'reverse-path', was: 'off', is: 'strict' },
  ...{ agoMs: 30_000, fromAgoMs: 30_000 },
};

/** A loopback alone shows it, and r2 remembers these changes, and these counts of minutes ago, newest first, while its filters were off. */
function byLoopback(settings: readonly SettingChange[], earlier: readonly string[] = []): Scene {
  const scene = filtering('strict', LOOPBACK_ELSEWHERE);
  const remembering = (state: NodeState, phase: 'before' | 'after'): NodeState => {
    const now = scene.states!['r2']!(state, phase);
    const interfaces = now.forwarding!.interfaces.map((row) => ({ ...row, reversePath: 'off' as const }));
    const past = earlier.map((count, index) => ({
      ...{ fromAgoMs: 90_000 + index * 60_000, untilAgoMs: 60_000 + index * 60_000 },
      state: {
        ...now,
        forwarding: { ...now.forwarding!, interfaces },
        nodeCounters: { TcpExtIPReversePathFilter: count },
      },
    }));
    return { ...now, past, history: { ...now.history!, settings, settingsSpanMs: 86_400_000 } };
  };
  return { ...scene, states: { ...scene.states, r2: remembering } };
}

const accused = (scene: Scene) => named(scene).filter((each) => each.startsWith('reverse_path'));

test('where a loopback of a sender alone shows it, a filter that became strict is likely', () => {
  for (const scene of [byLoopback([BECAME_STRICT]), byLoopback([], ['4']), byLoopback([BECAME_STRICT], ['4', '4'])]) {
    const [found] = diagnose(sceneOf(scene)).findings;
    assert.deepEqual(
      [found?.fault, found?.resource, found?.confidence],
      ['reverse_path_drop', 'interface/r2/eth1', 'likely'],
    );
    assert.match(String(found?.details['what']), /^r2 eth1 drops packets from r1 \(as 198\.19\.255\.1\) for /);
  }
});

test('where a loopback alone shows it, filters that always were strict, and a count that rose before, leave it open', () => {
  const excuses = [
    [byLoopback([]), /nothing that it remembers says that the filter of eth1 was ever less strict/],
    [byLoopback([], ['4', '1']), /r2 dropped packets so before the filter of eth1 became strict/],
  ] as const;
  for (const [scene, why] of excuses) {
    assert.deepEqual(accused(scene), []);
    const { verdict } = diagnose(sceneOf(scene));
    assert.equal(verdict.kind, 'inconclusive');
    assert.match(verdict.reasons.join('\n'), why);
  }
});

test('a filter that dropped no more than our own packets of any kind is not accused by a loopback alone', () => {
  const gone = { destination: '198.19.3.1', sent: 5, received: 0, rttMs: null };
  const ends = { from: { node: 'r1', ifname: 'eth2' }, to: { node: 'r2', ifname: 'eth1' } };
  const run = { sent: 48, received: 0, duplicates: 0, rttMs: null, sendErrors: 0 };
  const args = { destination: '198.18.1.1', Count: 48 };
  const tried = { destination: '198.19.3.10', service: 'tcp', port: 80, sent: 1, answered: false, open: false };
  const echoes = { results: [{ ...gone, traffic: 'large-icmp' }] };
  const more: readonly NonNullable<Scene['more']>[number][] = [
    { node: 'r1', purpose: { kind: 'reach', round: 'first' }, body: { results: [gone] } },
    {
      node: 'r1',
      purpose: { kind: 'link-classes', traffic: 'large-icmp', round: 'confirmation', run: 1 },
      body: echoes,
    },
    { node: 'r1', purpose: { kind: 'hop-full', ...ends, family: 4 }, body: run, args },
    { node: 'r1', purpose: { kind: 'transit-probe', from: 'r1', through: 'r2', to: ends.to }, body: run, args },
    { node: 'r1', purpose: { kind: 'service-probe', reason: 'seen', round: 'first' }, body: { results: [tried] } },
  ];
  for (const one of more)
    assert.deepEqual(accused({ ...byLoopback([BECAME_STRICT]), more: [one] }), [], one.purpose.kind);
});

test('packets over IPv6 that were lost are none that an IPv4 filter dropped', () => {
  const purpose = { kind: 'link-classes', traffic: 'icmp', round: 'confirmation', run: 1 } as const;
  const results = [{ destination: 'fd00:0:0:3::1', sent: 48, received: 0, rttMs: null, traffic: 'icmp' }];
  const scene = { ...byLoopback([BECAME_STRICT]), more: [{ node: 'r1', purpose, body: { results } }] };
  assert.deepEqual(accused(scene), ['reverse_path_drop interface/r2/eth1']);
});
