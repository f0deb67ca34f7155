// Work that must not overlap: one after the other in the order in which it was asked for, or once for all who ask for it. A failure reaches
// those alone who asked, and is not kept.
export type InTurn = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** Made at its first use. After a failure it is made again: while descriptors are exhausted no module can be loaded, and that passes. */
export function late<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
