// Filters against a protocol whose packets come by seldom: the rule dropped something lately, and stood still while the question was asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BgpState } from '#model/router/control-plane.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';
import { named } from '../scope-scene.ts';

const BGP: readonly FilterMatch[] = [
  { field: 'protocol', values: ['tcp'] },
  { field: 'destination-port', values: ['179'] },
];

function sessionWith(peer: string, localAs: number, remoteAs: number): BgpState {
  const row = {
    peer,
    localAs,
    remoteAs,
    state: 'Connect',
    shutdown: false,
    password: false,
    established: 1,
    dropped: 1,
  };
  const sessions = [{ ...row, lastReset: 'Hold Timer Expired', policies: [] }];
  return { asn: localAs, networks: [], redistribute: [], sessions, ownPrefixes: [] };
}

type Told = {
  readonly matches?: readonly FilterMatch[];
  readonly agoMs?: number;
  readonly others?: readonly FilterRule[];
};

const RULE: FilterRule = {
  family: 'inet',
  table: 'filter',
  chain: 'input',
  path: ['input'],
  hook: 'input',
  handle: 4,
  verdict: 'drop',
  outInterfaces: [],
  inInterfaces: [],
  packets: '31',
  matches: BGP,
  matchesRest: false,
};

/** r1's session with r2 is closed; r2 has a rule whose counter stands still. */
function closedBy({ matches = BGP, agoMs, others = [] }: Told) {
  const drops = agoMs === undefined ? [] : [{ family: 'inet', table: 'filter', chain: 'input', handle: 4, agoMs }];
  return {
    states: {
      r1: (state: NodeState) => ({ ...state, bgp: sessionWith('198.18.1.1', 65_001, 65_002) }),
      r2: (state: NodeState) => ({
        ...state,
        bgp: sessionWith('198.18.1.0', 65_002, 65_001),
        filters: [{ ...RULE, matches }, ...others],
        history: { ...state.history!, filterDrops: drops },
      }),
    },
  };
}

test('a filter that dropped BGP a minute ago is named while its counter stands still', () => {
  assert.deepEqual(named(closedBy({ agoMs: 60_000 })), ['bgp_acl_block node/r2']);
});

test('a filter whose old count nobody saw grow accuses nobody', () => {
  assert.deepEqual(named(closedBy({})), []);
});

test('a filter for some senders, or for the rest after others were let through, has its drops from strangers', () => {
  const some = [...BGP, { field: 'source' as const, values: ['203.0.113.0/24'] }];
  assert.deepEqual(named(closedBy({ agoMs: 60_000, matches: some })), []);
  const known: FilterRule = {
    ...RULE,
    handle: 3,
    verdict: 'accept',
    matches: [...BGP, { field: 'source', values: ['198.18.0.0/15'] }],
  };
  assert.deepEqual(named(closedBy({ agoMs: 60_000, others: [known] })), []);
});

test('a filter against everything is not one against BGP', () => {
  assert.deepEqual(named(closedBy({ agoMs: 60_000, matches: [] })), []);
});
