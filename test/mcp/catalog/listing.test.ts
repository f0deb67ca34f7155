// What tools/list, resources/list and prompts/list show to which caller, member by member.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { listPrompts, listResources, listResourceTemplates, listTools } from '#mcp/catalog/listing.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { PromptDefinition } from '#model/definition.ts';
import { NODE, OPERATOR, resourceDefinition, toolDefinition } from '../harness.ts';

const ADMIN = { caller: { ...OPERATOR, role: 'admin' as const }, authorised: undefined };
const CONTEXT = { caller: OPERATOR, signal: new AbortController().signal, progress: () => {} };

function prompt(over: Partial<PromptDefinition> = {}): PromptDefinition {
  return {
    name: 'why',
    title: 'Why',
    description: 'asks why',
    capability: 'prompts',
    callers: ['operator'],
    arguments: [
      { name: 'src', description: 'from', required: true, schema: { type: 'string', pattern: '^[a-z]+$' } },
      { name: 'count', description: 'how many', required: false, schema: { type: 'integer', minimum: 1 } },
    ],
    get: () => assert.fail('a list runs no prompt'),
    ...over,
  };
}

test('a prompt is listed with what a form needs, and as a stream only where it is one [NET-10] [NET-11]', () => {
  const catalog = createCatalog({
    tools: [],
    resources: [],
    prompts: [prompt(), prompt({ name: 'audit', arguments: [], stream: true }), prompt({ name: 'b', stream: false })],
  });
  const meta = { 'io.parley/capability': 'prompts' };
  const plain = {
    name: 'why',
    title: 'Why',
    description: 'asks why',
    arguments: [
      { type: 'string', pattern: '^[a-z]+$', name: 'src', description: 'from', required: true },
      { type: 'integer', minimum: 1, name: 'count', description: 'how many', required: false },
    ],
    required: ['src'],
    _meta: meta,
  };
  assert.deepEqual(listPrompts(catalog, ADMIN), {
    prompts: [
      plain,
      { ...plain, name: 'audit', arguments: [], required: [], stream: true, _meta: { ...meta, stream: true } },
      { ...plain, name: 'b' },
    ],
  });
});

const tools = (scope: Parameters<typeof listTools>[1], params: JsonObject = {}) =>
  listTools(
    createCatalog({
      tools: [
        toolDefinition({ name: 'short' }),
        toolDefinition({ name: 'said', listing: 'default' }),
        toolDefinition({ name: 'long', listing: 'extended' }),
        toolDefinition({ name: 'between', listing: 'agents' }),
      ],
      resources: [],
    }),
    scope,
    params,
  )['tools'] as readonly JsonObject[];

test('agents see every tool; other clients the short list, unless they ask for all, and nothing that is for agents [NET-3]', () => {
  const names = (...args: Parameters<typeof tools>) => tools(...args).map(({ name }) => name);
  const short = ['short', 'said'];
  const all = ['short', 'said', 'long'];
  assert.deepEqual(names(ADMIN), short);
  assert.deepEqual(names({ caller: NODE, authorised: [...all, 'between'] }), [...all, 'between']);
  assert.deepEqual(names(ADMIN, { _meta: { 'io.parley/tools': 'all' } }), all);
  for (const _meta of [{ 'io.parley/tools': 'some' }, {}, 'all', null])
    assert.deepEqual(names(ADMIN, { _meta }), short);
});

test('annotations say what a tool does, and availability only where there is none [NET-3]', () => {
  const listed = (over: Partial<Parameters<typeof toolDefinition>[0]>) => {
    const catalog = createCatalog({ tools: [toolDefinition({ name: 'x', ...over })], resources: [] });
    const [tool] = listTools(catalog, ADMIN)['tools'] as readonly JsonObject[];
    return tool!;
  };
  const hints = (...args: Parameters<typeof listed>) => {
    const { title: _, ...rest } = listed(...args)['annotations'] as JsonObject;
    return Object.values(rest);
  };
  // readOnly, destructive, idempotent, openWorld
  assert.deepEqual(hints({ mutability: 'read' }), [true, false, true, false]);
  assert.deepEqual(hints({ mutability: 'probe' }), [true, false, false, true]);
  assert.deepEqual(hints({ mutability: 'write' }), [false, true, false, false]);
  assert.deepEqual(hints({ mutability: 'read', idempotent: false }), [true, false, false, false]);
  assert.deepEqual(hints({ mutability: 'write', idempotent: true }), [false, true, true, false]);
  assert.deepEqual(hints({ mutability: 'read', changesState: true }), [false, true, true, false]);
  assert.deepEqual(hints({ mutability: 'probe', changesState: true }), [false, true, false, true]);
  const away = listed({ available: () => false });
  assert.deepEqual([away['available'], (away['_meta'] as JsonObject)['available']], [false, false]);
  for (const over of [{}, { available: () => true }]) {
    const there = listed(over);
    assert.deepEqual(['available' in there, 'available' in (there['_meta'] as JsonObject)], [false, false]);
  }
  assert.equal('outputSchema' in listed({ content: () => [] } as never), false, 'content blocks have no schema');
});

test('a resource is listed with its meta, as writable where it is, and only to those that may read it [NET-7] [NET-16]', async () => {
  const access = {
    ...createAccess(),
    rule: (_party: unknown, _operation: unknown, target: { readonly uri?: string }) => ({
      permit: target.uri !== 'urn:report/2',
      named: false,
    }),
  } as unknown as Access;
  const entry = (uri: string) => ({ uri, name: uri, mimeType: 'application/json' });
  const catalog = createCatalog({
    tools: [],
    resources: [
      resourceDefinition({
        uriTemplate: 'urn:report/{id}',
        title: 'Report',
        list: async () => [entry('urn:report/1'), entry('urn:report/2')],
        meta: { more: 1 },
        write: async () => ({}),
      } as never),
      resourceDefinition({ uriTemplate: 'urn:a/{id}' }),
    ],
    access,
  });
  const _meta = { 'io.parley/capability': 'ietf-interface-counters', more: 1 };
  assert.deepEqual(await listResources(catalog, ADMIN, CONTEXT), {
    resources: [{ ...entry('urn:report/1'), readOnly: false, _meta }],
  });
  const template = {
    name: 'resource',
    description: 'a resource',
    mimeType: 'application/yang-data+json',
    _meta: { 'io.parley/capability': 'ietf-interface-counters' },
  };
  assert.deepEqual(listResourceTemplates(catalog, ADMIN), {
    resourceTemplates: [
      { ...template, uriTemplate: 'urn:report/{id}', title: 'Report' },
      { ...template, uriTemplate: 'urn:a/{id}', title: 'resource' },
    ],
  });
});
