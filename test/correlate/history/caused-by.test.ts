// Which change caused a finding: the one that set this very thing and that the remedy's exact change undoes, and no other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOf } from '#correlate/history/caused-by.ts';
import type { NodeChange, RemedyChange } from '#model/finding.ts';

const change = (rest: Partial<NodeChange>): NodeChange => ({
  node: 'r1',
  kind: 'mtu',
  subject: 'eth1',
  agoMs: 1,
  ...rest,
});
const cause = (undo: RemedyChange | undefined, changes: readonly NodeChange[], details = {}) => {
  const remedy = { node: 'r1', summary: '', ...(undo === undefined ? {} : { change: undo }) };
  return causeOf({ remedy, changes, details });
};
const MTU: RemedyChange = { live: [{ kind: 'link-mtu', ifname: 'eth1', mtu: 1_500, now: 1_400 }] };
const smaller = change({ was: '1500', is: '1400' });

test('a change that the remedy undoes is the cause, also behind newer changes of other things', () => {
  const other = change({ subject: 'eth2', was: '1500', is: '1400' });
  assert.equal(cause(MTU, [other, change({ kind: 'metric', setting: 'isis', was: '10', is: '20' }), smaller]), smaller);
});

test('a change before it that set something else, or led elsewhere, is no cause', () => {
  assert.equal(cause(MTU, [change({ subject: 'eth2', was: '1500', is: '1400' })]), undefined);
  assert.equal(cause(MTU, [change({ node: 'r2', was: '1500', is: '1400' })]), undefined);
  assert.equal(cause(MTU, [change({ was: '9000', is: '1400' })]), undefined, 'the remedy leads to another value');
  assert.equal(cause(MTU, [change({ was: '1400', is: '1500' }), smaller]), undefined, 'it does not hold any more');
  assert.equal(cause(undefined, [smaller]), undefined);
  assert.equal(cause(MTU, [smaller], { over: true }), undefined);
});

const UNDONE: readonly (readonly [string, RemedyChange, Partial<NodeChange>])[] = [
  [
    'a port that was shut',
    { lines: ['interface eth1', ' no shutdown'], live: [{ kind: 'link-up', ifname: 'eth1' }] },
    { kind: 'admin', was: 'up', is: 'shut' },
  ],
  [
    'a metric',
    { lines: ['interface eth1', ' isis metric 10'] },
    { kind: 'metric', setting: 'isis', was: '10', is: '9000' },
  ],
  [
    'a default metric',
    { lines: ['interface eth1', ' isis metric 10'] },
    { kind: 'metric', setting: 'isis', was: 'default', is: '9000' },
  ],
  [
    'an AS number',
    { lines: ['router bgp 65001', ' neighbor 198.18.1.1 remote-as 65002'] },
    { kind: 'session', subject: '198.18.1.1', setting: 'remote-as', was: '65002', is: '65009' },
  ],
  [
    'a prefix that is announced no more',
    { lines: ['router bgp 65001', ' address-family ipv4 unicast', '  network 198.19.1.0/24'] },
    { kind: 'announced', subject: '198.19.1.0/24', was: 'all', is: 'none' },
  ],
  [
    'an address that is gone',
    { live: [{ kind: 'address-add', ifname: 'eth1', address: '198.18.1.0/31' }] },
    { kind: 'address', was: '198.18.1.0/31 2001:db8::1/64', is: '2001:db8::1/64' },
  ],
  [
    'a rule that came',
    {
      live: [
        {
          ...{ kind: 'nft-delete-rule', family: 'inet', table: 'foo', chain: 'input', handle: 3 },
          ruleSha256: `0123456789abcdef${'0'.repeat(48)}`,
        },
      ],
    },
    { kind: 'filter', subject: 'inet foo input', setting: '0123456789abcdef', is: 'drop' },
  ],
  [
    'a discard route that came',
    { lines: ['no ip route 198.19.3.0/24 blackhole', 'no ip route 198.19.3.0/24 Null0'] },
    { kind: 'static-route', subject: '198.19.3.0/24', is: 'blackhole' },
  ],
];

for (const [what, undo, rest] of UNDONE)
  test(`${what}: undone by its exact change`, () => {
    const one = change(rest);
    assert.equal(cause(undo, [one]), one);
    const { was, is, ...setting } = one;
    const inverse = { ...setting, ...(is === undefined ? {} : { was: is }), ...(was === undefined ? {} : { is: was }) };
    assert.equal(cause(undo, [inverse]), undefined, 'the change back is no cause');
  });

test('a remedy of which a part is not known to be undone has no cause', () => {
  const lines = ['interface eth1', ' isis metric 10', ' isis network point-to-point'];
  const metric = change({ kind: 'metric', setting: 'isis', was: '10', is: '9000' });
  assert.equal(cause({ lines }, [metric]), undefined);
  const two = ['interface eth1', ' isis metric 10', 'interface eth2', ' isis metric 10'];
  assert.equal(cause({ lines: two }, [metric]), undefined);
});
