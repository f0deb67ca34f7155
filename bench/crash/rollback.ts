// parley-rollback with the killing hook; runs inside a node, where the program stands below /opt/parley.
import { crashAt } from './point.ts';

const program = '/opt/parley/src';
const { parseRollbackOptions, watchChanges } = (await import(
  `${program}/router/rollback/main.ts`
)) as typeof import('#router/rollback/main.ts');
const { createLog } = (await import(`${program}/base/log.ts`)) as typeof import('#base/log.ts');
const log = createLog({ level: 'info', sink: (line) => process.stderr.write(`${line}\n`), now: Date.now });
await watchChanges(parseRollbackOptions(process.argv.slice(2)), log, crashAt('rollback'));
