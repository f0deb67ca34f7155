// What V8 says was executed, as ranges of characters a source file. Pure.
// V8 lists functions and blocks with their counts; the innermost one around a character decides.

export type Range = readonly [start: number, end: number];

export type V8Script = {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
};

/** The executed ranges of one script, in order, without overlap. */
export function executedIn(script: V8Script): readonly Range[] {
  const blocks = script.functions
    .flatMap(({ ranges }) => ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  const executed = new Uint8Array(blocks.reduce((end, { endOffset }) => Math.max(end, endOffset), 0));
  for (const { startOffset, endOffset, count } of blocks) executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  const found: Range[] = [];
  for (let start = executed.indexOf(1); start !== -1; ) {
    const stop = executed.indexOf(0, start);
    const end = stop === -1 ? executed.length : stop;
    found.push([start, end]);
    start = executed.indexOf(1, end);
  }
  return found;
}

/** What was executed in either of two runs of one file. */
export function joined(one: readonly Range[], other: readonly Range[]): readonly Range[] {
  const found: [number, number][] = [];
  for (const [start, end] of [...one, ...other].sort(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

export function isExecuted(ranges: readonly Range[], offset: number): boolean {
  return ranges.some(([start, end]) => start <= offset && offset < end);
}
