// Which nodes stand behind which segment of an aggregator, and whom to ask first for a question. A name that no node below has is left to the
// agents: they find nodes that have no parent.

import type { Core } from '#aggregate/tree/core.ts';
import { ownNodeOf, type Slot } from '#aggregate/tree/slot.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { nodeKey } from '#model/names.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type Below = {
  readonly slot: Slot;
  /** Name of the agent or aggregator itself. */
  readonly node: string;
  /** Nodes with an agent: itself, or those below the aggregator. */
  readonly agents: readonly string[];
};

/** Agents and aggregators of ours, in the order of their segments; also those whose session is lost: an answer without them says so. */
export async function nodesBelow(core: Core): Promise<readonly Below[]> {
  const slots = [...core.slots.values()].toSorted((one, other) => (one.segment < other.segment ? -1 : 1));
  const found = await Promise.all(slots.map((slot) => belowOf(slot)));
  return found.flatMap((each) => each ?? []);
}

async function belowOf(slot: Slot): Promise<Below | undefined> {
  if (slot.subserver === undefined) return isLost(slot) ? { slot, node: slot.node!, agents: lostIn(slot) } : undefined;
  const node = ownNodeOf(slot);
  if (node === undefined) return undefined;
  if (!slot.isAggregator) return { slot, node, agents: [node] };
  const paramsText = JSON.stringify({ name: 'aggregate_tree', arguments: {} });
  const timeoutMs = AGENT_LIMITS.nodesBelowMs;
  const answer = await slot.subserver.request({ method: 'tools/call', paramsText, timeoutMs, caller: undefined })
    .answer;
  const result = JSON.parse(answer.text) as JsonValue;
  const tree = isJsonObject(result) ? result['structuredContent'] : undefined;
  return { slot, node, agents: tree !== undefined && isJsonObject(tree) ? agentsIn(tree) : [] };
}

/** Came with a certificate of this domain, and had what our agents have, until its session was lost. */
function isLost({ node, isAggregator, offers }: Slot): boolean {
  return node !== undefined && (isAggregator || offers.tools.some(({ name }) => name === 'parley-ask'));
}

/** What stands behind an aggregator is not known while it is lost. */
function lostIn({ node, isAggregator }: Slot): readonly string[] {
  return isAggregator || node === undefined ? [] : [node];
}

/** Nodes in a tree, whatever their state; of an aggregator that does not say what it has, its own name: no report has an answer of that. */
export function agentsIn(tree: JsonObject): readonly string[] {
  const below = Array.isArray(tree['below']) ? (tree['below'] as readonly JsonValue[]) : [];
  return below.filter(isJsonObject).flatMap((each) => {
    const name = typeof each['node'] === 'string' ? [each['node']] : [];
    if (each['kind'] !== 'aggregator' || !Array.isArray(each['below'])) return name;
    return agentsIn(each);
  });
}

/**
 * First where the nodes are that the question names (by their keys), in its order: the node itself before an aggregator that says it has it, for
 * any may say so. The others only where the question names none, or one that no region is known to have.
 */
export function inTurn(below: readonly Below[], wanted: readonly string[]): readonly Below[] {
  const withNode = wanted.map((key) => {
    const claiming = below.filter(({ agents }) => agents.some((agent) => nodeKey(agent) === key));
    return claiming.toSorted((one, other) => Number(isItself(other, key)) - Number(isItself(one, key)));
  });
  const others = wanted.length === 0 || withNode.some((each) => each.length === 0) ? below : [];
  return [...new Set([...withNode.flat(), ...others])];
}

function isItself({ slot, node }: Below, key: string): boolean {
  return !slot.isAggregator && nodeKey(node) === key;
}
