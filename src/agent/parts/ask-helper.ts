// Whether a helper of this node answers, for a program beside the agent. A process that hangs still has its connections accepted, by the kernel.
import { messageOf, ParleyError } from '#base/error.ts';
import { pingHelper } from '#router/protocol/client.ts';

/** Rejects with what is wrong and what to do; `service` is the unit that is to be started. */
export async function askHelper(socket: string, service: string, timeoutMs: number): Promise<void> {
  await pingHelper(socket, timeoutMs).catch((cause: unknown) => {
    const code = cause instanceof ParleyError ? cause.code : undefined;
    if (code === 'node/helper-unreachable')
      throw new ParleyError(code, `nothing answers on ${socket}: start ${service}`, { cause });
    const what = code === 'node/timeout' ? `gave no answer within ${timeoutMs} ms` : messageOf(cause);
    throw new ParleyError('node/helper-failed', `${socket} takes connections, but ${what}: restart ${service}`, {
      cause,
    });
  });
}
