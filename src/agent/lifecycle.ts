// Starting and stopping: parts start in order, and all that started are stopped in reverse when one fails or the agent ends.
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';

export type Part = { readonly name: string; start(): Promise<void>; stop(): Promise<void> };

export type Running = { stop(): Promise<void> };

/** Starts `parts` one after the other. A part that cannot start takes those before it down and rejects. */
export async function startAll(parts: readonly Part[], log: Log): Promise<Running> {
  const started: Part[] = [];
  const stop = async () => {
    for (const part of started.splice(0).reverse()) {
      await part
        .stop()
        .catch((error) => log.error('a part did not stop cleanly', { part: part.name, reason: messageOf(error) }));
    }
  };
  try {
    for (const part of parts) {
      started.push(part);
      await part.start();
      log.debug('part started', { part: part.name });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
