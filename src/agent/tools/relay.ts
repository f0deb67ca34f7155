// The tool `parley-relay`: reaches a direct neighbour over the link itself, for a peer that has no route to that neighbour. With `channel` it
// passes a connection on, so that the two have a session of their own, over which the neighbour applies its own rules and signs its own
// answers. Without, for peers of earlier versions, it queries the neighbour's state, or the hosts on its ports: that answer is this node's
// testimony of what the neighbour reported. It never goes beyond one link, and never to an address that another node told.

import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { HOST_SCAN_TOOL, NODE_STATE_TOOL, RELAY_TOOL } from '#measure/call.ts';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { dialPlain } from '#mtls/dial-plain.ts';
import { HOST_SCAN_INPUT } from '#network/measurement/hosts.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import { askerIn } from '../serving/asker.ts';
import { linkAddresses, type NeighbourTargets } from '../sessions/neighbour-targets.ts';
import type { RelayChannels } from '../sessions/relay-channels.ts';
import type { OpenSession } from '../sessions/sessions.ts';

export function createRelayTool(parts: {
  readonly router: RouterPort;
  readonly open: OpenSession;
  readonly port: number;
  readonly newSessionId: () => string;
  readonly record: (record: AuditRecord) => void;
  readonly clock: Clock;
  /** Absent: no connection is passed on. */
  readonly passing?: { readonly targets: NeighbourTargets; readonly channels: RelayChannels };
}): ToolDefinition {
  return {
    name: RELAY_TOOL,
    title: 'State of a direct neighbour',
    description:
      'Reaches a neighbour over the link itself, when there is no route to it: asks for its state, or with `hosts` for the hosts on its ports; with `channel` passes a connection of the calling node on to it.',
    capability: RELAY_TOOL,
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        node: { type: 'string', minLength: 1, maxLength: 63 },
        hosts: HOST_SCAN_INPUT,
        channel: { type: 'boolean' },
        turn: { type: 'integer', minimum: 0, maximum: 16 },
      },
      required: ['node'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', required: ['node'] },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    call: async (args, context) => {
      const node = String(args['node']);
      if (args['channel'] === true) return passOn(parts, { node, turn: Number(args['turn'] ?? 0) }, context);
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

/** A ticket, with which the calling node claims the connection within a few seconds, over a connection of its own to this node. */
async function passOn(
  { passing, clock }: Pick<Parameters<typeof createRelayTool>[0], 'passing' | 'clock'>,
  { node, turn }: { readonly node: string; readonly turn: number },
  context: CallContext,
): Promise<JsonObject> {
  const { caller } = context;
  if (passing === undefined || caller.kind !== 'node')
    throw new ParleyError('caller/bad-argument', 'expected a node that asks for a connection to a neighbour');
  const targets = fromTurn(await passing.targets(node, context.signal), turn);
  if (targets.length === 0 || node === caller.name)
    throw new ParleyError('caller/unknown-node', `expected a direct neighbour, got ${node}`);
  const wanted = { caller: caller.name, node, asker: askerIn(context).askedBy };
  const timeoutMs = AGENT_LIMITS.relayConnectMs;
  const ticket = await passing.channels.offer(wanted, (signal) => dialPlain({ targets, timeoutMs, signal, clock }));
  return { node, ticket };
}

/** Best first; a caller that found another node at the end of its first connection gets the next one. */
export function fromTurn<T>(targets: readonly T[], turn: number): readonly T[] {
  const at = targets.length === 0 ? 0 : turn % targets.length;
  return [...targets.slice(at), ...targets.slice(0, at)];
}
