// Files that the kernel makes as they are read, in sysfs or procfs. They wait for no disk, so they are read at once: over the thread
// pool each costs ten times as much, and a router has hundreds.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const page = Buffer.allocUnsafe(PAGE_BYTES);

/** A single value, without the white space around it; undefined where it cannot be read, or is longer than a page. */
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

/** A small table such as `/proc/net/snmp`, whose rows do not grow with routes or connections; empty where it cannot be read. */
export function kernelTable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
