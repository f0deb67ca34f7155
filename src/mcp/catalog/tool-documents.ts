// Each tool as an OpenAPI 3.0 Operation Object (TS-3, TS-7), as a resource that the list of tools links to: in the list itself it would be
// more than half of what a language model has to read before its first call.
import type { JsonObject } from '#base/json.ts';
import type { ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { Catalog } from './catalog.ts';
import { hostNameOf } from './host-names.ts';
import { openApiOperation } from './openapi.ts';

const PREFIX = 'parley:///tools/';
const SUFFIX = '/openapi';

/** URI of a tool's Operation Object. */
export function toolDocumentUri({ name }: Pick<ToolDefinition, 'name'>): string {
  return `${PREFIX}${hostNameOf(name)}${SUFFIX}`;
}

type Tools = Pick<Catalog, 'tools' | 'findTool'>;

export function createToolDocuments(catalog: () => Tools) {
  return { tools: [], resources: [documentsResource(catalog)] };
}

/** Shows a tool to those who may call it. */
function documentsResource(catalog: () => Tools): ResourceDefinition {
  return {
    name: 'tool-openapi',
    title: 'A tool in OpenAPI',
    description: 'One tool as an OpenAPI 3.0 Operation Object.',
    uriTemplate: `${PREFIX}{name}${SUFFIX}`,
    mimeType: 'application/json',
    capability: 'parley-tools',
    callers: ['operator', 'controller'],
    honoursPaths: true,
    serves: (uri) => uri.startsWith(PREFIX) && uri.endsWith(SUFFIX),
    read: async (uri, { caller }) => documentOf(catalog(), uri.slice(PREFIX.length, -SUFFIX.length), caller),
  };
}

function documentOf(catalog: Pick<Catalog, 'tools' | 'findTool'>, name: string, caller: Party): JsonObject | undefined {
  const tool = catalog.findTool(name);
  const isShown = tool !== undefined && catalog.tools({ caller, authorised: undefined }).includes(tool);
  return isShown ? openApiOperation(tool) : undefined;
}
