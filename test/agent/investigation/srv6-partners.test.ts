// Who has to do with whom over SRv6: the nodes that a question about one node has to hear as well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { arePartners, isServiceEdge } from '../../../src/agent/investigation/srv6-partners.ts';

type Edge = { readonly number: number; readonly steersTo?: number; readonly sids?: boolean };

const edge = ({ number, steersTo, sids = true }: Edge) =>
  ({
    inventory: {
      interfaces: [{ name: 'eth3', kind: 'physical', addresses: [`fd00:c:${number}::1/64`] }],
      sids: sids ? [{ sid: `fd00:5a:${number}::d6`, behavior: 'End.DT6' }] : [],
    },
    staticRoutes: [
      { prefix: `fd00:5a:${number}::/48`, kind: 'blackhole' },
      ...(steersTo === undefined
        ? []
        : [{ prefix: `fd00:c:${steersTo}::/64`, kind: 'unicast', segments: [`fd00:5a:${steersTo}::d6`] }]),
    ],
  }) as unknown as NodeState;

test('who steers into a node’s locator is its partner, also when the SID is gone or nothing is steered back', () => {
  const broken = edge({ number: 2, steersTo: 1, sids: false });
  assert.equal(arePartners(broken, edge({ number: 1, steersTo: 2 })), true);
  const silent = edge({ number: 2 });
  assert.equal(arePartners(silent, edge({ number: 1, steersTo: 2 })), true);
  assert.equal(arePartners(silent, edge({ number: 3, steersTo: 1 })), false);
});

test('a node with a service of its own, or that steers, is an edge; a transit node is none', () => {
  assert.equal(isServiceEdge(edge({ number: 1 })), true);
  assert.equal(isServiceEdge(edge({ number: 1, steersTo: 2, sids: false })), true);
  assert.equal(isServiceEdge(edge({ number: 1, sids: false })), false);
});
