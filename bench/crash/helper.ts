// The configuration helper with the killing hook; runs inside a node, where the program stands below /opt/parley.
import { crashAt } from './point.ts';

const program = '/opt/parley/src';
const { startConfigHelper, parseConfigOptions } = (await import(
  `${program}/router/config/main.ts`
)) as typeof import('#router/config/main.ts');
const { createLog } = (await import(`${program}/base/log.ts`)) as typeof import('#base/log.ts');
const log = createLog({ level: 'info', sink: (line) => process.stderr.write(`${line}\n`), now: Date.now });
// What is killed here is the journal's work; whose consent counts is tested elsewhere.
const authority = async ({ holder }: { readonly holder: string }) => ({ basis: 'off', by: holder }) as const;
await startConfigHelper(parseConfigOptions(process.argv.slice(2)), log, crashAt('helper'), { authority });
