// An LLDP daemon in memory: what it announces can be read back, its neighbours can be set, and it can fail.
import type { LldpPort, Neighbour } from '#model/router/router-port.ts';

export type FakeLldpPort = LldpPort & {
  /** TLVs that are announced now: `oui/subtype` → information in hex. */
  readonly announced: ReadonlyMap<string, string>;
  readonly reads: number;
  readonly watcherCount: number;
  setNeighbours(neighbours: readonly Neighbour[]): void;
  /** The next operations reject with this, until undefined. */
  failWith(error: Error | undefined): void;
};

export function createFakeLldpPort(): FakeLldpPort {
  const announced = new Map<string, string>();
  const watchers = new Set<() => void>();
  let neighbours: readonly Neighbour[] = [];
  let failure: Error | undefined;
  let reads = 0;
  const check = () => {
    if (failure !== undefined) throw failure;
  };
  return {
    announced,
    get watcherCount() {
      return watchers.size;
    },
    get reads() {
      return reads;
    },
    setNeighbours(next) {
      neighbours = next;
      for (const changed of watchers) changed();
    },
    failWith(error) {
      failure = error;
    },
    async announce(oui, subtype, information) {
      check();
      announced.set(`${oui}/${subtype}`, Buffer.from(information).toString('hex'));
    },
    async withdraw(oui, subtype) {
      check();
      announced.delete(`${oui}/${subtype}`);
    },
    async neighbours() {
      reads += 1;
      check();
      return neighbours;
    },
    async watch(changed) {
      check();
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  };
}
