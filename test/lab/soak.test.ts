// The short form of `npm run bench -- soak`: on three real routers a second round of mixed load holds no more descriptors and threads than the
// first did. Names carry a prefix of their own. Needs root.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newCounts, putLoad, untilPeersAreKnown } from '../../bench/soak/load.ts';
import { growthOf, type Held, heldIn, slope } from '../../bench/soak/resident.ts';
import { SOAK_TOPOLOGY } from '../../bench/soak.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { mulberry32 } from '../../simulations/lab/node-files.ts';

/** On each node. */
const OPERATIONS = 24;
/** A session or a program that is just under way. */
const UNDER_WAY = 10;
const MOST_MEGABYTES = 60;
const dir = mkdtempSync(join(tmpdir(), 'parley-soak-'));
let lab: RunningLab;

before(async () => {
  const prefix = `so${randomBytes(2).toString('hex')}`.slice(0, 6);
  lab = await upLab({ topologyFile: SOAK_TOPOLOGY, name: prefix, prefix, dir, configuration: true });
  await untilPeersAreKnown(lab.record.nodes);
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

async function loadOnce(seed: number) {
  const counts = newCounts();
  await Promise.all(
    lab.record.nodes.map((node, index) => {
      let left = OPERATIONS;
      const goesOn = () => left-- > 0;
      return putLoad(node, { changes: index === 0, random: mulberry32(seed + index), counts, goesOn });
    }),
  );
  return { counts, held: new Map(lab.record.nodes.flatMap(heldIn).map((each) => [each.process, each])) };
}

test('agents and helpers hold no more after a second round of mixed load than after the first', async () => {
  const first = await loadOnce(1);
  const second = await loadOnce(2);
  for (const { counts } of [first, second])
    assert.deepEqual([counts.lost, [...counts.reasons.keys()]], [0, []], 'every call is answered');
  assert.equal(second.held.size, 9, 'an agent and two helpers on each of three nodes');
  for (const [process, now] of second.held) {
    const before = first.held.get(process) as Held;
    assert.equal(now.pid, before.pid, `${process} was started anew`);
    assert.ok(
      now.descriptors <= before.descriptors + UNDER_WAY,
      `${process}: ${before.descriptors} to ${now.descriptors}`,
    );
    assert.ok(now.threads <= before.threads, `${process}: ${before.threads} to ${now.threads} threads`);
    assert.ok(now.bytes - before.bytes < MOST_MEGABYTES * 1e6, `${process}: ${before.bytes} to ${now.bytes} octets`);
  }
});

const sample = (atMs: number, bytes: number) => ({
  ...{ process: 'a agent', pid: 1, descriptors: 9, threads: 3 },
  bytes,
  atMs,
});

test('growth is the slope of the straight line through all samples', () => {
  assert.equal(
    slope([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
    2,
  );
  assert.equal(
    slope([
      [0, 1],
      [1, 0],
      [2, 1],
    ]),
    0,
  );
  assert.equal(slope([[5, 1]]), 0);
  const [grown] = growthOf([sample(0, 100e6), sample(60_000, 101e6), sample(120_000, 102e6)]);
  assert.deepEqual([grown?.mbAMinute, grown?.grownMb, grown?.restarted], [1, 2, false]);
  const holding = (...counts: readonly number[]) =>
    growthOf(counts.map((descriptors, minute) => ({ ...sample(minute * 60_000, 1e6), descriptors })))[0]?.descriptors;
  assert.deepEqual(holding(60, 95, 70, 61, 240, 152), { first: 60, last: 152, most: 240 });
  assert.deepEqual(holding(60, 95, 70, 61, 63, 152), { first: 60, last: 63, most: 152 }, 'calls under way at the end');
});

test('descriptors that leak in the last samples alone are seen, and a short load at the end is none', () => {
  // Ten minutes of samples of ten seconds: one of six is at rest, the others are under load.
  const counts = Array.from({ length: 60 }, (_, at) => (at % 6 === 2 ? 60 : 95));
  const from = (first: number, more: number) => counts.map((count, at) => (at >= first ? count + more : count));
  const held = (all: readonly number[]) =>
    growthOf(all.map((descriptors, at) => ({ ...sample(at * 10_000, 1e6), descriptors })))[0]?.descriptors;
  assert.deepEqual(held(counts), { first: 60, last: 60, most: 95 });
  assert.deepEqual(held(from(48, 20)), { first: 60, last: 80, most: 115 }, 'a leak in the last two minutes');
  assert.deepEqual(held(from(54, 20)), { first: 60, last: 60, most: 115 }, 'a renewal in the last minute');
});
