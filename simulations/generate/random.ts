// A seeded source of choices: the same seed makes the same networks, places and cases.
import type { Random } from '../lab/faults/fault.ts';
import { mulberry32 } from '../lab/node-files.ts';

export function seededRandom(seed: number): Random {
  const next = mulberry32(seed);
  const pick = <T>(values: readonly T[]): T => {
    if (values.length === 0) throw new RangeError('expected something to pick from');
    return values[Math.floor(next() * values.length)]!;
  };
  for (let turn = 0; turn < 8; turn++) next();
  return { next, pick };
}
