// The names under which hosts of language models see the tools: listed in a form that they take, callable under both, with a link to the
// OpenAPI form. The drafts' names stay with agents and in the drafts' dialects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { hostNameOf, inHostNames } from '#mcp/catalog/host-names.ts';
import { listHostTools, listTools } from '#mcp/catalog/listing.ts';
import { createToolDocuments } from '#mcp/catalog/tool-documents.ts';
import { NODE, OPERATOR, toolDefinition } from '../harness.ts';

const GET = toolDefinition({
  name: 'network.yang.get',
  description: 'Reads; network.yang.get.all and network.yang.get differ.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
});
const ALL = toolDefinition({ name: 'network.yang.get.all' });
const PLAIN = toolDefinition({ name: 'parley-ask' });
const catalog = createCatalog({ tools: [GET, ALL, PLAIN], resources: [] });
const SCOPE = { caller: OPERATOR, authorised: undefined };
const CONTEXT = { caller: OPERATOR, signal: new AbortController().signal, progress: () => {} };

test('a host sees letters, digits, _ and -, and the name of the drafts below _meta [NET-2] [NET-19]', () => {
  const tools = listHostTools(catalog, SCOPE)['tools'] as readonly JsonObject[];
  assert.deepEqual(
    tools.map(({ name, _meta }) => [name, (_meta as JsonObject)['io.parley/name']]),
    [
      ['network_yang_get', 'network.yang.get'],
      ['network_yang_get_all', 'network.yang.get.all'],
      ['parley-ask', undefined],
    ],
  );
  assert.equal(tools[0]!['description'], 'Reads; network_yang_get_all and network_yang_get differ.');
  assert.equal((tools[0]!['_meta'] as JsonObject)['io.parley/openapi'], 'parley:///tools/network_yang_get/openapi');
});

test('agents, and the drafts, see the names of the drafts [NET-2]', () => {
  const names = (listed: JsonObject) => (listed['tools'] as readonly JsonObject[]).map(({ name }) => name);
  const dotted = ['network.yang.get', 'network.yang.get.all', 'parley-ask'];
  assert.deepEqual(names(listTools(catalog, SCOPE)), dotted);
  assert.deepEqual(names(listHostTools(catalog, { caller: NODE, authorised: dotted })), dotted);
});

test('both names call the same tool, with the same check of its arguments [NET-2]', () => {
  for (const name of ['network.yang.get', 'network_yang_get']) {
    const admit = (args: JsonObject) =>
      catalog.admit({ method: 'tools/call', params: { name, arguments: args } }, SCOPE);
    const admitted = admit({ path: '/a' });
    assert.equal(admitted.kind === 'tool' && admitted.definition, GET);
    assert.equal(admit({}).kind, 'refused');
    assert.equal(catalog.findTool(name), GET);
  }
  const unknown = catalog.admit({ method: 'tools/call', params: { name: 'x' } }, SCOPE);
  assert.deepEqual(unknown.kind === 'refused' && unknown.refusal.data['known'], [GET.name, ALL.name, PLAIN.name]);
});

test('two tools that a host could not tell apart are refused', () => {
  const tools = [toolDefinition({ name: 'a.b' }), toolDefinition({ name: 'a_b' })];
  assert.throws(() => createCatalog({ tools, resources: [] }), /expected each tool once, got "a_b" twice/);
});

test('a name of any form becomes one that hosts take', () => {
  assert.equal(hostNameOf('a.b/c d-e_F1'), 'a_b_c_d-e_F1');
  assert.equal(hostNameOf('x'.repeat(80)).length, 64);
  assert.equal(inHostNames('see network.yang.get', ['parley-ask']), 'see network.yang.get');
});

test('the OpenAPI form of a tool is read by those who may call it, and by nobody else [TS-3] [TS-7]', async () => {
  const [documents] = createToolDocuments(() => catalog).resources;
  const read = (name: string, caller = OPERATOR) =>
    documents!.read(`parley:///tools/${name}/openapi`, { ...CONTEXT, caller });
  assert.equal(((await read('network_yang_get')) as JsonObject)['operationId'], 'network.yang.get');
  assert.equal(await read('other'), undefined);
  assert.equal(await read('network_yang_get', NODE), undefined);
  assert.equal(documents!.serves('parley:///tools/a/openapi'), true);
  assert.equal(documents!.serves('parley:///tools/a'), false);
});
