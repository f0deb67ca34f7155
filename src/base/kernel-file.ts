// One small file that the kernel makes as it is read, in sysfs or procfs. It waits for no disk, so it is read at once: over the thread
// pool each costs ten times as much, and a router has hundreds. Refuses what is longer than a page: that is no single value.
import { closeSync, openSync, readSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const page = Buffer.allocUnsafe(PAGE_BYTES);

/** Its text without the white space around it; undefined where it cannot be read. */
export function kernelValue(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const byteCount = readSync(fd, page, 0, PAGE_BYTES, 0);
    return byteCount === PAGE_BYTES ? undefined : page.toString('utf8', 0, byteCount).trim();
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
