// Whether a caller may use a definition: by its kind, for nodes by the negotiated capabilities (TS-14), and by the access rules [NET-16].
// A rule that hides data by path also denies every definition that shows data without checking paths, unless a rule names that definition.
import type { JsonObject } from '#base/json.ts';
import type { Touch } from '#model/access.ts';
import { type Access, type AccessOperation, type AccessTarget, denialText, touchRefusal } from '#model/access.ts';
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';

/** The caller: its party, and for nodes the capability intersection of the session. */
export type CallerScope = {
  readonly caller: Party;
  /** undefined for operators and controllers, whose role decides (TS-14). */
  readonly authorised: readonly string[] | undefined;
  /**
   * It stands behind a call of a node: the rules decide, while kind and capabilities are the node's. What is filtered by path is filtered
   * for the caller alone, so it counts as not filtered.
   */
  readonly isBehind?: true;
  /** Aborts when the transport session ends. */
  readonly sessionEnded?: AbortSignal;
};

/** The reason of a denial: `detail` and `path` of −32083. */
export type Denial = { readonly detail: string; readonly path: string };

type Callable = Pick<ToolDefinition, 'callers' | 'capability' | 'honoursPaths'>;

export function toolDenial(access: Access, scope: CallerScope, tool: ToolDefinition): Denial | undefined {
  const target = { kind: 'tool', name: tool.aliasOf ?? tool.name, mutability: tool.mutability } as const;
  return (
    callerDenial(scope, tool, tool.name) ??
    ruleDenial(access, scope, tool, 'exec', target, tool.name) ??
    aliasDenial(access, scope, tool)
  );
}

/** An alias is no way around a rule; a rule may also deny the alias alone. */
function aliasDenial(access: Access, { caller }: CallerScope, tool: ToolDefinition): Denial | undefined {
  if (tool.aliasOf === undefined) return undefined;
  const { name, mutability } = tool;
  const ruling = access.rule(caller, 'exec', { kind: 'tool', name, mutability });
  return ruling.permit || !ruling.named
    ? undefined
    : { detail: denialText(access, caller, 'exec', ruling), path: name };
}

/** A prompt is text. Each call that it leads to, by the client or by a step of the prompt, is admitted separately. */
export function promptDenial(access: Access, scope: CallerScope, prompt: PromptDefinition): Denial | undefined {
  const target = { kind: 'tool', name: prompt.name, mutability: 'read' } as const;
  const definition = { ...prompt, honoursPaths: true };
  return (
    callerDenial(scope, definition, prompt.name) ?? ruleDenial(access, scope, definition, 'exec', target, prompt.name)
  );
}

/** `uri` is the requested one, or the template when resources are listed. */
export function resourceDenial(
  access: Access,
  scope: CallerScope,
  definition: ResourceDefinition,
  uri: string,
  operation: 'read' | 'update' = 'read',
): Denial | undefined {
  const denied =
    callerDenial(scope, definition, uri) ??
    ruleDenial(access, scope, definition, operation, { kind: 'resource', uri }, uri);
  if (denied !== undefined || operation !== 'read') return denied;
  const steps = definition.pathOf?.(uri);
  return steps === undefined
    ? undefined
    : touchDenial(access, scope, [{ operations: ['read'], names: [steps], path: uri }]);
}

/** The first denied element of a call: one denied element denies the whole call. */
export function touchDenial(access: Access, { caller }: CallerScope, touched: readonly Touch[]): Denial | undefined {
  for (const touch of touched) {
    const refused = touchRefusal(access, caller, touch);
    if (refused !== undefined)
      return { detail: denialText(access, caller, touch.operations.join(' or '), refused), path: touch.path };
  }
  return undefined;
}

export function denialData({ detail, path }: Denial): JsonObject {
  return { detail, path, retryPossible: false };
}

/** True when the definition is meant for this kind of caller and, for nodes, within the negotiated set [TS-14, TS-14a]. */
function callerDenial(
  { caller, authorised, isBehind }: CallerScope,
  definition: Callable,
  path: string,
): Denial | undefined {
  if (isBehind) return undefined;
  // A node without a negotiated set has not negotiated: it may use nothing, rather than everything.
  const permitted =
    definition.callers.includes(caller.kind) &&
    (caller.kind !== 'node' || (authorised?.includes(definition.capability) ?? false));
  return permitted
    ? undefined
    : { detail: `capability ${definition.capability} is not authorised for this session`, path };
}

function ruleDenial(
  access: Access,
  { caller, isBehind }: CallerScope,
  definition: Callable,
  operation: AccessOperation,
  target: AccessTarget,
  path: string,
): Denial | undefined {
  const ruling = access.rule(caller, operation, target);
  if (!ruling.permit) return { detail: denialText(access, caller, operation, ruling), path };
  if ((definition.honoursPaths && !isBehind) || ruling.named || !access.hidesData(caller)) return undefined;
  return {
    detail: 'some data is hidden from this caller, and this shows data that access rules cannot filter by path',
    path,
  };
}
