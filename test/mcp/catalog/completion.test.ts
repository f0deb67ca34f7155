// completion/complete: values of a definition for one place, bounded, and none that the caller may not read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { completeArgument } from '#mcp/catalog/completion.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { PromptDefinition } from '#model/definition.ts';
import { OPERATOR, resourceDefinition } from '../harness.ts';

const SCOPE = { caller: OPERATOR, authorised: undefined };
const CONTEXT = { caller: OPERATOR, signal: new AbortController().signal, progress: () => {} };
const NAMES = ['eth1', 'eth2', 'secret'];
const matching = async (place: string, value: string) =>
  place === 'name' ? NAMES.filter((name) => name.startsWith(value)) : [];

const prompt = (name: string, complete?: PromptDefinition['complete']) =>
  ({ name, capability: name, callers: ['operator'], arguments: [], complete }) as unknown as PromptDefinition;

function catalogOf(access: Access = createAccess()) {
  return createCatalog({
    tools: [],
    resources: [
      resourceDefinition({ uriTemplate: 'urn:if/{name}', honoursPaths: true, complete: matching }),
      resourceDefinition({ uriTemplate: 'urn:plain/{name}', honoursPaths: true }),
    ],
    prompts: [
      prompt('why', matching),
      prompt('mute'),
      prompt('many', async () => Array.from({ length: 101 }, (_, at) => `v${at}`)),
      prompt('hundred', async () => Array.from({ length: 100 }, (_, at) => `v${at}`)),
    ],
    access,
  });
}

type Completion = { readonly values: readonly string[]; readonly total: number; readonly hasMore: boolean };

async function complete(ref: JsonObject, place = 'name', value = '', catalog = catalogOf()): Promise<Completion> {
  const params = { ref, argument: { name: place, value } };
  return (await completeArgument(catalog, SCOPE, params, CONTEXT))['completion'] as unknown as Completion;
}

const WHY = { type: 'ref/prompt', name: 'why' };
const INTERFACE = { type: 'ref/resource', uri: 'urn:if/{name}' };
const NONE: Completion = { values: [], total: 0, hasMore: false };

test('values come from the definition that is named, for the place that is named', async () => {
  for (const ref of [WHY, INTERFACE]) {
    assert.deepEqual(await complete(ref, 'name', 'eth'), { values: ['eth1', 'eth2'], total: 2, hasMore: false });
    assert.deepEqual(await complete(ref, 'other', 'eth'), NONE);
  }
});

test('a place without completion, and a definition that is unknown, have no values and are no error', async () => {
  for (const ref of [
    { type: 'ref/prompt', name: 'mute' },
    { type: 'ref/prompt', name: 'none' },
    { type: 'ref/resource', uri: 'urn:plain/{name}' },
    { type: 'ref/resource', uri: 'urn:none' },
  ])
    assert.deepEqual(await complete(ref), NONE, JSON.stringify(ref));
});

test('at most 100 values are shown, with how many there are', async () => {
  const many = await complete({ type: 'ref/prompt', name: 'many' });
  assert.deepEqual([many.values.length, many.values.at(-1), many.total, many.hasMore], [100, 'v99', 101, true]);
  const hundred = await complete({ type: 'ref/prompt', name: 'hundred' });
  assert.deepEqual([hundred.values.length, hundred.total, hundred.hasMore], [100, 100, false]);
});

test('values that the caller may not read are not offered; prompts offer none where data is hidden [NET-16]', async () => {
  const access = {
    ...createAccess(),
    hidesData: () => true,
    rule: (_party: unknown, _operation: unknown, target: { readonly uri?: string }) => ({
      permit: target.uri !== 'urn:if/secret',
      named: false,
    }),
  } as unknown as Access;
  const { values } = await complete(INTERFACE, 'name', '', catalogOf(access));
  assert.deepEqual(values, ['eth1', 'eth2']);
  assert.deepEqual(await complete(WHY, 'name', '', catalogOf(access)), NONE);
});

test('a request without ref, argument, name or value is refused', async () => {
  const argument = { name: 'name', value: '' };
  const invalid: readonly (readonly [JsonObject, string])[] = [
    [{ argument }, 'expected ref and argument, got something else'],
    [{ ref: WHY }, 'expected ref and argument, got something else'],
    [{ ref: 'why', argument }, 'expected ref and argument, got something else'],
    [{ ref: WHY, argument: { name: 'name' } }, 'expected a name and a value, got something else'],
    [{ ref: WHY, argument: { value: '' } }, 'expected a name and a value, got something else'],
    [{ ref: WHY, argument: { name: 1, value: '' } }, 'expected a name and a value, got something else'],
  ];
  for (const [params, detail] of invalid)
    await assert.rejects(completeArgument(catalogOf(), SCOPE, params, CONTEXT), { code: -32602, data: { detail } });
});
