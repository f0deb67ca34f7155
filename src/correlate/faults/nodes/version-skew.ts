// version_skew: daemons of one node run in different releases of FRR, since some of them were started again after an update and others were not. They
// speak with zebra in a protocol that changes between releases, so a node's daemons must be of one. A fault where the node remembers them alike; while a
// restart of all of them is under way, at once or one by one, and between patches of one release, it is none. Neighbours may run any release.
import { nodeResource } from '#model/names.ts';
import type { Daemon } from '#model/router/control-plane.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { skewedDaemons } from '#model/settings/node-settings.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { statesSeen, type View, type World } from '../../network/world.ts';
import { lostWithDaemons } from './lost-with-daemons.ts';

/** `versions`: of each of the `daemons`, which differ from zebra's. */
type Detail = {
  readonly node: string;
  readonly daemons: readonly string[];
  readonly versions: readonly string[];
  readonly zebra: string;
};

/** By then a restart of all daemons, one after the other, is done. */
const UNDER_WAY_MS = 20_000;
/** An operator who updates daemon by daemon looks at each before the next. */
const STEP_MS = 180_000;
/** Daemons that one command starts are started within this time, by how long their processes have run. */
const MOMENT_MS = 15_000;

export const versionSkew = defineFault<Detail>({
  id: 'version_skew',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'routing daemons of a node run in different releases of FRR: after an update some were started again, and others were not',
  detect: ({ world, past }) =>
    past === undefined ? [...world.views.values()].flatMap((view) => detected(world, view)) : [],
  describe: (detail) => sentence(detail),
  remedy: ({ node }) => ({
    node,
    summary: `restart all routing daemons of ${nodeRef(node)}, in one release`,
    command: 'systemctl restart frr',
    decide:
      'when: its adjacencies and sessions end for a moment; and which release is meant, by the packages that are installed',
  }),
  score: 4,
  consequences: ({ detail: { node, daemons }, remark }, file) =>
    remark === undefined ? lostWithDaemons(file, node, daemons) : [],
});

function sentence({ node, daemons, versions, zebra }: Detail): string {
  const each = daemons.map((name, index) => `${name} of FRR ${versions[index]}`);
  return `${nodeRef(node)} runs ${each.join(', ')} beside zebra of FRR ${zebra}`;
}

function detected(world: World, view: View): readonly Detection<Detail>[] {
  const { node, state, sources } = view;
  const running = (state.daemons ?? []).filter(({ alive }) => alive);
  const skewed = skewedDaemons(running).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const zebra = running.find(({ name }) => name === 'zebra')?.version;
  if (skewed.length === 0 || zebra === undefined || running.some(({ upMs = UNDER_WAY_MS }) => upMs < UNDER_WAY_MS))
    return [];
  const names = skewed.map(({ name }) => name);
  const detail = { node, daemons: names, versions: skewed.map(({ version }) => version), zebra };
  const found = { resource: nodeResource(node), nodes: [node], evidence: sources, detail };
  if (skewed.every(({ version }) => releaseOf(version) === releaseOf(zebra)))
    return [{ ...found, remark: `${sentence(detail)}: patches of one release, which work together` }];
  const stepAgoMs = lastStepAgo(running);
  if (stepAgoMs !== undefined)
    return [
      {
        ...found,
        remark: `${sentence(detail)}: its daemons are started again one by one, the last ${ageWords(stepAgoMs)} ago, as in an update under way`,
      },
    ];
  if (wereAlike(world, view, names)) return [{ ...found, confidence: 'likely' }];
  return [{ ...found, remark: `${sentence(detail)}, and always did as far as its agent remembers` }];
}

/**
 * How long ago the last step of an update was that goes on daemon by daemon: two of one release or more were started at different moments, each not long
 * after the other, since those of the other release were. One alone may have been started by mistake.
 */
function lastStepAgo(running: readonly Daemon[]): number | undefined {
  const releases = Map.groupBy(
    running.filter(({ version }) => version !== undefined),
    ({ version = '' }) => releaseOf(version),
  );
  if (releases.size !== 2) return undefined;
  const ages = [...releases.values()].map((each) => each.map(({ upMs }) => upMs ?? 0).sort((a, b) => a - b));
  const [young = [], old = []] = ages.sort(([one = 0], [other = 0]) => one - other);
  const [last = 0, steps] = [young[0], young.slice(1).map((age, index) => age - young[index]!)];
  const isStepwise = steps.some((step) => step > MOMENT_MS) && steps.every((step) => step <= STEP_MS);
  return isStepwise && last <= STEP_MS && old[0]! > young.at(-1)! ? last : undefined;
}

/** `8.4` of `8.4.4-1~deb12`. */
function releaseOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

/** The node remembers when they became different: one that differed before and differs otherwise now, or did not tell its version, was not alike. */
function wereAlike(world: World, { node, state }: View, names: readonly string[]): boolean {
  const isSkew = ({ kind, subject, setting, was, is }: SettingChange) =>
    kind === 'daemon' && setting === 'version' && was === undefined && is !== undefined && names.includes(subject);
  const isAlike = (daemons: readonly Daemon[] = []) => {
    const zebra = daemons.find(({ name }) => name === 'zebra')?.version;
    return (
      zebra !== undefined && names.some((name) => daemons.some((each) => each.name === name && each.version === zebra))
    );
  };
  return (
    (state.history?.settings ?? []).some(isSkew) || statesSeen(world, node).some(({ daemons }) => isAlike(daemons))
  );
}
