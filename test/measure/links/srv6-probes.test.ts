// Probes in SRv6 over links: only where a filter is against packets with a routing header, and in the direction that meets it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSrv6Tries } from '#measure/links/srv6-probes.ts';
import type { States } from '#measure/states.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';

const rule = (hook: string, matches: readonly FilterMatch[], bound: Partial<FilterRule> = {}): FilterRule =>
  ({
    ...{ family: 'ip6', table: 'filter', chain: 'acl', path: ['acl'], hook, handle: 3, verdict: 'drop' },
    ...{ inInterfaces: [], outInterfaces: [], matches, ...bound },
  }) as FilterRule;

function nodeOf(number: number, peer: number, filters: readonly FilterRule[] = []): NodeState {
  return {
    inventory: {
      node: `r${number}`,
      interfaces: [
        {
          name: 'eth1',
          kind: 'physical',
          adminUp: true,
          operUp: true,
          mtu: 1_500,
          addresses: [`fd00:1::${number}/127`],
        },
      ],
      sids: [{ sid: `fd00:5a:${number}::d6`, behavior: 'End.DT6 table 254' }],
      loopbacks: [`fd00:0:0:${number}::1/128`],
    },
    neighbours: [{ ifname: 'eth1', chassisId: `c${peer}`, portId: 'eth1', systemName: `r${peer}`, unknownTlvs: [] }],
    ...{ adjacencies: [], filters, nodeCounters: {}, missing: [] },
  } as unknown as NodeState;
}

const planned = (filters: readonly FilterRule[]) =>
  planSrv6Tries(
    new Map([
      ['r2', nodeOf(2, 3, filters)],
      ['r3', nodeOf(3, 2)],
    ]) as States,
  );
const ROUTED: readonly FilterMatch[] = [{ field: 'extension', values: ['rt'] }];

test('a filter on the way out is met by what its node sends, one on the way in by what its neighbour sends', () => {
  const [out] = planned([rule('postrouting', ROUTED, { outInterfaces: ['eth1'] })]);
  assert.equal(out?.id, 'probe/r2:eth1/r3:eth1/srv6');
  assert.deepEqual(
    [out?.arguments['segments'], out?.arguments['source'], out?.arguments['destination'], out?.arguments['Count']],
    [['fd00:5a:3::d6'], 'fd00:0:0:2::1', 'fd00:0:0:3::1', 300],
  );
  assert.equal(planned([rule('prerouting', ROUTED)])[0]?.id, 'probe/r3:eth1/r2:eth1/srv6');
});

test('nothing is sent for other filters, on other interfaces, or without any', () => {
  assert.deepEqual(planned([]), []);
  assert.deepEqual(planned([rule('postrouting', [{ field: 'protocol', values: ['tcp'] }])]), []);
  assert.deepEqual(planned([rule('postrouting', ROUTED, { outInterfaces: ['eth7'] })]), []);
});
