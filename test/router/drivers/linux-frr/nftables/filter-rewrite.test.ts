// Rules of nftables that write into packets, as `nft -j` of version 1.0.6 printed them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilters } from '#router/drivers/linux-frr/nftables/filters.ts';

const mangle = (protocol: string, field: string, value: string | number) => ({
  mangle: { key: { payload: { protocol, field } }, value },
});
const where = (protocol: string, field: string, right: string) => ({
  match: { op: '==', left: { payload: { protocol, field } }, right },
});
const rule = (table: string, chain: string, handle: number, ...expr: readonly object[]) => ({
  rule: { family: table === 'qos' ? 'netdev' : 'inet', table, chain, handle, expr },
});
const RULESET = JSON.stringify({
  nftables: [
    {
      chain: { family: 'inet', table: 'filter', name: 'forward', handle: 1, type: 'filter', hook: 'forward', prio: 0 },
    },
    rule(
      ...(['filter', 'forward', 2] as const),
      { match: { op: '==', left: { meta: { key: 'l4proto' } }, right: 'tcp' } },
      { match: { op: '<', left: { numgen: { mode: 'random', mod: 100, offset: 0 } }, right: 5 } },
      { counter: { packets: 7, bytes: 700 } },
      mangle('tcp', 'checksum', 57_005),
    ),
    { chain: { family: 'netdev', table: 'qos', name: 'out', handle: 1, type: 'filter', hook: 'egress', prio: 0 } },
    rule(
      'qos',
      'out',
      2,
      where('ip', 'dscp', 'ef'),
      { counter: { packets: 0, bytes: 0 } },
      mangle('ip', 'dscp', 'cs0'),
    ),
    rule('qos', 'out', 3, where('ip', 'daddr', '203.0.113.7'), mangle('ip', 'dscp', 'ef')),
    rule('qos', 'out', 4, where('ip', 'daddr', '203.0.113.8'), { drop: null }),
  ],
});
const CHAINS =
  'table netdev qos {\n\tchain out {\n\t\ttype filter hook egress device "eth1" priority filter; policy accept;\n\t}\n}\n';

test('says what a rule writes, also without a counter, and the old value that it demands', () => {
  const parsed = parseFilters(RULESET, CHAINS, ['eth1']);
  assert.deepEqual(
    parsed.ok &&
      parsed.value.map(({ hook, verdict, outInterfaces, rewrites }) => [hook, verdict, outInterfaces, rewrites]),
    [
      ['forward', 'other', [], ['tcp checksum = 57005']],
      ['egress', 'other', ['eth1'], ['ip dscp ef = cs0']],
      ['egress', 'other', ['eth1'], ['ip dscp = ef']],
      ['egress', 'drop', ['eth1'], undefined],
    ],
  );
});
