// What a server of the MCP specification says of itself and lists, whichever revision its client speaks.
import type { JsonObject } from '#base/json.ts';
import { PRIVACY_LEVEL } from '#model/consent.ts';
import type { CallContext } from '#model/definition.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { completeArgument } from '../catalog/completion.ts';
import type { Dispatch } from '../catalog/dispatch.ts';
import { listHostTools, listPrompts, listResources, listResourceTemplates } from '../catalog/listing.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { PARLEY_EXPERIMENT } from '../protocol/negotiation.ts';

export type ServerInfo = { readonly name: string; readonly version: string };

export type McpDialectParts = {
  readonly serverInfo: ServerInfo;
  readonly node: string;
  readonly capabilities: readonly string[];
  readonly catalog: Catalog;
  readonly dispatch: Dispatch;
  /** `capabilities.network` of NET-1; absent without such a device. */
  readonly network?: () => JsonObject | undefined;
};

export function capabilitiesOf(parts: McpDialectParts, scope: CallerScope) {
  const network = parts.network?.();
  const role = parts.catalog.roleOf(scope);
  const announced = {
    [PARLEY_EXPERIMENT]: {
      node: parts.node,
      capabilities: parts.capabilities,
      ...(role === undefined ? {} : { role }),
    },
  };
  return {
    tools: { listChanged: false },
    resources: { subscribe: true, listChanged: false },
    prompts: { listChanged: false },
    completions: {},
    // NET-1, and once more where clients that drop unknown members still see it.
    ...(network === undefined ? {} : { network }),
    // TS-32, in both places for the same reason.
    'privacy-level': PRIVACY_LEVEL,
    experimental: {
      ...announced,
      'privacy-level': { level: PRIVACY_LEVEL },
      ...(network === undefined ? {} : { network }),
    },
  };
}

/** undefined: the method lists nothing. */
export async function answerList(
  catalog: Catalog,
  scope: CallerScope,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  context: CallContext,
): Promise<JsonObject | undefined> {
  switch (method) {
    case 'tools/list':
      return listHostTools(catalog, scope, params);
    case 'resources/list':
      return listResources(catalog, scope, context);
    case 'resources/templates/list':
      return listResourceTemplates(catalog, scope);
    case 'prompts/list':
      return listPrompts(catalog, scope);
    case 'completion/complete':
      return completeArgument(catalog, scope, params, context);
    default:
      return undefined;
  }
}
