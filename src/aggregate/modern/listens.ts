// `subscriptions/listen` of one session's clients: which lists and resources each wants to hear of. What cannot be subscribed to is left out of
// what is acknowledged.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { META, objectOf } from '../names/capability.ts';
import { createSequence, createSequenceCheck, type Numbered, numberedIn, type Sequence } from '../notify/sequence.ts';
import { type Answer, notificationText } from '../wire/message.ts';
import { ENVELOPE } from './envelope.ts';

export type ListenOut = { tell(text: string): void; answer(answer: Answer): void };

export type Listens = {
  /** Rejects never; ends with `close` of the same key. */
  open(key: object, id: RpcId, params: JsonObject, out: ListenOut): Promise<void>;
  tell(method: string, params: JsonObject): void;
  close(key: object): void;
  closeAll(): void;
  readonly count: number;
};

type Listen = {
  readonly id: RpcId;
  readonly out: ListenOut;
  readonly filter: JsonObject;
  readonly uris: Set<string>;
  readonly sequence: Sequence;
};

const FLAGS: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

export function createListens(ask: (method: string, params: JsonObject) => Promise<Answer>): Listens {
  const open = new Map<object, Listen>();
  const check = createSequenceCheck();
  const say = ({ id, out }: Listen, method: string, params: JsonObject, numbered?: Numbered) => {
    const number = numbered === undefined ? {} : { [META.sequence]: numbered };
    const meta = { ...objectOf(params['_meta']), ...number, [ENVELOPE.subscription]: id };
    out.tell(notificationText(method, JSON.stringify({ ...params, _meta: meta })));
  };
  const isWanted = (uri: string) => [...open.values()].some(({ uris }) => uris.has(uri));
  const close = (key: object) => {
    const found = open.get(key);
    open.delete(key);
    for (const uri of found?.uris ?? []) if (!isWanted(uri)) void ask('resources/unsubscribe', { uri });
    return found;
  };
  return {
    async open(key, id, params, out) {
      const asked = objectOf(params['notifications']);
      const filter = Object.fromEntries(
        Object.values(FLAGS).flatMap((flag) => (asked[flag] === true ? [[flag, true]] : [])),
      );
      const listen: Listen = { id, out, filter, uris: new Set(), sequence: createSequence() };
      open.set(key, listen);
      for (const uri of urisIn(asked['resourceSubscriptions'])) {
        const answer = isWanted(uri) ? undefined : await ask('resources/subscribe', { uri });
        if (answer?.kind !== 'error') listen.uris.add(uri);
      }
      if (!open.has(key)) return;
      const honoured = {
        ...filter,
        ...(asked['resourceSubscriptions'] === undefined ? {} : { resourceSubscriptions: [...listen.uris] }),
      };
      say(listen, 'notifications/subscriptions/acknowledged', { notifications: honoured });
    },
    tell(method, params) {
      const flag = FLAGS[method];
      const isUpdate = method === 'notifications/resources/updated';
      const numbered = numberedIn(params);
      const missing = numbered === undefined ? 0 : check(numbered).missing;
      for (const listen of open.values()) {
        const { filter, uris, sequence } = listen;
        if (numbered !== undefined) sequence.skip(numbered.route, missing);
        if (flag === undefined ? isUpdate && uris.has(String(params['uri'])) : filter[flag] === true)
          say(listen, method, params, numbered && sequence.next(numbered.route));
      }
    },
    close,
    get count() {
      return open.size;
    },
    closeAll() {
      for (const key of [...open.keys()]) {
        const found = close(key);
        const result = { resultType: 'complete', _meta: { [ENVELOPE.subscription]: found!.id } };
        found!.out.answer({ kind: 'result', text: JSON.stringify(result) });
      }
    },
  };
}

function urisIn(value: JsonValue | undefined): readonly string[] {
  const uris = Array.isArray(value) ? value.filter((uri) => typeof uri === 'string') : [];
  return [...new Set(uris)].slice(0, AGGREGATE_LIMITS.aggregatedSubscriptions);
}
