// Scenario files: a topology, what is injected into it, what is asked, and the truth. Unknown keys fail; all problems at once, each with its path.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { bad, ok, type Result } from '#base/result.ts';
import { FAULTS, faultIds } from './faults/catalogue.ts';
import type { Pair } from './scoring.ts';
import { problemsOf } from './topology.ts';

export type Injection =
  | { readonly where: 'cable'; readonly cable: string; readonly exec: readonly string[]; readonly repaired: boolean }
  | {
      readonly where: 'node';
      readonly node: string;
      readonly exec: readonly string[];
      readonly undo: readonly string[];
      readonly repaired: boolean;
      /** A snapshot of the node need not show it: that the commands succeeded is enough. */
      readonly learned?: true;
    }
  | {
      readonly where: 'fault';
      readonly fault: string;
      readonly parameters: Readonly<Record<string, unknown>>;
      readonly lastsMs?: number;
    };

export type Scenario = {
  readonly name: string;
  readonly file: string;
  readonly topologyFile: string;
  readonly timers: 'fast' | 'default';
  readonly inject: readonly Injection[];
  readonly settleMs: number;
  readonly ask: { readonly node: string; readonly intent: string };
  readonly truth: readonly Pair[];
};

const UNITS = { ms: 1, s: 1_000, m: 60_000 } as const;
const LONGEST_SETTLE_MS = 600_000;
const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'expected lower case letters, digits and hyphens');
const duration = z
  .string()
  .regex(/^\d+(ms|s|m)$/, 'expected a duration such as 500ms, 5s or 2m')
  .transform((text) => Number.parseInt(text, 10) * UNITS[text.replace(/^\d+/, '') as keyof typeof UNITS])
  .refine((ms) => ms <= LONGEST_SETTLE_MS, 'expected at most 10m');
const resource = z
  .string()
  .regex(
    /^(node\/[^/\s]+|interface\/[^/\s]+\/[^/\s]+|link\/[^:\s]+:\S+--[^:\s]+:\S+)$/,
    'expected node/<name>, interface/<node>/<ifname> or link/<node>:<if>--<node>:<if>',
  );
const commands = z.array(z.string().min(1)).min(1);
const cableName = z.string().regex(/^[^\s:]+:\S+--[^\s:]+:\S+$/, 'expected <node>:<if>--<node>:<if>');
const fileSchema = z.strictObject({
  name,
  description: z.string().optional(),
  topology: z.string().min(1),
  timers: z.enum(['fast', 'default']).default('fast'),
  cables: z.literal('hidden').default('hidden'),
  inject: z.array(z.unknown()).default([]),
  settle: duration.default(0),
  ask: z.strictObject({ node: z.string().min(1), intent: z.string().min(1) }),
  truth: z.array(z.strictObject({ resource, fault: z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected a fault id') })),
});
/** `repaired`: the commands end with everything as it was before; the run is invalid when something is left. */
const repaired = z.boolean().default(false);
const cableInjection = z.strictObject({ cable: cableName, exec: commands, repaired });
const nodeInjection = z.strictObject({ node: z.string().min(1), exec: commands, undo: commands.default([]), repaired });

export async function loadScenario(file: string): Promise<Result<Scenario>> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8').catch((error: Error) => error);
  return typeof text === 'string' ? parseScenario(text, path) : bad(`${path}: ${text.message}`);
}

/** The reason of a refusal has one problem a line. */
export function parseScenario(text: string, file: string): Result<Scenario> {
  let yaml: unknown;
  try {
    yaml = parseYaml(text);
  } catch (error) {
    return bad(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = fileSchema.safeParse(yaml);
  const problems = parsed.success ? [] : problemsOf(parsed.error);
  const injections = parseInjections(yaml, problems);
  if (!parsed.success || problems.length > 0) return bad(problems.join('\n'));
  const { topology, timers, settle, ask, truth } = parsed.data;
  const topologyFile = resolve(dirname(file), topology);
  return ok({ name: parsed.data.name, file, topologyFile, timers, inject: injections, settleMs: settle, ask, truth });
}

/** One `inject` entry by itself, as `lab inject` takes it from a file or the command line. */
export function parseInjection(value: unknown, path: string, problems: string[]): Injection | undefined {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.includes('fault')) return parseFault(value as Record<string, unknown>, path, problems);
  if (keys.includes('cable')) {
    const parsed = checked(cableInjection, value, path, problems);
    return parsed && { where: 'cable', ...parsed };
  }
  if (keys.includes('node')) {
    const parsed = checked(nodeInjection, value, path, problems);
    return parsed && { where: 'node', ...parsed };
  }
  problems.push(`${path}: expected an entry with cable, node or fault`);
  return undefined;
}

function parseInjections(yaml: unknown, problems: string[]): Injection[] {
  const entries = (yaml as { inject?: unknown } | null)?.inject;
  if (!Array.isArray(entries)) return [];
  return entries
    .map((entry, index) => parseInjection(entry, `inject.${index}`, problems))
    .filter((injection) => injection !== undefined);
}

/** `lasts`: the fault is over, repaired after that time, when the question is asked. */
function parseFault(value: Record<string, unknown>, path: string, problems: string[]): Injection | undefined {
  const { fault: id, lasts, ...parameters } = value;
  const fault = FAULTS.get(String(id));
  if (!fault) {
    problems.push(`${path}.fault: there is no ${String(id)}, known are ${faultIds().join(', ')}`);
    return undefined;
  }
  const parsed = checked(fault.parameters, parameters, path, problems) as Readonly<Record<string, unknown>> | undefined;
  const lastsMs = lasts === undefined ? undefined : checked(duration, lasts, `${path}.lasts`, problems);
  return (
    parsed && { where: 'fault', fault: fault.id, parameters: parsed, ...(lastsMs === undefined ? {} : { lastsMs }) }
  );
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: string, problems: string[]): T | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push(...problemsOf(parsed.error).map((problem) => `${path}.${problem}`));
  return undefined;
}
