// What tools/list and resources/list show to a caller: only what it may use. The forms are the MCP specification's; the
// drafts have none of their own, so every dialect shares them.
import type { JsonObject } from '#base/json.ts';
import type { OfferContext, ResourceOffer, ToolOffer } from '#model/offer.ts';
import type { CallerScope, Catalog } from './catalog.ts';

/** Member of a listed offer's `_meta` that names its capability. */
export const CAPABILITY_META = 'io.parley/capability';

export function listTools(catalog: Catalog, scope: CallerScope): JsonObject {
  return { tools: catalog.tools(scope).map(toolJson) };
}

/** Resources that exist now; an offer without a list of its own and without places in its URI is its own entry. */
export async function listResources(catalog: Catalog, scope: CallerScope, context: OfferContext): Promise<JsonObject> {
  const lists = catalog.resources(scope).map(async (offer): Promise<JsonObject[]> => {
    const listed = offer.list === undefined ? ownEntry(offer) : await offer.list(context);
    return listed.map((entry) => ({ ...entry, _meta: { [CAPABILITY_META]: offer.capability } }));
  });
  return { resources: (await Promise.all(lists)).flat() };
}

export function listResourceTemplates(catalog: Catalog, scope: CallerScope): JsonObject {
  const templates = catalog.resources(scope).filter((offer) => isTemplate(offer));
  return {
    resourceTemplates: templates.map(({ uriTemplate, name, title, description, mimeType, capability }) => {
      return { uriTemplate, name, title, description, mimeType, _meta: { [CAPABILITY_META]: capability } };
    }),
  };
}

function toolJson(tool: ToolOffer): JsonObject {
  const { name, title, description, inputSchema, outputSchema, mutability, capability } = tool;
  const annotations = {
    title,
    readOnlyHint: mutability !== 'write',
    destructiveHint: mutability === 'write',
    openWorldHint: mutability === 'probe',
  };
  return { name, title, description, inputSchema, outputSchema, annotations, _meta: { [CAPABILITY_META]: capability } };
}

function ownEntry(
  offer: ResourceOffer,
): readonly { uri: string; name: string; description: string; mimeType: string }[] {
  if (isTemplate(offer)) return [];
  return [{ uri: offer.uriTemplate, name: offer.name, description: offer.description, mimeType: offer.mimeType }];
}

function isTemplate(offer: ResourceOffer): boolean {
  return offer.uriTemplate.includes('{');
}
