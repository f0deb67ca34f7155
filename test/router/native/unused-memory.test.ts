// Freed memory goes back to the kernel: again and again, and also what lies below memory that is still in use.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import koffi from 'koffi';
import { loadTrim, returnUnusedMemory } from '#router/native/unused-memory.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';

const BLOCKS = 20_000;
const BLOCK_BYTES = 4_000;
/** Of the blocks, one of so many stays in use, and holds all that is below it. */
const KEPT_OF = 100;
const MIB = 1_048_576;
/** Of 20 MiB, none of which is written: more than lies free. */
const LARGE_BLOCKS = 16;

function residentBytes(): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1_024;
}

test('a large block is the kernel’s own, also after a larger one was freed', async () => {
  await loadTrim();
  const library = koffi.load(null);
  const malloc = library.func('uint64_t malloc(size_t size)');
  const memcpy = library.func('void *memcpy(_Out_ void *to, uint64_t from, size_t size)');
  const free = library.func('void free(uint64_t at)');
  free(malloc(24 * MIB));
  // The first of them may fill memory that lies free in the heap; for all of them there is none.
  const blocks: (bigint | number)[] = Array.from({ length: LARGE_BLOCKS }, () => malloc(20 * MIB));
  // The octets before a block are its size, of whose lowest bits one says that it is a mapping of its own (IS_MMAPPED of glibc).
  const before = Buffer.alloc(8);
  memcpy(before, BigInt(blocks.at(-1)!) - 8n, 8);
  for (const block of blocks) free(block);
  assert.equal(before.readBigUInt64LE(0) & 2n, 2n);
});

test('memory that was freed between blocks in use is the kernel’s again', async () => {
  const library = koffi.load(null);
  const malloc = library.func('void *malloc(size_t size)');
  const memset = library.func('void *memset(void *at, int octet, size_t size)');
  const free = library.func('void free(void *at)');
  const blocks = Array.from({ length: BLOCKS }, () => {
    const block = malloc(BLOCK_BYTES);
    memset(block, 1, BLOCK_BYTES);
    return block;
  });
  const [dropped, kept] = [blocks.filter((_, at) => at % KEPT_OF !== 0), blocks.filter((_, at) => at % KEPT_OF === 0)];
  for (const block of dropped) free(block);
  const before = residentBytes();
  const trim = await loadTrim();
  await trim?.();
  const returned = before - residentBytes();
  for (const block of kept) free(block);
  assert.ok(returned > (BLOCKS * BLOCK_BYTES) / 2, `${returned} of ${BLOCKS * BLOCK_BYTES} octets went back`);
});

test('it happens once in each interval, until the process stops', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  let times = 0;
  const load = async () => async () => {
    times += 1;
  };
  const ended = returnUnusedMemory(clock, stop.signal, load);
  for (const wanted of [1, 2, 3]) {
    await until(() => clock.sleepers > 0, 'it waits');
    assert.equal(times, wanted - 1);
    await clock.advance(20_000);
    await until(() => times === wanted, `it was done ${wanted} times`);
  }
  stop.abort();
  await ended;
  assert.equal(times, 3);
});

test('a trim that fails is tried again, and ends nothing', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  let times = 0;
  const load = async () => async () => {
    times += 1;
    throw new Error('no thread is free');
  };
  const ended = returnUnusedMemory(clock, stop.signal, load);
  for (const wanted of [1, 2]) {
    await until(() => clock.sleepers > 0, 'it waits');
    await clock.advance(20_000);
    await until(() => times === wanted, `it was tried ${wanted} times`);
  }
  stop.abort();
  await ended;
});

test('without malloc_trim nothing is waited for', async () => {
  await returnUnusedMemory(createFakeClock(), new AbortController().signal, async () => undefined);
});
