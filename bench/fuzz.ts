// `npm run bench -- fuzz --json [--inputs N] [--seed S] [--only PARSER]`: changed inputs for every parser that a stranger reaches: no exception, no
// second of work, bounded memory. Without `--inputs` each gets its full campaign, of a million where an input is costly, else of ten million.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CampaignResult, runCampaign } from './fuzz/campaign.ts';
import { PARSERS } from './fuzz/parsers.ts';
import type { Benchmark } from './main.ts';

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      inputs: { type: 'string' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
    },
  });
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !PARSERS.some((parser) => parser.name === name));
  if (unknown !== undefined)
    throw new Error(`expected parsers of ${PARSERS.map(({ name }) => name).join(', ')}, got ${unknown}`);
  const dir = await mkdtemp(join(tmpdir(), 'parley-fuzz-'));
  try {
    const parsers: Record<string, Omit<CampaignResult, 'findings'>> = {};
    const findings = [];
    for (const parser of PARSERS.filter(({ name }) => only?.includes(name) ?? true)) {
      // Costly ones get their share of what was asked for.
      const inputs = values.inputs === undefined ? parser.inputs : Math.min(parser.inputs, Number(values.inputs));
      const { findings: found, ...figures } = await runCampaign({
        parser,
        seed: Number(values.seed),
        inputs,
        dir,
        say,
      });
      parsers[parser.name] = figures;
      findings.push(...found);
    }
    return { seed: Number(values.seed), parsers, findings };
  } finally {
    await rm(dir, { recursive: true });
  }
};
