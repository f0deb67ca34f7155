// How fast links are probed: as fast as ever where there are few, slower where a node has many, and so that all are done in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineOf } from '#agent/investigation/collect.ts';
import { sweepIntervalMs } from '#measure/links/link-runs.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';

/** Every leaf to every spine. */
function fabric(spines: number, leaves: number): readonly Link[] {
  return Array.from({ length: leaves }, (_, leaf) => leaf).flatMap((leaf) =>
    Array.from({ length: spines }, (_, spine) => ({
      from: { node: `leaf${leaf}`, ifname: `eth${spine}` },
      to: { node: `spine${spine}`, ifname: `eth${leaf}` },
    })),
  ) as unknown as readonly Link[];
}

function pace(spines: number, leaves: number): number {
  const links = fabric(spines, leaves);
  return sweepIntervalMs(links[0]!, links);
}

test('links of nodes with many are probed more slowly, those of large networks quicker again', () => {
  assert.deepEqual(
    [pace(1, 1), pace(1, 4), pace(1, 5), pace(4, 16), pace(2, 32), pace(1, 50), pace(4, 64), pace(8, 64)],
    [2, 2, 3, 8, 16, 16, 6, 3],
  );
});

test('all runs of a large fabric have their turn in the time that is theirs', () => {
  for (const [spines, leaves] of [
    [4, 16],
    [4, 64],
    [8, 64],
  ] as const) {
    const intervalMs = pace(spines, leaves);
    const calls = fabric(spines, leaves).map(
      ({ from }) => ({ node: from.node, evidence: 'probe', timeoutMs: 200 * intervalMs + 3_200 }) as PlannedCall,
    );
    const wavesMs = Math.ceil(calls.length / 112) * (200 * intervalMs + 200);
    assert.ok(wavesMs < deadlineOf('probe', calls, 8_000), `${spines}+${leaves}: ${wavesMs} ms`);
    assert.ok(wavesMs < 4_700);
  }
});
