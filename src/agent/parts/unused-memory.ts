// Gives freed memory back to the kernel while the agent runs on a router. Beside another driver koffi, which does it, would be loaded for this alone.
import type { Clock } from '#base/clock.ts';
import type { Config } from '#config/schema.ts';
import { returnUnusedMemory } from '#router/native/unused-memory.ts';
import type { Part } from '../lifecycle.ts';

export function createUnusedMemory(parts: { readonly config: Pick<Config, 'driver'>; readonly clock: Clock }): Part {
  const ended = new AbortController();
  return {
    name: 'unused memory',
    start: async () => {
      if (parts.config.driver.kind === 'linux-frr') void returnUnusedMemory(parts.clock, ended.signal);
    },
    stop: async () => ended.abort(),
  };
}
