// `parley halt | resume`: signs an order to stop, or to go on, with an admin's key, for one node or for the whole domain. The next number is that of
// the asked node plus one; agents carry an order for the domain to each other.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { ORDER_TOOL, type OrderStop } from '#model/rights/order.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { signOrder } from '#sign/order.ts';
import { createSigner } from '#sign/signer.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';

type HaltOptions = AgentOptions & { readonly domain?: boolean; readonly all?: boolean; readonly reason?: string };

export const haltCommand = (options: HaltOptions) => give(options, options.all === true ? 'all' : 'reads');
export const resumeCommand = (options: HaltOptions) => give(options, 'none');

async function give(options: HaltOptions, stop: OrderStop): Promise<number> {
  const output = createOutput(options.json ?? false);
  if (options.identity === undefined)
    throw new ParleyError('caller/no-identity', 'expected --identity DIR with an admin certificate, got none');
  const clock = createSystemClock();
  const identity = await loadIdentity(options.identity, clock);
  const told = await withClient(options, async (client) => {
    const held = await client.callTool(ORDER_TOOL, {});
    const node = String(held['node']);
    const scope = options.domain === true ? ({ kind: 'domain' } as const) : ({ kind: 'node', node } as const);
    const order = {
      scope,
      domain: identity.party.domain,
      number: numberIn(held, scope.kind === 'domain' ? 'domain' : `node/${node}`) + 1,
      stop,
      reason: options.reason ?? 'no reason given',
    };
    const signer = createSigner({ node: identity.party.name, privateKey: identity.signingKey });
    const signed = signOrder({ signer, chain: identity.chain, order, nowMs: clock.nowMs() });
    return client.callTool(ORDER_TOOL, { order: signed as unknown as JsonObject });
  }).catch((error) => Promise.reject(asLocalError(error)));
  output.result(told);
  for (const each of ordersOf(told))
    output.line(
      `${String(each['scope'])}: ${each['stop'] === 'none' ? 'goes on' : `stopped (${String(each['stop'])})`}, order ${String(each['number'])} of ${String(each['by'])} at ${String(each['time'])}: ${String(each['reason'])}`,
    );
  return EXIT.ok;
}

function ordersOf({ orders }: JsonObject): readonly JsonObject[] {
  return Array.isArray(orders) ? orders.filter((each) => isJsonObject(each)) : [];
}

function numberIn(held: JsonObject, scope: string): number {
  return Number(ordersOf(held).find((each) => each['scope'] === scope)?.['number'] ?? 0);
}
