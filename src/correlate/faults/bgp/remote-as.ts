// AS numbers that neighbours expect of each other, and that nodes present to them.
import type { CaseFile } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { changesOfStood } from '../../network/remembered.ts';
import type { World } from '../../network/world.ts';
import { bgpSymptom, type SessionEnds, sessionsOf } from '../../symptoms/sessions.ts';

/** `remote-as external` and `internal` are reported as 0 until an OPEN arrives. */
export const ANY_AS = 0;

/** Numbers that a node presents to its neighbours (`local-as`). */
export function presentedBy(world: World, node: string): readonly number[] {
  return (world.views.get(node)?.state.bgp?.sessions ?? []).map(({ localAs }) => localAs);
}

/** Sessions of neighbours that expect some AS number of `node`. */
export function expectationsOf(world: World, node: string): readonly SessionEnds['near'][] {
  return sessionsOf(world)
    .filter(({ far }) => far?.node === node)
    .map(({ near }) => near);
}

/** So long after a change of the number the session is lost. */
const LOST_MS = 60_000;

/** The node of the session remembers that it expected this number there, and lost the session when it changed that: it was up with the number before. */
export function hasExpected(world: World, { node, row }: SessionEnds['near'], asn: number): boolean {
  const [latest] = changesOfStood(world, node, 'session').filter(
    ({ subject, setting }) => subject === row.peer && setting === 'remote-as',
  );
  const { agoMs = 0, fromAgoMs = agoMs } = latest ?? {};
  const events = world.views.get(node)?.state.history?.events ?? [];
  const isLost = events.some(
    (event) =>
      event.kind === 'session' &&
      event.subject === row.peer &&
      !event.up &&
      event.agoMs <= fromAgoMs + LOST_MS &&
      event.agoMs >= agoMs - LOST_MS,
  );
  return latest?.was === String(asn) && isLost;
}

/** Sessions that are not established, by the nodes at their ends. */
export function brokenSessions(
  file: CaseFile,
  concerns: (near: string, far: string | undefined) => boolean,
): readonly Symptom[] {
  return bgpSymptom.of(file).filter(({ nodes }) => concerns(nodes[0]!, nodes[1]));
}
