// The exchange that the facts come from: states before and after the probes, how long each call took, and why one has no answer.
import { LIMITS } from '#base/limits.ts';
import { decodeToldState } from '#measure/decode/decode.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { purposeOf } from '#model/purpose.ts';
import type { StateEntry, World } from '../network/world.ts';
import type { Reading } from './wire.ts';

/** Of what is counted between the two states. */
export const WINDOW = 'before..after';

export function statesOf(evidence: readonly Evidence[], phase: 'before' | 'after'): ReadonlyMap<string, StateEntry> {
  const states = new Map<string, StateEntry>();
  for (const entry of evidence) {
    const told = entry.phase === phase ? decodeToldState(entry) : undefined;
    // A node's own report goes before a neighbour's report about it.
    if (told !== undefined && (entry.kind === 'state' || !states.has(told.node)))
      states.set(told.node, { id: entry.id, state: told.state });
  }
  return states;
}

/** Both readings of each node that gave two. */
export function statesRead(world: World, outcomes: readonly Outcome[]): ReadonlyMap<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const [node, { before, after, sources }] of world.views) {
    if (before === undefined || after === undefined) continue;
    const [beforeMs, afterMs] = [elapsed(outcomes, sources[0]!), elapsed(outcomes, sources[1]!)];
    readings.set(node, { before, after, beforeMs, afterMs });
  }
  return readings;
}

/** What was planned for one purpose at one node. */
export type IsFor = (call: Pick<Outcome, 'node' | 'purpose'>) => boolean;

export function isStateOf(node: string, when: 'before' | 'after'): IsFor {
  return (call) => call.node === node && purposeOf(call, 'state')?.when === when;
}

export function whyMissing(outcomes: readonly Outcome[], isFor: IsFor): string {
  const outcome = outcomes.find(isFor);
  if (outcome === undefined) return 'not asked';
  if (outcome.status === 'answered') return outcome.untrusted ?? 'the answer could not be used';
  return outcome.reason === undefined ? outcome.status : `${outcome.status}: ${outcome.reason}`;
}

/** How long the asker waited for a call; the longest possible wait where no outcome says. */
export function elapsed(outcomes: readonly Outcome[], callId: string): number {
  return outcomes.find((entry) => entry.callId === callId)?.elapsedMs ?? LIMITS.callMs;
}

/** Calls of one phase are signed and sent one after the other. */
const SENT_APART_MS = 500;

/** The last states are asked for together: two of them were read apart by no more than the asker waited for the slowest. Of more calls than are open at once some wait. */
export function answersApartMs(outcomes: readonly Outcome[]): number {
  const last = outcomes.filter((outcome) => purposeOf(outcome, 'state')?.when === 'after');
  const waits = last.filter(({ status }) => status === 'answered').map(({ elapsedMs }) => elapsedMs);
  const waves = Math.max(1, Math.ceil(last.length / LIMITS.fanoutConcurrency));
  return Math.max(SENT_APART_MS, ...waits) * waves;
}

/** Both readings lie around the probes of the first look, and along a path around those of the second as well, which begin when the first are over. */
export function probePhaseMs(outcomes: readonly Outcome[], isPath = false): number {
  const longest = (isOne: (entry: Outcome) => boolean) =>
    Math.max(
      0,
      ...outcomes.filter((entry) => entry.status === 'answered' && isOne(entry)).map(({ elapsedMs }) => elapsedMs),
    );
  const first = longest(({ phase }) => phase === 'probe');
  if (!isPath) return Math.max(1, first);
  // Whole states are read beside both.
  const probes = longest(({ phase, purpose }) => phase === 'probe' && purpose.kind !== 'path-state');
  return Math.max(1, first, probes + longest(({ phase }) => phase === 'deepen'));
}
