// forwarding_disabled on a row of three routers: who is sent transit and does not forward it, and who may well have forwarding off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { HOST1, HOST3, named, sceneOf, wellOn } from '../../scope-scene.ts';
import { forwardingOf, found, ipv4Off, networkRoute, withForwarding } from './forwarding-scope.ts';

/** What r1 and r3 look up of each other, over the interface to r2. */
const onSegment = (
  change: Partial<RouteAnswer>,
  ofR1: Partial<RouteAnswer> = {},
): Readonly<Record<string, readonly RouteAnswer[]>> => {
  const each = (node: 1 | 3, ifname: string, more: Partial<RouteAnswer>) =>
    [`198.19.255.${node}`, `198.19.${node}.1`].map(
      (destination): RouteAnswer => ({ destination, kind: 'unicast', ifname, ...change, ...more }),
    );
  return { r1: each(3, 'eth2', ofR1), r3: each(1, 'eth1', {}) };
};

test('a router between two others that does not forward is named, with those that send it packets', () => {
  const scene = withForwarding({ r2: ipv4Off });
  assert.deepEqual(named(scene), ['forwarding_disabled node/r2']);
  const [finding] = diagnose(sceneOf(scene)).findings;
  assert.equal(finding?.confidence, 'certain');
  assert.equal(
    finding?.details['what'],
    'r2 does not forward IPv4 (net.ipv4.ip_forward is 0), and r1, r3 send it packets for 198.19.255.3, 198.19.3.1, 198.19.255.1, 198.19.1.1',
  );
  assert.equal(finding?.remedy?.command, 'sysctl -w net.ipv4.ip_forward=1');
  assert.equal(finding?.remedy?.change, undefined);
});

test('a router with hosts, whose network others have a route to, is named', () => {
  assert.deepEqual(found({ r3: ipv4Off }), ['forwarding_disabled node/r3']);
});

test('one interface alone that does not forward is named where packets come in by it', () => {
  const off = (ifname: string) => (state: NodeState) =>
    forwardingOf(state, {
      interfaces: forwardingOf(state).interfaces.map((row) => (row.ifname === ifname ? { ...row, ipv4: false } : row)),
    });
  const scene = withForwarding({ r2: off('eth1') });
  assert.deepEqual(named(scene), ['forwarding_disabled node/r2']);
  assert.match(
    String(diagnose(sceneOf(scene)).findings[0]?.details['what']),
    /that comes in by eth1 \(forwarding is off there\), and r1 sends/,
  );
  const mgmt = (state: NodeState) =>
    forwardingOf(state, {
      interfaces: [...forwardingOf(state).interfaces, { ifname: 'mgmt0', ipv4: false, reversePath: 'off' }],
    });
  assert.deepEqual(found({ r2: mgmt }), [], 'an interface that no node sends transit by');
});

test('IPv6 that is not forwarded is named where others put a network of the node into SRv6, and where transit passes', () => {
  const off = (state: NodeState) => forwardingOf(state, { ipv6: false });
  assert.deepEqual(found({ r3: off }), ['forwarding_disabled node/r3']);
  assert.deepEqual(found({ r2: off }), ['forwarding_disabled node/r2']);
});

test('nodes that are sent no transit may have forwarding off', () => {
  const noHosts = (state: NodeState): NodeState => ({ ...state, history: { ...state.history!, hosts: [] } });
  const excuses: readonly (readonly [string, Parameters<typeof found>])[] = [
    ['a stub without hosts behind it', [{ r3: ipv4Off }, { states: { r3: noHosts } }]],
    [
      'a server whose own address alone is announced',
      [{ r3: ipv4Off }, { lookups: { r2: [networkRoute('198.19.3.1', 'eth2', { matched: '198.19.3.1' })] } }],
    ],
    [
      'a network that only a default route leads to',
      [{ r3: ipv4Off }, { lookups: { r2: [networkRoute('198.19.3.1', 'eth2', { matched: 'default' })] } }],
    ],
    [
      'a server on a segment whose addresses are connected to the others',
      [{ r2: ipv4Off }, { lookups: { r2: [], ...onSegment({ protocol: 'kernel' }) } }],
    ],
    [
      'one of several on a segment, when the next hop is another',
      [
        { r2: ipv4Off },
        { lookups: { r2: [], ...onSegment({ protocol: 'isis', nextHop: '198.19.1.1' }, { nextHop: '198.19.3.1' }) } },
      ],
    ],
    ['a node that does not say', [{ r2: () => undefined }]],
    ['all of them forward', [{}]],
  ];
  for (const [name, args] of excuses) assert.deepEqual(found(...args), [], name);
});

test('what was seen to come through is forwarded somehow: by a program beside the kernel, or again by now', () => {
  const counted = (state: NodeState, phase: string): NodeState => ({
    ...state,
    nodeCounters: { IpForwDatagrams: phase === 'before' ? '10' : '11' },
  });
  assert.deepEqual(found({ r2: ipv4Off }, { states: { r2: counted } }), [], 'its counter of forwarded packets');
  const answered = { destination: HOST3.address, service: 'echo' as const, sent: 3, received: 3, answered: true };
  assert.deepEqual(
    found({ r3: ipv4Off }, { serviceProbes: { r1: [answered as never] } }),
    [],
    'a host answered another router',
  );
  assert.deepEqual(
    found({ r1: ipv4Off, r3: ipv4Off }, { hosts: { r1: [wellOn('r1', { echoed: [HOST1.address] })] } }),
    ['forwarding_disabled node/r1', 'forwarding_disabled node/r3'],
    'that a host answers its own router proves nothing',
  );
});

test('a node that stopped forwarding is named where no node is known to send it transit; one that never did is not', () => {
  const forwards = (state: NodeState, isOn: boolean): NodeState => ({
    ...state,
    forwarding: isOn ? forwardingOf(state) : ipv4Off(state),
  });
  const of = (now: boolean, before: boolean, counted = '40') => {
    const states = {
      r3: (state: NodeState) =>
        ({
          ...forwards(state, now),
          nodeCounters: { ...state.nodeCounters, IpForwDatagrams: counted },
          past: [{ fromAgoMs: 90_000, untilAgoMs: 60_000, state: forwards(state, before) }],
        }) as unknown as NodeState,
    };
    return diagnose(sceneOf({ lookups: { r1: [], r2: [] }, states })).findings;
  };
  assert.deepEqual(
    of(false, true).map(({ resource, fault, confidence, details }) => [resource, fault, confidence, details['what']]),
    [
      [
        ...['node/r3', 'forwarding_disabled', 'likely'],
        'r3 does not forward IPv4 (net.ipv4.ip_forward is 0), and did before',
      ],
    ],
  );
  assert.deepEqual(of(false, false), []);
  assert.deepEqual(of(true, false), []);
  assert.deepEqual(of(false, true, '0'), [], 'it never forwarded a packet');
});
