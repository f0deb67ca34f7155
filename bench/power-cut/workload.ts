// One life of the process whose disk is cut: works on all kinds of kept state at once with the project's own code, and writes down what it was
// promised, in the order of the recording. Started by run.ts with the recorder preloaded.
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { mulberry32 } from '../../simulations/lab/node-files.ts';
import { folderOf, PARTS } from './parts.ts';

const [root = '', notes = '', number = '1', seed = '1', operations = '100', only = ''] = process.argv.slice(2);
const file = openSync(notes, 'a');
const work = PARTS.filter(({ name }) => only === '' || name === only).map((part, index) => {
  const say = (kind: 'attempt' | 'ack') => (fields: object) =>
    void writeSync(file, `${JSON.stringify({ ...fields, part: part.name, kind })}\n`);
  return part.work({
    dir: join(root, folderOf(part)),
    number: Number(number),
    random: mulberry32(Number(seed) + 1_000 * Number(number) + index),
    operations: Number(operations),
    attempt: say('attempt'),
    ack: say('ack'),
  });
});
await Promise.all(work);
