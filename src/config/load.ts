// Reads the configuration: flags > PARLEY_* > file > defaults. All problems are reported at once, each with its path; frozen after load.
import { readFile } from 'node:fs/promises';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import { type Config, configSchema } from './schema.ts';

const DEFAULT_CONFIG_FILE = '/etc/parley/parley.yaml';

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
  const named = sources.file ?? env['PARLEY_CONFIG'];
  const file = named ?? DEFAULT_CONFIG_FILE;
  const fromFile = await readFileTree(file);
  if (fromFile === undefined && named !== undefined) throw missing(file);
  const merged = fromFile ?? {};
  if (env['OLLAMA_HOST']) setPath(merged, ['narrate', 'ollama'], urlOf(env['OLLAMA_HOST']));
  for (const [path, text] of overridesFromEnv(env)) setPath(merged, path, scalarOf(path, text));
  for (const [name, text] of Object.entries(sources.flags ?? {})) {
    const path = name.split('.');
    setPath(merged, path, scalarOf(path, text));
  }
  const parsed = configSchema.safeParse(merged);
  if (parsed.success) return deepFreeze(parsed.data);
  if (fromFile === undefined) throw missing(file, describeIssues(parsed.error));
  throw new ParleyError('caller/config-invalid', `${file}: ${describeIssues(parsed.error)}`, { data: { file } });
}

function missing(file: string, problems?: string): ParleyError {
  const hint = 'give --config FILE or set PARLEY_CONFIG; docs/operations/parley.yaml is a commented example';
  const said = problems === undefined ? `cannot read ${file}` : `cannot read ${file}, and without it ${problems}`;
  return new ParleyError('caller/config-missing', `${said}: ${hint}`, { data: { file } });
}

/** One line for each issue: `listen.port: expected number, received string`, `node: missing`. */
export function describeIssues(error: z.ZodError): string {
  const said = (message: string) => (message.endsWith('received undefined') ? 'missing' : message);
  return error.issues.map((issue) => `${issue.path.join('.') || '(top)'}: ${said(issue.message)}`).join('; ');
}

/** Undefined when there is no such file. */
export async function readFileTree(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    const tree: unknown = parseYaml(await readFile(file, 'utf8')) ?? {};
    if (!isJsonObject(tree)) throw new Error('expected a mapping at the top');
    return { ...tree };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ParleyError('caller/config-invalid', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/** `PARLEY_LISTEN_PORT=9515` sets `listen.port`; names that match no key of the schema are left to others. */
function overridesFromEnv(env: Readonly<Record<string, string | undefined>>): [readonly string[], string][] {
  const known = new Map(schemaLeaves(configSchema).map(({ path }) => [path.join('_').toUpperCase(), path]));
  const found: [readonly string[], string][] = [];
  for (const [name, text] of Object.entries(env)) {
    const path = name.startsWith('PARLEY_') ? known.get(name.slice('PARLEY_'.length)) : undefined;
    if (path && text !== undefined) found.push([path, text]);
  }
  return found;
}

export type SchemaLeaf = { readonly path: readonly string[]; readonly type: string };

type Definition = {
  readonly type?: string;
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly options?: readonly z.ZodType[];
};

/** All keys that hold one value, without lists and records; the alternatives of a union together. */
export function schemaLeaves(schema: z.ZodType, prefix: readonly string[] = []): readonly SchemaLeaf[] {
  const { type = '', innerType, shape, options } = (schema as { readonly def?: Definition }).def ?? {};
  if (innerType) return schemaLeaves(innerType, prefix);
  if (shape) return Object.entries(shape).flatMap(([key, inner]) => schemaLeaves(inner, [...prefix, key]));
  if (options) {
    const leaves = options.flatMap((option) => schemaLeaves(option, prefix));
    return leaves.filter((leaf, index) => leaves.findIndex((other) => samePath(other.path, leaf.path)) === index);
  }
  return type === 'array' || type === 'record' ? [] : [{ path: prefix, type }];
}

function samePath(one: readonly string[], other: readonly string[]): boolean {
  return one.join('.') === other.join('.');
}

function setPath(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    tree[head] = value;
    return;
  }
  const inner = tree[head];
  const next: Record<string, unknown> = isJsonObject(inner) ? { ...inner } : {};
  tree[head] = next;
  setPath(next, rest, value);
}

/** OLLAMA_HOST is often only `host:port`. */
function urlOf(host: string): string {
  return /^https?:\/\//.test(host) ? host : `http://${host}`;
}

/** A text as the schema wants it at `path`; what does not fit stays text, and the schema says so. */
function scalarOf(path: readonly string[], text: string): string | number | boolean {
  const type = schemaLeaves(configSchema).find((leaf) => samePath(leaf.path, path))?.type;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'number' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
