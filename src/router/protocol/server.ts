// The helper's Unix socket: one operation a connection, bounded in number, request size and time. Who may connect is
// decided by the socket's mode (0660) and group alone.
import { chown } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { makeRoom } from '#base/socket-path.ts';
import { createFrameDecoder } from '#codec/frame.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import { decodeRequest, encodeMessage, type HelperMessage, type HelperRequest, PING } from './messages.ts';
import type { Operation } from './operation.ts';

export type HelperServer = { close(): Promise<void> };

export type HelperServerInit = {
  readonly path: string;
  /** Group id that may connect; the process's own when absent. */
  readonly groupId?: number;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly log: Log;
  /** Bytes of one request; `helperRequestBytes` when absent. */
  readonly requestBytes?: number;
};

/** Rejects with `caller/helper-running` when another helper answers on `path`; a dead one's socket is replaced. */
export async function listenHelper(init: HelperServerInit): Promise<HelperServer> {
  await makeRoom(init.path, () => {
    const message = `expected no helper on ${init.path}, got an answer`;
    return new ParleyError('caller/helper-running', message);
  });
  const connections = new Set<Socket>();
  const running: Running = new Set();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    serveConnection(socket, init, running);
  });
  server.maxConnections = ROUTER_LIMITS.helperConnections;
  await listen(server, init.path);
  if (init.groupId !== undefined) await chown(init.path, process.getuid?.() ?? 0, init.groupId);
  return {
    async close() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      // What an operation does at its end (a purge) is worth a short wait, not a hang.
      await new Promise<void>((resolve) => {
        const tooLong = setTimeout(resolve, LIMITS.closeMs);
        void Promise.allSettled(running).then(() => {
          clearTimeout(tooLong);
          resolve();
        });
      });
    },
  };
}

/** Operations that have not ended yet, those included whose caller has gone. */
type Running = Set<Promise<void>>;

function serveConnection(socket: Socket, init: HelperServerInit, running: Running): void {
  const ended = new AbortController();
  const decoder = createFrameDecoder({ maxBytes: init.requestBytes ?? ROUTER_LIMITS.helperRequestBytes });
  const tooSlow = setTimeout(() => socket.destroy(), ROUTER_LIMITS.helperRequestMs);
  let asked = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    clearTimeout(tooSlow);
    ended.abort(new ParleyError('caller/aborted', 'expected the caller to wait, got the end of its connection'));
  });
  socket.on('data', (chunk) => {
    const frames = decoder.push(chunk);
    const [frame] = frames.ok ? frames.value : [];
    // More than one request, or anything behind it, is a fault of the caller: nothing of it is run.
    if (!frames.ok || asked || (frame !== undefined && (frames.value.length > 1 || decoder.pendingBytes > 0))) {
      socket.destroy();
      return;
    }
    if (frame === undefined) return;
    asked = true;
    clearTimeout(tooSlow);
    const work = answer(socket, frame, init, ended.signal);
    running.add(work);
    void work.finally(() => running.delete(work));
  });
}

async function answer(socket: Socket, frame: Uint8Array, init: HelperServerInit, signal: AbortSignal): Promise<void> {
  const send = (message: HelperMessage) => {
    if (!socket.destroyed) socket.write(encodeMessage(message));
  };
  const request = decodeRequest(frame);
  try {
    if (!request.ok) throw new ParleyError('caller/bad-argument', request.reason);
    const value = await runOperation(request.value, init, { signal, emit: (event) => send({ kind: 'event', event }) });
    send({ kind: 'answer', value });
  } catch (error) {
    if (!signal.aborted) send(failureOf(error));
    init.log.debug('operation failed', {
      operation: request.ok ? request.value.operation : '',
      reason: messageOf(error),
    });
  }
  socket.end();
}

function runOperation(
  request: HelperRequest,
  init: HelperServerInit,
  context: Parameters<Operation>[1],
): ReturnType<Operation> {
  // Whether this process answers at all; the kernel accepts connections for one that hangs.
  if (request.operation === PING) return Promise.resolve(null);
  const operation = init.operations.get(request.operation);
  if (operation !== undefined) return operation(request.arguments, context);
  const names = [...init.operations.keys()].join(', ');
  throw new ParleyError(
    'caller/bad-argument',
    `expected one of the operations ${names}, got ${JSON.stringify(request.operation.slice(0, 40))}`,
  );
}

function failureOf(error: unknown): HelperMessage {
  const code =
    error instanceof ParleyError ? error.code : isHardware(error) ? 'node/hardware-failure' : 'node/helper-failed';
  return { kind: 'failure', code, message: messageOf(error).slice(0, 1_000) };
}

/** What the kernel says when a device fails or is gone, or when memory or space is exhausted (NET-13, −32089). */
const HARDWARE_ERRORS: ReadonlySet<string> = new Set(['EIO', 'ENXIO', 'ENODEV', 'ENOMEM', 'ENOSPC', 'EREMOTEIO']);

function isHardware(error: unknown): boolean {
  return error instanceof Error && HARDWARE_ERRORS.has((error as NodeJS.ErrnoException).code ?? '');
}

/** The mode is right from the first moment on: there is no time at which others could connect. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const umask = process.umask(0o117);
    server.once('error', reject);
    server.listen(path, resolve);
    process.umask(umask);
  });
}
