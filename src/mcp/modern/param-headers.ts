// Arguments of a tool that also stand in headers over HTTP (MCP 2026-07-28, Streamable HTTP, `x-mcp-header` and `Mcp-Param-*`): which ones a schema
// declares, what a client sends, and what a server compares. Pure. The SDK has the same inside and exports none of it.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export type ParamHeader = { readonly path: readonly string[]; readonly name: string; readonly type: string };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const KEY = 'x-mcp-header';
const PREFIX = 'mcp-param-';
/** RFC 9110 §5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The revision has no `number` here, and clients leave out a tool that has one; servers compare it all the same. */
const TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'boolean', 'number']);
const DECIMAL = /^-?\d+(\.\d+)?$/;
const NONE: readonly ParamHeader[] = [];

const KNOWN = new WeakMap<JsonObject, readonly ParamHeader[]>();

/** None where the schema has no declaration, or one that makes all of them invalid: a declaration that no chain of `properties` leads to. */
export function paramHeadersOf(schema: JsonObject): readonly ParamHeader[] {
  const known = KNOWN.get(schema);
  if (known !== undefined) return known;
  const found: ParamHeader[] = [];
  const isValid = collect(schema, [], found);
  const names = new Set(found.map(({ name }) => name));
  const headers = isValid && names.size === found.length ? found : NONE;
  KNOWN.set(schema, headers);
  return headers;
}

function collect(schema: JsonObject, path: readonly string[], found: ParamHeader[]): boolean {
  if (schema[KEY] !== undefined) {
    const { [KEY]: name, type } = schema;
    if (path.length === 0 || typeof name !== 'string' || !TOKEN.test(name)) return false;
    if (typeof type !== 'string' || !TYPES.has(type)) return false;
    found.push({ path, name: name.toLowerCase(), type });
  }
  for (const [member, value] of Object.entries(schema)) {
    if (member !== 'properties') {
      if (member !== KEY && !DATA.has(member) && declares(value)) return false;
    } else if (isJsonObject(value))
      for (const [key, child] of Object.entries(value))
        if (isJsonObject(child) && !collect(child, [...path, key], found)) return false;
  }
  return true;
}

/** Members whose value is data and no schema. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

function declares(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(declares);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([member, child]) => member === KEY || (!DATA.has(member) && declares(child)));
}

/** The headers that go with a call of a tool with this schema. */
export function paramHeaders(schema: JsonObject, args: JsonObject): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, name } of paramHeadersOf(schema)) {
    const text = textOf(valueAt(args, path));
    if (text !== undefined) headers[PREFIX + name] = encodeHeader(text);
  }
  return headers;
}

/** Why the headers of a call are not as its arguments say; undefined where they are. */
export function paramHeaderFault(schema: JsonObject, args: JsonObject, headers: Headers): ParamFault | undefined {
  for (const { path, name, type } of paramHeadersOf(schema)) {
    const value = valueAt(args, path);
    const text = textOf(value);
    // The server must not expect a header for what the body has not.
    if (text === undefined) continue;
    const fault = faultOf(headers[PREFIX + name], { text, type, value });
    if (fault === undefined) continue;
    const header = `Mcp-Param-${name}`;
    const body = `expected ${header} to be argument ${path.join('.')} of the body, ${fault}`;
    return { message: `Bad Request: the request headers and body disagree: ${body}`, mismatch: { header, body } };
  }
  return undefined;
}

export type ParamFault = {
  readonly message: string;
  readonly mismatch: { readonly header: string; readonly body: string };
};

type Expected = { readonly text: string; readonly type: string; readonly value: JsonValue | undefined };

function faultOf(header: string | string[] | undefined, { text, type, value }: Expected): string | undefined {
  if (header === undefined) return 'there is none';
  const said = typeof header === 'string' ? decodeHeader(header) : undefined;
  if (said === undefined) return 'it cannot be read';
  const isNumber = (type === 'integer' || type === 'number') && typeof value === 'number' && DECIMAL.test(said);
  return (isNumber ? Number(said) === value : said === text) ? undefined : 'it is another';
}

function valueAt(args: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const key of path) value = value !== undefined && isJsonObject(value) ? value[key] : undefined;
  return value;
}

/** Undefined for what stands in no header. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

const SENTINEL = '=?base64?';
const END = '?=';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Visible, with spaces and tabs inside only: HTTP trims them at the ends. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** A value as it may stand in a header. */
export function encodeHeader(text: string): string {
  const isPlain = PLAIN.test(text) && !text.startsWith(SENTINEL);
  return isPlain ? text : `${SENTINEL}${Buffer.from(text).toString('base64')}${END}`;
}

/** Undefined for what says that it is Base64 of UTF-8 and is not. */
export function decodeHeader(text: string): string | undefined {
  if (!text.startsWith(SENTINEL) || !text.endsWith(END)) return text;
  const base64 = text.slice(SENTINEL.length, -END.length);
  if (!BASE64.test(base64)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
