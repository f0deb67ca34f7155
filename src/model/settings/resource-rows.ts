// Settings that say what a node has left: whether its file systems can be written, and how often the kernel killed a program for want of memory. Pure.
import type { NodeState } from '../router/router-port.ts';
import type { FileSystem } from '../router/state-schema.ts';
import type { SettingRow } from './setting-row.ts';

/** Less than this is no room for a log or a configuration; of a small file system, a hundredth of it. */
const ROOM_BYTES = 1_048_576;
const ROOM_SHARE = 0.01;

/** A file system that has room and is full all the same has no inode left. */
export function hasRoom({ totalBytes, availableBytes }: Pick<FileSystem, 'totalBytes' | 'availableBytes'>): boolean {
  return availableBytes >= Math.min(ROOM_BYTES, totalBytes * ROOM_SHARE);
}

/** `needs`: the conditions under which the node's resources and its daemons are read. */
export function resourceRows(
  { resources, daemons = [] }: Pick<NodeState, 'resources' | 'daemons'>,
  needs: { readonly resources: string; readonly daemons: string },
): readonly SettingRow[] {
  const row = (setting: string, subject: string, value: string, need: string): SettingRow => ({
    ...{ kind: 'resource', subject, setting, value },
    needs: [need],
  });
  // A daemon that has ended is in no group; those that are left tell of theirs.
  const killed = daemons.flatMap((daemon) => (daemon.killed === undefined ? [] : [Number(daemon.killed)]));
  return [
    ...(resources?.fileSystems ?? []).map(({ mount, condition }) => row('disk', mount, condition, needs.resources)),
    ...(resources?.killed === undefined ? [] : [row('killed', 'node', resources.killed, needs.resources)]),
    ...(killed.length === 0 ? [] : [row('killed', 'daemons', `${Math.max(...killed)}`, needs.daemons)]),
  ];
}
