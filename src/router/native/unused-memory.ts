// Gives memory that was freed back to the kernel. glibc keeps what was freed below anything that is still in use: compilations of V8 and
// packed reports left 30 MB behind after an hour of work, in which nothing was.
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

/** On a thread of libuv's pool: with large heaps it takes milliseconds. */
export async function loadTrim(): Promise<(() => Promise<void>) | undefined> {
  try {
    const { default: koffi } = await import('koffi');
    const mallocTrim = koffi.load(null).func('int malloc_trim(size_t pad)');
    return () => new Promise((resolve) => mallocTrim.async(0, () => resolve()));
  } catch {
    // Musl has no malloc_trim, and an installation without optional packages no koffi: memory is kept then, as it is by default.
    return undefined;
  }
}
