// device_down: a node does not answer and every neighbour that had heard it has lost the carrier towards it. One witness alone
// cannot tell a dead device from a cut link. Of a device that is back its own memory must agree: an agent or a daemon that ran all
// the time ran on a device that lived, however many of its links were cut.
import { nodeKey, nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { facing, newProposal, shareOf, symptomsOfKind, unsettledRoutes } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { linksAt, type View } from '../../network/world.ts';

export const deviceDown: FaultDefinition = {
  id: 'device_down',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'device_down' },
  summary: 'a node is silent and all its neighbours have lost their links to it',
  propose: (file) => [...deadNow(file), ...deadBefore(file)],
};

function deadNow(file: CaseFile): readonly Proposal[] {
  return symptomsOfKind(file, 'silent').map((silent) => {
    const node = silent.nodes[0]!;
    const links = file.symptoms.filter(
      (symptom) =>
        symptom.kind === 'down' &&
        // An interface that is no longer there is not gone because its neighbour is.
        symptom.detail['from'] !== 'gone' &&
        nodeKey(String(symptom.detail['peer'] ?? '')) === nodeKey(node),
    );
    const around = links.flatMap((symptom) =>
      facing(file, String(symptom.detail['node']), String(symptom.detail['ifname'])),
    );
    const witnesses = Array.isArray(silent.detail['witnesses']) ? silent.detail['witnesses'].length : 0;
    return newProposal(
      deviceDown,
      nodeResource(node),
      [shareOf(silent), ...links.map(shareOf), ...around, ...unsettledRoutes(file, links.flatMap(endsOf))],
      silent.source,
      {
        score: 5,
        details: { what: silent.text, witnesses },
        remedy: { node, summary: `check power and console of ${mark(node)}` },
        ...(witnesses >= 2
          ? {}
          : { withheld: `only one neighbour lost ${mark(node)}: the device or the link may be down` }),
      },
    );
  });
}

/** Moments by clocks of several nodes, and samples of their rings: links that fell within this are said to have fallen together. */
const TOGETHER_MS = 5_000;

/** All links of a node lost their carriers together, and have them again, and everything that runs on it has begun since. */
function deadBefore(file: CaseFile): readonly Proposal[] {
  return [...file.world.views.values()].flatMap((view) => {
    const { node } = view;
    const links = linksAt(file.world, node);
    const past = symptomsOfKind(file, 'past').filter((symptom) => symptom.nodes.includes(node));
    const ages = past.map((symptom) => Number(symptom.detail['agoMs']));
    if (links.length < 2 || past.length < links.length || Math.max(...ages) - Math.min(...ages) > TOGETHER_MS)
      return [];
    const fellMs = Math.max(...past.map((symptom) => Number(symptom.detail['fellAgoMs'] ?? symptom.detail['agoMs'])));
    if (ranSince(view, fellMs)) return [];
    return [
      newProposal(
        deviceDown,
        nodeResource(node),
        past.map(shareOf),
        past.flatMap((symptom) => symptom.source),
        {
          score: 4,
          confidence: 'likely',
          details: {
            what: `all links of ${mark(node)} were down together, and it remembers nothing of the time before`,
            over: true,
            agoMs: Math.min(...ages),
          },
        },
      ),
    ];
  });
}

/** Its agent, or a routing daemon, is older than that: the device had not lost its power. */
function ranSince({ state }: View, agoMs: number): boolean {
  const ages = [state.history?.spanMs, ...(state.daemons ?? []).map(({ upMs }) => upMs)];
  return ages.some((age) => age !== undefined && age > agoMs);
}

function endsOf({ detail }: Symptom) {
  return [{ node: String(detail['node']), ifname: String(detail['ifname']) }];
}
