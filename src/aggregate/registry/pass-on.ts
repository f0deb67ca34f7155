// Lets a server that speaks MCP on a connection of its own answer a parent: requests, answers, cancellations and notifications pass in both
// directions, byte for byte. The server is asked for the MCP dialect and for every tool.
import type { JsonObject } from '#base/json.ts';
import { memberText } from '#codec/json-members.ts';
import { TOOLS_META } from '#mcp/catalog/listing.ts';
import { PARLEY_EXPERIMENT } from '#mcp/protocol/negotiation.ts';
import { objectOf } from '../names/capability.ts';
import type { IncomingRequest } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';

export function passOnTo(parent: Peer, server: Peer): void {
  const between =
    (to: Peer): Peer['onRequest'] =>
    async (request, signal) => {
      const call = to.call({ method: request.method, paramsText: paramsFor(request), timeoutMs: undefined });
      const onAbort = () => call.cancel('cancelled by the parent');
      signal.addEventListener('abort', onAbort, { once: true });
      const answer = await call.answer;
      signal.removeEventListener('abort', onAbort);
      return answer;
    };
  const tell =
    (to: Peer): Peer['onNotification'] =>
    ({ method, text }) =>
      to.notify(method, memberText(text, 'params') ?? '{}');
  parent.onRequest = between(server);
  server.onRequest = between(parent);
  parent.onNotification = tell(server);
  server.onNotification = tell(parent);
  parent.onEnd = () => server.close();
  server.onEnd = () => parent.close();
}

function paramsFor({ method, params, text }: IncomingRequest): string {
  if (method === 'tools/list') {
    const given: JsonObject = { ...params, _meta: { ...objectOf(params['_meta']), [TOOLS_META]: 'all' } };
    return JSON.stringify(given);
  }
  if (method !== 'initialize') return memberText(text, 'params') ?? '{}';
  const capabilities = objectOf(params['capabilities']);
  const experimental = { ...objectOf(capabilities['experimental']), [PARLEY_EXPERIMENT]: { capabilities: [] } };
  return JSON.stringify({ ...params, capabilities: { ...capabilities, experimental } });
}
