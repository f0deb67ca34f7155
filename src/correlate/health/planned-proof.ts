// The planned calls as proof of health, or as what is lacking: each call that was planned has its answer, each address that was
// probed end to end answered, each thing that was asked about was found. Accuses no node; adds to the proof of health.ts.

import type { Outcome } from '#model/call.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import type { Fact, PlannedProof, Proof } from '../engine/facts.ts';
import { recordProof } from '../faults/services/dns-record-error.ts';
import { LEAST_OTHER_LINKS } from '../network/baseline-values.ts';
import { movedPortLines } from '../network/moved-ports.ts';
import { nodeRef } from '../network/node-ref.ts';
import { newSourceLines } from '../network/translated-sources.ts';
import type { World } from '../network/world.ts';
import { goneClampLines } from '../packet-filter/gone-clamps.ts';
import { unjudgedRates } from '../symptoms/links/bottleneck.ts';
import { redirectProof } from '../symptoms/used-service.ts';
import { askedProof } from './proof-asked.ts';
import { unansweredCalls, untestedOverIpv6, withoutIpv6 } from './proof-calls.ts';
import { classProof } from './proof-classes.ts';
import { connectedProof } from './proof-connected.ts';
import { forwardingProof } from './proof-forwarding.ts';
import { fullSizeProof } from './proof-full-size.ts';
import { lengthProof } from './proof-lengths.ts';
import { plainLinkProof } from './proof-links.ts';
import { neighbourProof } from './proof-neighbours.ts';
import { networkProof } from './proof-networks.ts';
import { overlapLines } from './proof-overlap.ts';
import { reachAlongProof, reachProof } from './proof-reach.ts';
import { lostAlongProof, newDropsProof, serviceProof, untriedProof } from './proof-services.ts';
import { userProof } from './proof-users.ts';

export type ProofInput = {
  readonly intent: Intent;
  readonly world: World;
  readonly facts: readonly Fact[];
  readonly evidence: readonly Evidence[];
  readonly outcomes: readonly Outcome[];
};

export function plannedProof(input: ProofInput): PlannedProof {
  const { world, facts, evidence, outcomes } = input;
  const unanswered = unansweredCalls(evidence, outcomes);
  const proof = joined([
    {
      proven: [...onlyRelayed(world), ...passedOn(world), ...untestedOverIpv6(outcomes)],
      lacking: [...nothingMeasured(world, facts), ...unanswered],
    },
    { proven: unjudgedDelays(facts), lacking: unjudgedRates(world, facts) },
    reachProof(world, facts),
    classProof(world, facts),
    lengthProof({ facts, world }, outcomes),
    plainLinkProof(world, facts),
    connectedProof(world, facts),
    forwardingProof(world),
    { proven: [], lacking: changedLines(world) },
    neighbourProof(input.intent, world),
    askedProof(input.intent, world, facts),
    recordProof(world),
    redirectProof(world),
    serviceProof(world),
    userProof(input.intent, world),
    untriedProof(world),
    newDropsProof(world),
  ]);
  return { ...proof, unanswered };
}

/**
 * A node may deny a call to this asker (access denied), or have no such tool (method or parameters not found). Any other refusal is one of a
 * node that could not answer, and proves nothing.
 */
const NOT_FOR_US = new RegExp(
  `^(?:${[WIRE_CODES.accessDenied, WIRE_CODES.methodNotFound, WIRE_CODES.invalidParams].join('|')})\\b`,
);

/**
 * Of a question about a path: how its nodes forward, where they send what is for each other, and services that were tried along it. Of a node
 * that may not be asked this, or has no such tool, the proof says that it was not tested.
 */
export function proofAlong({ intent, world, facts, evidence, outcomes }: ProofInput): PlannedProof {
  const isOfForwarding = ({ purpose }: Pick<Outcome, 'purpose'>) =>
    purpose.kind === 'lookups' || purpose.kind === 'path-state';
  const isOfNetworks = ({ purpose }: Pick<Outcome, 'purpose'>) => purpose.kind === 'network-reach';
  const isOfServices = ({ purpose }: Pick<Outcome, 'purpose'>) => purpose.kind === 'service-probe';
  const isWanted = (each: Pick<Outcome, 'purpose'>) => isOfForwarding(each) || isOfNetworks(each) || isOfServices(each);
  const planned = outcomes.filter(isWanted);
  const earlier = withoutIpv6(planned);
  const denied = planned.filter(
    (each) => each.status === 'refused' && NOT_FOR_US.test(each.reason ?? '') && !earlier.includes(each),
  );
  const refusedTo = (isOne: typeof isWanted) => [...new Set(denied.filter(isOne).map(({ node }) => nodeRef(node)))];
  const [forwarding, networks, services] = [isOfForwarding, isOfNetworks, isOfServices].map(refusedTo);
  const asked = planned.filter((outcome) => !denied.includes(outcome));
  const unanswered = unansweredCalls(evidence.filter(isWanted), asked);
  const untested = [
    ...refusedLine('how', forwarding, ' forward'),
    ...refusedLine('networks of hosts from', networks),
    ...refusedLine('services of hosts from', services),
    ...untestedOverIpv6(planned),
  ];
  const told = asked.some(isOfForwarding)
    ? [
        forwardingProof(world),
        { proven: [], lacking: changedLines(world) },
        redirectProof(world),
        untriedProof(world),
        newDropsProof(world),
        lostAlongProof(world),
        userProof(intent, world),
      ]
    : [];
  const measured = [
    fullSizeProof({ facts, world }, outcomes),
    lengthProof({ facts, world }, outcomes),
    reachAlongProof(world, facts),
    networkProof(world, facts),
  ];
  return { ...joined([{ proven: untested, lacking: unanswered }, ...measured, ...told]), unanswered };
}

/** What changed in a way that may take packets of users, though none that was sent shows it. */
function changedLines(world: World): readonly string[] {
  return [newSourceLines, movedPortLines, overlapLines, goneClampLines].flatMap((linesOf) => linesOf(world));
}

function refusedLine(what: string, nodes: readonly string[] = [], rest = ''): readonly string[] {
  return nodes.length === 0 ? [] : [`not tested: ${what} ${nodes.join(', ')}${rest}, which was refused`];
}

function joined(parts: readonly Proof[]): Proof {
  return { proven: parts.flatMap(({ proven }) => proven), lacking: parts.flatMap(({ lacking }) => lacking) };
}

/** Where no packet went from one node to another, nothing was seen to work. */
function nothingMeasured(world: World, facts: readonly Fact[]): readonly string[] {
  const probed = facts.some(({ predicate }) => predicate === 'probe-loss');
  return probed || world.reach.some(({ received }) => received > 0) ? [] : ['nothing was measured between two nodes'];
}

/**
 * Who tells its state through a neighbour alone has no route to the asker, as the router of a customer may be meant to: it measures nothing
 * itself, and its links are measured from their other ends. Where one is not, that is lacking.
 */
function onlyRelayed({ relayed = new Set() }: World): readonly string[] {
  return [...relayed].map(
    (node) => `${nodeRef(node)}: answers over the link to a neighbour alone, and measured nothing itself`,
  );
}

/** Such a node measured like the others: what the proof owes is that routing does not lead to its agent. */
function passedOn({ passedOn: nodes = new Map() }: World): readonly string[] {
  return [...nodes].map(([node, through]) => {
    const by = through.length === 0 ? 'over the link itself' : `through ${through.map(nodeRef).join(', ')}`;
    return `${nodeRef(node)}: answered ${by}; no route led from the asked node to its agent and back`;
  });
}

/**
 * A delay is judged against those of other links (symptoms/links/slow-link.ts): with too few links, the proof says that the delay was measured
 * and not judged.
 */
function unjudgedDelays(facts: readonly Fact[]): readonly string[] {
  const trips = facts.filter(({ predicate }) => predicate === 'round-trip').length;
  return trips > 0 && trips <= LEAST_OTHER_LINKS
    ? ['delay and capacity are as measured, and not judged: too few links to hold them against each other']
    : [];
}
