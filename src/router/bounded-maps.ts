// Maps that stay small: the oldest entry makes room for one more. Where entries belong to different owners, one owner with very many does not take the
// room of the others.

export function makeRoom(kept: Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
}

export type SharedMap<V> = {
  get(owner: string, key: string): V | undefined;
  /** Stands last from now on. */
  set(owner: string, key: string, value: V): void;
  delete(owner: string, key: string): void;
  values(): IterableIterator<V>;
};

/** An owner's own oldest entry makes room where it has the most that one may; else the oldest of the owner that set none for the longest time. */
export function createSharedMap<V>(
  { most, mostOfOne }: { readonly most: number; readonly mostOfOne: number },
  dropped: (value: V) => void = () => {},
): SharedMap<V> {
  const owners = new Map<string, Map<string, V>>();
  let size = 0;
  const remove = (owner: string, key: string) => {
    const own = owners.get(owner);
    if (own?.delete(key) !== true) return;
    size -= 1;
    if (own.size === 0) owners.delete(owner);
  };
  const drop = (owner: string) => {
    const [[key, value] = []] = owners.get(owner) ?? [];
    if (key === undefined || value === undefined) return;
    remove(owner, key);
    dropped(value);
  };
  return {
    get: (owner, key) => owners.get(owner)?.get(key),
    set(owner, key, value) {
      remove(owner, key);
      if ((owners.get(owner)?.size ?? 0) >= mostOfOne) drop(owner);
      const [silent] = owners.keys();
      if (size >= most && silent !== undefined) drop(silent);
      const own = owners.get(owner) ?? new Map<string, V>();
      owners.delete(owner);
      owners.set(owner, own.set(key, value));
      size += 1;
    },
    delete: remove,
    *values() {
      for (const own of owners.values()) yield* own.values();
    },
  };
}
