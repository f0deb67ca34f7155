// An answer of nodes whose privileged helper does not answer says so before anything else: most of what they are is then unknown, and what is
// missing has a cause that is no fault of the network.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import type { Evidence } from '#model/evidence.ts';
import { HELPER_PART } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** One sentence; undefined where each helper answers. */
export function deadHelpersIn(evidence: readonly Evidence[]): string | undefined {
  const dead = new Set(
    evidence.flatMap(({ kind, node, body }) => (kind === 'state' && lacksHelper(body) ? [node] : [])),
  );
  if (dead.size === 0) return undefined;
  const names = [...dead].slice(0, AGENT_LIMITS.namedNodes);
  const more = dead.size > names.length ? ` and ${dead.size - names.length} more` : '';
  const helper = dead.size === 1 ? 'privileged helper' : 'privileged helpers';
  return `The ${helper} of ${names.join(', ')}${more} ${dead.size === 1 ? 'does' : 'do'} not answer, so that most of what is there is unknown: run "parley doctor" there.`;
}

function lacksHelper(state: JsonValue): boolean {
  const missing = isJsonObject(state) ? state['missing'] : undefined;
  return Array.isArray(missing) && missing.some((row) => isJsonObject(row) && row['part'] === HELPER_PART);
}
