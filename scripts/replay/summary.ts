// What the replay prints: a line for each difference, and the sums at the end.
import type { Difference } from './differences.ts';
import type { Replayed, ReplayState } from './run.ts';

const SHOWN_TEXT = 240;

export type Sums = Readonly<Record<ReplayState, number>> & { readonly replayed: number; readonly recorded: number };

export function sumsOf(all: readonly Replayed[]): Sums {
  const count = (state: ReplayState) => all.filter((each) => each.state === state).length;
  return {
    ...{ replayed: all.length, recorded: all.filter(({ from }) => from === 'recorded').length },
    ...{ equal: count('equal'), words: count('words'), differs: count('differs') },
    ...{ wanted: count('wanted'), stale: count('stale') },
  };
}

export function linesOf({ path, id, state, differences, lacking, reason }: Replayed): readonly string[] {
  const missing = lacking.map((what) => `${path}: not in the report: ${what}`);
  const told = differences.map((each) => `${path}: ${state === 'wanted' ? 'wanted, ' : ''}${lineOf(each)}`);
  if (state === 'wanted') return [...missing, `${path}: ${id} is meant to differ: ${reason}`, ...told];
  if (state === 'stale') return [...missing, `${path}: ${id} is meant to differ and does not: ${reason}`, ...told];
  return [...missing, ...told];
}

export function summaryOf(sums: Sums, seconds: number): string {
  const { replayed, equal, words, differs, wanted, stale, recorded } = sums;
  const rest = [
    ...(wanted === 0 ? [] : [`${wanted} differ and are meant to`]),
    ...(stale === 0 ? [] : [`${stale} are meant to differ and do not`]),
    `${recorded} compared with a recorded diagnosis`,
    `${seconds.toFixed(1)} s`,
  ];
  return `${replayed} replayed, ${equal} equal, ${words} words differ, ${differs} differ; ${rest.join('; ')}`;
}

/** 0 when nothing differs but what is meant to. */
export function exitCodeOf({ words, differs, stale, replayed }: Sums, wordsMayDiffer: boolean): number {
  return replayed === 0 || differs > 0 || stale > 0 || (words > 0 && !wordsMayDiffer) ? 1 : 0;
}

function lineOf({ kind, what, expected, actual }: Difference): string {
  const shown = (text: string | undefined) => (text === undefined ? 'nothing' : cut(JSON.stringify(text)));
  return `${kind === 'words' ? 'words differ' : 'differs'}: ${what}: ${shown(expected)}, now ${shown(actual)}`;
}

function cut(text: string): string {
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text;
}
