// Work that must not overlap, one after the other in the order in which it was asked for. A failure is its caller's alone.
export type InTurn = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
