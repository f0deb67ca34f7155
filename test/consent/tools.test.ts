// The two tools by which decisions reach a node, as others see them, and what they hand on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Consents } from '#consent/consents.ts';
import { consentTools } from '#consent/tools.ts';
import type { CallContext } from '#model/definition.ts';

const CONTEXT = {} as CallContext;

test('approvals are listed and decisions taken for operators, with these schemas [TS-28]', () => {
  const seen = consentTools({} as Consents).map(({ title: _, description: __, call: ___, ...rest }) => rest);
  const common = { capability: 'parley-consent', mutability: 'read', callers: ['operator'], listing: 'extended' };
  assert.deepEqual(seen, [
    {
      ...common,
      name: 'parley-approvals',
      inputSchema: { type: 'object', additionalProperties: false },
      outputSchema: {
        type: 'object',
        properties: {
          pending: { type: 'array', items: { type: 'object' } },
          decisions: {
            type: 'array',
            items: { type: 'object', description: 'Who has decided, of each that is not used yet' },
          },
        },
        required: ['pending'],
      },
    },
    {
      ...common,
      name: 'parley-decide',
      changesState: true,
      idempotent: false,
      inputSchema: {
        type: 'object',
        properties: {
          envelope: { type: 'object', description: "The decision, signed with the admin's key" },
          chain: {
            type: 'array',
            items: { type: 'string', maxLength: 32_768 },
            minItems: 1,
            maxItems: 4,
            description: "The admin's certificates in PEM",
          },
        },
        required: ['envelope', 'chain'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          decision: { type: 'string' },
          by: { type: 'string' },
          waits: { const: true },
        },
        required: ['id', 'decision', 'by'],
      },
      honoursPaths: true,
    },
  ]);
});

test('the tools hand on what waits and what was decided [TS-28]', async () => {
  const asked: unknown[] = [];
  const consents = {
    pending: () => [{ id: 'c1' }],
    decisions: () => [{ id: 'c1', state: 'pending', by: [] }],
    decide: async (signed: unknown) => {
      asked.push(signed);
      return { id: 'c1', decision: 'approve', by: 'operator/ann' };
    },
  } as unknown as Consents;
  const [approvals, decide] = consentTools(consents);
  assert.deepEqual(await approvals!.call({}, CONTEXT), {
    pending: [{ id: 'c1' }],
    decisions: [{ id: 'c1', state: 'pending', by: [] }],
  });
  assert.deepEqual(await decide!.call({ envelope: { a: 1 }, chain: ['x'], more: 1 }, CONTEXT), {
    id: 'c1',
    decision: 'approve',
    by: 'operator/ann',
  });
  assert.deepEqual(asked, [{ envelope: { a: 1 }, chain: ['x'] }]);
});
