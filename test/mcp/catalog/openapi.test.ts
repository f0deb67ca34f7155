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
