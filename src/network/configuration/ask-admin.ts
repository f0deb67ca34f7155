// Consent where the caller's own client can be asked (MCP elicitation): it is told where admins decide, and the call waits there for a while. What the client
// answers opens nothing: a program, or a model, may have answered. Only the gate decides, by what an admin has signed (TS-28).
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { ConsentAnswer, ConsentGate, ConsentRequest } from '#model/consent.ts';
import type { CallContext, ClientSide } from '#model/definition.ts';
import { NETWORK_LIMITS } from '../limits.ts';

/** `waited`: what was read of the network before may be another by now. */
export type AdminAnswer = { readonly answer: ConsentAnswer; readonly waited: boolean };

export async function askAdmin(gate: ConsentGate, context: CallContext, request: ConsentRequest): Promise<AdminAnswer> {
  const answer = await gate.ask(request, context.signal);
  const { client } = context;
  if (answer.granted || answer.id === undefined || answer.url === undefined || client === undefined)
    return { answer, waited: false };
  const elicitation = elicitationOf(client, request, { id: answer.id, url: answer.url });
  if (elicitation === undefined || gate.decided === undefined) return { answer, waited: false };
  const asked = client.request('elicitation/create', elicitation, context.signal, `consent-${answer.id}`);
  const said = await asked.catch((error) => ({ action: 'failed', reason: messageOf(error) }) as JsonObject);
  if (said['action'] !== 'accept') return { answer, waited: true };
  context.progress(0, 4, 'waiting for the decision of an admin');
  const patience = AbortSignal.any([context.signal, AbortSignal.timeout(NETWORK_LIMITS.consentWaitMs)]);
  await gate.decided(answer.id, patience);
  return { answer: await gate.ask(request, context.signal), waited: true };
}

/** A client that opens pages is given the page, another one its address; undefined for one that cannot be asked. */
function elicitationOf(
  client: ClientSide,
  { tool, summary }: ConsentRequest,
  { id, url }: { readonly id: string; readonly url: string },
): JsonObject | undefined {
  const message = `An admin must agree to ${tool} before it runs, with an own key: nothing that is answered here agrees to it.`;
  if (client.offers('elicitation.url'))
    return { mode: 'url', elicitationId: id, url, message: `${message} The page shows the exact change.` };
  if (!client.offers('elicitation')) return undefined;
  return {
    message: `${message}\n\n${summary}\n\nAn admin decides at ${url} or with “parley approve ${id}”. Go on when that is done.`,
    requestedSchema: { type: 'object', properties: {} },
  };
}
