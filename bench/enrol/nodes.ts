// Some of the nodes of `npm run bench -- enrol`, in one process: reads its attempts from standard input, makes all of them at once, says what came of each.
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Attempt, attempt } from './rack.ts';

const { attempts, port, dir } = JSON.parse(await text(process.stdin)) as {
  readonly attempts: readonly Attempt[];
  readonly port: number;
  readonly dir: string;
};
const done = await Promise.all(attempts.map((each) => attempt(each, port, join(dir, each.name))));
process.stdout.write(JSON.stringify(done));
