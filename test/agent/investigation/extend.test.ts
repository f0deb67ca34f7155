// Whether a longer look asks anybody: only where what was weighed leaves a loss open and there is time for it. And what is expected is weighed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { emptyGathered } from '#agent/investigation/collect.ts';
import { lookLonger } from '#agent/investigation/extend.ts';
import { openJournal } from '#agent/parts/progress.ts';
import { type DiagnoseInput, weigh } from '#correlate/diagnose.ts';
import type { Baseline } from '#model/baseline.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { ProfileEntry } from '#model/snapshot.ts';
import { lossy, recorded } from '../../correlate/recording.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { scopeOf } from '../../measure/scope.ts';
import { createTestDomain, hear, partsOf } from '../in-process.ts';

const LOSSY = lossy('r1:eth1/r2:eth1', { r1: { out: 13, back: 0 }, r2: { out: 0, back: 16 } });
const never = new AbortController().signal;
const BETWEEN_EDGES: ProfileEntry = {
  part: 'link',
  subject: 'link/pe1:eth7--pe3:eth7',
  nodes: ['pe1', 'pe3'],
  value: 'up',
  resource: 'link/pe1:eth7--pe3:eth7',
  ends: [
    { node: 'pe1', ifname: 'eth7' },
    { node: 'pe3', ifname: 'eth7' },
  ],
};

/** The longer look after `input`, whose nodes cannot be reached any more. */
async function look(input: DiagnoseInput, elapsedMs = 0) {
  const domain = createTestDomain();
  const parts = partsOf(domain, 'pe1');
  const told: string[] = [];
  const journal = openJournal({
    ...parts,
    ...LOCAL_ASKER,
    sessionId: 'one',
    onProgress: ({ message }) => told.push(message),
  });
  await domain.clock.advance(elapsedMs);
  const gathered = emptyGathered();
  const states = new Map(
    input.evidence
      .filter(({ phase, kind }) => phase === 'after' && kind === 'state')
      .map(({ node, body }) => [node, body as unknown as NodeState]),
  );
  const scope = scopeOf(states, { nodes: input.nodeNames });
  const askedMore = await lookLonger(parts, weigh(input), scope, gathered, journal, never);
  return { askedMore, told, asked: gathered.outcomes.map(({ callId }) => callId) };
}

test('a loss that nothing explains is looked at for longer, and what was weighed before does not count', async () => {
  const { askedMore, asked } = await look(LOSSY);
  assert.equal(askedMore, true);
  assert.ok(asked.includes('deepen/r1/counts/first'), asked.join());
});

test('where nothing is open nobody is asked, and what was weighed stands', async () => {
  assert.deepEqual(await look(recorded('healthy')), { askedMore: false, told: [], asked: [] });
});

test('a longer look that could not end in time is not begun, and the operator is told', async () => {
  const { askedMore, asked, told } = await look(LOSSY, 10_000);
  assert.deepEqual([askedMore, asked], [false, []]);
  assert.match(told.join(), /there is no time left for a longer look/);
});

test('what is expected is weighed with everything else: a link that is not there is missed', async () => {
  const domain = createTestDomain();
  for (const other of ['p2', 'pe3']) hear(domain.node('pe1'), other);
  const baseline: Baseline = {
    schemaVersion: 1,
    node: 'pe1',
    saved: '2026-01-01T00:00:00.000Z',
    by: 'ann',
    source: { kind: 'report', id: 'one', intent: 'What is wrong?' },
    profile: { nodes: ['pe1', 'pe3'], told: ['pe1 link', 'pe3 link'], entries: [BETWEEN_EDGES], roundTrips: [] },
  };
  const load = async () => ({ baselines: [baseline], refused: [] });
  const question = { ...LOCAL_ASKER, text: 'What is wrong?', signal: never, onProgress: () => {} };
  const { diagnosis } = await investigate(question, partsOf(domain, 'pe1', { baselines: { load } }));
  assert.deepEqual(
    diagnosis.findings.map(({ resource, fault }) => `${resource} ${fault}`),
    ['interface/pe1/eth7 link_detach'],
  );
});
