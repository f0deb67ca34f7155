// The shape of a fault of a node's routing daemons: some or all of them are dead, or were and run again. Explains the protocols that
// the neighbours lost with them; carriers, and forwarding by old routes, may go on.
import { nodeResource } from '#model/names.ts';
import { OSPF_DAEMONS } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultCard, type FaultDefinition } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { SharedSymptomKind, Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { ospfSymptom, versionOf } from '../../symptoms/adjacency.ts';
import { protocolsAt } from '../../symptoms/consequences.ts';
import { daemonSymptom } from '../../symptoms/dead-daemons.ts';
import { restartedSymptom } from '../../symptoms/recovered.ts';

/** Protocols that a neighbour loses with a daemon. */
const SPOKEN: Readonly<Record<string, readonly SharedSymptomKind[]>> = {
  // A client that dies takes the BFD sessions that it asked for with it.
  isisd: ['isis', 'bfd'],
  bgpd: ['bgp', 'bfd'],
  ospfd: ['ospf', 'bfd'],
  ospf6d: ['ospf', 'bfd'],
  bfdd: ['bfd', 'bgp'],
  zebra: ['isis', 'bgp', 'ospf', 'bfd', 'route', 'reach'],
};

/** Symptoms of protocols that a node speaks by these daemons; of OSPF those of the version that each speaks. */
export function lostProtocols(file: CaseFile, node: string, daemons: readonly string[]): readonly Symptom[] {
  const kinds = [...new Set(daemons.flatMap((name) => SPOKEN[name] ?? []))];
  return protocolsAt(file, node, kinds).filter(
    (symptom) =>
      !ospfSymptom.is(symptom) || daemons.includes('zebra') || daemons.includes(OSPF_DAEMONS[versionOf(symptom)]),
  );
}

/** `over` and `agoMs` where they run again. */
type Detail = {
  readonly what: string;
  readonly node: string;
  readonly dead: readonly string[];
  readonly over?: true;
  readonly agoMs?: number;
};

/** `isOutage` says whether it is this fault by the daemons that still answer. */
export function defineDaemonOutage(
  card: Pick<FaultCard, 'id' | 'labels' | 'summary'>,
  isOutage: (alive: readonly string[]) => boolean,
): FaultDefinition {
  return defineCause<Detail>({
    ...card,
    resource: 'node',
    accuses: true,
    explain: (file) => [...deadNow(file, isOutage), ...startedAgain(file, isOutage)],
    describe: ({ what }) => what,
    remedy: ({ node, dead, over }) =>
      over === true
        ? undefined
        : { node, summary: `restart ${dead.join(', ')} on ${nodeRef(node)}`, command: 'systemctl restart frr' },
  });
}

function deadNow(file: CaseFile, isOutage: (alive: readonly string[]) => boolean): readonly Explanation<Detail>[] {
  return daemonSymptom
    .of(file)
    .filter(({ detail }) => isOutage(detail.alive))
    .map((symptom) => {
      const node = symptom.nodes[0]!;
      const { dead } = symptom.detail;
      return {
        resource: nodeResource(node),
        score: 5,
        explains: [symptom, ...lostProtocols(file, node, dead)].map(shareOf),
        evidence: symptom.source,
        detail: { what: symptom.text, node, dead },
      };
    });
}

function startedAgain(file: CaseFile, isOutage: (alive: readonly string[]) => boolean): readonly Explanation<Detail>[] {
  return restartedSymptom
    .of(file)
    .filter(({ detail }) => isOutage(detail.alive))
    .map((symptom) => {
      const node = symptom.nodes[0]!;
      const { dead, agoMs } = symptom.detail;
      return {
        resource: nodeResource(node),
        explains: [shareOf(symptom)],
        evidence: symptom.source,
        detail: { what: symptom.text, node, dead, over: true, agoMs },
      };
    });
}
