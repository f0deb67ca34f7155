// What goes on while a node is stopped: confirming, undoing, peer exchange and the health gates of others [TS-29, TS-8].
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createOrders, type Orders } from '#agent/parts/orders.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import type { Behind } from '#model/asker.ts';
import type { Party } from '#model/identity.ts';
import type { AdmittedCall } from '#model/ports.ts';
import type { OrderStop } from '#model/rights/order.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { signOrder } from '#sign/order.ts';
import { createSigner } from '#sign/signer.ts';
import { toolDefinition } from '../../mcp/harness.ts';
import { createDomain, type Domain, systemClock } from '../../mtls/domain.ts';

let domain: Domain;
let state: string;
const records: string[] = [];

before(async () => {
  domain = await createDomain();
  state = await mkdtemp(join(tmpdir(), 'parley-orders-'));
});
after(async () => {
  await domain.remove();
  // The last order that was heard may still be on its way to the disk.
  await rm(state, { recursive: true, force: true, maxRetries: 5 });
});

function opened(): Orders {
  return createOrders({
    config: { node: 'pe1', domain: 'lab.example', state },
    clock: systemClock,
    log: silentLog,
    record: ({ event }) => void records.push(event),
    verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
    isAdmin: ({ role }) => role === 'admin',
  });
}

async function signed(number: number, stop: OrderStop): Promise<JsonObject> {
  const ann = await domain.identity('ann', { kind: 'operator', role: 'admin' });
  const signer = createSigner({ node: 'ann', privateKey: ann.signingKey });
  const order = { scope: { kind: 'domain' }, domain: 'lab.example', number, stop, reason: 'test' } as const;
  return { order: signOrder({ signer, chain: ann.chain, order, nowMs: Date.now() }) as unknown as JsonObject };
}

const LOCAL: Party = { kind: 'operator', domain: 'lab.example', name: 'local' };
const ADMIN: Party = { ...LOCAL, name: 'ann', role: 'admin', thumbprint: 'aa' };
const OPERATOR: Party = { ...LOCAL, name: 'bob', role: 'operator', thumbprint: 'bb' };
const NODE: Party = { kind: 'node', domain: 'lab.example', name: 'p2', thumbprint: 'cc' };

const COMMIT = toolDefinition({
  name: 'network.commit',
  mutability: 'write',
  settles: ({ confirm }) => confirm === true,
});
const READ = toolDefinition({ name: 'parley-node-state' });

function call(caller: Party, definition = READ, args: JsonObject = {}, behind?: Behind): AdmittedCall {
  const admission = { kind: 'tool', definition, arguments: args };
  return { caller, admission, ...(behind === undefined ? {} : { behind }) } as unknown as AdmittedCall;
}

test('while a node is stopped, confirming and undoing go on, and so does what nodes ask for themselves [TS-29, TS-8]', async () => {
  const orders = opened();
  orders.hear(await signed(1, 'all'), 'p2');
  const upkeep: Behind = { parties: [], label: 'node/p2', claim: { kind: 'node', via: [] } };
  const asked: Behind = { parties: [], label: 'operator/x', claim: { kind: 'local', via: [], name: 'local' } };
  const cases: readonly (readonly [string, AdmittedCall, boolean])[] = [
    ['confirming', call(OPERATOR, COMMIT, { confirm: true }), true],
    ['a new change of an admin', call(ADMIN, COMMIT, {}), false],
    ['a read of an admin', call(ADMIN), false],
    ['a read at the router', call(LOCAL), false],
    ['a neighbour for itself', call(NODE, READ, {}, upkeep), true],
    ['a neighbour for an operator', call(NODE, READ, {}, asked), false],
  ];
  for (const [what, each, isSpared] of cases) assert.equal(orders.refusal(each) === undefined, isSpared, what);
  orders.hear(await signed(2, 'reads'), 'p2');
  assert.equal(orders.refusal(call(ADMIN)), undefined);
  assert.equal(orders.refusal(call(LOCAL)), undefined);
  assert.match(String(orders.refusal(call(OPERATOR))), /stopped by operator\/ann/);
});

test('an order that a peer carries counts once, a changed one never; the stricter of two with one number counts everywhere [TS-29]', async () => {
  const orders = opened();
  let carriedOn = 0;
  orders.onNew = () => {
    carriedOn += 1;
  };
  const reads = await signed(5, 'reads');
  orders.hear(reads, 'p2');
  orders.hear(reads, 'pe3');
  assert.equal(carriedOn, 1);
  assert.deepEqual(orders.offer(), reads);
  const inner = (reads['order'] as JsonObject)['envelope'] as JsonObject;
  const changed = {
    order: {
      ...(reads['order'] as JsonObject),
      envelope: { ...inner, payload: String(inner['payload']).replace(/^./, 'f') },
    },
  };
  orders.hear(changed, 'p2');
  orders.hear({ order: 'nonsense' }, 'p2');
  orders.hear({ order: {} }, 'p2');
  assert.deepEqual(orders.offer(), reads);
  const all = await signed(5, 'all');
  orders.hear(await signed(5, 'none'), 'p2');
  orders.hear(all, 'p2');
  orders.hear(reads, 'pe3');
  assert.deepEqual(orders.offer(), all);
});
