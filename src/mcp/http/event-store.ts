// Events of one HTTP session, kept so that a client can resume a closed stream (SEP-1699). Bounded: the oldest is dropped first, and all
// are dropped with the session.
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { MCP_LIMITS } from '../limits.ts';

export function createEventStore(): EventStore {
  const events = new Map<string, { readonly stream: string; readonly message: JSONRPCMessage }>();
  let count = 0;
  return {
    async storeEvent(stream, message) {
      const id = `${stream}_${++count}`;
      events.set(id, { stream, message });
      if (events.size > MCP_LIMITS.streamEvents) events.delete(events.keys().next().value!);
      return id;
    },
    async getStreamIdForEventId(id) {
      return events.get(id)?.stream;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const stream = events.get(lastEventId)?.stream ?? '';
      let behind = false;
      for (const [id, event] of events) {
        // An event without a message only marks the beginning of a stream.
        if (behind && event.stream === stream && Object.keys(event.message).length > 0) await send(id, event.message);
        if (id === lastEventId) behind = true;
      }
      return stream;
    },
  };
}
