// A router with real FRR and a table of 50,000 routes: paged over mutual TLS in both forms, each route once and in order, while zebra is
// asked for its version; the agent's memory stays bounded. No assertion about time: the benchmark has those.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  AGENT_SOURCE,
  fillTable,
  memoryKb,
  pageTable,
  whileSamplingZebra,
  zebraRoutes,
} from '../../bench/device/table.ts';
import { DEVICE_TOPOLOGY } from '../../bench/device/topology.ts';
import { upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';
import { until } from '../fakes/clock.ts';

const COUNT = 50_000;
/** An agent from source, which has the compiler of its types in memory, needs 60; whole tables would not fit: with less room garbage cannot wait, so
 * that the peak does not depend on how busy the machine is. The bound of an installed agent is the benchmark's. */
const HEAP_MEGABYTES = 72;
/** Of a million routes too: nothing of the table stays. */
const GROWTH_KB = 50_000;

test('50,000 routes are paged with bounded memory and without asking zebra for them [NET-6]', async () => {
  const suffix = randomBytes(2).toString('hex');
  const lab = await upLab({
    topologyFile: DEVICE_TOPOLOGY,
    name: `device-table-${suffix}`,
    prefix: `dt${suffix.slice(0, 3)}`,
    agentHeapMegabytes: HEAP_MEGABYTES,
  });
  try {
    const node = lab.record.nodes[0]!;
    const idleKb = memoryKb(node, AGENT_SOURCE, 'VmHWM');
    // On a busy machine zebra is slower than the kernel, whose notices are lost once its socket is full: the next come when it has these.
    await fillTable(node, lab.record.folder, COUNT, (count) =>
      until(async () => (await zebraRoutes(node)) === count, `${count} routes in zebra`, 60_000, 100),
    );
    for (const form of ['lines', 'yang'] as const) {
      const { result, zebraMs } = await whileSamplingZebra(node, () => pageTable(lab.record, node, form, 2_000));
      assert.deepEqual([form, result.filled, result.outOfOrder, result.pages], [form, COUNT, 0, 26]);
      assert.ok(zebraMs.length > 0);
    }
    const source = ['node', '--conditions=parley-source', '/opt/parley/src/main.ts'];
    const table = 'network:///routing/ipv4/route-table';
    const shown = await runInNode(node, [...source, 'get', table, '--socket', CONTROL_SOCKET], { timeoutMs: 60_000 });
    assert.equal(shown.exitCode, 0, shown.stderr);
    const lines = shown.stdout.trimEnd().split('\n');
    assert.equal(lines[0]?.trimEnd(), 'prefix,kind,protocol,metric,next-hops');
    assert.deepEqual(
      [new Set(lines).size, lines.filter((line) => line.startsWith('10.')).length],
      [lines.length, COUNT],
    );
    const peakKb = memoryKb(node, AGENT_SOURCE, 'VmHWM');
    const grewKb = peakKb - idleKb;
    assert.ok(grewKb < GROWTH_KB, `expected the agent to grow by less than ${GROWTH_KB} kB, got ${grewKb} kB`);
  } finally {
    await lab.down();
  }
});
