// A total decoder made from a schema: whatever a peer sent, it gives a value of the schema's type or nothing. A malformed row of a list is
// left out, and so are rows beyond the list's bound, an optional member that is malformed, and members that the schema does not name.
import type * as z from 'zod';
import { isJsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { isRowList, type Wire } from './fields.ts';

type Read = (value: unknown) => unknown;
type Def = { readonly type: string; readonly checks?: readonly z.core.$ZodCheck[] } & Readonly<Record<string, unknown>>;

/** Undefined for what is not of the schema. Made once a schema: it walks the schema, and decoding does not. */
export function readerOf<Schema extends z.ZodType>(schema: Schema): (value: unknown) => Wire<Schema> | undefined {
  return readOf(schema) as (value: unknown) => Wire<Schema> | undefined;
}

/** The rows of a list that are of the schema, at most `most`; none of what is no list. */
export function rowsOf<Schema extends z.ZodType>(
  schema: Schema,
  most: number,
): (value: unknown) => readonly Wire<Schema>[] {
  const read = readOf(schema);
  return (value) => (Array.isArray(value) ? readRows(value, read, most) : []) as readonly Wire<Schema>[];
}

function readOf(schema: z.core.$ZodType): Read {
  const def = schema._zod.def as unknown as Def;
  switch (def.type) {
    case 'object':
      return objectReader(def);
    case 'array':
      return isRowList(schema) ? rowsReader(def) : listReader(def);
    case 'tuple':
      return tupleReader(def);
    case 'record':
      return recordReader(def);
    case 'optional':
      return readOf(inner(def, 'innerType'));
    case 'nullable': {
      const read = readOf(inner(def, 'innerType'));
      return (value) => (value === null ? null : read(value));
    }
    case 'catch': {
      const read = readOf(inner(def, 'innerType'));
      const absent = def['catchValue'] as () => unknown;
      return (value) => read(value) ?? absent();
    }
    default:
      return leafReader(schema, def);
  }
}

function objectReader(def: Def): Read {
  const members = Object.entries(def['shape'] as Readonly<Record<string, z.core.$ZodType>>).map(([name, member]) => ({
    name,
    read: readOf(member),
    isOptional: (member._zod.def as { readonly type: string }).type === 'optional',
  }));
  const holds = conditionsOf(def);
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const row: Record<string, unknown> = {};
    for (const { name, read, isOptional } of members) {
      const found = read(value[name]);
      if (found !== undefined) row[name] = found;
      else if (!isOptional) return undefined;
    }
    return holds(row) ? row : undefined;
  };
}

/** The rows that are right, as many as the bound allows; nothing where fewer than the least are left. */
function rowsReader(def: Def): Read {
  const read = readOf(inner(def, 'element'));
  const most = boundOf(def, 'max_length') ?? Number.POSITIVE_INFINITY;
  const least = boundOf(def, 'min_length') ?? 0;
  return (value) => {
    const rows = Array.isArray(value) ? readRows(value, read, most) : undefined;
    return rows === undefined || rows.length < least ? undefined : rows;
  };
}

function readRows(value: readonly unknown[], read: Read, most: number): readonly unknown[] {
  const rows: unknown[] = [];
  for (const entry of value) {
    if (rows.length >= most) break;
    const row = read(entry);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** All of its entries, or nothing. */
function listReader(def: Def): Read {
  const read = readOf(inner(def, 'element'));
  const most = boundOf(def, 'max_length') ?? Number.POSITIVE_INFINITY;
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return undefined;
    const rows = value.map(read);
    return rows.includes(undefined) ? undefined : rows;
  };
}

/** All of its places, or nothing. */
function tupleReader(def: Def): Read {
  const reads = (def['items'] as readonly z.core.$ZodType[]).map(readOf);
  const holds = conditionsOf(def);
  return (value) => {
    if (!Array.isArray(value) || value.length !== reads.length) return undefined;
    const row = reads.map((read, place) => read(value[place]));
    return row.includes(undefined) || !holds(row) ? undefined : row;
  };
}

/** Entries whose value is right: of a state's, at most one an interface. */
function recordReader(def: Def): Read {
  const read = readOf(inner(def, 'valueType'));
  return (value) =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, entry]) => read(entry) !== undefined)
            .slice(0, LIMITS.nodeInterfaces),
        )
      : undefined;
}

/** Plain text and counts are most of a state: they are checked here, everything else by zod itself. */
function leafReader(schema: z.core.$ZodType, def: Def): Read {
  if (def.type === 'string' && (def.checks ?? []).length === 0)
    return (value) => (typeof value === 'string' ? value : undefined);
  if (def.type === 'boolean') return (value) => (typeof value === 'boolean' ? value : undefined);
  if (def.type === 'enum') {
    const words = new Set<unknown>(Object.values(def['entries'] as object));
    return (value) => (words.has(value) ? value : undefined);
  }
  const parsing = schema as z.ZodType;
  return (value) => {
    if (value === undefined) return undefined;
    const result = parsing.safeParse(value);
    return result.success ? result.data : undefined;
  };
}

/** `.min(n)` or `.max(n)` of a list. */
function boundOf(def: Def, kind: 'min_length' | 'max_length'): number | undefined {
  const bounds = (def.checks ?? []).map((check) => check._zod.def as { readonly check: string } & Partial<Bound>);
  const bound = bounds.find(({ check }) => check === kind);
  return bound?.maximum ?? bound?.minimum;
}

type Bound = { readonly minimum: number; readonly maximum: number };

/** `.refine(…)`: what a row must be as a whole. */
function conditionsOf(def: Def): (row: unknown) => boolean {
  const conditions = (def.checks ?? []).map(
    (check) => (check._zod.def as unknown as { readonly fn: (row: unknown) => boolean }).fn,
  );
  return (row) => conditions.every((holds) => holds(row));
}

function inner(def: Def, name: string): z.core.$ZodType {
  return def[name] as z.core.$ZodType;
}
