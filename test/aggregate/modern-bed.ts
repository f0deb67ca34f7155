// Clients of MCP 2026-07-28 at one aggregator, without a transport: requests, and what is told and answered to each.
import type { Aggregator } from '#aggregate/aggregator.ts';
import { createModernFront } from '#aggregate/modern/front.ts';
import type { Link } from '#aggregate/wire/link.ts';
import type { Answer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import { envelope, request } from '../mcp/modern/modern-bench.ts';

export function modernClients(aggregator: Aggregator) {
  const front = createModernFront({ clock: aggregator.core.clock, random: systemRandom });
  const begun: string[] = [];
  let nextId = 1;
  const ask = (party: Party, method: string, params: JsonObject, capabilities: JsonObject = {}) => {
    const heard: string[] = [];
    const answers: Answer[] = [];
    const out = { tell: (text: string) => void heard.push(text), answer: (given: Answer) => void answers.push(given) };
    const raw = request(nextId++, method, params, {
      ...envelope(capabilities),
      ...(params['_meta'] as JsonObject | undefined),
    });
    const message = {
      kind: 'request' as const,
      id: Number(raw['id']),
      method,
      params: raw['params'] as JsonObject,
      raw,
      text: JSON.stringify(raw),
    };
    const { serve } = aggregator.modernClient(party, {});
    const begin = (link: Link) => {
      begun.push(party.name);
      serve(link);
    };
    const client = { party, key: 'view', serve: begin };
    front.request(client, message, out);
    return { heard, answers };
  };
  const listen = (party: Party, capabilities: JsonObject = {}) =>
    ask(party, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, capabilities);
  return { front, ask, listen, begun };
}
