// What a node has left of what its programs share: room in the file systems that they write to, and memory. An optional part of its state.
import * as z from 'zod';
import { count, counter64, neededRows, rows, text, type Wire } from '../wire/fields.ts';

/** `full`: no room for a file of any use; `read-only`: mounted so, or made so by the kernel after an error of the disk. */
export const DISK_CONDITIONS = ['writable', 'full', 'read-only'] as const;
export type DiskCondition = (typeof DISK_CONDITIONS)[number];

/** One file system in which the node's programs write. */
export type FileSystem = Wire<typeof fileSystem>;
const fileSystem = z.object({
  mount: text,
  /** Which folders of the node it holds: `/var/log`. */
  holds: rows(text),
  condition: z.enum(DISK_CONDITIONS),
  totalBytes: count,
  /** For programs without privilege. */
  availableBytes: count,
});

export type Resources = Wire<typeof resources>;
export const resources = z.object({
  fileSystems: neededRows(fileSystem),
  /** Processes that the kernel has killed for want of memory since it started, in containers too. */
  killed: counter64.exactOptional(),
});
