// `node scripts/faults-table.ts`: writes docs/faults.md from the fault definitions, so that the one table of faults is never older than
// they are. A test compares the two.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_DEFINITIONS } from '#correlate/faults/registry.ts';
import { ROOT } from './source-files.ts';

const FORMS = {
  node: '`node/<node>`',
  interface: '`interface/<node>/<interface>`',
  link: '`link/<node>:<interface>--<node>:<interface>`',
} as const;

export function renderFaults(): string {
  const code = (label: string | null) => (label === null ? '—' : `\`${label}\``);
  const row = (rule: (typeof FAULT_DEFINITIONS)[number]) =>
    `| ${code(rule.id)} | ${[rule.resource, ...(rule.orResource ?? [])].map((form) => FORMS[form]).join(' or ')} | ${code(rule.labels.nika)} | ${code(rule.labels.netOpsBench)} | ${rule.summary} | ${rule.exact ?? '—'} |`;
  return `${[
    '# Faults',
    '',
    'Every fault that a finding may name, the form of its resource, and the labels of the two public benchmarks (— where they',
    'have none). Loss in one direction is the sending interface; loss in both directions is two findings. Generated from the',
    'definitions in `src/correlate/faults/` by `node --conditions=parley-source scripts/faults-table.ts`; a test fails when it is stale.',
    '',
    'The last column is the exact change that `parley remedy` draws up; where there is none (—) the remedy says what to do, and a person does it.',
    '',
    '| fault | resource | NIKA | NetOpsBench | what it means | exact change |',
    '|---|---|---|---|---|---|',
    ...FAULT_DEFINITIONS.filter((rule) => rule.accuses).map(row),
    '',
    'Explanations that accuse no node: they account for lost probes and never become a finding.',
    '',
    '| explanation | what it means |',
    '|---|---|',
    ...FAULT_DEFINITIONS.filter((rule) => !rule.accuses).map((rule) => `| ${code(rule.id)} | ${rule.summary} |`),
  ].join('\n')}\n`;
}

if (import.meta.main) writeFileSync(join(ROOT, 'docs/faults.md'), renderFaults());
