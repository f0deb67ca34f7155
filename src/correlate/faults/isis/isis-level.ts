// isis_level_mismatch: a router, or one circuit of it, speaks another level than its neighbours. The router that differs from the
// others is named.
import type { Remedy } from '#model/finding.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import { circuitOf, type World } from '../../network/world.ts';
import { defineRouterMismatch, isisAt, levelsAt } from './router-mismatch.ts';

const WORD = 'level ';

export const isisLevel = defineRouterMismatch({
  id: 'isis_level_mismatch',
  summary: 'a router runs an IS-IS level that its neighbours do not',
  exact: '`isis circuit-type` or `is-type`, whichever is wrong',
  isWrong: (world, [one, other]) => !levelsAt(world, one).some((level) => levelsAt(world, other).includes(level)),
  words: (world, end) => `${WORD}${levelsAt(world, end).join('-') || 'none'}`,
  change: levelChange,
});

/** The circuit where its router speaks what is usual, the router where its circuit does. */
function levelChange(world: World, ifname: string, node: string, usual: string): Pick<Remedy, 'change' | 'decide'> {
  const end = { node, ifname };
  const [circuit, isis] = [circuitOf(world, end), isisAt(world, { end })];
  const wanted = usual.slice(WORD.length);
  const level = { '1': 'level-1', '2': 'level-2-only', '1-2': 'level-1-2' }[wanted];
  if (isis === undefined || level === undefined) return {};
  const allows = (own: string) => wanted.split('-').every((each) => own.split('-').includes(each));
  if (allows(isis.level)) return frrChange(world, node, onInterface(ifname, `isis circuit-type ${level}`));
  if (isis.tag === undefined || !allows(circuit?.level ?? '1-2') || circuit?.level === isis.level)
    return { decide: 'which levels the router is to speak: its process and its circuit both exclude what is usual' };
  return frrChange(world, node, [`router isis ${isis.tag}`, ` is-type ${level}`]);
}
