// The short form of `npm run bench -- power-cut`: what was promised survives simulated power cuts, every damage of a trail is found, and the bench
// itself finds a disk that forgets and a recorder that misses something.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Disk } from '../../bench/power-cut/disk.ts';
import { mustBeSame } from '../../bench/power-cut/image.ts';
import { damageTrail } from '../../bench/power-cut/trail-damage.ts';
import { cutPower } from '../../bench/power-cut.ts';
import { COMPILER_PACKAGES, missingPackages } from '../../scripts/install-packages.ts';

const folder = async (t: TestContext) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-cuts-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
const SHORT = { cuts: 60, seed: 7, lives: 3, operations: 30, only: '', noSync: false, say: () => {} };

/** The body of a test that needs a compiler. Where there is none, it says so and proves nothing. */
function withCompiler(body: (t: TestContext) => Promise<void>): (t: TestContext) => Promise<void> {
  return async (t) => {
    const missing = (await missingPackages(COMPILER_PACKAGES)) ?? COMPILER_PACKAGES;
    if (missing.length === 0) return body(t);
    t.diagnostic(`NOT RUN: expected ${missing.join(' ')}`);
    console.log(`test of power cuts NOT RUN: expected ${missing.join(' ')}`);
  };
}

test(
  'what was promised survives a power cut, and no state stops the start [TS-16] [TS-18] [TS-24] [TS-28] [TS-31] [NET-15]',
  withCompiler(async (t) => {
    const { faulty, promised, examples } = await cutPower({ ...SHORT, parent: await folder(t) });
    assert.deepEqual(examples, []);
    assert.deepEqual(Object.values(faulty), [0, 0, 0, 0, 0, 0, 0]);
    for (const [part, count] of Object.entries(promised)) assert.ok(count > 0, `${part} has promised nothing`);
  }),
);

test(
  'where synchronising does nothing, losses are found in every part',
  withCompiler(async (t) => {
    const { faulty } = await cutPower({ ...SHORT, noSync: true, parent: await folder(t) });
    for (const [part, count] of Object.entries(faulty)) assert.ok(count > 0, `${part}: nothing was found`);
  }),
);

test('every single flipped bit and every cut of an audit trail is found and placed [TS-31]', async (t) => {
  const { missed, flips, flipsFound, flipsPlaced, cuts, cutsFound, cutsPlaced } = await damageTrail(await folder(t), 2);
  assert.deepEqual(missed, []);
  assert.deepEqual([flipsFound, flipsPlaced, cutsFound, cutsPlaced], [flips, flips, cuts, cuts]);
  assert.ok(flips > 4_000);
});

test('a recording that gives another folder than there is is refused', () => {
  const real = new Map([['a', Buffer.from('1')]]);
  mustBeSame(
    real,
    new Map([
      ['a', Buffer.from('1')],
      ['a-shm', Buffer.from('2')],
    ]),
  );
  assert.throws(() => mustBeSame(real, new Map([['a', Buffer.from('2')]])), /the recorder has missed something/);
  assert.throws(() => mustBeSame(real, new Map()), /there is nothing/);
});

test('a disk keeps what was synchronised, and of the rest nothing, a beginning, or any of it', async (t) => {
  const root = await folder(t);
  await writeFile(join(root, 'kept'), 'old');
  const disk = await Disk.of(root);
  const name = (of: string) => join(root, of);
  disk.apply({ kind: 'open', path: name('new'), inode: 1n, empties: false });
  disk.apply({ kind: 'write', inode: 1n, offset: 0, data: Buffer.alloc(1_024, 1) });
  disk.apply({ kind: 'sync', inode: 1n });
  const names = (mode: 'none' | 'all') => [...disk.cut(mode, () => 0).keys()].sort();
  // Its content is durable, its name is not.
  assert.deepEqual([names('none'), names('all')], [['kept'], ['kept', 'new']]);
  disk.apply({ kind: 'rename', path: name('new'), to: name('kept') });
  assert.equal(
    disk
      .cut('none', () => 0)
      .get('kept')
      ?.toString(),
    'old',
  );
  assert.equal(disk.cut('all', () => 0).get('kept')?.length, 1_024);
  disk.apply({ kind: 'write', inode: 1n, offset: 1_024, data: Buffer.alloc(1_024, 2) });
  const sizes = Array.from({ length: 200 }, (_, index) => disk.cut('any', seeded(index)).get('kept')?.length);
  // The old file, the new one without its end, with a sector of it, and whole: never a part of a sector.
  assert.deepEqual(
    [...new Set(sizes)].sort((one, other) => one! - other!),
    [3, 1_024, 1_536, 2_048],
  );
  assert.equal(disk.live().get('kept')?.length, 2_048);
});

function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
