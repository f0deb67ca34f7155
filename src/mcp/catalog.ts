// Every tool, resource and prompt of a node, written once and served by every transport and dialect (docs/design.md §5). It says what a
// caller may see and use, and checks arguments. Refuses duplicates; on an unknown name it lists the valid ones.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { CallContent } from '#model/call.ts';
import type { Party } from '#model/identity.ts';
import {
  type PromptOffer,
  type PromptRequest,
  type ReadRequest,
  type ResourceOffer,
  type ToolOffer,
  WIRE_CODES,
} from '#model/offer.ts';
import { nameOfCode } from './rpc.ts';
import { sharedValidator } from './validator.ts';

/** Who asks: the party, and for nodes the capability intersection of the session. */
export type CallerScope = {
  readonly caller: Party;
  /** undefined for operators and controllers, whose role decides (TS-14). */
  readonly authorised: readonly string[] | undefined;
};

export type Refusal = { readonly code: number; readonly message: string; readonly data: JsonObject };

export type Admission =
  | { readonly kind: 'tool'; readonly offer: ToolOffer; readonly arguments: JsonObject }
  | { readonly kind: 'resource'; readonly offer: ResourceOffer; readonly uri: string; readonly request: ReadRequest }
  | { readonly kind: 'write'; readonly offer: ResourceOffer; readonly uri: string; readonly content: JsonValue }
  | { readonly kind: 'prompt'; readonly offer: PromptOffer; readonly request: PromptRequest }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type Catalog = {
  /** Tools that the caller may call, in the order they were offered. */
  tools(scope: CallerScope): readonly ToolOffer[];
  resources(scope: CallerScope): readonly ResourceOffer[];
  prompts(scope: CallerScope): readonly PromptOffer[];
  /** The offer that serves `uri`, whoever asks. */
  findResource(uri: string): ResourceOffer | undefined;
  findTool(name: string): ToolOffer | undefined;
  /** Throws ParleyError `caller/unknown-tool` that lists the valid names. */
  tool(name: string): ToolOffer;
  /** Decides over one call: known, offered to this caller, within the intersection, arguments as the schema says. */
  admit(content: CallContent, scope: CallerScope): Admission;
};

type Offer = Pick<ToolOffer, 'callers' | 'capability'>;
type ArgumentCheck = (args: JsonObject) => string | undefined;

/** Characters of a validator's text that are passed on. */
const FAULT_CHARS = 300;

export function createCatalog(init: {
  readonly tools: readonly ToolOffer[];
  readonly resources: readonly ResourceOffer[];
  readonly prompts?: readonly PromptOffer[];
}): Catalog {
  const { tools, resources, prompts = [] } = init;
  refuseDuplicates(
    'tool',
    tools.map(({ name }) => name),
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
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    checks: new Map(tools.map((tool) => [tool.name, compile(tool)])),
    resources,
    prompts: new Map(prompts.map((prompt) => [prompt.name, prompt])),
  };
  return {
    tools: (scope) => tools.filter((tool) => isOffered(tool, scope)),
    resources: (scope) => resources.filter((resource) => isOffered(resource, scope)),
    prompts: (scope) => prompts.filter((prompt) => isOffered(prompt, scope)),
    findResource: (uri) => findResource(index, uri) ?? findResource(index, uri.split(CURSOR_QUERY)[0]!),
    findTool: (name) => index.tools.get(name),
    tool(name) {
      const found = index.tools.get(name);
      if (found !== undefined) return found;
      const known = [...index.tools.keys()];
      throw new ParleyError('caller/unknown-tool', `expected one of ${known.join(', ')}, came ${quoted(name)}`, {
        data: { known, wireCode: WIRE_CODES.invalidParams },
      });
    },
    admit({ method, params }, scope) {
      if (method === 'tools/call') return admitTool(index, params, scope);
      if (method === 'prompts/get') return admitPrompt(index, params, scope);
      return method === 'resources/write' ? admitWrite(index, params, scope) : admitResource(index, params, scope);
    },
  };
}

type Index = {
  readonly tools: ReadonlyMap<string, ToolOffer>;
  readonly checks: ReadonlyMap<string, ArgumentCheck>;
  readonly resources: readonly ResourceOffer[];
  readonly prompts: ReadonlyMap<string, PromptOffer>;
};

function findResource(index: Index, uri: string): ResourceOffer | undefined {
  return index.resources.find((resource) => resource.serves(uri));
}

function admitTool(index: Index, params: JsonObject, scope: CallerScope): Admission {
  const name = params['name'] as string;
  const offer = index.tools.get(name);
  if (offer === undefined) {
    const known = namesOffered(index.tools, scope);
    return refuse(WIRE_CODES.invalidParams, { detail: `unknown tool ${quoted(name)}`, known });
  }
  if (!isOffered(offer, scope)) return refuse(WIRE_CODES.accessDenied, deniedData(name, offer));
  if (offer.available?.() === false) {
    const detail = `${name} is not available on this device`;
    return refuse(WIRE_CODES.configIncompatible, { detail, path: name, retryPossible: false });
  }
  const args = (params['arguments'] ?? {}) as JsonObject;
  const fault = index.checks.get(name)!(args);
  if (fault === undefined) return { kind: 'tool', offer, arguments: args };
  return refuse(WIRE_CODES.invalidParams, { detail: fault.slice(0, FAULT_CHARS), path: name, retryPossible: false });
}

function admitResource(index: Index, params: JsonObject, scope: CallerScope): Admission {
  const { uri, cursor } = splitCursor(index, params['uri'] as string, params['cursor'] as string | undefined);
  const offer = findResource(index, uri);
  if (offer === undefined) {
    const known = index.resources
      .filter((resource) => isOffered(resource, scope))
      .map(({ uriTemplate }) => uriTemplate);
    return refuse(WIRE_CODES.resourceNotFound, { detail: `unknown resource ${quoted(uri)}`, known });
  }
  if (!isOffered(offer, scope)) return refuse(WIRE_CODES.accessDenied, deniedData(uri, offer));
  const contentId = params['content-id'] as string | undefined;
  const accept = params['accept'] as string | undefined;
  const request: ReadRequest = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(contentId === undefined ? {} : { contentId }),
    ...(accept === undefined ? {} : { accept }),
  };
  return { kind: 'resource', offer, uri, request };
}

/** NET-16: configuration is for operators and controllers; a neighbour never writes. */
function admitWrite(index: Index, params: JsonObject, scope: CallerScope): Admission {
  const admitted = admitResource(index, params, scope);
  if (admitted.kind !== 'resource') return admitted;
  const { offer, uri } = admitted;
  if (scope.caller.kind === 'node') return refuse(WIRE_CODES.accessDenied, deniedData(uri, offer));
  if (offer.write === undefined) {
    return refuse(WIRE_CODES.configIncompatible, {
      detail: 'this resource is read-only',
      path: uri,
      retryPossible: false,
    });
  }
  const content = contentOf(params);
  if (content !== undefined) return { kind: 'write', offer, uri, content };
  return refuse(WIRE_CODES.invalidParams, { detail: 'expected params.data or params.text, came neither', path: uri });
}

function admitPrompt(index: Index, params: JsonObject, scope: CallerScope): Admission {
  const name = params['name'] as string;
  const offer = index.prompts.get(name);
  if (offer === undefined) {
    const known = namesOffered(index.prompts, scope);
    return refuse(WIRE_CODES.invalidParams, { detail: `unknown prompt ${quoted(name)}`, known });
  }
  if (!isOffered(offer, scope)) return refuse(WIRE_CODES.accessDenied, deniedData(name, offer));
  return { kind: 'prompt', offer, request: promptRequestOf(params) };
}

function namesOffered(offers: ReadonlyMap<string, Offer>, scope: CallerScope): string[] {
  return [...offers].filter(([, offer]) => isOffered(offer, scope)).map(([name]) => name);
}

function refuseDuplicates(kind: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw duplicate(kind, twice);
}

/** What stands between a URI and a cursor in the link that generic MCP clients get to the rest of a list (NET-6). */
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

/** Generic MCP clients have no member but `arguments`: the context may stand there as well. */
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

/** True when the offer is meant for this kind of caller and, for nodes, within the negotiated set [TS-14, TS-14a]. */
function isOffered(offer: Offer, scope: CallerScope): boolean {
  if (!offer.callers.includes(scope.caller.kind)) return false;
  // A node without a negotiated set has not negotiated: it may use nothing, rather than everything.
  if (scope.caller.kind === 'node') return scope.authorised?.includes(offer.capability) ?? false;
  return true;
}

function compile(tool: ToolOffer): ArgumentCheck {
  const validate = sharedValidator.getValidator<JsonObject>({ ...tool.inputSchema });
  return (args) => {
    if (!isJsonObject(args)) return 'expected arguments to be an object, came something else';
    const verdict = validate(args);
    return verdict.valid ? undefined : verdict.errorMessage;
  };
}

function refuse(code: number, data: JsonObject): Admission {
  return { kind: 'refused', refusal: { code, message: nameOfCode(code), data } };
}

function deniedData(path: string, offer: Offer): JsonObject {
  return { detail: `capability ${offer.capability} is not authorised for this session`, path, retryPossible: false };
}

function duplicate(kind: string, name: string): ParleyError {
  return new ParleyError('us/duplicate-offer', `expected each ${kind} once, came ${quoted(name)} twice`, {
    data: { name },
  });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
