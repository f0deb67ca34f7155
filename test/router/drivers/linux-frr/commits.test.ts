// The commits in a node's history: which it has, and what it says where it has not all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitView } from '#model/router/configuration.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { nodeState } from '#model/router/state-schema.ts';
import { readCommits, withCommits } from '#router/drivers/linux-frr/commits.ts';

const view = (at: number, more: Partial<CommitView> = {}): CommitView =>
  ({ id: `c${at}`, by: 'operator/alice', state: 'CONFIRMED', startedAgoMs: at * 1_000, ...more }) as CommitView;
const history = (views: readonly CommitView[]) => ({ history: async () => views });
const HISTORY = { spanMs: 0, events: [], lastHeard: [], settings: [] };
const STATE = { history: HISTORY, missing: [] } as unknown as NodeState;

test('the newest commits come first, and a list that is whole has no part missing', async () => {
  const read = await readCommits(history([view(3), view(1), view(2)]));
  const state = withCommits(STATE, read);
  assert.deepEqual(
    state.history?.commits?.map(({ id }) => id),
    ['c1', 'c2', 'c3'],
  );
  assert.equal('missing' in state.history!, false);
  assert.deepEqual(withCommits(STATE, await readCommits(history([]))), STATE, 'no commit was ever made');
});

test('of more than 32 commits the oldest are left out, and the history says so', async () => {
  const read = await readCommits(history(Array.from({ length: 33 }, (_, at) => view(at))));
  const { commits, missing } = withCommits(STATE, read).history!;
  assert.deepEqual([commits?.length, commits?.at(-1)?.id], [32, 'c31']);
  assert.deepEqual(missing, [{ part: 'commits', reason: 'the newest 32 of 33' }]);
  const whole = await readCommits(history(Array.from({ length: 32 }, (_, at) => view(at))));
  assert.equal(whole?.missing, undefined);
});

test('a configuration helper that does not answer, or says no times, leaves the part missing with the reason', async () => {
  const silent = { history: () => Promise.reject(new Error('no answer within 1000 ms')) };
  const state = withCommits(STATE, await readCommits(silent));
  assert.deepEqual(state.history, {
    ...HISTORY,
    missing: [{ part: 'commits', reason: 'no answer within 1000 ms' }],
  });
  assert.deepEqual(state.missing, [], 'what is wrong now is found without them');
  const { startedAgoMs: _, ...timeless } = view(1);
  assert.deepEqual(await readCommits(history([timeless, view(2)])), {
    commits: [{ id: 'c2', by: 'operator/alice', state: 'CONFIRMED', agoMs: 2_000 }],
    missing: 'the time of 1 of 2 is not known',
  });
});

test('a node that Parley does not configure has no commits, and one without memory has no history', async () => {
  assert.equal(await readCommits(undefined), undefined);
  assert.equal(withCommits(STATE, undefined), STATE);
  const { history: _, ...bare } = STATE;
  assert.deepEqual(withCommits(bare, { commits: [], missing: 'no answer' }), bare);
});

test('the missing part is carried to the node that asks', () => {
  const missing = [{ part: 'commits', reason: 'the newest 32 of 33' }];
  const read = nodeState.shape.history.parse({ ...HISTORY, missing });
  assert.deepEqual(read?.missing, missing);
});
