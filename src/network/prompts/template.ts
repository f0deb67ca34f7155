// Prompt templates as files (TS-4): YAML that an operator or a vendor can write, with `{{name}}` for the client's arguments and
// `{{#name}}…{{/name}}`, `{{^name}}…{{/name}}` for parts that depend on them. Checked when it is read; bad input is a value.
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '#base/error.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { NETWORK_LIMITS } from '../limits.ts';

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,95}$/, 'expected a name of lower-case letters, digits, ".", "-", "_"');
const text = z.string().min(1).max(2_000);

const argumentSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,31}$/),
  description: text,
  required: z.boolean().default(false),
  type: z.enum(['string', 'integer', 'array']).default('string'),
  format: z.enum(['ip', 'interface']).optional(),
  pattern: z.string().max(256).refine(isPattern, 'expected a regular expression').optional(),
  enum: z.array(z.string()).max(64).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  /** What a value out of range is called in its refusal. */
  label: z.string().max(32).optional(),
  /** YANG path that a value out of range stands for (NET-13's example). */
  path: z.string().max(256).optional(),
});

const outcomeSchema = z.strictObject({
  /** Looked for in the result's text; named groups become places of later steps. */
  match: z.string().max(512).refine(isPattern, 'expected a regular expression'),
  say: text,
  /** The diagnosis ends here. */
  end: z.boolean().default(false),
});

const stepSchema = z.strictObject({
  title: text,
  tool: z.string().min(1).max(128),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** The step is left out when this renders to nothing. */
  only: z.string().max(256).optional(),
  /** The user is asked before the call (NET-12); never left out for calls that change something. */
  confirm: text.optional(),
  outcomes: z.array(outcomeSchema).max(32).default([]),
  otherwise: text.optional(),
});

const templateSchema = z.strictObject({
  name,
  title: text,
  description: text,
  heading: text,
  stream: z.boolean().default(true),
  arguments: z.array(argumentSchema).max(16).default([]),
  steps: z.array(stepSchema).min(1).max(32),
  conclusion: text,
});

export type Template = z.infer<typeof templateSchema>;
export type TemplateStep = Template['steps'][number];
export type TemplateArgument = Template['arguments'][number];
export type Values = Readonly<Record<string, string>>;

/** Tools whose call a template must ask for before it is made. */
const CONFIRMED = new Set([
  'network.commit',
  'network.cli.configure',
  'network.yang.edit',
  'network.rollback',
  'rollback-config',
  'network.file.push',
]);

export function parseTemplate(source: string): Result<Template> {
  if (source.length > NETWORK_LIMITS.promptFileBytes)
    return bad(`expected at most ${NETWORK_LIMITS.promptFileBytes} characters, got more`);
  try {
    const read = templateSchema.safeParse(parse(source, { maxAliasCount: 0 }));
    if (!read.success)
      return bad(
        read.error.issues
          .map(({ path, message }) => `${path.join('.')}: ${message}`)
          .join('; ')
          .slice(0, 400),
      );
    const silent = read.data.steps.find((step) => step.confirm === undefined && CONFIRMED.has(step.tool));
    if (silent !== undefined) return bad(`expected a confirmation before ${silent.tool}, got none`);
    return ok(read.data);
  } catch (error) {
    return bad(messageOf(error).slice(0, 400));
  }
}

const SECTION = /\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}/g;
/** Sections within sections. */
const MOST_DEPTH = 4;
const PLACE = /\{\{(\w+)\}\}/g;

/** Places without a value become nothing; values are put in as they are and never read as a template. */
export function render(template: string, values: Values): string {
  // Sections stand inside sections: the outer ones go first.
  let text = template;
  for (let depth = 0; depth < MOST_DEPTH; depth++) {
    const next = text.replace(SECTION, (_whole, kind: string, place: string, inner: string) =>
      ((values[place] ?? '') === '') === (kind === '^') ? inner : '',
    );
    if (next === text) break;
    text = next;
  }
  return text.replace(PLACE, (_whole, place: string) => values[place] ?? '');
}

/** Every text inside a step's arguments. */
export function renderArguments(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return render(value, values);
  if (Array.isArray(value)) return value.map((entry) => renderArguments(entry, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, renderArguments(entry, values)]));
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
