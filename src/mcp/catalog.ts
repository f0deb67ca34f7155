// Every tool and resource of a node, written once and served by every transport and dialect (docs/design.md §5). It says what a
// caller may see and use, and checks arguments. Refuses duplicates; on an unknown name it lists the valid ones.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { CallContent } from '#model/call.ts';
import type { Party } from '#model/identity.ts';
import { type ResourceOffer, type ToolOffer, WIRE_CODES } from '#model/offer.ts';
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
  | { readonly kind: 'resource'; readonly offer: ResourceOffer; readonly uri: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type Catalog = {
  /** Tools that the caller may call, in the order they were offered. */
  tools(scope: CallerScope): readonly ToolOffer[];
  resources(scope: CallerScope): readonly ResourceOffer[];
  /** The offer that serves `uri`, whoever asks. */
  findResource(uri: string): ResourceOffer | undefined;
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
}): Catalog {
  const tools = new Map<string, ToolOffer>();
  const checks = new Map<string, ArgumentCheck>();
  for (const tool of init.tools) {
    if (tools.has(tool.name)) throw duplicate('tool', tool.name);
    tools.set(tool.name, tool);
    checks.set(tool.name, compile(tool));
  }
  const templates = new Set<string>();
  for (const { uriTemplate } of init.resources) {
    if (templates.has(uriTemplate)) throw duplicate('resource', uriTemplate);
    templates.add(uriTemplate);
  }
  const visibleTools = (scope: CallerScope) => init.tools.filter((tool) => isOffered(tool, scope));
  const findResource = (uri: string) => init.resources.find((resource) => resource.serves(uri));

  const admitTool = (params: JsonObject, scope: CallerScope): Admission => {
    const name = params['name'] as string;
    const offer = tools.get(name);
    if (offer === undefined) {
      return refuse(WIRE_CODES.invalidParams, {
        detail: `unknown tool ${quoted(name)}`,
        known: visibleTools(scope).map((tool) => tool.name),
      });
    }
    if (!isOffered(offer, scope)) return refuse(WIRE_CODES.accessDenied, deniedData(name, offer));
    const args = (params['arguments'] ?? {}) as JsonObject;
    const fault = checks.get(name)!(args);
    if (fault !== undefined)
      return refuse(WIRE_CODES.invalidParams, {
        detail: fault.slice(0, FAULT_CHARS),
        path: name,
        retryPossible: false,
      });
    return { kind: 'tool', offer, arguments: args };
  };

  const admitResource = (params: JsonObject, scope: CallerScope): Admission => {
    const uri = params['uri'] as string;
    const offer = findResource(uri);
    if (offer === undefined) {
      return refuse(WIRE_CODES.resourceNotFound, {
        detail: `unknown resource ${quoted(uri)}`,
        known: init.resources.filter((resource) => isOffered(resource, scope)).map((resource) => resource.uriTemplate),
      });
    }
    if (!isOffered(offer, scope)) return refuse(WIRE_CODES.accessDenied, deniedData(uri, offer));
    return { kind: 'resource', offer, uri };
  };

  return {
    tools: visibleTools,
    resources: (scope) => init.resources.filter((resource) => isOffered(resource, scope)),
    findResource,
    tool(name) {
      const found = tools.get(name);
      if (found !== undefined) return found;
      const known = [...tools.keys()];
      throw new ParleyError('caller/unknown-tool', `expected one of ${known.join(', ')}, came ${quoted(name)}`, {
        data: { known, wireCode: WIRE_CODES.invalidParams },
      });
    },
    admit: (content, scope) =>
      content.method === 'tools/call' ? admitTool(content.params, scope) : admitResource(content.params, scope),
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
