// The catalog: duplicates, unknown names, who may use what, arguments; and what the listings show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { listResources, listResourceTemplates, listTools } from '#mcp/catalog/listing.ts';
import type { Party } from '#model/identity.ts';
import { COUNTERS_URN, NODE, OPERATOR, resourceDefinition, sampleCatalog, toolDefinition } from '../harness.ts';

const CONTROLLER: Party = { kind: 'controller', domain: 'lab', name: 'nms' };
const CONTEXT = { caller: OPERATOR, signal: new AbortController().signal, progress: () => {} };

test('refuses two tools of one name and two resources of one template', () => {
  const tool = toolDefinition({ name: 'ping' });
  const resource = resourceDefinition({ uriTemplate: 'urn:a' });
  const duplicate = (error: ParleyError) => error.code === 'us/duplicate-definition';
  assert.throws(() => createCatalog({ tools: [tool, tool], resources: [] }), duplicate);
  assert.throws(() => createCatalog({ tools: [], resources: [resource, resource] }), duplicate);
});

test('an unknown tool name gives the valid ones', () => {
  assert.throws(
    () => sampleCatalog().tool('pong'),
    (error: ParleyError) =>
      error.code === 'caller/unknown-tool' &&
      error.message === 'expected one of ietf-srv6-ping, parley-node-state, parley-ask, got "pong"',
  );
  assert.throws(() => sampleCatalog().tool('pong'), {
    data: { known: ['ietf-srv6-ping', 'parley-node-state', 'parley-ask'], wireCode: -32602 },
  });
  assert.equal(sampleCatalog().tool('parley-ask').name, 'parley-ask');
});

const scopes: readonly (readonly [string, Party, readonly string[] | undefined, readonly string[]])[] = [
  ['an operator', OPERATOR, undefined, ['ietf-srv6-ping', 'parley-node-state', 'parley-ask']],
  ['a controller', CONTROLLER, undefined, ['ietf-srv6-ping', 'parley-node-state']],
  ['a node with one shared capability', NODE, ['ietf-srv6-ping'], ['ietf-srv6-ping']],
  ['a node that shares what only operators may use', NODE, ['parley-ask'], []],
  ['a node with nothing shared', NODE, [], []],
  ['a node that has not negotiated', NODE, undefined, []],
];
for (const [who, caller, authorised, expected] of scopes) {
  test(`${who} sees and may call exactly ${expected.length} tools [TS-14] [TS-14a]`, () => {
    const catalog = sampleCatalog();
    const scope = { caller, authorised };
    assert.deepEqual(
      catalog.tools(scope).map((tool) => tool.name),
      expected,
    );
    for (const name of ['ietf-srv6-ping', 'parley-node-state', 'parley-ask']) {
      const admission = catalog.admit({ method: 'tools/call', params: { name, arguments: { Count: 1 } } }, scope);
      assert.equal(admission.kind, expected.includes(name) ? 'tool' : 'refused');
    }
  });
}

test('arguments are checked against the schema, and absent ones are an empty object', () => {
  const catalog = sampleCatalog();
  const scope = { caller: OPERATOR, authorised: undefined };
  const ping = (args: object) =>
    catalog.admit({ method: 'tools/call', params: { name: 'ietf-srv6-ping', arguments: { ...args } } }, scope).kind;
  assert.equal(ping({ Count: 1000 }), 'tool');
  assert.equal(ping({ Count: 1001 }), 'refused');
  assert.equal(ping({ Count: 1, Extra: 1 }), 'refused');
  const absent = catalog.admit({ method: 'tools/call', params: { name: 'parley-ask' } }, scope);
  assert.deepEqual(absent.kind === 'tool' && absent.arguments, {});
});

test('a resource is found by URI, also with the space that the draft writes [TS-15]', () => {
  const catalog = sampleCatalog();
  const admission = catalog.admit(
    { method: 'resources/read', params: { uri: COUNTERS_URN } },
    { caller: NODE, authorised: ['ietf-interface-counters'] },
  );
  assert.equal(admission.kind === 'resource' && admission.uri, COUNTERS_URN);
  const unknown = catalog.admit(
    { method: 'resources/read', params: { uri: 'urn:b' } },
    { caller: OPERATOR, authorised: undefined },
  );
  assert.equal(unknown.kind === 'refused' && unknown.refusal.code, -32002);
});

test('a listed output schema takes failures as well, which strict clients hold against it [NET-13] [NET-19]', () => {
  const outputSchema = { type: 'object', properties: { stdout: { type: 'string' } }, required: ['stdout'] };
  const catalog = createCatalog({ tools: [toolDefinition({ name: 'show', outputSchema })], resources: [] });
  const [listed] = listTools(catalog, { caller: OPERATOR, authorised: undefined })['tools'] as {
    outputSchema: unknown;
  }[];
  assert.deepEqual(listed!.outputSchema, {
    type: 'object',
    properties: { stdout: { type: 'string' } },
    anyOf: [{ required: ['stdout'] }, { required: ['code', 'name', 'data'] }],
  });
});

test('listings show annotations, capability, concrete resources and templates', async () => {
  const listed = [{ uri: 'urn:report/1', name: 'one', mimeType: 'application/json' }];
  const catalog = createCatalog({
    tools: [toolDefinition({ name: 'edit', mutability: 'write' })],
    resources: [
      resourceDefinition({ uriTemplate: 'urn:report/{id}', list: async () => listed }),
      resourceDefinition({ uriTemplate: 'urn:peers', name: 'peers', capability: 'parley-peers' }),
    ],
  });
  const scope = { caller: { ...OPERATOR, role: 'admin' as const }, authorised: undefined };
  assert.deepEqual(listTools(catalog, scope)['tools'], [
    {
      name: 'edit',
      title: 'edit',
      description: 'the edit tool',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: {
        title: 'edit',
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
      _meta: {
        'io.parley/capability': 'edit',
        'io.parley/openapi': {
          operationId: 'edit',
          summary: 'edit',
          description: 'the edit tool',
          tags: ['edit'],
          requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
          responses: {
            '200': { description: 'The result', content: { 'application/json': { schema: { type: 'object' } } } },
            default: { description: 'A refusal with code, name and data' },
          },
          'x-idempotent': false,
        },
      },
    },
  ]);
  assert.deepEqual((await listResources(catalog, scope, CONTEXT))['resources'], [
    {
      uri: 'urn:report/1',
      name: 'one',
      mimeType: 'application/json',
      _meta: { 'io.parley/capability': 'ietf-interface-counters' },
    },
    {
      uri: 'urn:peers',
      name: 'peers',
      description: 'a resource',
      mimeType: 'application/yang-data+json',
      _meta: { 'io.parley/capability': 'parley-peers' },
    },
  ]);
  const templates = listResourceTemplates(catalog, scope)['resourceTemplates'] as readonly {
    readonly uriTemplate: string;
  }[];
  assert.deepEqual(
    templates.map((template) => template.uriTemplate),
    ['urn:report/{id}'],
  );
});
