// How fast links are probed: as fast as ever where there are few, slower where a node has many, and so that all are done in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineOf } from '#agent/investigation/collect.ts';
import { sweepRun } from '#measure/links/link-runs.ts';
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

function paceOf(spines: number, leaves: number) {
  const links = fabric(spines, leaves);
  return sweepRun(links[0]!, links);
}

test('links of nodes with many are probed more slowly, those of large networks by fewer probes and quicker again', () => {
  const paces = [paceOf(1, 1), paceOf(1, 4), paceOf(1, 5), paceOf(4, 8), paceOf(4, 16), paceOf(1, 50), paceOf(4, 64)];
  assert.deepEqual(
    [...paces, paceOf(8, 64)].map(({ count, intervalMs }) => [count, intervalMs]),
    [
      [200, 2],
      [200, 2],
      [200, 3],
      [200, 4],
      [120, 14],
      [128, 16],
      [120, 10],
      [120, 5],
    ],
  );
});

test('all runs of a large fabric have their turn in the time that is theirs', () => {
  for (const [spines, leaves] of [
    [4, 16],
    [4, 64],
    [8, 64],
  ] as const) {
    const { count, intervalMs } = paceOf(spines, leaves);
    const calls = fabric(spines, leaves).map(
      ({ from }) => ({ node: from.node, evidence: 'probe', timeoutMs: count * intervalMs + 3_200 }) as PlannedCall,
    );
    const wavesMs = Math.ceil(calls.length / 112) * (count * intervalMs + 200);
    assert.ok(wavesMs < deadlineOf('probe', calls, 8_000), `${spines}+${leaves}: ${wavesMs} ms`);
    assert.ok(wavesMs < 4_700);
  }
});
