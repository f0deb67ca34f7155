// Own prefixes that come and go in BGP: every whole state is compared with the one before. What happens between two looks shows as another version of the
// prefix. Bounded in number and age; a bgpd that began anew is no turn.
import type { BgpOwnPrefix, History } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type PrefixTurnMemory = {
  add(state: Pick<NodeState, 'bgp' | 'daemons' | 'missing'>, atMs: number): void;
  history(nowMs: number): Required<Pick<History, 'prefixTurns'>>;
};

type Turn = { readonly prefix: string; readonly atMs: number; readonly isGone: boolean };
type Known = { readonly atMs: number; readonly own: ReadonlyMap<string, BgpOwnPrefix> };

/** Once is a change of the configuration. */
const LEAST_TURNS = 2;

export function createPrefixTurns(): PrefixTurnMemory {
  let known: Known | undefined;
  let turns: readonly Turn[] = [];
  return {
    add({ bgp, daemons = [], missing }, atMs) {
      if (bgp === undefined || missing.some(({ part }) => part === 'bgp')) return;
      const own = new Map(bgp.ownPrefixes.map((each) => [each.prefix, each]));
      const upMs = daemons.find(({ name }) => name === 'bgpd')?.upMs ?? Number.POSITIVE_INFINITY;
      const isAnew = known === undefined || upMs < atMs - known.atMs;
      const found = isAnew ? [] : [...own.values()].flatMap((each) => turnOf(known!.own.get(each.prefix), each, atMs));
      known = { atMs, own };
      turns = [...turns, ...found]
        .filter((turn) => atMs - turn.atMs <= DRIVER_LIMITS.prefixTurnMs)
        .slice(-DRIVER_LIMITS.prefixTurns);
    },
    history(nowMs) {
      const prefixes = Map.groupBy(turns, ({ prefix }) => prefix);
      const ageOf = ({ atMs }: Turn) => Math.max(0, Math.round(nowMs - atMs));
      return {
        prefixTurns: [...prefixes]
          .filter(([, mine]) => mine.length >= LEAST_TURNS)
          .map(([prefix, mine]) => ({
            prefix,
            turns: mine.length,
            gone: mine.filter(({ isGone }) => isGone).length,
            firstAgoMs: ageOf(mine[0]!),
            lastAgoMs: ageOf(mine.at(-1)!),
          })),
      };
    },
  };
}

function turnOf(was: BgpOwnPrefix | undefined, is: BgpOwnPrefix, atMs: number): readonly Turn[] {
  if (was === undefined || was.version === is.version) return [];
  // It counts down where bgpd began anew.
  if (was.version !== undefined && is.version !== undefined && is.version < was.version) return [];
  return [{ prefix: is.prefix, atMs, isGone: is.version === undefined }];
}
