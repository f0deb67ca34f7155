// One NETCONF session: hello, numbered RPCs, notifications (RFC 6241, RFC 5277). Knows nothing of SSH or YANG. A device's rpc-error becomes
// `node/netconf-refused` with its tag; device text never goes further than 200 characters. One RPC at a time is under way: devices answer
// in turn anyway, and netconfd 2.13 leaves the second message of one read lying until more octets come. As a hello has no reply, the first RPC
// asks for nothing, and is asked again when it lies there.
import { ParleyError } from '#base/error.ts';
import { createInTurn } from '#base/in-turn.ts';
import { LIMITS } from '#base/limits.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import { type ByteStream, createNetconfChannel, type NetconfChannel } from './channel.ts';
import { refusalOf } from './refusals.ts';
import { child, type XmlElement } from './xml.ts';

export type NetconfSession = {
  readonly sessionId: string;
  readonly capabilities: readonly string[];
  /** `body` is the operation's element. Resolves with the rpc-reply. */
  rpc(body: string, timeoutMs?: number): Promise<XmlElement>;
  onNotification(hear: (notification: XmlElement) => void): void;
  /** Told once, when the session has ended for whatever reason; at once when it has already. */
  onEnd(hear: (reason: string) => void): void;
  readonly closed: boolean;
  close(): Promise<void>;
};

type Waiting = { readonly resolve: (reply: XmlElement) => void; readonly reject: (error: Error) => void };

const NAMESPACE = 'urn:ietf:params:xml:ns:netconf:base:1.0';
const BASE = 'urn:ietf:params:netconf:base';
const CAPABILITIES = ['1.0', '1.1'].map((version) => `<capability>${BASE}:${version}</capability>`).join('');
const HELLO = `<?xml version="1.0" encoding="UTF-8"?><hello xmlns="${NAMESPACE}"><capabilities>${CAPABILITIES}</capabilities></hello>`;
/** An empty subtree selects nothing (RFC 6241 §6.4.2). */
const NOTHING = '<get><filter type="subtree"/></get>';
/** Under which the hello is waited for; replies have numbers. */
const GREETING = 'hello';

/** Rejects with `node/netconf-unreachable` when no hello comes in time or the stream ends. */
export async function openNetconfSession(stream: ByteStream): Promise<NetconfSession> {
  const waiting = new Map<string, Waiting>();
  const givenUp = new Set<string>();
  const hearers: ((notification: XmlElement) => void)[] = [];
  const ending: ((reason: string) => void)[] = [];
  let ended: string | undefined;
  const settle = (id: string, message: XmlElement): boolean => {
    const call = waiting.get(id);
    waiting.delete(id);
    call?.resolve(message);
    return call !== undefined || givenUp.delete(id);
  };
  const channel = createNetconfChannel(stream, {
    message(message) {
      if (message.name === 'notification') for (const hear of hearers) hear(message);
      else if (message.name === 'hello') greetBack(message);
      else if (message.name !== 'rpc-reply' || !settle(message.attributes['message-id'] ?? '', message))
        channel.end('came a reply to nothing');
    },
    end(reason) {
      ended = reason;
      const error = unreachable(reason);
      for (const call of waiting.values()) call.reject(error);
      waiting.clear();
      for (const hear of ending) hear(reason);
    },
  });
  const greetBack = (hello: XmlElement) => {
    if (capabilitiesOf(hello).includes(`${BASE}:1.1`)) channel.useChunks();
    if (!settle(GREETING, hello)) channel.end('came a second hello');
  };
  const greeting = await ask(channel, waiting, GREETING, HELLO, DRIVER_LIMITS.netconfHelloMs).catch((error) => {
    channel.end('came no hello');
    throw error;
  });
  let lastId = 0;
  const put = (body: string, timeoutMs: number): Promise<XmlElement> => {
    const id = String(++lastId);
    const text = `<rpc xmlns="${NAMESPACE}" message-id="${id}">${body}</rpc>`;
    return ask(channel, waiting, id, text, timeoutMs).catch((error) => {
      // Its reply may still come, and is then dropped.
      if (error instanceof ParleyError && error.code === 'node/timeout') givenUp.add(id);
      throw error;
    });
  };
  await wake(() => put(NOTHING, DRIVER_LIMITS.netconfHelloMs)).catch((error) => {
    channel.end('came no reply to the first request');
    throw error;
  });
  const inTurn = createInTurn();
  const exchange = (body: string, timeoutMs: number): Promise<XmlElement> => inTurn(() => put(body, timeoutMs));
  return {
    sessionId: child(greeting, 'session-id')?.text ?? '',
    capabilities: capabilitiesOf(greeting),
    async rpc(body, timeoutMs = DRIVER_LIMITS.netconfReplyMs) {
      const reply = await exchange(body, timeoutMs);
      const faults = reply.children.filter(({ name }) => name === 'rpc-error');
      const fault = faults.find((entry) => child(entry, 'error-severity')?.text.trim() !== 'warning');
      if (fault !== undefined) throw refusalOf(fault);
      return reply;
    },
    onNotification: (hear) => void hearers.push(hear),
    onEnd: (hear) => (ended === undefined ? void ending.push(hear) : hear(ended)),
    get closed() {
      return channel.closed;
    },
    async close() {
      if (!channel.closed) await exchange('<close-session/>', LIMITS.closeMs).catch(ignoreEnd);
      channel.end('it was closed');
    },
  };
}

/** Any answer will do. A second call pushes a first that lies unread behind the hello; both are answered before the session is used. */
async function wake(put: () => Promise<unknown>): Promise<void> {
  const first = put();
  let second: Promise<unknown> | undefined;
  const push = setTimeout(() => {
    second = put();
    second.catch(() => {});
  }, DRIVER_LIMITS.netconfPushMs);
  await first.finally(() => clearTimeout(push));
  await second;
}

/** A device that ends the stream instead of replying has closed all the same. */
function ignoreEnd(): void {}

function ask(
  channel: NetconfChannel,
  waiting: Map<string, Waiting>,
  id: string,
  text: string,
  timeoutMs: number,
): Promise<XmlElement> {
  return new Promise((resolve, reject) => {
    if (channel.closed) return reject(unreachable('it has ended'));
    const late = setTimeout(() => {
      waiting.delete(id);
      reject(new ParleyError('node/timeout', 'expected a reply of the device, got nothing in time'));
    }, timeoutMs);
    waiting.set(id, {
      resolve: (reply) => {
        clearTimeout(late);
        resolve(reply);
      },
      reject: (error) => {
        clearTimeout(late);
        reject(error);
      },
    });
    channel.send(text);
  });
}

function unreachable(reason: string): ParleyError {
  return new ParleyError('node/netconf-unreachable', `expected a NETCONF session, ${reason}`);
}

function capabilitiesOf(hello: XmlElement): readonly string[] {
  return (child(hello, 'capabilities')?.children ?? []).map((entry) => entry.text.trim());
}
