// Something that is made at its first use and kept. A failure is not kept: while descriptors or memory are exhausted no module can be loaded, and
// that passes.

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
