// Tools whose definition is another than the one that was accepted: announced, and gated where one of the two may change something, until an
// admin has approved a call of the tool as it is now. What is seen first counts as accepted, and stays so while the tool is away.
import type { JsonObject } from '#base/json.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

export type Seen = {
  readonly name: string;
  readonly route: readonly string[];
  readonly definition: JsonObject;
  readonly isRead: boolean;
};

export type Change = Pick<Seen, 'name' | 'route'> & { readonly isGated: boolean };

export type Changes = {
  /** True: a call needs an approval of the tool as it is now. */
  isGated(seen: Seen): boolean;
  accept(seen: Seen): void;
  /** Changes that were seen since the last time. */
  take(): readonly Change[];
};

type Accepted = { readonly sha256: string; readonly isRead: boolean };

export function createChanges(): Changes {
  const accepted = new Map<string, Accepted>();
  const announced = new Map<string, string>();
  let fresh: Change[] = [];
  const accept = ({ name, definition, isRead }: Seen) => {
    announced.delete(name);
    if (accepted.has(name) || accepted.size < AGGREGATE_LIMITS.acceptedTools)
      accepted.set(name, { sha256: digestOf(definition), isRead });
  };
  return {
    isGated(seen) {
      const { name, route, definition, isRead } = seen;
      const known = accepted.get(name);
      const sha256 = digestOf(definition);
      if (known === undefined || known.sha256 === sha256) {
        if (known === undefined) accept(seen);
        announced.delete(name);
        return false;
      }
      const isGated = !(known.isRead && isRead);
      if (announced.get(name) !== sha256) fresh.push({ name, route, isGated });
      if (isGated) announced.set(name, sha256);
      else accept(seen);
      return isGated;
    },
    accept,
    take() {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
}

/** What a person would read of a tool: not `_meta` and the like, in which states change. */
export function describedAs({ name, title, description, inputSchema, annotations }: JsonObject): JsonObject {
  const said = { name, title, description, inputSchema, annotations };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Lists are merged often, and definitions are the same objects until they are read again. */
const DIGESTS = new WeakMap<JsonObject, string>();

function digestOf(definition: JsonObject): string {
  const known = DIGESTS.get(definition);
  if (known !== undefined) return known;
  const sha256 = canonicalSha256(describedAs(definition));
  DIGESTS.set(definition, sha256);
  return sha256;
}
