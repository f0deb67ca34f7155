// Purposes of calls: their words, and reading them from a report that may hold anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Purpose, purposeOf, purposeText } from '#model/purpose.ts';
import { readPurpose } from '#model/read-purpose.ts';

const [A, B] = [
  { node: 'r1', ifname: 'eth1' },
  { node: 'r2', ifname: 'eth2' },
];
/** One of every kind and round, with its words. */
const ALL: readonly (readonly [Purpose, string])[] = [
  [{ kind: 'state', when: 'before' }, 'r1 parley-node-state'],
  [{ kind: 'relay', node: 'r9', of: { kind: 'state', when: 'after' } }, 'r1 parley-relay r9'],
  [
    { kind: 'relay', node: 'r9', of: { kind: 'host-scan', aim: 'search' } },
    'r1 parley-relay r9 parley-host-scan search',
  ],
  [{ kind: 'counters', reading: 'last' }, 'r1 counts last'],
  [{ kind: 'logs' }, 'r1 log'],
  [{ kind: 'path-probe', from: 'r1', to: 'r3' }, 'r1 r3'],
  [{ kind: 'path-flows', from: 'r1', to: 'r2' }, 'r1 r2 flows'],
  [{ kind: 'path-full', from: 'r1', to: 'r2' }, 'r1 r2 full'],
  [
    { kind: 'hop-full', from: { node: 'r1', ifname: 'eth1' }, to: { node: 'r2', ifname: 'eth1' }, family: 4 },
    'r1:eth1 r2:eth1 full ipv4',
  ],
  [{ kind: 'sid-statistics' }, 'r1 sid-statistics'],
  [{ kind: 'probe-capture' }, 'r1 capture'],
  [{ kind: 'handshake-capture', ifname: 'eth1' }, 'r1 capture eth1'],
  [{ kind: 'link-probe', from: A, to: B, round: 'first' }, 'r1:eth1 r2:eth2 link'],
  [{ kind: 'link-probe', from: A, to: B, round: 'confirmation' }, 'r1:eth1 r2:eth2 again'],
  [{ kind: 'link-probe', from: A, to: B, round: 'extended' }, 'r1:eth1 r2:eth2 long'],
  [{ kind: 'link-train', from: A, to: B, train: 1 }, 'r1:eth1 r2:eth2 large'],
  [{ kind: 'link-train', from: A, to: B, train: 3 }, 'r1:eth1 r2:eth2 large 3'],
  [{ kind: 'srv6-probe', from: A, to: B }, 'r1:eth1 r2:eth2 srv6'],
  [{ kind: 'dscp-probe', from: A, to: B, dscp: 46 }, 'r1:eth1 r2:eth2 marked 46'],
  [{ kind: 'dscp-probe', from: A, to: { node: 'r9' }, dscp: 0 }, 'r1:eth1 r9 marked 0'],
  [{ kind: 'transit-probe', from: 'r1', through: 'r9', to: B }, 'r1 cross r9 r2:eth2'],
  [{ kind: 'bisecting-transit', from: A, through: 'r9', to: B, round: 'confirmation' }, 'r1:eth1 across r9 r2:eth2'],
  [{ kind: 'non-reporting-transit', from: A, through: 'r9', to: B, round: 'first' }, 'r1:eth1 past r9 r2:eth2'],
  [{ kind: 'loop', visits: ['r2', 'r1'] }, 'r1 loop r2 r1'],
  [{ kind: 'lookups', part: 1, round: 'first' }, 'r1 parley-lookups'],
  [{ kind: 'lookups', part: 2, round: 'confirmation' }, 'r1 parley-lookups 2'],
  [{ kind: 'path-lookup', destination: '192.0.2.1' }, 'r1 parley-lookups 192.0.2.1'],
  [{ kind: 'reach', round: 'first' }, 'r1 parley-reach'],
  [{ kind: 'reach', round: 'confirmation' }, 'r1 parley-reach again'],
  [{ kind: 'reach', round: 'confirmation', sender: '198.18.1.1' }, 'r1 parley-reach again from 198.18.1.1'],
  [{ kind: 'network-reach', sender: '198.19.1.1', round: 'first' }, 'r1 parley-reach hosts 198.19.1.1'],
  [{ kind: 'network-reach', sender: '198.19.1.1', round: 'confirmation' }, 'r1 parley-reach hosts 198.19.1.1 again'],
  [{ kind: 'link-echoes', round: 'first' }, 'r1 parley-reach links'],
  [{ kind: 'link-echoes', round: 'confirmation', ifname: 'eth1' }, 'r1 parley-reach again eth1'],
  [{ kind: 'link-echoes', round: 'extended', run: 2 }, 'r1 parley-reach long 2'],
  [{ kind: 'silent-echoes' }, 'r1 parley-reach silent'],
  [{ kind: 'plain-links' }, 'r1 parley-reach plain'],
  [{ kind: 'asked-reach' }, 'r1 parley-reach asked'],
  [{ kind: 'host-echo' }, 'r1 parley-reach host'],
  [{ kind: 'host-try', traffic: 'tcp', round: 'confirmation' }, 'r1 parley-reach host tcp'],
  [
    { kind: 'host-try', traffic: 'icmp', round: 'confirmation', sender: '198.19.1.1' },
    'r1 parley-reach host icmp from 198.19.1.1',
  ],
  [{ kind: 'host-scan', aim: 'known' }, 'r1 parley-host-scan'],
  [{ kind: 'host-scan', aim: 'offered' }, 'r1 parley-host-scan offered'],
  [{ kind: 'host-scan', aim: 'moved' }, 'r1 parley-host-scan moved'],
  [{ kind: 'service-probe', reason: 'filters', round: 'first' }, 'r1 parley-service-probe'],
  [{ kind: 'service-probe', reason: 'far-echo', round: 'confirmation' }, 'r1 parley-service-probe far'],
  [{ kind: 'service-probe', reason: 'used', round: 'first' }, 'r1 parley-service-probe used'],
  [{ kind: 'service-probe', reason: 'used', round: 'first', ifname: 'eth3' }, 'r1 parley-service-probe used eth3'],
  [{ kind: 'service-probe', reason: 'seen', round: 'first', family: 6 }, 'r1 parley-service-probe seen ipv6'],
  [
    { kind: 'service-probe', reason: 'used', round: 'first', ifname: 'eth3', family: 6 },
    'r1 parley-service-probe used eth3 ipv6',
  ],
  [{ kind: 'dhcp', round: 'first' }, 'r1 parley-dhcp'],
];

test('every purpose has words of its own at one node', () => {
  for (const [purpose, words] of ALL) assert.equal(purposeText('r1', purpose), words);
  assert.equal(new Set(ALL.map(([, words]) => words)).size, ALL.length);
});

test('every purpose is read from a report as it was written', () => {
  for (const [purpose] of ALL) assert.deepEqual(readPurpose(JSON.parse(JSON.stringify(purpose))), purpose);
});

test('rejects what no planner writes: the purpose is not known then', () => {
  const bad: readonly unknown[] = [
    ...[undefined, null, 'state', [], {}, { kind: 'unknown' }, { kind: 'toString' }, { kind: 'state' }],
    ...[
      { kind: 'state', when: 'probe' },
      { kind: 'logs', more: 1 },
      { kind: 'loop', visits: [] },
    ],
    ...[
      { kind: 'loop', visits: ['not a node'] },
      { kind: 'link-probe', from: A, to: { node: 'r2' }, round: 'first' },
    ],
    ...[
      { kind: 'link-probe', from: A, to: B, round: 'fourth' },
      { kind: 'link-train', from: A, to: B, train: -1 },
    ],
    ...[
      { kind: 'link-echoes', round: 'first', run: 1 },
      { kind: 'link-echoes', round: 'extended' },
    ],
    ...[
      { kind: 'reach', round: 'extended' },
      { kind: 'reach', round: 'first', sender: '198.18.1.1' },
      { kind: 'host-scan', aim: 'all' },
      { kind: 'dscp-probe', from: A, to: B },
    ],
    ...[
      { kind: 'relay', node: 'r9', of: { kind: 'logs' } },
      { kind: 'relay', node: 'r9', of: { kind: 'state' } },
    ],
    { kind: 'service-probe', reason: '__proto__', round: 'first' },
    { kind: 'service-probe', reason: 'seen', round: 'first', family: 4 },
  ];
  for (const value of bad) assert.deepEqual(readPurpose(value), { kind: 'unknown' }, JSON.stringify(value));
});

test('a purpose is seen by its kind', () => {
  const call = { purpose: { kind: 'host-scan', aim: 'search' } as const };
  assert.equal(purposeOf(call, 'host-scan')?.aim, 'search');
  assert.equal(purposeOf(call, 'dhcp'), undefined);
});
