// JSON Schema as OpenAPI 3.0 spells it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { openApiOperation } from '#mcp/catalog/openapi.ts';
import { toolDefinition } from '../harness.ts';

test('types with null become nullable, const becomes enum, foreign keywords are left out [TS-3] [TS-7]', () => {
  const operation = openApiOperation(
    toolDefinition({
      name: 'ping',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          rtt: { type: ['object', 'null'] },
          kind: { const: 'x' },
          list: { type: 'array' },
          count: { type: 'integer', minimum: 1 },
        },
        required: ['count'],
        additionalProperties: false,
      },
    }),
  );
  assert.equal(operation['operationId'], 'ping');
  const body = operation['requestBody'] as { content: JsonObject };
  assert.deepEqual(body.content, {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          rtt: { type: 'object', nullable: true },
          kind: { enum: ['x'] },
          list: { type: 'array', items: {} },
          count: { type: 'integer', minimum: 1 },
        },
        required: ['count'],
        additionalProperties: false,
      },
    },
  });
});

const schemaOf = (inputSchema: JsonObject) => {
  const operation = openApiOperation(toolDefinition({ name: 'x', inputSchema }));
  const { content } = operation['requestBody'] as { content: { 'application/json': { schema: JsonObject } } };
  return content['application/json'].schema;
};

test('every keyword that OpenAPI 3.0 shares with JSON Schema is kept as it is [TS-7]', () => {
  const shared: JsonObject = {
    type: 'string',
    title: 'Name',
    description: 'of an interface',
    format: 'hostname',
    default: 'eth1',
    enum: ['eth1', 'eth2'],
    pattern: '^eth',
    minLength: 1,
    maxLength: 15,
    minimum: 0,
    maximum: 9,
    multipleOf: 3,
    minItems: 1,
    maxItems: 2,
    uniqueItems: true,
    minProperties: 1,
    maxProperties: 2,
    required: ['a'],
  };
  assert.deepEqual(schemaOf(shared), shared);
  assert.deepEqual(schemaOf({ ...shared, $defs: {}, if: {}, patternProperties: {} }), shared);
});

test('schemas within a schema are translated, wherever they stand [TS-7]', () => {
  const inner = { const: 'x' };
  const translated = { enum: ['x'] };
  assert.deepEqual(
    schemaOf({
      items: inner,
      not: inner,
      additionalProperties: inner,
      allOf: [inner],
      anyOf: [inner, inner],
      oneOf: [inner],
      properties: { a: inner },
    }),
    {
      items: translated,
      not: translated,
      additionalProperties: translated,
      allOf: [translated],
      anyOf: [translated, translated],
      oneOf: [translated],
      properties: { a: translated },
    },
  );
  assert.deepEqual(schemaOf({ allOf: {}, properties: [], additionalProperties: false }), {
    additionalProperties: false,
  });
  assert.deepEqual(schemaOf({ type: 'array', items: inner }), { type: 'array', items: translated });
  assert.deepEqual(schemaOf({ type: 'object' }), { type: 'object' }, 'only an array needs items');
});

test('a choice of types becomes a choice of schemas, nullable where null is among them [TS-7]', () => {
  const choice = [{ type: 'string' }, { type: 'integer' }];
  assert.deepEqual(schemaOf({ type: ['string', 'integer'] }), { anyOf: choice });
  assert.deepEqual(schemaOf({ type: ['string', 'null', 'integer'] }), { anyOf: choice, nullable: true });
  assert.deepEqual(schemaOf({ type: ['string'] }), { type: 'string' });
});

test('a call may be repeated where the tool says so, and where it only reads unless it says otherwise [TS-3]', () => {
  const repeatable = (over: Partial<Parameters<typeof toolDefinition>[0]>) =>
    openApiOperation(toolDefinition({ name: 'x', ...over }))['x-idempotent'];
  assert.deepEqual(
    [
      repeatable({ mutability: 'read' }),
      repeatable({ mutability: 'probe' }),
      repeatable({ mutability: 'read', idempotent: false }),
      repeatable({ mutability: 'write', idempotent: true }),
    ],
    [true, false, false, true],
  );
});
