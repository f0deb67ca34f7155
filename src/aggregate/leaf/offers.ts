// What a subserver offers, read page by page and bounded. A subserver that names one thing twice offers the first.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { objectOf } from '../names/capability.ts';
import type { Answer } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';

export type Offers = {
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
};

export const NO_OFFERS: Offers = { tools: [], resources: [], templates: [], prompts: [] };

export type OfferKind = keyof Offers;

const LISTS: Readonly<
  Record<OfferKind, { readonly method: string; readonly member: string; readonly key: string; readonly needs: string }>
> = {
  tools: { method: 'tools/list', member: 'tools', key: 'name', needs: 'tools' },
  resources: { method: 'resources/list', member: 'resources', key: 'uri', needs: 'resources' },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    needs: 'resources',
  },
  prompts: { method: 'prompts/list', member: 'prompts', key: 'name', needs: 'prompts' },
};

/** Rejects with `peer/refused` when the subserver does not answer a list that it announced. */
export async function readOffers(
  peer: Peer,
  capabilities: JsonObject,
  kind: OfferKind,
): Promise<readonly JsonObject[]> {
  const { method, member, key, needs } = LISTS[kind];
  if (capabilities[needs] === undefined) return [];
  const found = new Map<string, JsonObject>();
  let cursor: JsonValue | undefined;
  let chars = 0;
  for (let page = 0; page < AGGREGATE_LIMITS.listPages && chars < AGGREGATE_LIMITS.offersChars; page++) {
    const text = await askText(peer, method, cursor === undefined ? {} : { cursor });
    // A bound on entries bounds no memory: an entry may be as large as a message.
    chars += text.length;
    const result = objectOf(JSON.parse(text) as JsonValue);
    const listed = result[member];
    for (const each of Array.isArray(listed) ? (listed as readonly JsonValue[]) : []) {
      const name = isJsonObject(each) ? each[key] : undefined;
      if (typeof name !== 'string' || found.has(name) || found.size >= AGGREGATE_LIMITS.offersPerSubserver) continue;
      found.set(name, each as JsonObject);
    }
    cursor = result['nextCursor'];
    if (typeof cursor !== 'string') break;
  }
  return [...found.values()];
}

/** One request of upkeep. Rejects with `peer/refused`. */
export async function ask(
  peer: Peer,
  method: string,
  params: JsonObject,
  timeoutMs: number = AGGREGATE_LIMITS.upkeepMs,
): Promise<JsonObject> {
  return objectOf(JSON.parse(await askText(peer, method, params, timeoutMs)) as JsonValue);
}

async function askText(
  peer: Peer,
  method: string,
  params: JsonObject,
  timeoutMs: number = AGGREGATE_LIMITS.upkeepMs,
): Promise<string> {
  const call = peer.call({ method, paramsText: JSON.stringify(params), timeoutMs });
  return resultTextOf(method, await call.answer);
}

function resultTextOf(method: string, answer: Answer): string {
  if (answer.kind === 'result') return answer.text;
  const value = objectOf(JSON.parse(answer.text) as JsonValue);
  const { detail } = objectOf(value['data']);
  const more = typeof detail === 'string' ? ` (${detail.slice(0, DETAIL_CHARS)})` : '';
  throw new ParleyError(
    'peer/refused',
    `expected an answer to ${method}, got error ${String(value['code'])}: ${String(value['message'])}${more}`,
    {
      data: { code: value['code'] ?? 0, data: value['data'] ?? {} },
    },
  );
}

const DETAIL_CHARS = 300;
