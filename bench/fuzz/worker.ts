// The process in which a stretch of inputs is read, so that its end or its standing still ends nothing else: arguments in, one JSON line out. The
// number of the input that is under way stands in a file.
import { openSync, writeSync } from 'node:fs';
import type { Parser } from './parser.ts';
import { runStretch } from './stretch.ts';

const [module = '', name = '', seed = '1', from = '0', count = '1', every = '1', place = ''] = process.argv.slice(2);
const { PARSERS } = (await import(module)) as { readonly PARSERS: readonly Parser[] };
const parser = PARSERS.find((each) => each.name === name)!;
const file = openSync(place, 'w');
const onPlace = (index: number) => void writeSync(file, String(index).padEnd(16), 0);
const result = await runStretch({
  parser,
  seed: Number(seed),
  from: Number(from),
  count: Number(count),
  every: Number(every),
  onPlace,
});
process.stdout.write(`${JSON.stringify({ ...result, mostBytes: process.resourceUsage().maxRSS * 1_024 })}\n`);
process.exit(0);
