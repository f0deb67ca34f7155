// Which nodes stand behind which segment of an aggregator, and whom to ask first for a question. A name that no node below has is left to the
// agent that is asked: it finds nodes that have no parent.

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

/** Agents and aggregators of ours that answer now, in the order of their segments. */
export async function nodesBelow(core: Core): Promise<readonly Below[]> {
  const slots = [...core.slots.values()].toSorted((one, other) => (one.segment < other.segment ? -1 : 1));
  const found = await Promise.all(slots.map((slot) => belowOf(slot)));
  return found.flatMap((each) => each ?? []);
}

async function belowOf(slot: Slot): Promise<Below | undefined> {
  const node = ownNodeOf(slot);
  if (node === undefined || slot.subserver === undefined) return undefined;
  if (!slot.isAggregator) return { slot, node, agents: [node] };
  const paramsText = JSON.stringify({ name: 'aggregate_tree', arguments: {} });
  const timeoutMs = AGENT_LIMITS.nodesBelowMs;
  const answer = await slot.subserver.request({ method: 'tools/call', paramsText, timeoutMs, caller: undefined })
    .answer;
  const result = JSON.parse(answer.text) as JsonValue;
  const tree = isJsonObject(result) ? result['structuredContent'] : undefined;
  return { slot, node, agents: tree !== undefined && isJsonObject(tree) ? agentsIn(tree) : [] };
}

function agentsIn(tree: JsonObject): readonly string[] {
  const below = Array.isArray(tree['below']) ? (tree['below'] as readonly JsonValue[]) : [];
  return below.filter(isJsonObject).flatMap((each) => {
    if (each['kind'] === 'aggregator') return agentsIn(each);
    return typeof each['node'] === 'string' && each['state'] === 'up' ? [each['node']] : [];
  });
}

const NAME = /[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu;

/** Nodes of `known` that the text names, in its order. `PE-1` is `pe1`. */
export function namedIn(text: string, known: readonly string[]): readonly string[] {
  const byKey = new Map(known.map((node) => [nodeKey(node), node]));
  const named = [...text.matchAll(NAME)].flatMap(([word]) => byKey.get(nodeKey(word)) ?? []);
  return [...new Set(named)];
}

/** First where the nodes are that the question names, in its order; the others only where it names none of them. */
export function inTurn(below: readonly Below[], named: readonly string[]): readonly Below[] {
  if (named.length === 0) return below;
  const withNode = named.flatMap((node) => below.find(({ agents }) => agents.includes(node)) ?? []);
  return [...new Set(withNode)];
}
