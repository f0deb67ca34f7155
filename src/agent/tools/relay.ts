// The tool `parley-relay`: queries a direct neighbour over the link itself, for a peer that has lost its route to that neighbour: its state,
// or the hosts on its ports. Queries nothing else, so it never goes beyond one link and one port. The answer is this node's testimony of
// what the neighbour reported.

import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { parsePrefix } from '#base/ip.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { HOST_SCAN_TOOL, NODE_STATE_TOOL, RELAY_TOOL } from '#measure/call.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { nodeKey } from '#model/names.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { NodeState, RouterPort } from '#model/router/router-port.ts';
import { HOST_SCAN_INPUT } from '#network/measurement/hosts.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import { askerIn } from '../serving/asker.ts';
import type { OpenSession } from '../sessions/sessions.ts';

export function createRelayTool(parts: {
  readonly router: RouterPort;
  readonly open: OpenSession;
  readonly port: number;
  readonly newSessionId: () => string;
  readonly record: (record: AuditRecord) => void;
  readonly clock: Clock;
}): ToolDefinition {
  return {
    name: RELAY_TOOL,
    title: 'State of a direct neighbour',
    description:
      'Asks a neighbour over the link itself, when routing to it is lost: for its state, or with `hosts` for the hosts on its ports.',
    capability: RELAY_TOOL,
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: { node: { type: 'string', minLength: 1, maxLength: 63 }, hosts: HOST_SCAN_INPUT },
      required: ['node'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', required: ['node'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const node = String(args['node']);
      const { asker, askedBy } = askerIn(context);
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(AGENT_LIMITS.relayMs)]);
      const addresses = linkAddresses(await parts.router.state(signal, 'all'), node);
      if (addresses.length === 0)
        throw new ParleyError('caller/unknown-node', `expected a direct neighbour, got ${node}`);
      const budget = { clock: parts.clock, budgetMs: AGENT_LIMITS.relayDialMs, signal, what: `a session with ${node}` };
      const target = { node, addresses, port: parts.port };
      const { session } = await withBudget(budget, (until) => parts.open(target, until));
      try {
        const { hosts } = args;
        const wanted = isJsonObject(hosts)
          ? { name: HOST_SCAN_TOOL, arguments: hosts }
          : { name: NODE_STATE_TOOL, arguments: { parts: 'all' } };
        const sessionId = parts.newSessionId();
        const about = { party: `node/${node}`, asker: askedBy, method: `tool ${wanted.name}`, sessionId };
        parts.record({ event: 'request', direction: 'out', ...about });
        const { answer } = await session.call({
          kind: 'tool',
          ...wanted,
          sessionId,
          asker,
          timeoutMs: AGENT_LIMITS.relayMs,
          signal,
        });
        if (answer.status !== 'answered')
          throw new ParleyError('peer/refused', `expected an answer from ${node}, got ${answer.reason ?? 'a refusal'}`);
        return { node, [isJsonObject(hosts) ? 'hosts' : 'state']: answer.body } as JsonObject;
      } finally {
        await session.close();
      }
    },
  };
}

/** The far address of each two-address subnet on interfaces where LLDP sees, or last saw, this neighbour. */
function linkAddresses(state: NodeState, node: string): readonly string[] {
  const heard = [
    ...state.neighbours.map((entry) => ({ ifname: entry.ifname, name: entry.systemName ?? '' })),
    ...(state.history?.lastHeard ?? []),
  ];
  const ifnames = new Set(heard.filter((entry) => nodeKey(entry.name) === nodeKey(node)).map((entry) => entry.ifname));
  const known = (state.neighbourTable ?? []).filter((row) => ifnames.has(row.ifname)).map((row) => row.address);
  const computed = state.inventory.interfaces
    .filter((entry) => ifnames.has(entry.name) && entry.operUp)
    .flatMap((entry) => entry.addresses)
    .flatMap((address) => otherOfTwo(address) ?? []);
  const usable = [...computed, ...known].filter((address) => !/^fe[89ab]/i.test(address));
  return [...new Set(usable)].slice(0, LIMITS.hintAddresses);
}

/** `198.18.0.1` of `198.18.0.0/31`, `fd00::` of `fd00::1/127`. */
function otherOfTwo(text: string): string | undefined {
  const prefix = parsePrefix(text);
  if (prefix === undefined) return undefined;
  const other = prefix.value ^ 1n;
  if (prefix.family === 4 && prefix.prefixBits === 31)
    return [24n, 16n, 8n, 0n].map((shift) => String((other >> shift) & 255n)).join('.');
  if (prefix.family !== 6 || prefix.prefixBits !== 127) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => ((other >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return groups.join(':');
}
