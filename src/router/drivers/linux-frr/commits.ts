// The commits of a node's configuration, as its history tells them: from the configuration helper, newest first, bounded. Where they cannot be
// read, or are more than the history holds, the history says so: no commits and unknown ones are two things.
import { messageOf } from '#base/error.ts';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import type { History } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';

export type ReadCommits = {
  readonly commits: History['commits'] & {};
  /** Why `commits` are not all of them. */
  readonly missing?: string;
};

/** Newest first, at most `toldCommits`; undefined where the node is not configured by Parley, and then has no commits. Never rejects. */
export async function readCommits(
  configuration: Pick<ConfigurationPort, 'history'> | undefined,
): Promise<ReadCommits | undefined> {
  if (configuration === undefined) return undefined;
  try {
    const views = await configuration.history();
    const timed = views
      .flatMap(({ id, by, state, startedAgoMs: agoMs }) => (agoMs === undefined ? [] : [{ id, by, state, agoMs }]))
      .sort((one, other) => one.agoMs - other.agoMs);
    const commits = timed.slice(0, MODEL_LIMITS.toldCommits);
    if (timed.length < views.length)
      return { commits, missing: `the time of ${views.length - timed.length} of ${views.length} is not known` };
    if (commits.length < timed.length) return { commits, missing: `the newest ${commits.length} of ${timed.length}` };
    return { commits };
  } catch (error) {
    return { commits: [], missing: messageOf(error) };
  }
}

/** `state` itself where it has no history. */
export function withCommits(state: NodeState, read: ReadCommits | undefined): NodeState {
  if (state.history === undefined || read === undefined) return state;
  const { commits, missing } = read;
  const history: History = {
    ...state.history,
    ...(commits.length === 0 ? {} : { commits }),
    ...(missing === undefined ? {} : { missing: [{ part: 'commits', reason: missing }] }),
  };
  return { ...state, history };
}
