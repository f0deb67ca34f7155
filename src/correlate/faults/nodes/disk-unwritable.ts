// disk_unwritable: a file system that a node's programs write to is full, has no inode left, or has become read-only. Packets go on; no configuration can be
// saved, and no log says what happens next. A fault where the node remembers it otherwise: images of a system are read-only and full by design, and one that was made writable for
// an update is read-only again after it.
import { nodeResource } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { FileSystem } from '#model/router/state-schema.ts';
import { hasRoom } from '#model/settings/resource-rows.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import type { View, World } from '../../network/world.ts';

type Detail = {
  readonly node: string;
  readonly mount: string;
  readonly holds: readonly string[];
  readonly condition: 'full' | 'read-only';
  /** It is full of files, however small. */
  readonly hasRoom: boolean;
};

export const diskUnwritable = defineFault<Detail>({
  id: 'disk_unwritable',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a file system that the programs of a node write to has become full, of data or of files, or read-only',
  detect: ({ world, past }) =>
    past === undefined ? [...world.views.values()].flatMap((view) => detected(world, view)) : [],
  describe: (detail) => sentence(detail),
  remedy: (detail) => ({ node: detail.node, ...wayOut(detail) }),
  // What is full ends no daemon by itself: beside another cause both are named.
  score: 2,
});

function wayOut({ node, mount, condition, hasRoom: isOfFiles }: Detail) {
  const at = `${mount} of ${nodeRef(node)}`;
  if (condition === 'read-only')
    return {
      summary: `make ${at} writable again`,
      command: `findmnt --target ${mount}; dmesg | tail -50`,
      decide:
        'who made it read-only: the kernel after an error of the disk, which must be checked, or replaced, first; or a command of an operator or a program (`mount -o remount,rw` undoes it)',
    };
  if (isOfFiles)
    return {
      summary: `remove files from ${at}: it has free space, but no free inode for another file`,
      command: `du -x --inodes --max-depth=3 ${mount} | sort -n | tail -20`,
      decide: 'which files may be removed: their number counts, and their size does not',
    };
  return {
    summary: `free space in ${at}`,
    command: `du -xh --max-depth=3 ${mount} | sort -h | tail -20`,
    decide:
      'what may be removed: old logs, crash files, packages that were fetched; and, where a quota is what is full, whether it may be larger',
  };
}

function sentence({ node, mount, holds, condition, hasRoom: isOfFiles }: Detail): string {
  const places = holds.filter((folder) => folder !== mount);
  const where = places.length === 0 ? mount : `${mount}, which holds ${places.join(', ')},`;
  return `${nodeRef(node)}: ${where} ${condition === 'full' && isOfFiles ? 'has no inode left for another file' : `is ${condition}`}`;
}

function detected(world: World, view: View): readonly Detection<Detail>[] {
  const { node, state, before, after, sources } = view;
  return (state.resources?.fileSystems ?? []).flatMap((disk): readonly Detection<Detail>[] => {
    const { mount, holds, condition } = disk;
    const isSame = (other: NodeState | undefined) =>
      other?.resources === undefined || fileSystemAt(other, mount)?.condition === condition;
    if (condition === 'writable' || !isSame(before) || !isSame(after)) return [];
    const detail = { node, mount, holds, condition, hasRoom: hasRoom(disk) };
    const found = { resource: nodeResource(node), key: mount, evidence: sources, nodes: [node], detail };
    const isAgain = condition === 'read-only' && wasReadOnlyBefore(view, mount);
    if (wasWritable(world, node, mount) && !isAgain) return [found];
    const remark = `${sentence(detail)}, and always was as far as its agent remembers`;
    return condition === 'full' ? [{ ...found, remark }] : [];
  });
}

function wasWritable(world: World, node: string, mount: string): boolean {
  return (
    settingsBefore(world, node, 'resource', mount, 'disk').includes('writable') ||
    seenOtherwise(world, node, (state) => fileSystemAt(state, mount)?.condition).includes('writable')
  );
}

/** It became writable while its node remembers, and was read-only before that. */
function wasReadOnlyBefore({ state }: View, mount: string): boolean {
  return (state.history?.settings ?? []).some(
    ({ kind, subject, setting, was }) =>
      kind === 'resource' && subject === mount && setting === 'disk' && was === 'read-only',
  );
}

function fileSystemAt({ resources }: NodeState, mount: string): FileSystem | undefined {
  return resources?.fileSystems.find((each) => each.mount === mount);
}
