// RFC 7951 JSON as XML (RFC 7950 §9), for callers that ask for it (TS-25). Each element carries a namespace where its module
// differs from its parent's. Pure; control characters that XML cannot hold become U+FFFD.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export function yangXml(data: JsonObject, namespaceOf: (module: string) => string): string {
  return members(data, undefined, namespaceOf);
}

type NamespaceOf = (module: string) => string;

function members(node: JsonObject, module: string | undefined, namespaceOf: NamespaceOf): string {
  return Object.entries(node)
    .map(([name, value]) => element(name, value, module, namespaceOf))
    .join('');
}

function element(name: string, value: JsonValue, parent: string | undefined, namespaceOf: NamespaceOf): string {
  const [first, second] = name.split(':') as [string, string | undefined];
  const module = second === undefined ? parent : first;
  const local = second ?? first;
  // A list or leaf-list is its entries; `[null]` is the empty type (RFC 7951 §6.9).
  if (Array.isArray(value) && !(value.length === 1 && value[0] === null)) {
    return value.map((entry: JsonValue) => element(name, entry, parent, namespaceOf)).join('');
  }
  const attribute = module === undefined || module === parent ? '' : ` xmlns="${escapeXml(namespaceOf(module))}"`;
  const inner = content(value, module, namespaceOf);
  if (inner.text === '') return `<${local}${attribute}/>`;
  return `<${local}${attribute}${inner.declaration}>${inner.text}</${local}>`;
}

function content(
  value: JsonValue,
  module: string | undefined,
  namespaceOf: NamespaceOf,
): { readonly text: string; readonly declaration: string } {
  if (isJsonObject(value)) return { text: members(value, module, namespaceOf), declaration: '' };
  if (value === null || Array.isArray(value)) return { text: '', declaration: '' };
  const text = String(value);
  // An identity of another module needs its prefix declared (RFC 7950 §9.10.3).
  const identity = /^([a-z][a-z0-9-]+):[A-Za-z][\w-]*$/.exec(text);
  const declaration = identity ? ` xmlns:${identity[1]}="${escapeXml(namespaceOf(identity[1]!))}"` : '';
  return { text: escapeXml(text), declaration };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ESCAPES[character]!)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
