// ecmp_polarised: r2 has two equal ways to r3's hosts, and what its kernel hashes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { EcmpHash } from '#model/router/forwarding.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { remarksTold } from '../../remarks.ts';
import { sceneOf } from '../../scope-scene.ts';
import { forwardingOf, networkRoute, withForwarding } from './forwarding-scope.ts';

const FOUND = ['ecmp_polarised node/r2'];
const WAS: SettingChange = {
  ...{ kind: 'forwarding', subject: 'node', setting: 'ecmp-hash-ipv4', was: 'addresses', is: 'fields 0x0004' },
  agoMs: 60_000,
};
const TWO_WAYS = { ifnames: ['eth1', 'eth2'] };

type Options = {
  readonly ipv4?: EcmpHash;
  readonly way?: Partial<RouteAnswer>;
  readonly settings?: readonly SettingChange[];
  readonly drops?: number;
};

function scene({ ipv4 = { policy: 3, fields: 4 }, way = TWO_WAYS, settings = [WAS], drops = 0 }: Options) {
  const qdisc = (dropped: number) => [
    { ifname: 'eth2', kind: 'tbf', drops: `${dropped}`, overlimits: '0', packets: '0' },
  ];
  return sceneOf(
    withForwarding(
      { r2: (state) => forwardingOf(state, { ecmpHash: { ipv4, ipv6: { policy: 0 } } }) },
      {
        lookups: { r2: [networkRoute('198.19.1.1', 'eth1'), networkRoute('198.19.3.1', 'eth2', way)] },
        states: {
          r2: (state, phase) => ({
            ...state,
            history: { ...state.history!, settings },
            ...(drops === 0 ? {} : { qdiscs: qdisc(phase === 'before' ? 0 : drops) }),
          }),
        },
      },
    ),
  );
}

const named = (options: Options) =>
  diagnose(scene(options)).findings.map(({ fault, resource }) => `${fault} ${resource}`);

test('a hash over what is alike in all packets, where it was another within memory, is named with members and setting', () => {
  const [finding, ...others] = diagnose(scene({})).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence, others], [FOUND[0], 'certain', []]);
  assert.equal(
    finding?.details['what'],
    'r2 sends all IPv4 by one of eth1, eth2, which are equal: it chooses by fields 0x0004 (IP protocol), alike in all packets',
  );
  assert.equal(finding?.remedy?.command, 'sysctl -w net.ipv4.fib_multipath_hash_policy=1');
});

test('a hash over the inner header is chosen for tunnels: likely, and said of what is in none', () => {
  const [finding] = diagnose(scene({ ipv4: { policy: 3, fields: 0x40 } })).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence], [FOUND[0], 'likely']);
  assert.match(
    String(finding?.details['what']),
    /^r2 sends all IPv4 that is in no tunnel by one of .* alike in all such packets$/,
  );
});

test('with no memory of another it is a remark, and likely where the queue of a member overflows, which is then its consequence', () => {
  const calm = scene({ settings: [] });
  assert.deepEqual(named({ settings: [] }), []);
  assert.match(
    remarksTold(diagnose(calm)).join(),
    /^r2 sends all IPv4 by one of eth1, eth2.*as far as its agent remembers$/,
  );
  const [finding, ...others] = diagnose(scene({ settings: [], drops: 500 })).findings;
  assert.deepEqual([finding?.fault, finding?.confidence, others], ['ecmp_polarised', 'likely', []]);
});

test('hashes that tell flows apart, one way alone and kernels that do not say accuse no node', () => {
  for (const ipv4 of [
    { policy: 0 },
    { policy: 1 },
    { policy: 2 },
    { policy: 3, fields: 1 },
    { policy: 3, fields: 0x20 },
  ])
    assert.deepEqual(named({ ipv4 }), [], JSON.stringify(ipv4));
  assert.deepEqual(named({ way: {} }), []);
  assert.deepEqual(named({ way: { ifnames: ['eth2', 'eth2'] } }), [], 'two next hops behind one port');
});
