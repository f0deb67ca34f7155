// The tools by which decisions reach a node: `parley-approvals` shows what waits, `parley-decide` takes a signed decision. Who carries it
// does not matter, so the tools give no caller any power: the signature of an admin's key does.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { Consents } from './consents.ts';

const CAPABILITY = 'parley-consent';

export function consentTools(consents: Consents): readonly ToolDefinition[] {
  const common = { capability: CAPABILITY, mutability: 'read', callers: ['operator'], listing: 'extended' } as const;
  return [
    {
      ...common,
      name: 'parley-approvals',
      title: 'Changes that wait for an admin',
      description: 'Lists the consents that wait for a decision.',
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
      call: async () => ({
        pending: consents.pending() as unknown as JsonValue,
        decisions: consents.decisions() as unknown as JsonValue,
      }),
    },
    {
      ...common,
      name: 'parley-decide',
      title: 'Decision about a change',
      description: "Takes an admin's signed decision about a consent: parley approve, parley deny.",
      changesState: true,
      idempotent: false,
      inputSchema: {
        type: 'object',
        properties: {
          envelope: { type: 'object', description: "The decision, signed with the admin's key" },
          chain: {
            type: 'array',
            items: { type: 'string', maxLength: LIMITS.certificateBytes * 2 },
            minItems: 1,
            maxItems: LIMITS.chainCertificates,
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
      call: async (args): Promise<JsonObject> => {
        const chain = args['chain'] as readonly string[];
        return { ...(await consents.decide({ envelope: args['envelope'], chain })) };
      },
    },
  ];
}
