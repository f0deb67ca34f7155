// `npm run docs`: writes docs/limits.md and docs/errors.md anew; meanings of error codes that are there already stay.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, limitGroups, meaningsIn, renderErrors, renderLimits } from './reference-docs.ts';
import { ROOT } from './source-files.ts';

const errorsPath = join(ROOT, 'docs/errors.md');
const meanings = existsSync(errorsPath) ? meaningsIn(readFileSync(errorsPath, 'utf8')) : new Map<string, string>();
const codes = errorCodes();
writeFileSync(join(ROOT, 'docs/limits.md'), renderLimits(await limitGroups(ROOT)));
writeFileSync(errorsPath, renderErrors(codes, meanings));
for (const code of codes.filter((entry) => !meanings.get(entry)))
  console.log(`docs/errors.md: ${code} needs a meaning`);
