// What a device's own modules hide from every user by `nacm:default-deny-all` (RFC 8341 §3.4.4) is a secret, whatever it is called: its
// values are taken out [NET-18]. That it is there may be seen. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { SchemaNode, YangSchema } from '#codec/yang/schema.ts';
import { isSecretLeaf } from '#model/redaction.ts';
import { REDACTED } from '#model/secrets/secret-forms.ts';
import type { XmlElement } from './xml.ts';

/** `{ "module:name": … }` as the device's data is read. */
export function redactDenied(schema: YangSchema, data: JsonObject): JsonObject {
  return membersOf(schema.roots, data, '');
}

/**
 * The whole of a datastore as the device sends it, also without the leaves whose names say that they are secrets: rules for lines of a
 * command line do not find them. Without a schema only the names are left to go by.
 */
export function redactedXml(data: XmlElement, schema?: YangSchema, roots = schema?.roots): XmlElement {
  const modules = new Map([...(schema?.namespaces ?? [])].map(([name, namespace]) => [namespace, name]));
  // Inside anydata stands data of the datastores (RFC 7950 §7.10).
  const below = (node: SchemaNode | undefined) => (node?.kind === 'anydata' ? schema?.roots : node?.children);
  const shown = (element: XmlElement, nodes: ReadonlyMap<string, SchemaNode> | undefined): XmlElement => {
    const node = nodes?.get(`${modules.get(element.namespace)}:${element.name}`);
    if (element.children.length > 0 && !(node?.kind === 'anydata' && node.denied))
      return { ...element, children: element.children.map((entry) => shown(entry, below(node))) };
    const isSecret = node?.denied === true && node.kind !== 'container' && node.kind !== 'list';
    return isSecret || isSecretLeaf(element.name) ? { ...element, children: [], text: REDACTED } : element;
  };
  return { ...data, children: data.children.map((entry) => shown(entry, roots)) };
}

function membersOf(children: ReadonlyMap<string, SchemaNode>, data: JsonObject, above: string): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([member, value]) => {
      const colon = member.indexOf(':');
      const module = colon > 0 ? member.slice(0, colon) : above;
      const node = children.get(`${module}:${member.slice(colon + 1)}`);
      return [member, node === undefined ? value : shownOf(node, value, module)];
    }),
  );
}

function shownOf(node: SchemaNode, value: JsonValue, module: string): JsonValue {
  if (Array.isArray(value)) return value.map((entry) => shownOf(node, entry, module));
  if (isJsonObject(value)) return membersOf(node.children, value, module);
  return node.denied ? REDACTED : value;
}
