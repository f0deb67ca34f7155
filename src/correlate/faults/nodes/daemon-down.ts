// frr_service_down: every routing daemon of a node is dead. daemon_down: some of them are. Either explains the protocols that
// its neighbours lost with it; carriers and forwarding by old routes may go on.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Proposal, Rule } from '../../engine/fault-definition.ts';
import { newProposal, protocolsAt, shareOf, troublesOfKind } from '../../engine/proposal.ts';
import type { Trouble, TroubleKind } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

const SPOKEN: Readonly<Record<string, readonly TroubleKind[]>> = {
  // A client that dies takes the BFD sessions that it asked for with it.
  isisd: ['isis', 'bfd'],
  bgpd: ['bgp', 'bfd'],
  ospfd: ['ospf', 'bfd'],
  bfdd: ['bfd', 'bgp'],
  zebra: ['isis', 'bgp', 'ospf', 'bfd', 'route', 'reach'],
};

export const frrServiceDown: Rule = {
  fault: 'frr_service_down',
  resourceForm: 'node',
  accuses: true,
  nika: 'frr_service_down',
  netOpsBench: null,
  summary: 'all routing daemons of a node are dead while its links are up',
  propose: (file) => proposalsFor(file, frrServiceDown, (alive) => alive.length === 0),
};

export const daemonDown: Rule = {
  fault: 'daemon_down',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'one routing daemon of a node is dead, others still answer',
  propose: (file) => proposalsFor(file, daemonDown, (alive) => alive.length > 0),
};

function proposalsFor(
  file: CaseFile,
  rule: Rule,
  applies: (alive: readonly unknown[]) => boolean,
): readonly Proposal[] {
  const before = troublesOfKind(file, 'restarted')
    .filter(({ detail }) => applies(listOf(detail['alive'])))
    .map((trouble) =>
      newProposal(rule, nodeResource(trouble.nodes[0]!), [shareOf(trouble)], trouble.source, {
        details: { what: trouble.text, over: true, agoMs: trouble.detail['agoMs'] ?? 0 },
      }),
    );
  const now = troublesOfKind(file, 'daemon')
    .filter(({ detail }) => applies(listOf(detail['alive'])))
    .map((trouble) => {
      const node = trouble.nodes[0]!;
      const dead = listOf(trouble.detail['dead']).map(String);
      const kinds = [...new Set(dead.flatMap((name) => SPOKEN[name] ?? []))];
      return newProposal(
        rule,
        nodeResource(node),
        [trouble, ...protocolsAt(file, node, kinds)].map(shareOf),
        trouble.source,
        {
          score: 5,
          details: { what: trouble.text, dead },
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

function listOf(value: Trouble['detail'][string] | undefined): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
