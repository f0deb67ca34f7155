// Arguments of a tool that stand in HTTP headers as well (MCP 2026-07-28, Streamable HTTP: `x-mcp-header` in a tool's input schema). A tool whose
// schema says so wrongly must not be used over HTTP.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, type Result } from '#base/result.ts';
import { headerText } from '#mcp/modern/era.ts';

export type ParamHeader = { readonly path: readonly string[]; readonly header: string };

const ANNOTATION = 'x-mcp-header';
const PREFIX = 'mcp-param-';
/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords of JSON Schema that hold no schema: what stands below them is data. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
/** Keywords whose members are named by the author: none of these names is a keyword. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** What of the arguments goes into headers, or why the schema is not allowed. */
export function readParamHeaders(inputSchema: JsonValue | undefined): Result<readonly ParamHeader[]> {
  const found: ParamHeader[] = [];
  const fault = inputSchema === undefined ? undefined : scan(inputSchema, [], found);
  if (fault !== undefined) return bad(fault);
  const names = found.map(({ header }) => header);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? { ok: true, value: found } : bad(`expected each header once, got ${twice} twice`);
}

/** `path` is undefined below anything but a chain of `properties`, where no header may be asked for. */
function scan(schema: JsonValue, path: readonly string[] | undefined, found: ParamHeader[]): string | undefined {
  if (Array.isArray(schema)) return first(schema as readonly JsonValue[], (each) => scan(each, undefined, found));
  if (!isJsonObject(schema)) return undefined;
  const header = schema[ANNOTATION];
  if (header !== undefined) {
    if (path === undefined || path.length === 0) return `expected ${ANNOTATION} at a property of the arguments only`;
    if (typeof header !== 'string' || !TOKEN.test(header)) return `expected ${ANNOTATION} to be the name of a header`;
    if (!TYPES.has(schema['type'])) return `expected ${ANNOTATION} at a string, an integer or a boolean`;
    found.push({ path, header: `${PREFIX}${header.toLowerCase()}` });
  }
  return first(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return undefined;
    if (!NAMED.has(keyword) || !isJsonObject(value)) return scan(value, undefined, found);
    return first(Object.entries(value), ([name, below]) =>
      scan(below, keyword === 'properties' && path !== undefined ? [...path, name] : undefined, found),
    );
  });
}

function first<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The headers of one call. What is absent, null or no value of a header is left out. */
export function paramHeaders(declared: readonly ParamHeader[], args: JsonValue | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const value = path.reduce<JsonValue | undefined>(
      (at, name) => (at !== undefined && isJsonObject(at) ? (at as JsonObject)[name] : undefined),
      args,
    );
    const isNumber = typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (typeof value === 'string' || typeof value === 'boolean' || isNumber)
      headers[header] = headerText(String(value));
  }
  return headers;
}
