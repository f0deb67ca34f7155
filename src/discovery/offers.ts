// The tool with which an authenticated peer, an operator or a controller reads this node's peer table.
import { LIMITS } from '#base/limits.ts';
import type { ToolOffer } from '#model/offer.ts';
import type { PeerTable } from '#model/peer.ts';
import { buildPeerAnswer, PEERS_TOOL, peerAnswerJson } from './exchange.ts';

export function createPeersOffer(init: { readonly node: string; readonly table: PeerTable }): ToolOffer {
  const peer = {
    type: 'object',
    required: ['node', 'addresses', 'port', 'hops', 'verified'],
    properties: {
      node: { type: 'string' },
      addresses: { type: 'array', items: { type: 'string' }, maxItems: LIMITS.hintAddresses },
      port: { type: 'integer', minimum: 1, maximum: 65_535 },
      thumbprint: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      hops: { type: 'integer', minimum: 0, maximum: LIMITS.peerExchangeHops },
      verified: { type: 'boolean' },
    },
  };
  return {
    name: PEERS_TOOL,
    title: 'Peers of this node',
    description: 'Names and addresses of the agents that this node has heard of. All of it is a hint until mutual TLS.',
    capability: PEERS_TOOL,
    mutability: 'read',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      required: ['node', 'peers', 'truncated'],
      properties: {
        node: { type: 'string' },
        peers: { type: 'array', maxItems: LIMITS.peerExchangeEntries, items: peer },
        truncated: { type: 'boolean' },
      },
    },
    callers: ['node', 'operator', 'controller'],
    call: async (_args, context) =>
      peerAnswerJson(
        buildPeerAnswer(init.node, init.table.list(), context.caller.kind === 'node' ? context.caller.name : ''),
      ),
  };
}
