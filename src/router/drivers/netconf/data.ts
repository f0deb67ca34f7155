// A device's XML as RFC 7951 JSON and back, by its own schema; paths as subtree filters (RFC 6241 §6) and as edits. What the schema does
// not know is refused on the way to the device, and left out on the way from it with its name kept aside. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { childNode, type LeafForm, type SchemaNode, type YangSchema } from '#codec/yang/schema.ts';
import type { PathStep } from '#model/router/yang-path.ts';
import { escapeXml, namespaceOfPrefix, type XmlElement } from './xml.ts';

type Children = Map<string, SchemaNode>;
/** What an element holds, and what belongs into its opening tag. */
type Content = { readonly attributes: string; readonly text: string };
const EMPTY: Result<Content> = ok({ attributes: '', text: '' });
export type EditOperation = 'merge' | 'delete';

const BASE = 'urn:ietf:params:xml:ns:netconf:base:1.0';

/** `{ "module:name": … }` of all children of `data` that the schema knows. */
export function jsonOfData(schema: YangSchema, data: XmlElement): JsonObject {
  return membersOf(schema, moduleByNamespace(schema), data, schema.roots, '');
}

/** Namespaces that stand in `data`: the modules that its schema needs. */
export function namespacesIn(data: XmlElement): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (element: XmlElement) => {
    found.add(element.namespace);
    for (const entry of element.children) walk(entry);
  };
  for (const entry of data.children) walk(entry);
  return found;
}

/** The subtree that holds what the path names. */
export function filterOf(schema: YangSchema, steps: readonly PathStep[]): Result<string> {
  return chain(schema, steps, () => EMPTY);
}

/** What stands inside `<config>` for one edit. */
export function editOf(
  schema: YangSchema,
  steps: readonly PathStep[],
  operation: EditOperation,
  value: JsonValue | undefined,
): Result<string> {
  return chain(
    schema,
    steps,
    (node) => {
      if (!node.config) return bad(`expected configuration, ${node.name} is state`);
      if (operation === 'delete') return EMPTY;
      if (node.kind === 'leaf') return leafText(schema, node, value);
      const object = Array.isArray(value) && value.length === 1 ? (value[0] as JsonValue) : value;
      if (object === undefined || !isJsonObject(object)) return bad(`expected an object for ${node.name}`);
      const members = Object.entries(object).filter(([name]) => !lastKeys(steps).includes(local(name)));
      const inner = joined(members.map(([name, member]) => elementsOf(schema, node, name, member)));
      return inner.ok ? ok({ attributes: '', text: inner.value }) : inner;
    },
    operation === 'delete' ? ` xmlns:nc="${BASE}" nc:operation="delete"` : '',
  );
}

function membersOf(
  schema: YangSchema,
  modules: ReadonlyMap<string, string>,
  element: XmlElement,
  nodes: Children,
  above: string,
): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const entry of element.children) {
    const module = modules.get(entry.namespace) ?? '';
    const node = childNode(nodes, module, entry.name);
    if (node === undefined) continue;
    const name = module === above ? entry.name : `${module}:${entry.name}`;
    const value = readValue(schema, modules, entry, node);
    if (node.kind === 'list' || node.kind === 'leaf-list')
      members[name] = [...((members[name] as JsonValue[]) ?? []), value];
    else members[name] = value;
  }
  return members;
}

function readValue(
  schema: YangSchema,
  modules: ReadonlyMap<string, string>,
  element: XmlElement,
  node: SchemaNode,
): JsonValue {
  if (node.kind === 'container' || node.kind === 'list')
    return membersOf(schema, modules, element, node.children, node.module);
  if (node.kind === 'anydata') return element.text;
  const text = element.text.trim();
  for (const form of node.forms) {
    const value = formed(form, text, element, modules);
    if (value !== undefined) return value;
  }
  return element.text;
}

function formed(
  form: LeafForm,
  text: string,
  element: XmlElement,
  modules: ReadonlyMap<string, string>,
): JsonValue | undefined {
  switch (form) {
    case 'number':
      return /^[+-]?\d{1,10}$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'empty':
      return text === '' ? [null] : undefined;
    case 'identity': {
      const colon = text.indexOf(':');
      const namespace = namespaceOfPrefix(element, colon < 0 ? '' : text.slice(0, colon));
      const module = namespace === undefined ? undefined : modules.get(namespace);
      return module === undefined ? undefined : `${module}:${text.slice(colon + 1)}`;
    }
    case 'string':
      return element.text;
  }
}

/** Elements along the path, keys inside them, and what `inside` gives for the last. */
function chain(
  schema: YangSchema,
  steps: readonly PathStep[],
  inside: (node: SchemaNode) => Result<Content>,
  attributes = '',
): Result<string> {
  let nodes: Children = schema.roots;
  let module = '';
  let head = '';
  let tail = '';
  for (const [index, step] of steps.entries()) {
    const node = stepNode(nodes, module, step);
    if (node === undefined) return bad(`expected a node of ${step.module ?? module}, got ${step.name}`);
    const keys = keysOf(schema, node, step);
    if (!keys.ok) return keys;
    const declared = node.module === module ? '' : ` xmlns="${escapeXml(schema.namespaces.get(node.module) ?? '')}"`;
    const last = index === steps.length - 1;
    const content = last ? inside(node) : EMPTY;
    if (!content.ok) return content;
    const { attributes: own, text } = content.value;
    head += `<${node.name}${declared}${own}${last ? attributes : ''}>${keys.value}${text}`;
    tail = `</${node.name}>${tail}`;
    nodes = node.children;
    module = node.module;
  }
  return ok(head + tail);
}

/** A module may be left out where it is the parent's, or where only one module has the name. */
function stepNode(nodes: Children, above: string, { module, name }: PathStep): SchemaNode | undefined {
  if (module !== undefined) return nodes.get(`${module}:${name}`);
  const own = nodes.get(`${above}:${name}`);
  if (own !== undefined) return own;
  const others = [...nodes.values()].filter((node) => node.name === name);
  return others.length === 1 ? others[0] : undefined;
}

function keysOf(schema: YangSchema, node: SchemaNode, { keys }: PathStep): Result<string> {
  const given = Array.isArray(keys)
    ? keys.map((value, index) => [node.keys[index] ?? '', value] as const)
    : Object.entries(keys);
  if (given.length > 0 && node.kind !== 'list') return bad(`expected a list, ${node.name} is none`);
  return joined(
    given.map(([name, value]) => {
      if (!node.keys.includes(name)) return bad(`expected the keys ${node.keys.join(', ')} of ${node.name}`);
      return leafElement(schema, node, node.children.get(`${node.module}:${name}`)!, value);
    }),
  );
}

function elementsOf(schema: YangSchema, parent: SchemaNode, name: string, value: JsonValue): Result<string> {
  const [first, second] = name.split(':') as [string, string | undefined];
  const node = stepNode(parent.children, parent.module, {
    module: second === undefined ? undefined : first,
    name: second ?? first,
    keys: {},
  });
  if (node === undefined) return bad(`expected a node of ${parent.name}, got ${name.slice(0, 64)}`);
  if (!node.config) return bad(`expected configuration, ${node.name} is state`);
  if (node.kind === 'leaf') return leafElement(schema, parent, node, value);
  if (node.kind === 'leaf-list')
    return Array.isArray(value)
      ? joined(value.map((entry: JsonValue) => leafElement(schema, parent, node, entry)))
      : bad(`expected an array for ${name}`);
  if (node.kind === 'anydata') return bad(`expected a container, list or leaf, ${name} is anydata`);
  const entries = node.kind === 'list' ? value : [value];
  if (!Array.isArray(entries) || !entries.every(isJsonObject))
    return bad(`expected ${node.kind === 'list' ? 'an array of objects' : 'an object'} for ${name}`);
  return joined(
    entries.map((entry) => {
      // Keys first (RFC 7950 §7.8.5).
      const members = Object.entries(entry as JsonObject).toSorted(
        ([one], [other]) => rank(node, one) - rank(node, other),
      );
      const inner = joined(members.map(([member, content]) => elementsOf(schema, node, member, content)));
      return inner.ok ? ok(`<${node.name}${declaration(schema, parent, node)}>${inner.value}</${node.name}>`) : inner;
    }),
  );
}

function rank(node: SchemaNode, name: string): number {
  const at = node.keys.indexOf(local(name));
  return at < 0 ? node.keys.length : at;
}

function leafElement(schema: YangSchema, parent: SchemaNode, node: SchemaNode, value: JsonValue): Result<string> {
  const content = leafText(schema, node, value);
  if (!content.ok) return content;
  const { attributes, text } = content.value;
  return ok(`<${node.name}${declaration(schema, parent, node)}${attributes}>${text}</${node.name}>`);
}

function leafText(schema: YangSchema, node: SchemaNode, value: JsonValue | undefined): Result<Content> {
  if (Array.isArray(value) && value.length === 1 && value[0] === null && node.forms.includes('empty')) return EMPTY;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return bad(`expected a text, number or truth value for ${node.name}`);
  const text = String(value);
  // XML 1.0 cannot hold them.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)) return bad(`expected printable text for ${node.name}`);
  if (!node.forms.includes('identity')) return ok({ attributes: '', text: escapeXml(text) });
  const [module, name] = text.includes(':') ? (text.split(':') as [string, string]) : [node.module, text];
  const namespace = schema.namespaces.get(module);
  if (namespace === undefined)
    return node.forms.length > 1
      ? ok({ attributes: '', text: escapeXml(text) })
      : bad(`expected an identity of a known module for ${node.name}`);
  return ok({ attributes: ` xmlns:idp="${escapeXml(namespace)}"`, text: `idp:${escapeXml(name)}` });
}

function declaration(schema: YangSchema, parent: SchemaNode, node: SchemaNode): string {
  return node.module === parent.module ? '' : ` xmlns="${escapeXml(schema.namespaces.get(node.module) ?? '')}"`;
}

function joined(parts: readonly Result<string>[]): Result<string> {
  let text = '';
  for (const part of parts) {
    if (!part.ok) return part;
    text += part.value;
  }
  return ok(text);
}

function moduleByNamespace(schema: YangSchema): ReadonlyMap<string, string> {
  return new Map([...schema.namespaces].map(([name, namespace]) => [namespace, name]));
}

function lastKeys(steps: readonly PathStep[]): readonly string[] {
  const { keys } = steps.at(-1)!;
  return Array.isArray(keys) ? [] : Object.keys(keys);
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
