// When the probes of a train arrived, at the reflector and back again: gaps between one and the next, each row by one kernel's clock.
// How busy a process is that sends or reads them does not show in what a kernel notes on arrival. Pure.
import type { TrainTimes } from '#model/router/router-port.ts';

export type TrainClock = {
  /** One probe was handed to the stack between these two moments. */
  noteSent(beforeMs: number, afterMs: number): void;
  /** One probe is back: its arrival at the reflector and its reflection's here, by their kernels' clocks. */
  noteArrival(reachedUs: number | undefined, returnedUs: number | undefined): void;
  /** Undefined while there are not two arrivals to tell a time between. */
  times(): TrainTimes | undefined;
};

export function createTrainClock(): TrainClock {
  const [sent, reached, returned]: [number[], number[], number[]] = [[], [], []];
  let endUs = 0;
  return {
    noteSent(beforeMs, afterMs) {
      sent.push(Math.round(beforeMs * 1_000));
      endUs = Math.round(afterMs * 1_000);
    },
    noteArrival(reachedUs, returnedUs) {
      if (reachedUs !== undefined) reached.push(reachedUs);
      if (returnedUs !== undefined) returned.push(returnedUs);
    },
    times() {
      if (reached.length < 2) return undefined;
      return { sentUs: gapsOf([...sent, endUs]), reachedUs: gapsOf(reached), returnedUs: gapsOf(returned) };
    },
  };
}

function gapsOf(arrivals: readonly number[]): readonly number[] {
  const inOrder = [...arrivals].sort((one, other) => one - other);
  return inOrder.slice(1).map((arrivalUs, index) => arrivalUs - inOrder[index]!);
}
