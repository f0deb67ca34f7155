// What a node remembers of its own prefixes in BGP, from looks two seconds apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { createPrefixTurns } from '#router/drivers/linux-frr/memory/prefix-turns.ts';

const PREFIX = '198.19.1.0/24';

/** `version` absent: withdrawn. */
const look = (version: number | undefined, upMs = 1_000_000, missing: NodeState['missing'] = []) =>
  ({
    ...{ daemons: [{ name: 'bgpd', alive: true, upMs }], missing },
    bgp: {
      ownPrefixes: [
        {
          prefix: PREFIX,
          originated: version !== undefined,
          advertisedTo: [],
          ...(version === undefined ? {} : { version }),
        },
      ],
    },
  }) as unknown as NodeState;

function remembered(looks: readonly NodeState[], nowMs = looks.length * 2_000) {
  const turns = createPrefixTurns();
  for (const [index, state] of looks.entries()) turns.add(state, index * 2_000);
  return turns.history(nowMs).prefixTurns;
}

test('withdrawals, announcements and changes between two looks are counted, with their times', () => {
  assert.deepEqual(remembered([look(5), look(undefined), look(7), look(7), look(9)]), [
    { prefix: PREFIX, turns: 3, gone: 1, firstAgoMs: 8_000, lastAgoMs: 2_000 },
  ]);
});

test('one change, and a prefix that stays, are no turns', () => {
  assert.deepEqual(remembered([look(5), look(5), look(6), look(6)]), []);
  assert.deepEqual(remembered([look(undefined), look(undefined)]), []);
});

test('a bgpd that began anew, and a look that could not be had, are no turns', () => {
  assert.deepEqual(remembered([look(50), look(3, 1_000), look(90), look(4, 1_500)]), []);
  assert.deepEqual(remembered([look(5), look(7, 1_000), look(9, 1_500)]), [], 'it has counted further since');
  assert.deepEqual(remembered([look(50), look(3), look(90), look(4)]), [], 'versions count down');
  const unread = look(undefined, 1_000_000, [{ part: 'bgp', reason: '' }]);
  assert.deepEqual(remembered([look(5), unread, look(5), unread, look(5)]), []);
});

test('turns of ten minutes ago are forgotten', () => {
  const turns = createPrefixTurns();
  for (const [index, version] of [5, 6, 7].entries()) turns.add(look(version), index * 2_000);
  turns.add(look(7), 602_001);
  assert.deepEqual(turns.history(602_001).prefixTurns, []);
  turns.add(look(8), 603_000);
  assert.equal(turns.history(603_000).prefixTurns[0]?.turns, 2);
});
