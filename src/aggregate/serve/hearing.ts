// What one client hears without asking: changed lists, log messages of its level with the segment before the logger, updates of resources
// that it has subscribed to, and what happens in the tree.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { memberText, withMember } from '#codec/json-members.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { invalidParams } from '../codes.ts';
import { OVERFLOW } from '../leaf/hear.ts';
import { META } from '../names/capability.ts';
import { createSequence, type Route, type Sequence, withNumber } from '../notify/sequence.ts';
import type { Core, Listener } from '../tree/core.ts';
import { type Answer, resultAnswer } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import type { Reading } from './reading.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const DEFAULT_LEVEL = 'info';

export type Hearing = {
  readonly listener: Listener;
  /** The client has opened its session: numbers begin. */
  begin(): void;
  /** A message that came with one call of this client. */
  log(params: JsonObject, route: Route, call: OfCall): void;
  setLevel(level: JsonValue | undefined): Answer;
};

/** The client's request that something belongs to, and the numbers of its stream. */
export type OfCall = { readonly related: RpcId; readonly sequence: Sequence };

export function createHearing(
  core: Core,
  peer: Pick<Peer, 'notify'>,
  reading: Reading,
  client: object,
  isParent: boolean,
): Hearing {
  let least = LEVELS.indexOf(DEFAULT_LEVEL);
  let general = createSequence();
  const say = (method: string, paramsText: string, route: Route) =>
    peer.notify(method, withNumber(paramsText, general.next(route)));
  const log = (params: JsonObject, route: Route, call?: OfCall) => {
    const level = LEVELS.indexOf(String(params['level']));
    if (level !== -1 && level < least) return;
    if (call === undefined) return say('notifications/message', JSON.stringify(params), route);
    const { related, sequence } = call;
    const text = withNumber(JSON.stringify(params), sequence.next(route));
    // An aggregator above has one stream for all of its calls.
    const meta = memberText(text, '_meta') ?? '{}';
    const told = isParent ? withMember(text, '_meta', withMember(meta, META.related, JSON.stringify(related))) : text;
    peer.notify('notifications/message', told, related);
  };
  const listener: Listener = {
    changed(kinds) {
      const changed = (list: string) => say(`notifications/${list}/list_changed`, '{}', []);
      if (kinds.has('tools')) changed('tools');
      if (kinds.has('prompts')) changed('prompts');
      if (kinds.has('resources') || kinds.has('templates')) changed('resources');
    },
    log: (params, route) => log(params, route),
    updated({ slot, paramsText, uri, route }) {
      const asked = reading.subscribedAs(slot, uri);
      if (asked === undefined) return;
      say('notifications/resources/updated', withMember(paramsText, 'uri', JSON.stringify(asked)), route);
    },
    told: (method, params, route) => isParent && say(method, JSON.stringify(params), route),
    // An aggregator above hears how many are lost, and where; a client sees it as a gap in the numbers.
    lost: (route, count) => !isParent && general.skip(route, count),
    overflowed(overflow) {
      if (isParent) return say(OVERFLOW, JSON.stringify(overflow), []);
      const { route, dropped } = overflow;
      const data = { event: 'notification_overflow', route, dropped };
      log({ level: 'warning', logger: route.join('.'), data }, []);
    },
  };
  return {
    listener,
    begin() {
      general = createSequence();
    },
    log,
    setLevel(level) {
      const index = LEVELS.indexOf(String(level));
      if (index === -1) return invalidParams(`expected one of ${LEVELS.join(', ')}`);
      least = index;
      core.levels.set(client, index);
      // Subservers send what the most curious client wants; each client gets what it asked for.
      const paramsText = JSON.stringify({ level: LEVELS[Math.min(...core.levels.values())] });
      for (const { subserver } of core.slots.values()) {
        if (subserver?.capabilities['logging'] !== undefined)
          subserver.request({ method: 'logging/setLevel', paramsText, timeoutMs: 5_000, caller: undefined });
      }
      return resultAnswer({});
    },
  };
}
