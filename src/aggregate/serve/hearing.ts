// What one client hears without asking: changed lists, log messages of its level with the segment before the logger, updates of resources
// that it has subscribed to, and what happens in the tree.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { withMember } from '#codec/json-members.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { invalidParams } from '../codes.ts';
import { META, objectOf } from '../names/capability.ts';
import type { Core, Listener } from '../tree/core.ts';
import { type Answer, resultAnswer } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import type { Reading } from './reading.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const DEFAULT_LEVEL = 'info';

export type Hearing = {
  readonly listener: Listener;
  /** A message that came with one call of this client. */
  log(params: JsonObject, related: RpcId): void;
  setLevel(level: JsonValue | undefined): Answer;
};

export function createHearing(core: Core, peer: Peer, reading: Reading, client: object, isParent: boolean): Hearing {
  let least = LEVELS.indexOf(DEFAULT_LEVEL);
  const say = (params: JsonObject, related?: RpcId) => {
    const level = LEVELS.indexOf(String(params['level']));
    if (level !== -1 && level < least) return;
    const meta = objectOf(params['_meta']);
    const told =
      isParent && related !== undefined ? { ...params, _meta: { ...meta, [META.related]: related } } : params;
    peer.notify('notifications/message', JSON.stringify(told), related);
  };
  const listener: Listener = {
    changed(kinds) {
      if (kinds.has('tools')) peer.notify('notifications/tools/list_changed');
      if (kinds.has('prompts')) peer.notify('notifications/prompts/list_changed');
      if (kinds.has('resources') || kinds.has('templates')) peer.notify('notifications/resources/list_changed');
    },
    log: (params) => say(params),
    updated(slot, paramsText, uri) {
      const asked = reading.subscribedAs(slot, uri);
      if (asked === undefined) return;
      peer.notify('notifications/resources/updated', withMember(paramsText, 'uri', JSON.stringify(asked)));
    },
    told: (method, params) => isParent && peer.notify(method, JSON.stringify(params)),
  };
  return {
    listener,
    log: say,
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
