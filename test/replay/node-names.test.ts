// Which nodes a question was about, from the outcomes and the timeline of its report.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutcomeStatus } from '#model/call.ts';
import type { Intent } from '#model/intent.ts';
import type { ReportedOutcome } from '#model/report.ts';
import { nodeNamesOf } from '../../scripts/replay/node-names.ts';

const asked = (phase: 'before' | 'after', node: string, status: OutcomeStatus = 'answered'): ReportedOutcome => ({
  ...{ callId: `${phase}/${node}/parley-node-state`, node, phase, name: 'parley-node-state', status, elapsedMs: 1 },
});
const intent = (kind: Intent['kind'], ...names: string[]): Intent => ({
  ...{ kind, text: '', encapsulation: 'ip', path: names.map((as) => ({ as, key: as.toLowerCase().replace('-', '') })) },
});
const round = (...names: string[]) => ({ at: '', event: 'peers', detail: `${names.join(', ')} known from lldp, lldp` });

test('nodes are in the order in which they were asked', () => {
  const outcomes = [
    asked('before', 'b'),
    asked('before', 'a'),
    asked('before', 'c', 'timed-out'),
    asked('after', 'a'),
    asked('after', 'b'),
  ];
  assert.deepEqual(nodeNamesOf({ intent: intent('fault'), outcomes, timeline: [] }), ['b', 'a', 'c']);
});

test('nodes of a path are in path order', () => {
  const outcomes = [asked('before', 'pe1'), asked('before', 'p2', 'timed-out'), asked('before', 'pe3')];
  const about = intent('path-loss', 'PE-3', 'P-2', 'PE-1');
  assert.deepEqual(nodeNamesOf({ intent: about, outcomes, timeline: [] }), ['pe3', 'p2', 'pe1']);
  assert.throws(() => nodeNamesOf({ intent: intent('path-loss', 'PE-9'), outcomes, timeline: [] }), /PE-9 was asked/);
});

test('a node that was asked once whether it has to do with SRv6 of the named one, and has not, is left out', () => {
  const outcomes = [
    ...[asked('before', 'a'), asked('before', 'b', 'timed-out'), asked('before', 'c'), asked('before', 'd')],
    ...[asked('before', 'e', 'timed-out'), asked('after', 'a'), asked('after', 'd')],
  ];
  const timeline = [round(''), round('b'), round('c', 'd', 'e')];
  assert.deepEqual(nodeNamesOf({ intent: intent('fault', 'A'), outcomes, timeline }), ['a', 'b', 'd']);
  // Without a neighbour the round of the others is the second.
  const lonely = outcomes.filter(({ node }) => node !== 'b');
  const rounds = [round(''), round('c', 'd', 'e')];
  assert.deepEqual(nodeNamesOf({ intent: intent('fault', 'A'), outcomes: lonely, timeline: rounds }), ['a', 'd']);
});
