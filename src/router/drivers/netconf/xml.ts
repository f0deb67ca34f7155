// XML as NETCONF carries it: elements, attributes and text. Document types, entities beyond the five, and processing instructions after the
// declaration are refused: they are how an XML reader is made to read files or to grow. Prefixes are dropped, RFC 7950 names are not.

import { bad, ok, type Result } from '#base/result.ts';
import { DRIVER_LIMITS } from '../limits.ts';

export type XmlElement = {
  /** Local name. */
  readonly name: string;
  /** What its prefix, or the default, stands for; empty where nothing was declared. */
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** All character data right below, joined. */
  readonly text: string;
};

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s<>/]+)\s*>|<([^\s<>/!?]+)((?:\s+[^\s=<>]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;
const ATTRIBUTE = /\s+([^\s=<>]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
/** With one prefix or none (Namespaces in XML 1.0 §4): what is left without it must be a name as well. */
const QUALIFIED = /^(?:[^:]+:)?[^:]+$/;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * What prefixes stand for: an element's own declarations, before those above it. Not one table for each element: with many declarations
 * above many elements, a device would have it grow as their product.
 */
type Scope = { readonly own: ReadonlyMap<string, string>; readonly above: Scope | undefined };

type Open = {
  name: string;
  namespace: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
};
/** Declarations above an element, for identities in its text (RFC 7950 §9.10.3); the element itself stays plain data. */
const SCOPES = new WeakMap<XmlElement, Scope>();

export function parseXml(text: string): Result<XmlElement> {
  const body = text.replace(/^\uFEFF?\s*<\?xml[^>]*\?>/, '');
  const root: Open = { name: '', namespace: '', attributes: {}, children: [], text: '' };
  const stack: Open[] = [root];
  TOKEN.lastIndex = 0;
  let end = 0;
  let elements = 0;
  for (let match = TOKEN.exec(body); match !== null; match = TOKEN.exec(body)) {
    end = TOKEN.lastIndex;
    const top = stack.at(-1)!;
    const [, data, closing, opening, attributes = '', empty, characters] = match;
    if (data !== undefined) top.text += data;
    else if (characters !== undefined) {
      const decoded = decodeText(characters);
      if (decoded === undefined) return bad('expected one of the five entities, got another', end);
      top.text += decoded;
    } else if (closing !== undefined) {
      if (stack.length === 1 || top.name !== localName(closing)) return bad(`expected the end of ${top.name}`, end);
      stack.pop();
    } else if (opening !== undefined) {
      elements += 1;
      const read = readAttributes(attributes);
      if (!QUALIFIED.test(opening)) return bad('expected the name of an element, got something else', end);
      if (read === undefined || elements > DRIVER_LIMITS.xmlElements || stack.length > DRIVER_LIMITS.xmlDepth)
        return bad('expected smaller or plainer XML', end);
      const element = open(opening, read, SCOPES.get(top));
      top.children.push(element);
      if (empty === '') stack.push(element);
    }
    if (end === body.length) break;
  }
  if (end !== body.length || stack.length !== 1) return bad('expected well-formed XML, got something else', end);
  const [only, ...more] = root.children;
  return only === undefined || more.length > 0 || root.text.trim() !== '' ? bad('expected one element') : ok(only);
}

/** Namespace that a prefix in the text of this element stands for. */
export function namespaceOfPrefix(element: XmlElement, prefix: string): string | undefined {
  return namespaceIn(SCOPES.get(element), prefix);
}

export function child(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((entry) => entry.name === name);
}

export function children(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((entry) => entry.name === name) ?? [];
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&${Object.keys(ENTITIES).find((name) => ENTITIES[name] === sign)};`);
}

/** As read, without prefixes; namespaces that stood on an element stay. */
export function formatXml(element: XmlElement): string {
  const attributes = Object.entries(element.attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
  const inside = element.children.length > 0 ? element.children.map(formatXml).join('') : escapeXml(element.text);
  return `<${element.name}${attributes}>${inside}</${element.name}>`;
}

/** For people: one element a line, line feeds inside a text as `&#10;`, so that a line is all of a leaf. */
export function prettyXml(element: XmlElement, indent = ''): string {
  const attributes = Object.entries(element.attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
  const head = `${indent}<${element.name}${attributes}>`;
  if (element.children.length === 0)
    return `${head}${escapeXml(element.text).replace(/\r?\n/g, '&#10;')}</${element.name}>\n`;
  const inside = element.children.map((entry) => prettyXml(entry, `${indent}  `)).join('');
  return `${head}\n${inside}${indent}</${element.name}>\n`;
}

function open(qualified: string, attributes: Record<string, string>, above: Scope | undefined): Open {
  const declared = Object.entries(attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  const own = new Map(declared.map(([name, value]) => [name.slice(6), value]));
  const scope = declared.length === 0 ? above : { own, above };
  const colon = qualified.indexOf(':');
  const namespace = namespaceIn(scope, colon < 0 ? '' : qualified.slice(0, colon)) ?? '';
  const element: Open = { name: localName(qualified), namespace, attributes, children: [], text: '' };
  if (scope !== undefined) SCOPES.set(element, scope);
  return element;
}

function namespaceIn(scope: Scope | undefined, prefix: string): string | undefined {
  for (let each = scope; each !== undefined; each = each.above) {
    const found = each.own.get(prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function readAttributes(text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const match of text.matchAll(ATTRIBUTE)) {
    const value = decodeText(match[2] ?? match[3] ?? '');
    if (value === undefined || match[1]! in found) return undefined;
    found[match[1]!] = value;
  }
  return found;
}

function decodeText(text: string): string | undefined {
  let sound = true;
  const decoded = text.replace(/&([^;\s]{0,10});?/g, (whole, name: string) => {
    const point = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const number = point ? Number.parseInt(point[1] ?? point[2]!, point[1] ? 16 : 10) : undefined;
    const value =
      number === undefined
        ? ENTITIES[name]
        : number <= 0x10ffff && number > 0
          ? String.fromCodePoint(number)
          : undefined;
    if (value === undefined || !whole.endsWith(';')) sound = false;
    return value ?? '';
  });
  return sound ? decoded : undefined;
}
