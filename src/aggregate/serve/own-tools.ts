// Tools of the aggregator itself: the tree with its states and budgets, dropped notifications (AX-18), and the two by which people decide on
// calls that wait. What waits is shown to operators alone; a decision counts by its signature, not by the caller that brings it.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { nameOfCode } from '#mcp/protocol/rpc.ts';
import { sharedValidator } from '#mcp/protocol/validator.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { budgetExceeded, invalidParams } from '../codes.ts';
import { claimsOf, objectOf } from '../names/capability.ts';
import type { Core } from '../tree/core.ts';
import type { OwnTool } from '../tree/own-definitions.ts';
import type { Slot } from '../tree/slot.ts';
import { type Answer, errorAnswer, resultAnswer } from '../wire/message.ts';
import { recordOf, refusedAsker, type ToolCall } from './call-tool.ts';
import { tokenDenial, toolTarget } from './token-rights.ts';

export type OwnTools = {
  /** Undefined for a tool that is none of these. */
  call(call: ToolCall): Promise<Answer> | undefined;
};

export function createOwnTools(core: Core, party: Party): OwnTools {
  const tools: Readonly<Record<string, (args: JsonObject) => Promise<JsonObject>>> = {
    aggregate_tree: () => treeOf(core),
    notifications_dropped: async () => ({
      dropped: [...core.slots.values()].map(({ segment, subserver }) => ({
        segment,
        dropped: subserver?.dropped ?? 0,
        missing: subserver?.missing ?? 0,
      })),
    }),
    'parley-approvals': async () => {
      if (party.kind !== 'operator')
        throw new ParleyError('caller/not-permitted', `expected an operator, got ${party.kind}/${party.name}`);
      return { pending: core.gates.pending() };
    },
    'parley-decide': async (args) => core.gates.decide(args),
  };
  return {
    call(call) {
      const { params } = call;
      const name = String(params['name']);
      const handedIn = core.more.find(({ definition }) => definition['name'] === name);
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (handedIn === undefined && tool === undefined) return undefined;
      const changes =
        name === 'parley-decide' || (handedIn !== undefined && claimsOf(handedIn.definition).safety !== 'read');
      const denied = tokenDenial(party, toolTarget(name, changes ? 'mutable' : 'read'));
      if (denied !== undefined) return Promise.resolve(refusedAsker(denied));
      if (handedIn !== undefined) return callHandedIn(core, handedIn, call);
      return answerWith(tool!(objectOf(params['arguments'])));
    },
  };
}

/** Charged and recorded like a call that goes down. */
async function callHandedIn(core: Core, tool: OwnTool, call: ToolCall): Promise<Answer> {
  const { params, party, caller, signal, account } = call;
  const args = objectOf(params['arguments']);
  const checked = sharedValidator.getValidator(objectOf(tool.definition['inputSchema']))(args);
  if (!checked.valid) return invalidParams(checked.errorMessage);
  const asked = call.asked();
  if (asked === undefined) return refusedAsker('expected an aggregator with an identity, got one without');
  if (!asked.ok) return refusedAsker(asked.reason);
  const reached = core.budgets.take(account, { isMutable: false, cost: 1 });
  if (reached !== undefined) return budgetExceeded(reached);
  const { intent } = args;
  const said = typeof intent === 'string' ? { intent } : {};
  core.note(recordOf(String(tool.definition['name']), call, asked.value, { event: 'request', ...said }));
  return answerWith(tool.call(args, { party, asked: asked.value, caller, signal }), tool.summary);
}

async function answerWith(running: Promise<JsonObject>, summary?: OwnTool['summary']): Promise<Answer> {
  try {
    const structuredContent = await running;
    const content = summary?.(structuredContent) ?? [{ type: 'text', text: JSON.stringify(structuredContent) }];
    return resultAnswer({ content, structuredContent });
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const { wireCode, wireMessage, ...more } = error.data;
    const code = typeof wireCode === 'number' ? wireCode : WIRE_CODES.accessDenied;
    const message = typeof wireMessage === 'string' ? wireMessage : nameOfCode(code);
    return errorAnswer(code, message, { ...more, errorCode: error.code, detail: error.message });
  }
}

/** Aggregators below are asked in turn; one that does not answer in time is shown without its own. */
async function treeOf(core: Core): Promise<JsonObject> {
  const slots = [...core.slots.values()].toSorted((one, other) => (one.segment < other.segment ? -1 : 1));
  const below = await Promise.all(slots.map(async (slot) => ({ ...slotJson(slot), ...(await belowOf(slot)) })));
  const { unmapped } = core.entries();
  return {
    node: core.node,
    tools: core.entries().tools.size,
    below,
    unmapped: unmapped.map((each) => ({ ...each })),
    waiting: core.gates.pending().length,
    budget: { ...core.budgets.budget },
    spent: core.budgets.spent().map((each) => ({ ...each })),
  };
}

function slotJson(slot: Slot): JsonObject {
  const { segment, how, isAggregator, state, reason, sinceMs, offers, subserver, node } = slot;
  return {
    segment,
    kind: isAggregator ? 'aggregator' : 'leaf',
    how,
    ...(node === undefined ? {} : { node }),
    state,
    since: new Date(sinceMs).toISOString(),
    ...(reason === undefined ? {} : { reason }),
    tools: offers.tools.length,
    openCalls: subserver?.openCalls ?? 0,
    roundTripMs: Math.round((subserver?.roundTripMs ?? 0) * 10) / 10,
    droppedNotifications: subserver?.dropped ?? 0,
    missingNotifications: subserver?.missing ?? 0,
    server: slot.serverInfo,
  };
}

const BELOW_MS = 2_000;

async function belowOf({ isAggregator, subserver }: Slot): Promise<JsonObject> {
  if (!isAggregator || subserver === undefined) return {};
  const paramsText = JSON.stringify({ name: 'aggregate_tree', arguments: {} });
  const answer = await subserver.request({ method: 'tools/call', paramsText, timeoutMs: BELOW_MS, caller: undefined })
    .answer;
  const result = JSON.parse(answer.text) as JsonValue;
  const tree = isJsonObject(result) ? objectOf(result['structuredContent']) : {};
  return answer.kind === 'result'
    ? { node: tree['node'] ?? '', below: tree['below'] ?? [], unmapped: tree['unmapped'] ?? [] }
    : {};
}
