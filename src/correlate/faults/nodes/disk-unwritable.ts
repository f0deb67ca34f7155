// disk_unwritable: a file system that a node's programs write to is full, or the kernel has made it read-only. Packets go on; no configuration can be
// saved, and no log says what happens next. A fault where the node remembers it otherwise: images of a system are read-only and full by design, and one that was made writable for
// an update is read-only again after it.
import { nodeResource } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { FileSystem } from '#model/router/state-schema.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import type { View, World } from '../../network/world.ts';

type Detail = {
  readonly node: string;
  readonly mount: string;
  readonly holds: readonly string[];
  readonly condition: 'full' | 'read-only';
};

export const diskUnwritable = defineFault<Detail>({
  id: 'disk_unwritable',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a file system that the programs of a node write to has become full or read-only',
  detect: ({ world, past }) =>
    past === undefined ? [...world.views.values()].flatMap((view) => detected(world, view)) : [],
  describe: (detail) => sentence(detail),
  remedy: ({ node, mount, condition }) =>
    condition === 'full'
      ? {
          node,
          summary: `make room in ${mount} of ${nodeRef(node)}`,
          command: `du -xh --max-depth=3 ${mount} | sort -h | tail -20`,
          decide: 'what may be removed: old logs, crash files, packages that were fetched',
        }
      : {
          node,
          summary: `make ${mount} of ${nodeRef(node)} writable again`,
          command: 'dmesg | tail -50',
          decide: 'why it is read-only: after an error of the disk it must be checked, or replaced, first',
        },
  // What is full ends no daemon by itself: beside another cause both are named.
  score: 2,
});

function sentence({ node, mount, holds, condition }: Detail): string {
  const places = holds.filter((folder) => folder !== mount);
  const where = places.length === 0 ? mount : `${mount}, which holds ${places.join(', ')},`;
  return `${nodeRef(node)}: ${where} is ${condition}`;
}

function detected(world: World, view: View): readonly Detection<Detail>[] {
  const { node, state, before, after, sources } = view;
  return (state.resources?.fileSystems ?? []).flatMap(({ mount, holds, condition }): readonly Detection<Detail>[] => {
    const isSame = (other: NodeState | undefined) =>
      other?.resources === undefined || fileSystemAt(other, mount)?.condition === condition;
    if (condition === 'writable' || !isSame(before) || !isSame(after)) return [];
    const detail = { node, mount, holds, condition };
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
