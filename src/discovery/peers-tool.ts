// The tool with which an authenticated peer, an operator or a controller reads this node's peer table.
import { isoTime } from '#base/clock.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { VERSION } from '#base/version.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { HINT_SOURCES, type PeerRecord, type PeerTable } from '#model/peer.ts';
import type { AuditHeads } from '#model/ports.ts';
import { buildPeerAnswer, PEERS_TOOL, peerAnswerJson } from './exchange.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

export function createPeersTool(init: {
  readonly node: string;
  readonly table: PeerTable;
  readonly heads?: Pick<AuditHeads, 'asked'>;
}): ToolDefinition {
  const peer = {
    type: 'object',
    required: ['node', 'addresses', 'port', 'hops', 'verified'],
    properties: {
      node: { type: 'string' },
      addresses: { type: 'array', items: { type: 'string' }, maxItems: LIMITS.hintAddresses },
      port: { type: 'integer', minimum: 1, maximum: 65_535 },
      thumbprint: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      hops: { type: 'integer', minimum: 0, maximum: DISCOVERY_LIMITS.peerExchangeHops },
      verified: { type: 'boolean' },
      version: { type: 'string' },
      sources: { type: 'array', items: { enum: [...HINT_SOURCES] } },
    },
  };
  return {
    name: PEERS_TOOL,
    title: 'Peers of this node',
    description: 'Names and addresses of the agents that this node has heard of. All of it is a hint until mutual TLS.',
    capability: PEERS_TOOL,
    mutability: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        head: { type: 'object', description: 'The signed head of the calling node’s audit trail' },
        kept: { type: 'object', description: 'The head of the asked node’s trail that the calling node keeps' },
        order: { type: 'object', description: 'The signed order for the domain that the calling node holds' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['node', 'peers', 'truncated'],
      properties: {
        node: { type: 'string' },
        version: { type: 'string' },
        peers: { type: 'array', maxItems: DISCOVERY_LIMITS.peerExchangeEntries, items: peer },
        truncated: { type: 'boolean' },
        remarks: { type: 'array', items: REMARK },
        answered: { type: 'array', items: { type: 'string' }, description: 'Nodes with which there was a session' },
        head: { type: 'object' },
        kept: { type: 'object' },
        order: { type: 'object' },
      },
    },
    callers: ['node', 'operator', 'controller'],
    listing: 'extended',
    call: async (args, context) => {
      const records = init.table.list();
      const isNode = context.caller.kind === 'node';
      const answer = peerAnswerJson(
        buildPeerAnswer(init.node, records, isNode ? context.caller.name : '', {
          isForPeople: context.caller.kind === 'operator',
        }),
      );
      const isTold = args['head'] !== undefined || args['order'] !== undefined;
      if (isNode) return { ...answer, ...(isTold ? init.heads?.asked(context.caller, args) : {}) };
      // How we heard of whom, and what is odd about it, is for people: a peer could do nothing with it but learn whom we doubt.
      const answered = records.filter(({ verified }) => verified !== undefined).map(({ node }) => node);
      return {
        ...answer,
        version: VERSION,
        peers: withSources(answer, records),
        remarks: remarksOf(records),
        answered,
      };
    },
  };
}

/** Beside each peer, the mechanisms that still speak of it, and the version that its agent said when a session was opened last. */
function withSources(answer: JsonObject, records: readonly PeerRecord[]): readonly JsonObject[] {
  const recordOf = (node: JsonValue | undefined) => records.find((record) => record.node === node);
  const peers = (answer['peers'] ?? []) as readonly JsonObject[];
  return peers.map((peer) => {
    const { hints = [], verified } = recordOf(peer['node']) ?? {};
    const version = verified?.version;
    return {
      ...peer,
      sources: [...new Set(hints.map(({ source }) => source))],
      ...(version === undefined ? {} : { version }),
    };
  });
}

const REMARK = {
  type: 'object',
  required: ['node', 'kind', 'detail', 'at'],
  properties: {
    node: { type: 'string' },
    kind: { enum: ['silent', 'malformed', 'lying', 'outdated'] },
    detail: { type: 'string' },
    at: { type: 'string' },
  },
};

/** Silent, malformed, lying and outdated announcements, the latest first (TS-13). */
function remarksOf(records: readonly PeerRecord[]): readonly JsonObject[] {
  return records
    .flatMap(({ node, remarks }) => remarks.map((remark) => ({ node, ...remark })))
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, DISCOVERY_LIMITS.peerExchangeEntries)
    .map(({ node, kind, detail, atMs }) => ({ node, kind, detail, at: isoTime(atMs) }));
}
