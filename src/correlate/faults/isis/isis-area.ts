// isis_area_mismatch: two routers that have level 1 alone in common are in different areas (ISO/IEC 10589 §8.4.2.2).
import { defineRouterMismatch, isisAt, levelsAt } from './router-mismatch.ts';

export const isisArea = defineRouterMismatch({
  id: 'isis_area_mismatch',
  summary: 'level 1 neighbours are in different areas',
  isWrong: (world, [one, other]) => {
    const common = levelsAt(world, one).filter((level) => levelsAt(world, other).includes(level));
    const theirs = isisAt(world, other)?.areas ?? [];
    const share = isisAt(world, one)?.areas.some((area) => theirs.includes(area)) === true;
    return common.length > 0 && !common.includes('2') && !share;
  },
  words: (world, end) => `area ${isisAt(world, end)?.areas.join(', ') ?? ''}`,
  change: () => ({
    decide: 'another area is another name of the router for the whole network: it is not changed under way',
  }),
});
