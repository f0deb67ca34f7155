// IsisPort over the read helper: the speaker runs there, on a connection of its own; ending the connection purges its LSP.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { IsisEvent, IsisPort } from '#model/router/router-port.ts';
import { createReadHelper } from '../../protocol/typed-operations.ts';
import { textOf } from './kernel/ip-command.ts';

export function createIsisPort(init: { readonly helperSocket: string }): IsisPort {
  const helper = createReadHelper(init.helperSocket);
  return {
    async speak(request, onEvent, signal) {
      const { information, ...rest } = request;
      const args = { ...rest, information: hexOf(information) };
      const heard = (text: string) => {
        const event = parseIsisEvent(text);
        if (event !== undefined) onEvent(event);
      };
      await helper
        .call('isis-speak', args, { signal, timeoutMs: Number.POSITIVE_INFINITY, onEvent: heard })
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
    },
    async announce(ifname, information) {
      await helper.call('isis-announce', { ifname, information: hexOf(information) });
    },
  };
}

/** Undefined for what a helper of another version may say. */
export function parseIsisEvent(text: string): IsisEvent | undefined {
  const value = parseObject(text);
  const systemId = textOf(value?.['systemId']);
  switch (value?.['kind']) {
    case 'adjacency':
      return { kind: 'adjacency', state: value['state'] === 'up' ? 'up' : 'down' };
    case 'malformed':
      return { kind: 'malformed', detail: textOf(value['detail']) ?? '' };
    case 'gone':
      return systemId === undefined ? undefined : { kind: 'gone', systemId };
    case 'system': {
      if (systemId === undefined) return undefined;
      const hostname = textOf(value['hostname']);
      const heard = { announcements: textsOf(value['announcements']), faults: textsOf(value['faults']) };
      return { kind: 'system', systemId, ...(hostname === undefined ? {} : { hostname }), ...heard };
    }
    default:
      return undefined;
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
