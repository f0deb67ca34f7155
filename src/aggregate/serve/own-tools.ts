// Tools of the aggregator itself: the tree with its states and budgets, dropped notifications (AX-18), and the two by which people decide on
// calls that wait. What waits is shown to operators alone; a decision counts by its signature, whoever brings it.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { objectOf } from '../names/capability.ts';
import type { Core } from '../tree/core.ts';
import type { Slot } from '../tree/slot.ts';
import { type Answer, errorAnswer, resultAnswer } from '../wire/message.ts';

export type OwnTools = {
  /** Undefined for a tool that is none of these. */
  call(params: JsonObject): Promise<Answer> | undefined;
};

export function createOwnTools(core: Core, party: Party): OwnTools {
  const tools: Readonly<Record<string, (args: JsonObject) => Promise<JsonObject>>> = {
    aggregate_tree: () => treeOf(core),
    notifications_dropped: async () => ({
      dropped: [...core.slots.values()].map(({ segment, subserver }) => ({
        segment,
        dropped: subserver?.dropped ?? 0,
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
    call(params) {
      const name = String(params['name']);
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      return tool === undefined ? undefined : answerWith(tool(objectOf(params['arguments'])));
    },
  };
}

async function answerWith(running: Promise<JsonObject>): Promise<Answer> {
  try {
    const structuredContent = await running;
    return resultAnswer({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent });
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const data = { errorCode: error.code, detail: error.message };
    return errorAnswer(WIRE_CODES.accessDenied, 'Network.AccessDenied', data);
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
    spent: core.budgets.spent().map((each) => ({ ...each })),
  };
}

function slotJson(slot: Slot): JsonObject {
  const { segment, how, isAggregator, state, reason, sinceMs, offers, subserver } = slot;
  return {
    segment,
    kind: isAggregator ? 'aggregator' : 'leaf',
    how,
    state,
    since: new Date(sinceMs).toISOString(),
    ...(reason === undefined ? {} : { reason }),
    tools: offers.tools.length,
    openCalls: subserver?.openCalls ?? 0,
    roundTripMs: Math.round((subserver?.roundTripMs ?? 0) * 10) / 10,
    droppedNotifications: subserver?.dropped ?? 0,
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
