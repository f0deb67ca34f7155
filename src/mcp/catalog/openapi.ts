// Each tool as an OpenAPI 3.0 Operation Object (TS-3, TS-7), from its JSON Schemas. Translates what OpenAPI 3.0 writes differently,
// leaves out what it does not know. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { ToolDefinition } from '#model/definition.ts';

export function openApiOperation(tool: ToolDefinition): JsonObject {
  const content = (schema: JsonObject) => ({ 'application/json': { schema: openApiSchema(schema) } });
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    tags: [tool.capability],
    requestBody: { required: true, content: content(tool.inputSchema) },
    responses: {
      '200': { description: 'The result', content: content(tool.outputSchema) },
      default: { description: 'A refusal with code, name and data' },
    },
    'x-idempotent': tool.idempotent ?? tool.mutability === 'read',
  };
}

/** Members of a Schema Object that OpenAPI 3.0 has unchanged. */
const KEPT = new Set([
  'title',
  'description',
  'format',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
]);
const SCHEMAS = new Set(['items', 'not', 'additionalProperties']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf']);

function openApiSchema(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).flatMap(([name, value]): [string, JsonValue][] => {
    if (KEPT.has(name)) return [[name, value]];
    if (SCHEMAS.has(name)) return [[name, openApiSchema(value)]];
    if (LISTS.has(name) && Array.isArray(value)) return [[name, value.map(openApiSchema)]];
    if (name === 'properties' && isJsonObject(value)) {
      return [[name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, openApiSchema(one)]))]];
    }
    if (name === 'const') return [['enum', [value]]];
    return name === 'type' ? typeOf(value) : [];
  });
  const result = Object.fromEntries(members);
  // OpenAPI 3.0 requires `items` of an array.
  return result['type'] === 'array' && result['items'] === undefined ? { ...result, items: {} } : result;
}

/** `["object", "null"]` is `type: object, nullable: true`. */
function typeOf(value: JsonValue): [string, JsonValue][] {
  if (!Array.isArray(value)) return [['type', value]];
  const types = value.filter((one: JsonValue) => one !== 'null');
  const nullable: [string, JsonValue][] = types.length < value.length ? [['nullable', true]] : [];
  if (types.length === 1) return [['type', types[0]!], ...nullable];
  return [['anyOf', types.map((type: JsonValue) => ({ type }))], ...nullable];
}
