// `npm run requirements`: prints every requirement with its state and the tests that prove it, and writes
// docs/requirements.md. Exits with 1 when the table and the tests disagree.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectCitations, faultsBetween, REQUIREMENTS, renderRequirements } from '../test/requirements.ts';
import { ROOT } from './source-files.ts';

const citations = collectCitations();
for (const { id, state, summary, missing } of REQUIREMENTS) {
  console.log(`${id.padEnd(8)} ${state.padEnd(8)} ${summary}`);
  if (missing) console.log(`${' '.repeat(18)}missing: ${missing}`);
  for (const { file, line, name } of citations.filter((citation) => citation.id === id)) {
    console.log(`${' '.repeat(18)}${file}:${line} ${name}`);
  }
}
const text = renderRequirements(REQUIREMENTS, citations);
writeFileSync(join(ROOT, 'docs/requirements.md'), text);
console.log(`\n${text.split('\n')[5]} docs/requirements.md written.`);
const faults = faultsBetween(REQUIREMENTS, citations);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
