// The switch that stops a node, or all of a domain: holds the orders that admins have signed, refuses calls while one stops them, and carries the
// order for the domain to every peer. What confirms or undoes an open change is never refused, nor what nodes ask for their own upkeep.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { bad, type Result } from '#base/result.ts';
import { type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AdmittedCall, AuditHeads, AuditRecord } from '#model/ports.ts';
import { ORDER_TOOL, type Order } from '#model/rights/order.ts';
import { type SignedOrder, verifyOrder } from '#sign/order.ts';

export type OrdersInit = {
  readonly config: { readonly node: string; readonly domain: string; readonly state: string };
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly record: (record: AuditRecord) => void;
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
  readonly isAdmin: (party: Party) => boolean;
};

export type Orders = {
  /** Why this call is refused now; undefined when it is not. */
  refusal(call: AdmittedCall): ParleyError | undefined;
  /** Members of a peer exchange that carry the order for the domain. */
  offer(): JsonObject;
  /** What a peer said in a peer exchange. */
  hear(said: JsonObject, from: string): void;
  /** Hears of each order for the domain that is new here: it is to be carried on at once. */
  onNew: () => void;
  readonly tool: ToolDefinition;
  load(): Promise<void>;
};

type Held = { readonly order: Order; readonly signed: SignedOrder };
type Scope = Order['scope']['kind'];

const FILE = 'orders.json';

export function createOrders(init: OrdersInit): Orders {
  const { config, clock, log, record } = init;
  const path = join(config.state, FILE);
  const held: Partial<Record<Scope, Held>> = {};
  let storing: Promise<void> = Promise.resolve();

  const store = () => {
    const kept = Object.values(held).map(({ signed }) => signed);
    storing = storing.catch(() => {}).then(() => writeFileDurably(path, `${JSON.stringify(kept)}\n`));
    return storing;
  };
  const take = (value: unknown): Result<Held> => {
    const verified = verifyOrder(value, init.verifyChain);
    if (!verified.ok) return verified;
    const { order } = verified.value;
    if (order.domain !== config.domain)
      return bad(`expected an order for ${config.domain}, got one for another domain`);
    if (order.scope.kind === 'node' && order.scope.node !== config.node)
      return bad(`expected an order for ${config.node} or the domain, got one for ${order.scope.node}`);
    if (Date.parse(order.time) > clock.nowMs() + LIMITS.consentSkewMs)
      return bad('expected an order of now or before, got one of later');
    const before = held[order.scope.kind];
    if (before !== undefined && !isAfter(order, before.order))
      return bad(`expected an order with a number above ${before.order.number}, got ${order.number}`);
    held[order.scope.kind] = verified.value;
    return verified;
  };
  /** In force at once; recorded and on disk after that: a stop waits for no disk. */
  const obey = ({ order }: Held, from: string) => {
    log.warn(order.stop === 'none' ? 'an order lets calls go on' : 'an order stops calls', { ...shown(order), from });
    record({ event: 'order', party: `operator/${order.by}`, reason: order.reason, detail: { ...shown(order), from } });
    if (order.scope.kind === 'domain') orders.onNew();
    return store().catch((error) =>
      log.error('an order could not be kept on disk', { path, reason: messageOf(error) }),
    );
  };
  const inForce = () =>
    Object.values(held)
      .filter(({ order }) => order.stop !== 'none')
      .map(({ order }) => order);

  const orders: Orders = {
    onNew: () => {},
    refusal(call) {
      const stopping = inForce().find(({ stop }) => !isSpared(call, stop, init.isAdmin));
      return stopping === undefined ? undefined : stopped(stopping);
    },
    offer: () => (held.domain === undefined ? {} : { order: held.domain.signed as unknown as JsonObject }),
    hear({ order }, from) {
      if (order === undefined || isKnown(held.domain, order)) return;
      const taken = take(order);
      if (taken.ok) void obey(taken.value, `node/${from}`);
      else log.debug('an order that a peer carried was not taken', { from, reason: taken.reason });
    },
    tool: orderTool(
      () => ({
        node: config.node,
        domain: config.domain,
        orders: Object.values(held).map(({ order }) => shown(order)),
        stopped: inForce().length > 0,
      }),
      async (value, from) => {
        const taken = take(value);
        if (!taken.ok) throw new ParleyError('caller/bad-order', taken.reason);
        await obey(taken.value, from);
      },
    ),
    async load() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '[]';
        throw new ParleyError('us/orders-unreadable', `expected ${path}, got: ${messageOf(error)}`, { cause: error });
      });
      for (const each of parsed(text, path)) {
        const taken = take(each);
        if (!taken.ok) log.error('a kept order does not verify and is passed over', { path, reason: taken.reason });
      }
      for (const order of inForce()) log.warn('calls are stopped by an order', shown(order));
    },
  };
  return orders;
}

/** Equal numbers of two admins: the stricter counts everywhere, whichever arrives first. */
function isAfter(order: Order, before: Order): boolean {
  if (order.number !== before.number) return order.number > before.number;
  const strictness = ({ stop }: Order) => ['none', 'reads', 'all'].indexOf(stop);
  return strictness(order) > strictness(before);
}

function isKnown(held: Held | undefined, value: JsonValue): boolean {
  const envelope = isJsonObject(value) ? value['envelope'] : undefined;
  return isJsonObject(envelope) && envelope['payload'] === held?.signed.envelope.payload;
}

/** What goes on while calls are stopped. */
function isSpared(call: AdmittedCall, stop: Order['stop'], isAdmin: (party: Party) => boolean): boolean {
  const { admission, caller, behind } = call;
  const isTool = admission.kind === 'tool';
  if (isTool && admission.definition.name === ORDER_TOOL) return true;
  if (isTool && admission.definition.settles?.(admission.arguments) === true) return true;
  const reads = admission.kind === 'resource' || (isTool && admission.definition.mutability === 'read');
  // Peer exchange, which carries orders, and the health gates of changes that are open elsewhere.
  if (caller.kind === 'node') return reads && behind?.claim?.kind === 'node' && behind.claim.via.length === 0;
  const isHere = caller.kind === 'operator' && caller.thumbprint === undefined;
  return stop === 'reads' && reads && (isHere || isAdmin(caller));
}

function stopped(order: Order): ParleyError {
  const { scope, by, number, reason, time } = order;
  const what = scope.kind === 'domain' ? 'all nodes of the domain are' : 'this node is';
  const undo = `parley resume${scope.kind === 'domain' ? ' --domain' : ''} --identity DIR`;
  return new ParleyError(
    'caller/stopped',
    `${what} stopped by operator/${by} since ${time} (order ${number}: ${reason}); an admin lets it go on with "${undo}"`,
    { data: { wireCode: WIRE_CODES.accessDenied, wireMessage: 'Network.AccessDenied', retryPossible: true } },
  );
}

function shown({ scope, number, stop, reason, by, time }: Order): JsonObject {
  return { scope: scope.kind === 'domain' ? 'domain' : `node/${scope.node}`, number, stop, reason, by, time };
}

function parsed(text: string, path: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Reported below, as what is no list.
  }
  throw new ParleyError(
    'us/orders-unreadable',
    `expected a list of orders in ${path}, got something else: restore it, or remove it`,
  );
}

function orderTool(show: () => JsonObject, obey: (value: JsonValue, from: string) => Promise<void>): ToolDefinition {
  return {
    name: ORDER_TOOL,
    title: 'Orders to stop and to go on',
    description: "Shows the orders that are held here, and takes an admin's signed one: parley halt, parley resume.",
    capability: ORDER_TOOL,
    // As with decisions, the signature gives the power, and not the caller.
    mutability: 'read',
    callers: ['operator'],
    listing: 'extended',
    idempotent: false,
    honoursPaths: true,
    inputSchema: {
      type: 'object',
      properties: { order: { type: 'object', description: 'Envelope and chain of a signed order' } },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['node', 'domain', 'orders', 'stopped'],
      properties: {
        node: { type: 'string' },
        domain: { type: 'string' },
        orders: { type: 'array' },
        stopped: { type: 'boolean' },
      },
    },
    async call(args, { caller }) {
      if (args['order'] !== undefined) await obey(args['order'], `${caller.kind}/${caller.name}`);
      return show();
    },
  };
}

/** Peer exchange that carries heads of audit trails also carries the order for the domain. */
export function withOrders(heads: AuditHeads, orders: Orders): AuditHeads {
  return {
    offer: (peer) => ({ ...heads.offer(peer), ...orders.offer() }),
    asked(caller, said) {
      orders.hear(said, caller.name);
      return { ...heads.asked(caller, said), ...orders.offer() };
    },
    answered(session, said) {
      orders.hear(said, session.peer.name);
      heads.answered(session, said);
    },
  };
}
