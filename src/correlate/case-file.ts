// Puts a case together: facts, world and symptoms of one question.
import type { Expectation } from '#model/baseline.ts';
import { isWithoutAgent, type Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Said } from '#model/expectations.ts';
import { type Intent, isAlongPath } from '#model/intent.ts';
import { expectedSymptoms } from './baseline/expected.ts';
import type { CaseFile } from './engine/facts.ts';
import { symptomsOf } from './faults/symptoms.ts';
import { plannedProof, proofAlong } from './health/planned-proof.ts';
import { mustHold } from './meant/must-hold.ts';
import { withKnownTries } from './network/owed.ts';
import { askedNodes, worldOf } from './network/world.ts';
import { answersApartMs, statesOf } from './observe/exchange.ts';
import { factsIn } from './observe/observe.ts';

/** `nodes` are resolved node names: in path order for a question about a path. */
export function caseFileOf(
  intent: Intent,
  nodes: readonly string[],
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
  expected: readonly Expectation[] = [],
  said?: Said,
): CaseFile {
  const whole = intent.kind === 'fault' && intent.path.length === 0;
  const { sinceMs, untilMs, when, service } = intent;
  const destination = intent.destination?.split('/')[0];
  const unknown = outcomes.filter(isWithoutAgent).map(({ node }) => node);
  const passedOn = reachedThroughOthers(outcomes);
  const ends = askedNodes(intent, { nodes });
  const asked = {
    nodes,
    ...(passedOn.size === 0 ? {} : { passedOn }),
    ...(unknown.length === 0 ? {} : { agentless: new Set(unknown) }),
    whole,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
    answersApartMs: answersApartMs(outcomes),
    ...(when === 'past' ? { asFarAsKnown: true as const } : {}),
    ...(destination === undefined ? {} : { destination }),
    ...(intent.kind === 'reachability' && ends.length === 2 ? { between: [ends[0]!, ends[1]!] as const } : {}),
    ...(service === undefined || destination === undefined ? {} : { service: { ...service, address: destination } }),
  };
  const world = withKnownTries(worldOf(asked, statesOf(evidence, 'before'), statesOf(evidence, 'after'), evidence));
  const scope = { path: isAlongPath(intent) ? nodes : [], world };
  const facts = factsIn(scope, evidence, outcomes);
  const symptoms = symptomsOf(scope, facts, outcomes);
  // A question about a path is answered by what its probes and both ends' counters say, and by how its nodes forward.
  if (scope.path.length > 0) {
    const planned = proofAlong({ intent, world, facts, evidence, outcomes });
    return { ...scope, facts, symptoms, expected: [], planned };
  }
  const planned = plannedProof({ intent, world, facts, evidence, outcomes });
  const file: CaseFile = { ...scope, facts, symptoms, expected, planned };
  const compared = [...symptoms, ...expectedSymptoms(file)];
  const { unmet, symptoms: broken, lacking } = mustHold({ world, symptoms: compared }, said);
  return {
    ...file,
    symptoms: [...compared, ...broken],
    ...(unmet.length === 0 ? {} : { unmet }),
    ...(lacking.length === 0 ? {} : { planned: { ...planned, lacking: [...planned.lacking, ...lacking] } }),
  };
}

/** Nodes that answered, and never over a session of their own, with the nodes of the last way. */
function reachedThroughOthers(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly string[]> {
  const answered = outcomes.filter(({ status }) => status === 'answered');
  const direct = new Set(answered.flatMap(({ node, through }) => (through === undefined ? [node] : [])));
  return new Map(
    answered.flatMap(({ node, through }) =>
      through === undefined || direct.has(node) ? [] : [[node, through] as const],
    ),
  );
}
