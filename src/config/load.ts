// Reads the configuration: flags > PARLEY_* > file > defaults. All problems are told at once, each with its path; frozen after load.
import { readFile } from 'node:fs/promises';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import { type Config, configSchema } from './schema.ts';

export const DEFAULT_CONFIG_FILE = '/etc/parley/parley.yaml';

export type ConfigSources = {
  /** `--config`; when absent PARLEY_CONFIG, then the default file if it exists. */
  readonly file?: string | undefined;
  /** Dotted paths from flags: `{'listen.port': '9515'}`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Throws `caller/config-missing` or `caller/config-invalid` with one line for each problem. */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const env = sources.env ?? process.env;
  const file = sources.file ?? env['PARLEY_CONFIG'] ?? DEFAULT_CONFIG_FILE;
  const merged = await readFileTree(file);
  if (env['OLLAMA_HOST']) setPath(merged, ['narrate', 'ollama'], urlOf(env['OLLAMA_HOST']));
  for (const [path, text] of overridesFromEnv(env)) setPath(merged, path, text);
  for (const [path, text] of Object.entries(sources.flags ?? {})) setPath(merged, path.split('.'), text);
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) {
    throw new ParleyError('caller/config-invalid', `${file}: ${describeIssues(parsed.error)}`, { data: { file } });
  }
  return deepFreeze(parsed.data);
}

/** One line for each issue: `listen.port: expected number, received string`. */
export function describeIssues(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || '(top)'}: ${issue.message}`).join('; ');
}

async function readFileTree(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const hint = 'give --config FILE or set PARLEY_CONFIG; docs/operations/parley.yaml is a commented example';
    throw new ParleyError('caller/config-missing', `cannot read ${file}: ${hint}`, { cause });
  }
  try {
    const tree: unknown = parseYaml(text) ?? {};
    if (!isJsonObject(tree)) throw new Error('expected a mapping at the top');
    return { ...tree };
  } catch (cause) {
    throw new ParleyError('caller/config-invalid', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/** `PARLEY_LISTEN_PORT=9515` sets `listen.port`; names that match no key of the schema are left to others. */
function overridesFromEnv(env: Readonly<Record<string, string | undefined>>): [string[], string][] {
  const known = new Map(schemaPaths(configSchema).map((path) => [path.join('_').toUpperCase(), path]));
  const found: [string[], string][] = [];
  for (const [name, text] of Object.entries(env)) {
    const path = name.startsWith('PARLEY_') ? known.get(name.slice('PARLEY_'.length)) : undefined;
    if (path && text !== undefined) found.push([path, text]);
  }
  return found;
}

/** Paths of all scalar keys, without lists and records. */
export function schemaPaths(schema: z.ZodType, prefix: readonly string[] = []): string[][] {
  const definition = (schema as { def?: { type?: string; innerType?: z.ZodType; shape?: Record<string, z.ZodType> } })
    .def;
  if (definition?.innerType) return schemaPaths(definition.innerType, prefix);
  if (definition?.type === 'object' && definition.shape) {
    return Object.entries(definition.shape).flatMap(([key, inner]) => schemaPaths(inner, [...prefix, key]));
  }
  return definition?.type === 'array' || definition?.type === 'record' || definition?.type === 'union'
    ? []
    : [[...prefix]];
}

function setPath(tree: Record<string, unknown>, path: readonly string[], text: string): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    tree[head] = scalarOf(text);
    return;
  }
  const inner = tree[head];
  const next: Record<string, unknown> = isJsonObject(inner) ? { ...inner } : {};
  tree[head] = next;
  setPath(next, rest, text);
}

/** OLLAMA_HOST is often only `host:port`. */
function urlOf(host: string): string {
  return /^https?:\/\//.test(host) ? host : `http://${host}`;
}

function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
