// A leaf by configuration: opened, watched, and opened again when it ends, with waits that grow to a bound. While it is away its tools are
// degraded, and after the grace period they go.
import { STOPPED } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Random } from '#base/random.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Core } from '../tree/core.ts';
import type { Slot } from '../tree/slot.ts';
import type { Link } from '../wire/link.ts';
import { connectSlot } from './connect-slot.ts';

export type Opened = { readonly link: Link; readonly agreed?: (version: string) => void };

export type KeptLeaf = { stop(): Promise<void> };

export type KeepInit = {
  readonly slot: Slot;
  readonly open: () => Promise<Opened> | Opened;
  readonly random: Random;
  readonly graceMs: number;
};

export function keepLeaf(core: Core, init: KeepInit): KeptLeaf {
  const stopped = new AbortController();
  const done = run(core, init, stopped.signal);
  return {
    async stop() {
      stopped.abort(STOPPED);
      await done;
    },
  };
}

async function run(core: Core, init: KeepInit, signal: AbortSignal): Promise<void> {
  const { slot } = init;
  let waitMs: number = AGGREGATE_LIMITS.restartMs;
  let grace: AbortController | undefined;
  while (!signal.aborted) {
    const startedMs = core.clock.monotonicMs();
    const reason = await oneSession(core, init, signal, () => grace?.abort(STOPPED));
    if (signal.aborted) return;
    const wasUp = slot.state === 'up';
    slot.degrade(reason);
    if (wasUp) {
      announce(core, slot.segment, reason);
      grace = graceOf(core, init, signal);
    }
    core.log.warn('a leaf is not there', { segment: slot.segment, reason });
    // A leaf that was up for a while is opened again at once, so that it is back within the heartbeat in which its loss was seen.
    const wasWell = wasUp && core.clock.monotonicMs() - startedMs > AGGREGATE_LIMITS.restartMostMs;
    if (wasWell) waitMs = AGGREGATE_LIMITS.restartMs;
    else {
      const jitter = 0.5 + (init.random.bytes(1)[0] ?? 0) / 512;
      await core.clock.sleep(waitMs * jitter, signal).catch(() => {});
      waitMs = Math.min(2 * waitMs, AGGREGATE_LIMITS.restartMostMs);
    }
  }
}

/** Resolves with the reason when the session has ended. */
async function oneSession(
  core: Core,
  { slot, open }: KeepInit,
  signal: AbortSignal,
  isUp: () => void,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let link: Link | undefined;
  const onStop = () => link?.close('stopped');
  signal.addEventListener('abort', onStop, { once: true });
  try {
    const opened = await open();
    link = opened.link;
    if (signal.aborted) return 'stopped';
    const ended = (reason: string | undefined) => resolve(reason ?? 'the leaf has ended');
    await connectSlot(core, slot, link, { ended, ...(opened.agreed === undefined ? {} : { agreed: opened.agreed }) });
    isUp();
    core.log.info('a leaf is there', { segment: slot.segment, tools: slot.offers.tools.length });
    return await promise;
  } catch (error) {
    return messageOf(error);
  } finally {
    signal.removeEventListener('abort', onStop);
    link?.close();
  }
}

/** AX-19: what does not come back in time is not listed any longer. */
function graceOf(core: Core, { slot, graceMs }: KeepInit, signal: AbortSignal): AbortController {
  const controller = new AbortController();
  core.clock.sleep(graceMs, AbortSignal.any([controller.signal, signal])).then(
    () => slot.forget(),
    () => {},
  );
  return controller;
}

function announce(core: Core, segment: string, reason: string): void {
  for (const listener of core.listeners)
    listener.told('notifications/mcpax/subserver_lost', { route: [segment], reason }, []);
}
