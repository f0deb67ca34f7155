// frr_service_down: every routing daemon of a node is dead. daemon_down: some of them are. Either explains the protocols that
// its neighbours lost with it; carriers and forwarding by old routes may go on.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { newProposal, protocolsAt, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { SharedSymptomKind, Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

const SPOKEN: Readonly<Record<string, readonly SharedSymptomKind[]>> = {
  // A client that dies takes the BFD sessions that it asked for with it.
  isisd: ['isis', 'bfd'],
  bgpd: ['bgp', 'bfd'],
  ospfd: ['ospf', 'bfd'],
  bfdd: ['bfd', 'bgp'],
  zebra: ['isis', 'bgp', 'ospf', 'bfd', 'route', 'reach'],
};

export const frrServiceDown: FaultDefinition = {
  id: 'frr_service_down',
  resource: 'node',
  accuses: true,
  labels: { nika: 'frr_service_down', netOpsBench: null },
  summary: 'all routing daemons of a node are dead while its links are up',
  propose: (file) => proposalsFor(file, frrServiceDown, (alive) => alive.length === 0),
};

export const daemonDown: FaultDefinition = {
  id: 'daemon_down',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'one routing daemon of a node is dead, others still answer',
  propose: (file) => proposalsFor(file, daemonDown, (alive) => alive.length > 0),
};

function proposalsFor(
  file: CaseFile,
  rule: FaultDefinition,
  applies: (alive: readonly unknown[]) => boolean,
): readonly Proposal[] {
  const before = symptomsOfKind(file, 'restarted')
    .filter(({ detail }) => applies(listOf(detail['alive'])))
    .map((symptom) =>
      newProposal(rule, nodeResource(symptom.nodes[0]!), [shareOf(symptom)], symptom.source, {
        details: { what: symptom.text, over: true, agoMs: symptom.detail['agoMs'] ?? 0 },
      }),
    );
  const now = symptomsOfKind(file, 'daemon')
    .filter(({ detail }) => applies(listOf(detail['alive'])))
    .map((symptom) => {
      const node = symptom.nodes[0]!;
      const dead = listOf(symptom.detail['dead']).map(String);
      const kinds = [...new Set(dead.flatMap((name) => SPOKEN[name] ?? []))];
      return newProposal(
        rule,
        nodeResource(node),
        [symptom, ...protocolsAt(file, node, kinds)].map(shareOf),
        symptom.source,
        {
          score: 5,
          details: { what: symptom.text, dead },
          remedy: {
            node,
            summary: `start ${dead.join(', ')} on ${mark(node)} again`,
            command: 'systemctl restart frr',
          },
        },
      );
    });
  return [...now, ...before];
}

function listOf(value: Symptom['detail'][string] | undefined): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
