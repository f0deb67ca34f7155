// tools/list, resources/list and prompts/list: a caller sees only what it may use. The forms are those of the MCP specification; the
// drafts define none, so all dialects share them; MCP-NET's own tools alone are listed to everyone who speaks a draft.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { CallContext, ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { Catalog } from './catalog.ts';
import { hostNameOf, inHostNames } from './host-names.ts';
import { openApiOperation } from './openapi.ts';
import type { CallerScope } from './permission.ts';
import { toolDocumentUri } from './tool-documents.ts';

/** Member of a listed definition's `_meta` that names its capability. */
const CAPABILITY_META = 'io.parley/capability';

/** Member of `tools/list`'s `_meta` by which a client asks for every tool: `{"io.parley/tools": "all"}`. */
export const TOOLS_META = 'io.parley/tools';
/** Members of a tool's `_meta`: its OpenAPI 3.0 Operation Object or a link to it, and its own name where hosts see another. */
const OPENAPI_META = 'io.parley/openapi';
export const NAME_META = 'io.parley/name';

/**
 * Agents see every tool. Other clients see those that a person or a language model would use, and of these the short list unless they ask for
 * all: long lists overwhelm small models.
 */
export function listTools(catalog: Catalog, scope: CallerScope, params: JsonObject = {}): JsonObject {
  const meta = params['_meta'];
  const isNode = scope.caller.kind === 'node';
  const wantsAll = meta !== undefined && isJsonObject(meta) && meta[TOOLS_META] === 'all';
  const isListed = ({ listing }: ToolDefinition) =>
    isNode || (listing !== 'agents' && (wantsAll || listing !== 'extended'));
  return { tools: catalog.tools(scope).filter(isListed).map(toolJson) };
}

/** The tools of MCP-NET. */
const MCP_NET_TOOLS = [
  ...['network.cli.exec', 'network.cli.configure', 'network.yang.get', 'network.yang.edit'],
  ...['network.commit', 'network.rollback', 'network.file.pull', 'network.file.push'],
] as const;

/** For the drafts' dialects: MCP-NET's own tools are listed to every caller; with `available: false` and the reason where it may not call one [NET-2]. */
export function listDraftTools(catalog: Catalog, scope: CallerScope, params: JsonObject = {}): JsonObject {
  const { tools } = listTools(catalog, scope, params);
  const listed = new Set((tools as readonly JsonObject[]).map(({ name }) => name));
  const others = MCP_NET_TOOLS.filter((name) => !listed.has(name)).flatMap((name) => catalog.findTool(name) ?? []);
  return { tools: [...(tools as readonly JsonObject[]), ...others.map((tool) => draftTool(catalog, scope, tool))] };
}

function draftTool(catalog: Catalog, scope: CallerScope, tool: ToolDefinition): JsonObject {
  const json = toolJson(tool);
  const denied = catalog.toolDenial(scope, tool);
  if (denied === undefined) return json;
  const why = { available: false, reason: denied.detail };
  return { ...json, ...why, _meta: { ...(json['_meta'] as JsonObject), ...why } };
}

/** The same for hosts of language models: names that they take, and a link in place of the OpenAPI form. */
export function listHostTools(catalog: Catalog, scope: CallerScope, params: JsonObject = {}): JsonObject {
  const { tools } = listTools(catalog, scope, params);
  if (scope.caller.kind === 'node') return { tools: tools! };
  const names = catalog.tools(scope).map(({ name }) => name);
  return { tools: (tools as readonly JsonObject[]).map((tool) => hostTool(tool, names)) };
}

function hostTool(tool: JsonObject, names: readonly string[]): JsonObject {
  const name = String(tool['name']);
  const listed = hostNameOf(name);
  const own = listed === name ? {} : { [NAME_META]: name };
  const description = inHostNames(String(tool['description']), names);
  const meta = { ...(tool['_meta'] as JsonObject), [OPENAPI_META]: toolDocumentUri({ name }), ...own };
  return { ...tool, name: listed, description, _meta: meta };
}

/** With the members that a form needs (NET-10); MCP itself defines name, description and required. */
export function listPrompts(catalog: Catalog, scope: CallerScope): JsonObject {
  return {
    prompts: catalog.prompts(scope).map(({ name, title, description, arguments: args, stream, capability }) => ({
      name,
      title,
      description,
      arguments: args.map((argument) => ({
        ...argument.schema,
        name: argument.name,
        description: argument.description,
        required: argument.required,
      })),
      required: args.filter(({ required }) => required).map((argument) => argument.name),
      ...(stream ? { stream } : {}),
      _meta: { [CAPABILITY_META]: capability, ...(stream ? { stream } : {}) },
    })),
  };
}

/** Resources that exist now; a definition without a list of its own and without places in its URI is its own entry. */
export async function listResources(catalog: Catalog, scope: CallerScope, context: CallContext): Promise<JsonObject> {
  const lists = catalog.resources(scope).map(async (definition): Promise<JsonObject[]> => {
    const listed = definition.list === undefined ? ownEntry(definition) : await definition.list(context);
    const meta = { [CAPABILITY_META]: definition.capability, ...(definition.meta ?? {}) };
    // NET-7, as the draft spells it.
    const writable = definition.write === undefined ? {} : { readOnly: false };
    // A resource that the caller may not read is not listed.
    return listed
      .filter(({ uri }) => catalog.mayRead(scope, definition, uri))
      .map((entry) => ({ ...entry, ...writable, _meta: meta }));
  });
  return { resources: (await Promise.all(lists)).flat() };
}

export function listResourceTemplates(catalog: Catalog, scope: CallerScope): JsonObject {
  const templates = catalog.resources(scope).filter((definition) => isTemplate(definition));
  return {
    resourceTemplates: templates.map(({ uriTemplate, name, title, description, mimeType, capability }) => {
      return { uriTemplate, name, title, description, mimeType, _meta: { [CAPABILITY_META]: capability } };
    }),
  };
}

function toolJson(tool: ToolDefinition): JsonObject {
  const { name, title, description, inputSchema, outputSchema, mutability, capability } = tool;
  const changes = mutability === 'write' || tool.changesState === true;
  const annotations = {
    title,
    readOnlyHint: !changes,
    destructiveHint: changes,
    idempotentHint: tool.idempotent ?? mutability === 'read',
    openWorldHint: mutability === 'probe',
  };
  const lacking = (tool.available?.() ?? true) ? {} : { available: false, reason: 'this device cannot do it' };
  return {
    name,
    title,
    description,
    inputSchema,
    // A tool with content blocks of its own has no structured content.
    ...(tool.content === undefined ? { outputSchema: withFailures(outputSchema) } : {}),
    annotations,
    // NET-3 spells it as a member; MCP clients that drop unknown members find it below `_meta`.
    ...lacking,
    _meta: { [CAPABILITY_META]: capability, [OPENAPI_META]: openApiOperation(tool), ...lacking },
  };
}

/**
 * MCP clients validate `structuredContent` against this schema even when `isError` is set: if the schema lacked the form of a failure,
 * they would show a validation error instead of the node's code and reason.
 */
function withFailures(schema: JsonObject): JsonObject {
  const { required, ...rest } = schema;
  if (required === undefined) return schema;
  return { ...rest, anyOf: [{ required }, { required: ['code', 'name', 'data'] }] };
}

function ownEntry(
  definition: ResourceDefinition,
): readonly { uri: string; name: string; description: string; mimeType: string }[] {
  if (isTemplate(definition)) return [];
  return [
    {
      uri: definition.uriTemplate,
      name: definition.name,
      description: definition.description,
      mimeType: definition.mimeType,
    },
  ];
}

function isTemplate(definition: ResourceDefinition): boolean {
  return definition.uriTemplate.includes('{');
}
