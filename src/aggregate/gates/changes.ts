// Tools whose definition is another than the one that was accepted: announced, and gated where one of the two may change something, until an
// admin has approved a call of the tool as it is now. What is seen first counts as accepted, and stays so while the tool is away.
import type { JsonObject } from '#base/json.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Safety } from '../names/capability.ts';

export type Seen = {
  readonly name: string;
  readonly route: readonly string[];
  readonly definition: JsonObject;
  readonly safety: Safety;
};

/** `noRoom`: nothing is compared, as what was accepted of this segment cannot be remembered. */
export type Change = Pick<Seen, 'name' | 'route'> & { readonly isGated: boolean; readonly noRoom?: true };

/** Unless `accepted`, a call needs an approval of the tool as it is now. */
export type ToolState = 'accepted' | 'changed' | 'noRoom';

export type Changes = {
  stateOf(seen: Seen): ToolState;
  accept(seen: Seen): void;
  /** Changes that were seen since the last time. */
  take(): readonly Change[];
};

type Accepted = { readonly sha256: string; readonly safety: Safety };

type Memory = {
  get(seen: Seen): Accepted | undefined;
  /** False: there is no room for it. */
  keep(seen: Seen): boolean;
};

export function createChanges(limits: ChangeLimits = AGGREGATE_LIMITS): Changes {
  const memory = createMemory(limits);
  const announced = new Map<string, string>();
  const full = new Set<string>();
  let fresh: Change[] = [];
  const accept = (seen: Seen) => {
    announced.delete(seen.name);
    return memory.keep(seen);
  };
  /** Said once for each segment. */
  const noRoom = ({ name, route }: Seen): ToolState => {
    const segment = route[0]!;
    if (!full.has(segment)) fresh.push({ name, route, isGated: true, noRoom: true });
    if (full.size >= limits.subservers) full.clear();
    full.add(segment);
    return 'noRoom';
  };
  return {
    stateOf(seen) {
      const { name, route, safety } = seen;
      const known = memory.get(seen);
      if (known === undefined) return accept(seen) ? 'accepted' : noRoom(seen);
      const sha256 = digestOf(seen);
      if (known.sha256 === sha256) {
        announced.delete(name);
        return 'accepted';
      }
      const isGated = !(known.safety === 'read' && safety === 'read');
      if (announced.get(name) !== sha256) fresh.push({ name, route, isGated });
      if (isGated) announced.set(name, sha256);
      else accept(seen);
      return isGated ? 'changed' : 'accepted';
    },
    accept: (seen) => void accept(seen),
    take() {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
}

type ChangeLimits = Readonly<Record<'acceptedShare' | 'acceptedTools' | 'offersPerSubserver' | 'subservers', number>>;

/** Each segment has a share that no other one takes; beyond it all use one room, and none more than one subserver may offer. */
function createMemory(limits: ChangeLimits): Memory {
  const segments = new Map<string, { readonly tools: Map<string, Accepted>; readonly share: number }>();
  let common = 0;
  const keep = (seen: Seen): boolean => {
    const { name, route } = seen;
    const segment = route[0]!;
    const share = segments.size < limits.subservers ? limits.acceptedShare : 0;
    const { tools, share: own } = segments.get(segment) ?? { tools: new Map<string, Accepted>(), share };
    if (!tools.has(name)) {
      const isCommon = tools.size >= own;
      if (isCommon && (common >= limits.acceptedTools || tools.size >= limits.offersPerSubserver)) return false;
      if (isCommon) common += 1;
    }
    segments.set(segment, { tools, share: own });
    tools.set(name, { sha256: digestOf(seen), safety: seen.safety });
    return true;
  };
  return { get: ({ name, route }) => segments.get(route[0]!)?.tools.get(name), keep };
}

/** What a person would read of a tool, and what follows from it all for its safety: not `_meta` itself, in which states change. */
export function describedAs({ definition, safety }: Pick<Seen, 'definition' | 'safety'>): JsonObject {
  const { name, title, description, inputSchema, annotations } = definition;
  const said = { name, title, description, inputSchema, annotations, safety };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Lists are merged often, and definitions are the same objects until they are read again. Its safety follows from a definition alone. */
const DIGESTS = new WeakMap<JsonObject, string>();

function digestOf({ definition, safety }: Seen): string {
  const known = DIGESTS.get(definition);
  if (known !== undefined) return known;
  const sha256 = canonicalSha256(describedAs({ definition, safety }));
  DIGESTS.set(definition, sha256);
  return sha256;
}
