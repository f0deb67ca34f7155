// Checks a request against its schema: what passes has only members that the schema names, each within its bounds. The first fault is refused
// with `caller/bad-argument` and the words "expected X, got Y".
import type * as z from 'zod';
import { ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';

/** Characters of a refused value that are repeated. */
const SHOWN_CHARS = 80;

export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  if (issue.code === 'unrecognized_keys')
    return refuse(`only the members ${namesAt(schema, issue.path)}`, issue.keys[0]);
  return refuse(issue.message, issue.path.reduce(memberOf, value));
}

export function refuse(expected: string, got: unknown): never {
  const shown = JSON.stringify(got) ?? 'nothing';
  throw new ParleyError('caller/bad-argument', `expected ${expected}, got ${shown.slice(0, SHOWN_CHARS)}`);
}

function memberOf(value: unknown, name: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isJsonObject(value) ? value[String(name)] : undefined;
}

/** The members of the object schema at a path of the request. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const at = path.reduce<z.core.$ZodType>((outer, name) => {
    const { def } = whole(outer)._zod as {
      readonly def: { readonly shape?: Shape; readonly element?: z.core.$ZodType };
    };
    return def.shape?.[String(name)] ?? def.element ?? outer;
  }, schema);
  const { shape = {} } = whole(at)._zod.def as { readonly shape?: Shape };
  return Object.keys(shape).join(', ') || '(none)';
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** Without what makes it optional or gives it a default. */
function whole(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : whole(innerType);
}
