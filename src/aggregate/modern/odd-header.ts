// Whether a tool's input schema asks wrongly for arguments in HTTP headers (MCP 2026-07-28, Streamable HTTP: `x-mcp-header`): such a tool must not be
// used over HTTP. What is sent for the others is in mcp/modern/param-headers.ts.
import { isJsonObject, type JsonValue } from '#base/json.ts';

const ANNOTATION = 'x-mcp-header';
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

/** Why the schema is not allowed; undefined where it is. */
export function oddHeader(inputSchema: JsonValue | undefined): string | undefined {
  const names: string[] = [];
  const fault = inputSchema === undefined ? undefined : scan(inputSchema, [], names);
  if (fault !== undefined) return fault;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `expected each header once, got ${twice} twice`;
}

/** `path` is undefined below anything but a chain of `properties`, where no header may be asked for. */
function scan(schema: JsonValue, path: readonly string[] | undefined, found: string[]): string | undefined {
  if (Array.isArray(schema)) return first(schema as readonly JsonValue[], (each) => scan(each, undefined, found));
  if (!isJsonObject(schema)) return undefined;
  const header = schema[ANNOTATION];
  if (header !== undefined) {
    if (path === undefined || path.length === 0) return `expected ${ANNOTATION} at a property of the arguments only`;
    if (typeof header !== 'string' || !TOKEN.test(header)) return `expected ${ANNOTATION} to be the name of a header`;
    if (!TYPES.has(schema['type'])) return `expected ${ANNOTATION} at a string, an integer or a boolean`;
    found.push(header.toLowerCase());
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
