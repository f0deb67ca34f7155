// What makes one RFC 7951 tree another: as lines for people, and as edits by path. By a schema, so that entries of a list are known by
// their keys. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { SchemaNode } from './schema.ts';

export type DataEdit = {
  readonly path: string;
  readonly operation: 'merge' | 'delete';
  readonly value?: JsonValue;
};

export type DataLine = {
  readonly sign: '+' | '-';
  readonly context: string;
  readonly line: string;
  readonly leaf: string;
  /** The device's modules hide its value from every user; keys in `context` stay, since rules by path are about them. */
  readonly denied: boolean;
};

type Children = ReadonlyMap<string, SchemaNode>;

/** Leaves that are gone, then leaves that are new, each with the path above it. */
export function differenceLines(roots: Children, from: JsonObject, to: JsonObject): readonly DataLine[] {
  const [before, after] = [flat(roots, from), flat(roots, to)];
  const gone = [...before].filter(([path, line]) => after.get(path)?.line !== line.line);
  const added = [...after].filter(([path, line]) => before.get(path)?.line !== line.line);
  return [
    ...gone.map(([, line]) => ({ sign: '-', ...line }) as const),
    ...added.map(([, line]) => ({ sign: '+', ...line }) as const),
  ];
}

/** Edits that turn `from` into `to`; deletions only of what stands in `from`. */
export function differenceEdits(roots: Children, from: JsonObject, to: JsonObject): readonly DataEdit[] {
  return editsBetween(roots, from, to, '');
}

function editsBetween(nodes: Children, from: JsonObject, to: JsonObject, path: string): DataEdit[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name): DataEdit[] => {
    const node = nodeOf(nodes, name);
    if (node?.config !== true) return [];
    const [before, after] = [from[name], to[name]];
    const here = `${path}/${name}`;
    if (node.kind === 'list') return entryEdits(node, rowsOf(before), rowsOf(after), here);
    if (after === undefined) return [{ path: here, operation: 'delete' }];
    if (before === undefined) return [{ path: here, operation: 'merge', value: after }];
    if (node.kind === 'container' && isJsonObject(before) && isJsonObject(after))
      return editsBetween(node.children, before, after, here);
    return same(before, after) ? [] : [{ path: here, operation: 'merge', value: after }];
  });
}

function entryEdits(
  node: SchemaNode,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  path: string,
): DataEdit[] {
  const keyed = (rows: readonly JsonObject[]) => new Map(rows.map((row) => [keysText(node, row), row]));
  const [old, now] = [keyed(before), keyed(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((keys): DataEdit[] => {
    const [was, is] = [old.get(keys), now.get(keys)];
    if (is === undefined) return [{ path: `${path}${keys}`, operation: 'delete' }];
    if (was === undefined) return [{ path: `${path}${keys}`, operation: 'merge', value: is }];
    return editsBetween(node.children, was, is, `${path}${keys}`);
  });
}

type Flat = Map<string, Omit<DataLine, 'sign'>>;

function flat(nodes: Children, data: JsonObject, path = '', into: Flat = new Map()): Flat {
  for (const [name, value] of Object.entries(data)) {
    const node = nodeOf(nodes, name);
    if (node === undefined) continue;
    const here = `${path}/${name}`;
    if (node.kind === 'list')
      for (const row of rowsOf(value)) flat(node.children, row, `${here}${keysText(node, row)}`, into);
    else if (isJsonObject(value)) flat(node.children, value, here, into);
    else into.set(here, { context: path, line: `${name} ${textOf(value)}`, leaf: name, denied: node.denied });
  }
  return into;
}

/** `[name='eth1']`, as paths have it. */
function keysText(node: SchemaNode, row: JsonObject): string {
  return node.keys
    .map((key) => {
      const value = String(row[key] ?? '');
      return value.includes("'") ? `[${key}="${value}"]` : `[${key}='${value}']`;
    })
    .join('');
}

function nodeOf(nodes: Children, name: string): SchemaNode | undefined {
  if (name.includes(':')) return nodes.get(name);
  return [...nodes.values()].find((node) => node.name === name);
}

function rowsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((row: JsonValue): row is JsonObject => isJsonObject(row)) : [];
}

function same(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
