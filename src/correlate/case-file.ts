// Puts a case together: facts, world and symptoms of one question.
import type { Expectation } from '#model/baseline.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import { expectedSymptoms } from './baseline/expected.ts';
import type { CaseFile } from './engine/facts.ts';
import { pathSymptoms, symptomsOf } from './faults/symptoms.ts';
import { plannedProof } from './health/planned-proof.ts';
import { worldOf } from './network/world.ts';
import { statesOf } from './observe/exchange.ts';
import { factsIn } from './observe/observe.ts';

/** `nodes` are resolved node names: in path order for a question about a path. */
export function caseFileOf(
  intent: Intent,
  nodes: readonly string[],
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
  expected: readonly Expectation[] = [],
): CaseFile {
  const whole = intent.kind === 'fault' && intent.path.length === 0;
  const { sinceMs, service } = intent;
  const destination = intent.destination?.split('/')[0];
  const asked = {
    nodes,
    whole,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(destination === undefined ? {} : { destination }),
    ...(service === undefined || destination === undefined ? {} : { service: { ...service, address: destination } }),
  };
  const world = worldOf(asked, statesOf(evidence, 'before'), statesOf(evidence, 'after'), evidence);
  const alongPath = intent.kind === 'path-loss';
  const facts = factsIn({ path: alongPath ? nodes : [], world }, evidence, outcomes);
  // A question about a path is answered by what its probes and both ends' counters say, and by little else.
  const nothing = { proven: [], lacking: [], unanswered: [] };
  if (alongPath) return { path: nodes, facts, world, expected: [], symptoms: pathSymptoms(facts), planned: nothing };
  const found = symptomsOf(world, facts, outcomes);
  const planned = plannedProof({ intent, world, facts, evidence, outcomes });
  const file: CaseFile = { path: [], facts, world, expected, symptoms: found, planned };
  return { ...file, symptoms: [...found, ...expectedSymptoms(file)] };
}
