// Messages of a running handler to its MCP client: progress, log messages, sampling and elicitation (TS-5, TS-27).
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type ClientCapabilities,
  ErrorCode,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { JsonObject } from '#base/json.ts';
import type { CallContext, ClientSide } from '#model/definition.ts';
import { createMarkedSender } from '../transports/backlog.ts';
import { clientCannot, neededFor, offersOf } from './client-requests.ts';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Member of a progress notification's `_meta` that holds data for programs that know us [TS-27]. */
export const PROGRESS_META = 'io.parley/progress';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
/** A result of any shape: the handler checks it. */
const anyResult = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);

export type LogLevel = { set(level: string): void; passes(level: string): boolean };

/** Everything passes until the client says otherwise (MCP 2025-11-25, logging). */
export function createLogLevel(): LogLevel {
  let lowest = 0;
  return {
    set(level) {
      lowest = Math.max(0, LEVELS.indexOf(level));
    },
    passes: (level) => LEVELS.indexOf(level) >= lowest,
  };
}

export function clientSideOf(extra: Extra, level: LogLevel, capabilities: ClientCapabilities | undefined): ClientSide {
  const offers = offersOf(capabilities);
  const tell = sender(extra, 'notifications/message');
  return {
    offers,
    log(severity, data) {
      if (level.passes(severity)) tell({ level: severity, logger: 'parley', data });
    },
    async request(method, params, signal) {
      const needed = neededFor(method, params);
      if (needed === undefined || !offers(needed)) throw clientCannot(needed ?? method);
      const options = signal === undefined ? {} : { signal };
      return (await extra.sendRequest({ method, params } as never, anyResult, options)) as unknown as JsonObject;
    },
    detach: () => extra.closeSSEStream?.(),
  };
}

/** MCP's own ping, on the stream of the current request: any answer, even an error, proves that the other end is there. */
export function createCallerProbe(extra: Extra): NonNullable<CallContext['probeCaller']> {
  return async (signal) => {
    const asked = extra.sendRequest({ method: 'ping' }, anyResult, { signal });
    await asked.catch((error) => {
      if (!isAnswer(error)) throw error;
    });
  };
}

/** The SDK gives its own faults the codes of a closed connection and of a time that ran out. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof McpError && error.code !== ErrorCode.ConnectionClosed && error.code !== ErrorCode.RequestTimeout
  );
}

export function createProgress(params: JsonObject, extra: Extra): CallContext['progress'] {
  return countedProgress(params, sender(extra, 'notifications/progress'));
}

/** Progress must grow with every notification (MCP 2025-11-25, progress); steps that do not advance count a thousandth. */
export function countedProgress(params: JsonObject, tell: (params: JsonObject) => void): CallContext['progress'] {
  const token = (params['_meta'] as { progressToken?: string | number } | undefined)?.progressToken;
  if (token === undefined) return () => {};
  let last = Number.NEGATIVE_INFINITY;
  return (done, total, message, data) => {
    last = done > last ? done : last + 0.001;
    const meta = data === undefined ? {} : { _meta: { [PROGRESS_META]: data } };
    const counted = { progressToken: token, progress: last, message, ...(total === undefined ? {} : { total }) };
    tell({ ...counted, ...meta } as JsonObject);
  };
}

function sender(extra: Extra, method: string): (params: JsonObject) => void {
  return createMarkedSender((params) => extra.sendNotification({ method, params } as unknown as ServerNotification));
}
