// What the calls of a question put on the links of the nodes that are called, read from this node's own definitions of the same tools.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { HOST_SCAN_TOOL, RELAY_TOOL } from '#measure/call.ts';
import type { PlannedCall } from '#model/call.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { ProbeAmount } from '#model/links/probe-cost.ts';

export type ProbeCosts = (call: Pick<PlannedCall, 'name' | 'arguments'>) => ProbeAmount | undefined;

/** Undefined for calls that send no probes, and for arguments that the tool would refuse. A relayed search for hosts counts as its own. */
export function createProbeCosts(tools: readonly ToolDefinition[]): ProbeCosts {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const costOf = (name: string, args: JsonObject) => {
    try {
      return byName.get(name)?.probes?.(args);
    } catch {
      return undefined;
    }
  };
  return (call) => {
    const { hosts } = call.arguments;
    if (call.name === RELAY_TOOL && isJsonObject(hosts)) return costOf(HOST_SCAN_TOOL, hosts);
    return costOf(call.name, call.arguments);
  };
}
