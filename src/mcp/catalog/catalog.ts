// Every tool, resource and prompt of a node, written once and served by every transport and dialect (docs/design.md §5). Decides what a
// caller may see and use, and checks arguments. Refuses duplicates; for an unknown name it lists the valid ones.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { Admission, Decision, Refusal } from '#model/admission.ts';
import type { CallContent } from '#model/call.ts';
import {
  type PromptDefinition,
  type PromptRequest,
  type ReadRequest,
  type ResourceDefinition,
  type ToolDefinition,
  WIRE_CODES,
} from '#model/definition.ts';
import type { Party, Role } from '#model/identity.ts';
import type { AdmittedCall } from '#model/ports.ts';
import { nameOfCode } from '../protocol/rpc.ts';
import { sharedValidator } from '../protocol/validator.ts';
import { hostNameOf } from './host-names.ts';
import {
  type CallerScope,
  type Denial,
  denialData,
  promptDenial,
  resourceDenial,
  toolDenial,
  touchDenial,
} from './permission.ts';

export type Catalog = {
  /** Tools that the caller may call, in the order of their definitions. */
  tools(scope: CallerScope): readonly ToolDefinition[];
  /** Why the caller may not call this tool; undefined when it may. */
  toolDenial(scope: CallerScope, tool: ToolDefinition): Denial | undefined;
  resources(scope: CallerScope): readonly ResourceDefinition[];
  prompts(scope: CallerScope): readonly PromptDefinition[];
  /** Whether a concrete resource may be listed to this caller. */
  mayRead(scope: CallerScope, definition: ResourceDefinition, uri: string): boolean;
  /** The caller's role; undefined for nodes and controllers. */
  roleOf(scope: CallerScope): Role | undefined;
  /** Whether some data is hidden from the caller by its path. */
  hidesData(scope: CallerScope): boolean;
  /** The definition that serves `uri`, for any caller. */
  findResource(uri: string): ResourceDefinition | undefined;
  /** By its name or by the name that hosts see. */
  findTool(name: string): ToolDefinition | undefined;
  /** Throws ParleyError `caller/unknown-tool` that lists the valid names. */
  tool(name: string): ToolDefinition;
  /** Decides one call: known, meant for this caller, within the intersection, arguments as the schema says. */
  admit(content: CallContent, scope: CallerScope): Decision;
  /** Why one of those behind a node's call may not do it; undefined when the rules permit it to all of them. */
  refusalBehind(content: CallContent, parties: readonly Party[]): Refusal | undefined;
  /** True when this catalog gave `call.admission` for this very content and caller: a forged or borrowed admission runs nothing. */
  isAdmitted(call: AdmittedCall): boolean;
};

type ArgumentCheck = (args: JsonObject) => string | undefined;

/** Characters of a validator's message that a refusal carries. */
const FAULT_CHARS = 300;

export function createCatalog(init: {
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly prompts?: readonly PromptDefinition[];
  /** Default: the built-in rules. */
  readonly access?: Access;
}): Catalog {
  const { tools, resources, prompts = [], access = createAccess() } = init;
  refuseDuplicates(
    'tool',
    tools.map(({ name }) => hostNameOf(name)),
  );
  refuseDuplicates(
    'resource',
    resources.map(({ uriTemplate }) => uriTemplate),
  );
  refuseDuplicates(
    'prompt',
    prompts.map(({ name }) => name),
  );
  const index: Index = {
    tools: new Map(tools.flatMap((tool) => [tool.name, hostNameOf(tool.name)].map((name) => [name, tool]))),
    checks: new Map(tools.map((tool) => [tool.name, compile(tool)])),
    resources,
    prompts: new Map(prompts.map((prompt) => [prompt.name, prompt])),
    access,
  };
  const given = new WeakMap<Admission, Pick<AdmittedCall, 'content' | 'caller' | 'authorised'>>();
  return {
    tools: (scope) => tools.filter((tool) => toolDenial(access, scope, tool) === undefined),
    toolDenial: (scope, tool) => toolDenial(access, scope, tool),
    resources: (scope) => resources.filter((resource) => isListed(access, scope, resource)),
    mayRead: (scope, definition, uri) => resourceDenial(access, scope, definition, uri) === undefined,
    prompts: (scope) => prompts.filter((prompt) => promptDenial(access, scope, prompt) === undefined),
    roleOf: (scope) => access.roleOf(scope.caller),
    hidesData: (scope) => access.hidesData(scope.caller),
    findResource: (uri) => findResource(index, uri) ?? findResource(index, uri.split(CURSOR_QUERY)[0]!),
    findTool: (name) => index.tools.get(name),
    tool(name) {
      const found = index.tools.get(name);
      if (found !== undefined) return found;
      const known = tools.map((tool) => tool.name);
      throw new ParleyError('caller/unknown-tool', `expected one of ${known.join(', ')}, got ${quoted(name)}`, {
        data: { known, wireCode: WIRE_CODES.invalidParams },
      });
    },
    admit(content, scope) {
      const decision = decide(index, content, scope);
      if (decision.kind !== 'refused')
        given.set(decision, { content, caller: scope.caller, authorised: scope.authorised });
      return decision;
    },
    refusalBehind: (content, parties) => refusalBehind(index, content, parties),
    isAdmitted({ admission, content, caller, authorised }) {
      const call = given.get(admission);
      return call?.content === content && call.caller === caller && call.authorised === authorised;
    },
  };
}

function decide(index: Index, { method, params }: CallContent, scope: CallerScope): Decision {
  if (method === 'tools/call') return admitTool(index, params, scope);
  if (method === 'prompts/get') return admitPrompt(index, params, scope);
  return method === 'resources/write' ? admitWrite(index, params, scope) : admitResource(index, params, scope);
}

function refusalBehind(index: Index, content: CallContent, parties: readonly Party[]): Refusal | undefined {
  for (const caller of parties) {
    const behind = { ...caller, isBehind: true as const };
    const decision = decide(index, content, { caller: behind, authorised: undefined, isBehind: true });
    if (decision.kind !== 'refused') continue;
    const { data } = decision.refusal;
    const detail = `for ${caller.kind}/${caller.name}, who asks through another node: ${String(data['detail'])}`;
    return { ...decision.refusal, data: { ...data, detail } };
  }
  return undefined;
}

type Index = {
  /** By their names, and by those that hosts see. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly checks: ReadonlyMap<string, ArgumentCheck>;
  readonly resources: readonly ResourceDefinition[];
  readonly prompts: ReadonlyMap<string, PromptDefinition>;
  readonly access: Access;
};

function findResource(index: Index, uri: string): ResourceDefinition | undefined {
  return index.resources.find((resource) => resource.serves(uri));
}

function admitTool(index: Index, params: JsonObject, scope: CallerScope): Decision {
  const name = params['name'] as string;
  const definition = index.tools.get(name);
  if (definition === undefined) {
    const known = [...new Set(index.tools.values())].filter(
      (tool) => toolDenial(index.access, scope, tool) === undefined,
    );
    return refuse(WIRE_CODES.invalidParams, {
      detail: `unknown tool ${quoted(name)}`,
      known: known.map((tool) => tool.name),
    });
  }
  const denied = toolDenial(index.access, scope, definition);
  if (denied !== undefined) return deny(denied);
  if (definition.available?.() === false) {
    const detail = `${name} is not available on this device`;
    return refuse(definition.unavailableCode ?? WIRE_CODES.configIncompatible, {
      detail,
      path: name,
      retryPossible: false,
    });
  }
  const args = (params['arguments'] ?? {}) as JsonObject;
  const fault = index.checks.get(definition.name)!(args);
  if (fault !== undefined)
    return refuse(WIRE_CODES.invalidParams, { detail: fault.slice(0, FAULT_CHARS), path: name, retryPossible: false });
  const touched = touchDenial(index.access, scope, definition.touches?.(args) ?? []);
  return touched === undefined ? { kind: 'tool', definition, arguments: args } : deny(touched);
}

function admitResource(
  index: Index,
  params: JsonObject,
  scope: CallerScope,
  operation: 'read' | 'update' = 'read',
): Decision {
  const { uri, cursor } = splitCursor(index, params['uri'] as string, params['cursor'] as string | undefined);
  const definition = findResource(index, uri);
  if (definition === undefined) {
    const known = index.resources
      .filter((resource) => isListed(index.access, scope, resource))
      .map(({ uriTemplate }) => uriTemplate);
    return refuse(WIRE_CODES.resourceNotFound, { detail: `unknown resource ${quoted(uri)}`, known });
  }
  const denied = resourceDenial(index.access, scope, definition, uri, operation);
  if (denied !== undefined) return deny(denied);
  const contentId = params['content-id'] as string | undefined;
  const accept = params['accept'] as string | undefined;
  const limit = params['limit'] as number | undefined;
  const request: ReadRequest = {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(contentId === undefined ? {} : { contentId }),
    ...(accept === undefined ? {} : { accept }),
  };
  return { kind: 'resource', definition, uri, request };
}

/** NET-16: the access rules decide who may write; a node never may. */
function admitWrite(index: Index, params: JsonObject, scope: CallerScope): Decision {
  const admitted = admitResource(index, params, scope, 'update');
  if (admitted.kind !== 'resource') return admitted;
  const { definition, uri } = admitted;
  if (scope.caller.kind === 'node') return deny({ detail: 'a node never writes to another', path: uri });
  if (definition.write === undefined) {
    return refuse(WIRE_CODES.configIncompatible, {
      detail: 'this resource is read-only',
      path: uri,
      retryPossible: false,
    });
  }
  const content = contentOf(params);
  if (content !== undefined) return { kind: 'write', definition, uri, content };
  return refuse(WIRE_CODES.invalidParams, { detail: 'expected params.data or params.text, got neither', path: uri });
}

function admitPrompt(index: Index, params: JsonObject, scope: CallerScope): Decision {
  const name = params['name'] as string;
  const definition = index.prompts.get(name);
  if (definition === undefined) {
    const known = [...index.prompts.values()]
      .filter((prompt) => promptDenial(index.access, scope, prompt) === undefined)
      .map((prompt) => prompt.name);
    return refuse(WIRE_CODES.invalidParams, { detail: `unknown prompt ${quoted(name)}`, known });
  }
  const denied = promptDenial(index.access, scope, definition);
  if (denied !== undefined) return deny(denied);
  return { kind: 'prompt', definition, request: promptRequestOf(params) };
}

function refuseDuplicates(kind: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw duplicate(kind, twice);
}

/** Separates URI and cursor in the link to the next page that generic MCP clients get (NET-6). */
export const CURSOR_QUERY = '?cursor=';

function splitCursor(
  index: Index,
  uri: string,
  cursor: string | undefined,
): { readonly uri: string; readonly cursor: string | undefined } {
  const at = uri.lastIndexOf(CURSOR_QUERY);
  if (cursor !== undefined || at < 0 || findResource(index, uri.slice(0, at)) === undefined) return { uri, cursor };
  return { uri: uri.slice(0, at), cursor: uri.slice(at + CURSOR_QUERY.length) };
}

/** Content of `resources/write`: `data` or `text`, or the first of `contents`. */
function contentOf(params: JsonObject): JsonValue | undefined {
  const first = Array.isArray(params['contents']) ? params['contents'][0] : undefined;
  const from = isJsonObject(first) ? first : params;
  return from['data'] ?? from['text'];
}

/** Generic MCP clients can send `arguments` only: the context may be a member of it. */
function promptRequestOf(params: JsonObject): PromptRequest {
  const { previousContextId: inside, toolResults: resultsInside, ...args } = (params['arguments'] ?? {}) as JsonObject;
  const previous = params['previousContextId'] ?? inside;
  const results = params['toolResults'] ?? resultsInside;
  return {
    arguments: args,
    ...(typeof previous === 'string' ? { previousContextId: previous } : {}),
    ...(Array.isArray(results) ? { toolResults: results } : {}),
  };
}

/** A definition whose own URI is a template is listed when the rules do not deny all of it. */
function isListed(access: Access, scope: CallerScope, definition: ResourceDefinition): boolean {
  return (
    resourceDenial(access, scope, { ...definition, pathOf: () => undefined }, definition.uriTemplate) === undefined
  );
}

function compile(tool: ToolDefinition): ArgumentCheck {
  const validate = sharedValidator.getValidator<JsonObject>({ ...tool.inputSchema });
  return (args) => {
    if (!isJsonObject(args)) return 'expected arguments to be an object, got something else';
    const verdict = validate(args);
    return verdict.valid ? undefined : verdict.errorMessage;
  };
}

function refuse(code: number, data: JsonObject): Decision {
  return { kind: 'refused', refusal: { code, message: nameOfCode(code), data } };
}

function deny(denial: Denial): Decision {
  return refuse(WIRE_CODES.accessDenied, denialData(denial));
}

function duplicate(kind: string, name: string): ParleyError {
  return new ParleyError('us/duplicate-definition', `expected each ${kind} once, got ${quoted(name)} twice`, {
    data: { name },
  });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
