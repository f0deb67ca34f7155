// The agent's side of the helper's socket: one connection an operation; aborting closes it, which ends the operation.
import { createConnection } from 'node:net';
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { createFrameDecoder } from '#codec/frame.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import { decodeMessage, encodeMessage, errorOf, type HelperMessage, PING } from './messages.ts';

export type HelperCallOptions = {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: (event: string) => void;
};

export type HelperClient = {
  /** Rejects with the helper's ParleyError, `node/helper-unreachable`, `node/helper-failed`, `node/timeout`, or the signal's reason. */
  call(operation: string, args: JsonObject, options?: HelperCallOptions): Promise<JsonValue>;
};

export function createHelperClient(path: string): HelperClient {
  return { call: (operation, args, options = {}) => exchange(path, operation, args, options) };
}

/** Resolves when the process behind the socket answers, with whatever: one of an earlier version knows no ping. Rejects as `call` does. */
export async function pingHelper(path: string, timeoutMs: number): Promise<void> {
  await createHelperClient(path)
    .call(PING, {}, { timeoutMs })
    .catch((error) => {
      if (!(error instanceof ParleyError && error.code === 'caller/bad-argument')) throw error;
    });
}

function exchange(path: string, operation: string, args: JsonObject, options: HelperCallOptions): Promise<JsonValue> {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    if (signal?.aborted) return reject(signal.reason);
    const socket = createConnection(path);
    const decoder = createFrameDecoder();
    const timer =
      options.timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(
            () =>
              settle(() =>
                reject(
                  new ParleyError('node/timeout', `expected the helper to answer ${operation}, got nothing in time`),
                ),
              ),
            options.timeoutMs ?? ROUTER_LIMITS.helperReadMs + 1_000,
          );
    const onAbort = () => settle(() => reject(signal?.reason));
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.destroy();
      finish();
    };
    const onMessage = (message: HelperMessage) => {
      if (message.kind === 'event') options.onEvent?.(message.event);
      else if (message.kind === 'answer') settle(() => resolve(message.value));
      else settle(() => reject(errorOf(message)));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error) =>
      settle(() =>
        reject(
          new ParleyError('node/helper-unreachable', `expected a helper on ${path}, got ${messageOf(error)}`, {
            cause: error,
          }),
        ),
      ),
    );
    socket.on('close', () =>
      settle(() =>
        reject(
          new ParleyError('node/helper-failed', `expected an answer to ${operation}, got the end of the connection`),
        ),
      ),
    );
    socket.on('data', (chunk) => {
      const frames = decoder.push(chunk);
      if (!frames.ok) return settle(() => reject(new ParleyError('node/helper-failed', frames.reason)));
      for (const frame of frames.value) {
        const message = decodeMessage(frame);
        if (message.ok) onMessage(message.value);
        else settle(() => reject(new ParleyError('node/helper-failed', message.reason)));
      }
    });
    socket.write(encodeMessage({ operation, arguments: args }));
  });
}
