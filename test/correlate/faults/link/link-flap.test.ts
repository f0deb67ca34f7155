// A router falls silent with the flapping link that it hangs on: its neighbour, which remembers who was there, names the link. The healthy
// recording of four routers in a ring, without a word of r2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, recorded, said } from '../../recording.ts';

/** r1 saw the carrier of eth1 change at these times before its state was read. */
function withoutR2(agosMs: readonly number[], heard?: NonNullable<NodeState['history']>['lastHeard']): DiagnoseInput {
  const input = recorded('healthy');
  const outcomes = input.outcomes.map((outcome) =>
    outcome.node === 'r2' ? { ...outcome, status: 'timed-out' as const, reason: 'no answer' } : outcome,
  );
  const silent = { ...input, outcomes, evidence: input.evidence.filter(({ node }) => node !== 'r2') };
  const events = agosMs.map((agoMs, index) => ({
    ...{ kind: 'carrier' as const, subject: 'eth1', agoMs, changes: 1, up: index % 2 === 0 },
  }));
  return changed(silent, {
    state: (state, node) => {
      if (node !== 'r1' || state.history === undefined) return state;
      const { lastHeard } = state.history;
      return { ...state, history: { ...state.history, events, lastHeard: heard ?? lastHeard } };
    },
  });
}

const FLAPS = [1_000, 3_000, 5_000, 7_000];

test('the link that a silent router hangs on is named by the end that sees it flap, as likely', () => {
  assert.deepEqual(said(withoutR2(FLAPS)), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
  assert.deepEqual(
    diagnose(withoutR2(FLAPS)).findings.map(({ confidence }) => confidence),
    ['likely'],
  );
});

test('where its port was never heard, the own port is named', () => {
  const heard = [{ ifname: 'eth1', name: 'r2' }];
  assert.deepEqual(said(withoutR2(FLAPS, heard)), ['fault', 'link_flap interface/r1/eth1']);
});

test('a port that was still for long, changed but once, or leads to nobody who is silent, is no flapping link', () => {
  const still = FLAPS.map((agoMs) => agoMs + 40_000);
  assert.deepEqual(said(withoutR2(still)), ['inconclusive']);
  assert.deepEqual(said(withoutR2(FLAPS.slice(0, 2))), ['inconclusive']);
  assert.deepEqual(said(withoutR2(FLAPS, [{ ifname: 'eth1', name: 'elsewhere', port: 'eth1' }])), ['inconclusive']);
});
