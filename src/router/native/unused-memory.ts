// Gives memory that was freed back to the kernel. glibc keeps what was freed below anything that is still in use: compilations of V8 and
// packed reports left 30 MB behind after an hour of work, in which nothing was. And it learns from each large block that is freed to keep the next
// of that size, in the memory of each thread, at whose end malloc_trim does not look. A large block of its own costs page faults: storing and
// reading a report of 600 kB took 0.3 to 0.7 ms more.
import type { Clock } from '#base/clock.ts';
import { slept } from '#base/every.ts';
import { ROUTER_LIMITS } from '../limits.ts';

/** Again and again until `signal`. Ends at once where there is no koffi, or another C library than glibc. */
export async function returnUnusedMemory(
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
  load: () => Promise<(() => Promise<void>) | undefined> = loadTrim,
): Promise<void> {
  const trim = await load();
  // One that fails is tried again with the next: where all threads are busy, for one.
  while (trim !== undefined && (await slept(clock, ROUTER_LIMITS.unusedMemoryMs, signal))) await trim().catch(() => {});
}

/** Of mallopt(3). Setting one of them ends the learning. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;

/** From now on large blocks are given back when they are freed; what is returned gives back the rest, on a thread of libuv's pool: with large heaps it takes milliseconds. */
export async function loadTrim(): Promise<(() => Promise<void>) | undefined> {
  try {
    const { default: koffi } = await import('koffi');
    const library = koffi.load(null);
    const mallocTrim = library.func('int malloc_trim(size_t pad)');
    const mallopt = library.func('int mallopt(int parameter, int value)');
    for (const parameter of [M_MMAP_THRESHOLD, M_TRIM_THRESHOLD]) mallopt(parameter, ROUTER_LIMITS.ownBlockBytes);
    return () => new Promise((resolve) => mallocTrim.async(0, () => resolve()));
  } catch {
    // Musl has no malloc_trim, and an installation without optional packages no koffi: memory is kept then, as it is by default.
    return undefined;
  }
}
