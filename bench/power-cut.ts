// `npm run bench -- power-cut --json [--cuts 10000] [--seed S] [--only PART] [--no-sync]`: simulated power cuts in the work of everything
// that Parley promises to keep. A preloaded library records writes and synchronisations; each cut rebuilds the disk at a random moment
// without what was not synchronised, and the project's own code opens it. `--no-sync` proves that losses are found.
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#base/error.ts';
import { mulberry32 } from '../simulations/lab/node-files.ts';
import type { Benchmark } from './main.ts';
import { CUT_MODES, type CutMode, type Disk } from './power-cut/disk.ts';
import { writeImage } from './power-cut/image.ts';
import type { Part } from './power-cut/part.ts';
import { folderOf, PARTS } from './power-cut/parts.ts';
import type { Note } from './power-cut/recording.ts';
import { type Recorded, recordWorkload } from './power-cut/run.ts';
import { damageTrail, type TrailDamage } from './power-cut/trail-damage.ts';

export type CutFigures = {
  readonly cuts: number;
  readonly byMode: Readonly<Record<string, number>>;
  readonly recorded: Readonly<Record<string, number>>;
  /** What was promised up to the end of the recording, by part. */
  readonly promised: Readonly<Record<string, number>>;
  /** Cuts after which something was lost, broken or could not be opened, by part. */
  readonly faulty: Readonly<Record<string, number>>;
  readonly examples: readonly string[];
};

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      cuts: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      lives: { type: 'string', default: '8' },
      operations: { type: 'string', default: '150' },
      only: { type: 'string', default: '' },
      // In memory: a real disk would take minutes for the synchronisations of the checks, and adds nothing.
      dir: { type: 'string', default: '/dev/shm' },
      keep: { type: 'string' },
      // Of the trail whose every bit is flipped and that is cut at every octet.
      records: { type: 'string', default: '12' },
      'no-sync': { type: 'boolean', default: false },
    },
  });
  const figures = await cutPower({
    ...{
      cuts: Number(values.cuts),
      seed: Number(values.seed),
      lives: Number(values.lives),
      operations: Number(values.operations),
    },
    ...{ only: values.only, parent: values.dir, noSync: values['no-sync'], say },
    ...(values.keep === undefined ? {} : { keep: values.keep }),
  });
  return { seed: Number(values.seed), ...figures, trail: await damageOneTrail(values.dir, Number(values.records)) };
};

async function damageOneTrail(parent: string, records: number): Promise<TrailDamage> {
  const dir = await mkdtemp(join(parent, 'parley-trail-'));
  return damageTrail(dir, records).finally(() => rm(dir, { recursive: true }));
}

export type CutPower = {
  readonly cuts: number;
  readonly seed: number;
  readonly lives: number;
  readonly operations: number;
  readonly only: string;
  readonly parent: string;
  readonly noSync: boolean;
  /** Where the first faulty disk is left. */
  readonly keep?: string;
  readonly say: (line: string) => void;
};

export async function cutPower(init: CutPower): Promise<CutFigures> {
  const random = mulberry32(init.seed);
  const dir = await realpath(await mkdtemp(join(init.parent, 'parley-power-cut-')));
  try {
    const recorded = await recordWorkload({ ...init, dir, random });
    init.say(`${recorded.changes.length} changes recorded, the same as on disk; now ${init.cuts} cuts`);
    return await cutAll({ ...init, dir, random, recorded });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type Cutting = CutPower & { readonly dir: string; readonly random: () => number; readonly recorded: Recorded };

async function cutAll(init: Cutting): Promise<CutFigures> {
  const { random, recorded, cuts, say } = init;
  const { before: disk, changes } = recorded;
  const places = Array.from({ length: cuts }, () => Math.floor(random() * (changes.length + 1))).sort(
    (one, other) => one - other,
  );
  const parts = PARTS.filter(({ name }) => init.only === '' || name === init.only);
  const notes = new Map(parts.map(({ name }) => [name, [] as Note[]]));
  const [byMode, faulty, examples] = [countsOf(CUT_MODES), countsOf(parts.map(({ name }) => name)), [] as string[]];
  let at = 0;
  const advance = (until: number) => {
    for (; at < until; at++) {
      const change = changes[at]!;
      if (change.kind === 'note') notes.get(change.note.part)?.push(change.note);
      else disk.apply(change);
    }
  };
  const checking = new Set<Promise<void>>();
  for (const [index, place] of places.entries()) {
    advance(place);
    const mode = modeOf(random());
    byMode[mode]! += 1;
    const one = checkCut(init, { index, disk, mode, parts, notes }).then((found) => {
      checking.delete(one);
      for (const { part, faults } of found) {
        faulty[part.name]! += 1;
        if (examples.length < MOST_EXAMPLES)
          examples.push(`change ${place}, ${mode}, ${part.name}: ${faults.slice(0, 3).join('; ')}`);
      }
    });
    checking.add(one);
    if (checking.size >= AT_ONCE) await Promise.race(checking);
    if ((index + 1) % 500 === 0) say(`${index + 1} of ${cuts} cuts, faulty: ${JSON.stringify(faulty)}`);
  }
  await Promise.all(checking);
  advance(changes.length);
  const promised = Object.fromEntries(
    [...notes].map(([name, all]) => [name, all.filter(({ kind }) => kind === 'ack').length]),
  );
  return { cuts, byMode, recorded: { ...kindsOf(changes), kills: recorded.kills }, promised, faulty, examples };
}

const MOST_EXAMPLES = 20;
/** Cuts that are checked at once: a check mostly waits for files. */
const AT_ONCE = 8;

type OneCut = {
  readonly index: number;
  readonly disk: Disk;
  readonly mode: CutMode;
  readonly parts: readonly Part[];
  readonly notes: ReadonlyMap<string, readonly Note[]>;
};

type Found = { readonly part: Part; readonly faults: readonly string[] };

/** Writes all folders before it waits for anything: the disk goes on meanwhile. */
async function checkCut({ dir, random, keep }: Cutting, { index, disk, mode, parts, notes }: OneCut): Promise<Found[]> {
  const image = disk.cut(mode, random);
  const liveNames = disk.liveNames();
  const place = join(dir, `after-${index}`);
  const checks = parts.map((part) => {
    const folder = folderOf(part);
    const after = join(place, folder);
    writeImage(image, folder, after);
    if (keep !== undefined) writeImage(image, folder, `${after}-as-found`);
    const below = liveNames.filter((name) => name.startsWith(`${folder}/`));
    const known = { notes: [...notes.get(part.name)!], liveNames: below.map((name) => name.slice(folder.length + 1)) };
    return async (): Promise<Found> => {
      const checked = part.check({ dir: after, ...known });
      const faults = await checked.catch((error: unknown) => [`cannot be opened: ${messageOf(error)}`]);
      if (faults.length > 0 && keep !== undefined)
        await cp(`${after}-as-found`, join(keep, `${folder}-${index}-${mode}`), { recursive: true });
      return { part, faults };
    };
  });
  const found = await Promise.all(checks.map((check) => check()));
  await rm(place, { recursive: true, force: true });
  return found.filter(({ faults }) => faults.length > 0);
}

function modeOf(luck: number): CutMode {
  if (luck < 0.25) return 'none';
  if (luck < 0.55) return 'prefix';
  return luck < 0.95 ? 'any' : 'all';
}

function countsOf(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

function kindsOf(changes: Recorded['changes']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of changes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
