// Requests over the SDK's client on frames, with our own deadline, bounds and error codes: `peer/timeout`,
// `peer/unreachable`, `peer/protocol`. Our own clock and socket decide whether time ran out or the connection ended, never a peer's
// error code.
import type { Duplex } from 'node:stream';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpError, ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { MCP_LIMITS } from '../limits.ts';
import { createFrameChannel } from '../transports/frame-channel.ts';
import { createFramesTransport } from '../transports/frames.ts';
import { startDeadline } from './deadline.ts';

export type Replied =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: JsonValue | undefined };

export type RequestOptions = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Progress restarts the deadline. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
};

export type RpcCall = { readonly method: string; readonly params: JsonObject };

export type Requester = {
  request(request: RpcCall, options: RequestOptions): Promise<Replied>;
  /** `capabilities` of the server, as it announced them. */
  readonly capabilities: JsonObject;
  readonly closed: boolean;
  close(): void;
};

/** A result of any shape: the SDK's schemas would copy and check what we check ourselves. */
const anyResult = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);
/** The SDK's own timer must never be the first. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

export type RequesterInit = {
  readonly duplex: Duplex;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs: number;
};

/** Connects `client`; rejects like a request when the server does not answer `initialize`. */
export async function createRequester(init: RequesterInit): Promise<Requester> {
  const { client, log } = init;
  const channel = createFrameChannel({ duplex: init.duplex, role: 'calling' });
  let reason: string | undefined;
  let inFlight = 0;
  channel.ended = (why) => {
    reason = why;
  };
  const progress = watchProgress(client);
  client.onerror = (error) => log.debug('an MCP client reported an error', { error: String(error) });

  /** Runs `work` under a deadline; the error reports what happened on this side. */
  const bounded = async <T>(
    options: RequestOptions,
    work: (signal: AbortSignal, restart: () => void) => Promise<T>,
  ): Promise<T> => {
    if (channel.closed) throw unreachable(reason);
    if (inFlight >= MCP_LIMITS.requestsInFlight) {
      throw new ParleyError(
        'us/too-many-calls',
        `expected at most ${MCP_LIMITS.requestsInFlight} calls in flight on one session, got one more`,
      );
    }
    inFlight++;
    const deadline = startDeadline(init.clock, options);
    try {
      return await work(deadline.signal, deadline.restart);
    } catch (error) {
      if (deadline.expired)
        throw new ParleyError('peer/timeout', `expected an answer within ${options.timeoutMs} ms, got none`, {
          cause: error,
        });
      if (options.signal?.aborted) throw options.signal.reason;
      if (channel.closed) throw unreachable(reason, error);
      throw error;
    } finally {
      inFlight--;
      deadline.stop();
    }
  };

  try {
    await bounded({ timeoutMs: init.timeoutMs }, async (signal) => {
      const connected = client.connect(createFramesTransport(channel), { signal, timeout: SDK_TIMEOUT_MS });
      channel.start();
      await connected;
    });
  } catch (error) {
    channel.close();
    if (error instanceof ParleyError) throw error;
    throw new ParleyError('peer/protocol', `expected a session, got: ${messageOf(error)}`, { cause: error });
  }
  return {
    request: (request, options) =>
      bounded(options, async (signal, restart): Promise<Replied> => {
        const { onProgress } = options;
        const token = onProgress === undefined ? undefined : progress.watch(onProgress, restart);
        try {
          const sent = token === undefined ? request : withProgressToken(request, token);
          const result = await client.request(sent as never, anyResult, { signal, timeout: SDK_TIMEOUT_MS });
          return { kind: 'result', result: result as unknown as JsonObject };
        } catch (error) {
          if (!(error instanceof McpError) || signal.aborted || channel.closed) throw error;
          return {
            kind: 'error',
            code: error.code,
            message: withoutPrefix(error),
            data: error.data as JsonValue | undefined,
          };
        } finally {
          if (token !== undefined) progress.forget(token);
        }
      }),
    capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
    get closed() {
      return channel.closed;
    },
    close: () => channel.close(),
  };
}

type ProgressWatch = {
  watch(onProgress: (params: JsonObject) => void, restart: () => void): number;
  forget(token: number): void;
};

/**
 * Progress by our own tokens. The SDK forgets a token as soon as the result arrives, and so loses the last progress message
 * when both arrive in one packet.
 */
function watchProgress(client: Client): ProgressWatch {
  const watchers = new Map<unknown, (params: JsonObject) => void>();
  let last = 0;
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
    watchers.get(params.progressToken)?.(params as unknown as JsonObject);
  });
  return {
    watch(onProgress, restart) {
      watchers.set(++last, (params) => {
        restart();
        onProgress(params);
      });
      return last;
    },
    forget: (token) => watchers.delete(token),
  };
}

function withProgressToken(request: RpcCall, token: number): RpcCall {
  const meta = isJsonObject(request.params['_meta']) ? request.params['_meta'] : {};
  return { method: request.method, params: { ...request.params, _meta: { ...meta, progressToken: token } } };
}

/** The SDK puts "MCP error <code>: " before what the peer wrote; the signature covers what the peer wrote. */
function withoutPrefix(error: McpError): string {
  const prefix = `MCP error ${error.code}: `;
  return error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
}

function unreachable(reason: string | undefined, cause?: unknown): ParleyError {
  return new ParleyError(
    'peer/unreachable',
    `expected an open session, got its end: ${reason ?? 'closed'}`,
    cause === undefined ? {} : { cause },
  );
}
