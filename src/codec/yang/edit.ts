// One edit of an RFC 7951 tree by path, checked against its schema: what the schema does not have, or a value of another form, is refused
// with the reason. Pure: the tree that was given stays as it is.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { LeafForm, SchemaNode } from './schema.ts';

/** One step of a path; keys by name, or in the order of the schema. */
export type EditStep = {
  readonly module: string | undefined;
  readonly name: string;
  readonly keys: Readonly<Record<string, string>> | readonly string[];
};

type EditOperation = 'merge' | 'delete';

type Children = ReadonlyMap<string, SchemaNode>;
type Change = { readonly operation: EditOperation; readonly value: JsonValue | undefined };

/** `nodes` are the roots of the schema; members of `tree` are named `module:name` at the top and plainly below. */
export function editTree(
  nodes: Children,
  tree: JsonObject,
  steps: readonly EditStep[],
  change: Change,
  above = '',
): Result<JsonObject> {
  const [step, ...rest] = steps;
  if (step === undefined) return bad('expected a path, got none');
  const node = nodes.get(`${step.module ?? above}:${step.name}`);
  if (node === undefined) return bad(`expected a node of ${step.module ?? above}, got ${step.name.slice(0, 64)}`);
  if (!node.config) return bad(`expected configuration, ${node.name} is state`);
  const member = node.module === above ? node.name : `${node.module}:${node.name}`;
  const edited =
    node.kind === 'list'
      ? editList(node, tree[member], step, rest, change)
      : rest.length > 0
        ? below(node, objectOf(tree[member]), rest, change)
        : leafOrContainer(node, tree[member], change);
  if (!edited.ok) return edited;
  const { [member]: _, ...others } = tree;
  return ok(edited.value === undefined ? others : { ...others, [member]: edited.value });
}

/** Whether the schema has this path, whatever is to be written there. */
export function hasPath(nodes: Children, steps: readonly EditStep[], above = ''): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  const node = nodes.get(`${step.module ?? above}:${step.name}`);
  if (node === undefined || !node.config) return false;
  return rest.length === 0 || hasPath(node.children, rest, node.module);
}

function below(node: SchemaNode, tree: JsonObject, rest: readonly EditStep[], change: Change): Result<JsonObject> {
  if (node.kind !== 'container' && node.kind !== 'list') return bad(`expected no step below ${node.name}`);
  return editTree(node.children, tree, rest, change, node.module);
}

function leafOrContainer(node: SchemaNode, was: JsonValue | undefined, change: Change): Result<JsonValue | undefined> {
  if (change.operation === 'delete')
    return was === undefined ? bad(`expected ${node.name} to be there, it is not`) : ok(undefined);
  if (node.kind === 'container') return mergeObject(node, objectOf(was), change.value);
  return checkedLeaf(node, change.value);
}

function editList(
  node: SchemaNode,
  was: JsonValue | undefined,
  step: EditStep,
  rest: readonly EditStep[],
  change: Change,
): Result<JsonValue | undefined> {
  const keys = namedKeys(node, step);
  if (keys === undefined) return bad(`expected the keys ${node.keys.join(', ')} of ${node.name}`);
  const rows = rowsOf(was);
  const isIt = (row: JsonObject) => node.keys.every((key) => String(row[key]) === keys[key]);
  const others = rows.filter((row) => !isIt(row));
  const row = rows.find(isIt);
  if (rest.length === 0 && change.operation === 'delete') {
    if (row === undefined) return bad(`expected this entry of ${node.name} to be there, it is not`);
    return ok(others.length === 0 ? undefined : others);
  }
  const start = row ?? keys;
  const edited = rest.length > 0 ? below(node, start, rest, change) : mergeObject(node, start, change.value);
  return edited.ok ? ok([...others, edited.value]) : edited;
}

function mergeObject(node: SchemaNode, was: JsonObject, value: JsonValue | undefined): Result<JsonObject> {
  const given = Array.isArray(value) && value.length === 1 ? (value[0] as JsonValue) : value;
  if (given === undefined || !isJsonObject(given)) return bad(`expected an object for ${node.name}`);
  let merged: Result<JsonObject> = ok(was);
  for (const [name, inner] of Object.entries(given)) {
    const [module, plain] = name.includes(':') ? (name.split(':') as [string, string]) : [undefined, name];
    const step = { module, name: plain, keys: {} };
    const found = node.children.get(`${module ?? node.module}:${plain}`);
    if (found?.kind === 'list') return bad(`expected entries of ${plain} by a path of their own`);
    if (merged.ok)
      merged = editTree(node.children, merged.value, [step], { operation: 'merge', value: inner }, node.module);
  }
  return merged;
}

function checkedLeaf(node: SchemaNode, value: JsonValue | undefined): Result<JsonValue> {
  if (value === undefined) return bad(`expected a value for ${node.name}, got none`);
  if (node.forms.some((form) => hasForm(form, value))) return ok(value);
  return bad(`expected ${node.forms.join(' or ')} for ${node.name}, got ${JSON.stringify(value).slice(0, 64)}`);
}

function hasForm(form: LeafForm, value: JsonValue): boolean {
  if (form === 'number') return typeof value === 'number' && Number.isInteger(value);
  if (form === 'boolean') return typeof value === 'boolean';
  if (form === 'empty') return Array.isArray(value) && value.length === 1 && value[0] === null;
  return typeof value === 'string';
}

function namedKeys(node: SchemaNode, { keys }: EditStep): Record<string, string> | undefined {
  const given = Array.isArray(keys)
    ? Object.fromEntries(keys.map((value, index) => [node.keys[index] ?? '', value]))
    : { ...(keys as Readonly<Record<string, string>>) };
  const names = Object.keys(given);
  return names.length === node.keys.length && node.keys.every((key) => given[key] !== undefined) ? given : undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function rowsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((row: JsonValue): row is JsonObject => isJsonObject(row)) : [];
}
