// device_down: a node does not answer, and every neighbour that had heard it has lost the carrier towards it, or its sessions and its answers
// to echoes. One witness alone cannot tell a dead device from a cut link. Of a device that is back its own memory must agree: an agent or a
// daemon that ran all the time ran on a device that lived, however many of its links were cut.
import { nodeKey, nodeResource, nodesOf } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linksAt, type View } from '../../network/world.ts';
import { facing, unsettledRoutes } from '../../symptoms/consequences.ts';
import { linkDownSymptom } from '../../symptoms/links/link-down.ts';
import { recoveredLinkSymptom } from '../../symptoms/recovered.ts';
import { silentNodeSymptom } from '../../symptoms/silent-nodes.ts';

/** Neighbours that must have lost the node. */
const WITNESSES = 2;
/** Moments by clocks of several nodes, and samples of their rings: links that fell within this are said to have fallen together. */
const TOGETHER_MS = 5_000;

type Detail = {
  readonly what: string;
  readonly node: string;
  readonly witnesses?: number;
  /** Ports of neighbours that lost it have a carrier still: a switch lies between, or its own ports are shut. */
  readonly carriers?: true;
  /** Of a device that is back. */
  readonly over?: true;
  readonly agoMs?: number;
};

export const deviceDown = defineCause<Detail>({
  id: 'device_down',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'device_down' },
  summary: 'a node is silent and all its neighbours have lost their links to it',
  explain: (file) => [...deadNow(file), ...deadBefore(file)],
  describe: ({ what }) => what,
  remedy: ({ node, over, carriers }) => {
    if (over === true) return undefined;
    const ports =
      carriers === true ? ', whether its ports are shut, and whether it drops what is addressed to itself' : '';
    return { node, summary: `check power and console of ${nodeRef(node)}${ports}` };
  },
});

function deadNow(file: CaseFile): readonly Explanation<Detail>[] {
  return silentNodeSymptom.of(file).map((silent) => {
    const node = silent.nodes[0]!;
    const links = linkDownSymptom.of(file).filter(
      ({ detail }) =>
        // An interface that is no longer there is not gone because its neighbour is.
        detail.from !== 'gone' && nodeKey(detail.peer ?? '') === nodeKey(node),
    );
    const dark = links.flatMap(({ detail: { node: near, ifname } }) =>
      near === undefined || ifname === undefined ? [] : [{ node: near, ifname }],
    );
    const { carriers = [] } = silent.detail;
    const ends = [...dark, ...carriers];
    const around = ends.flatMap((end) => facing(file, end.node, end.ifname));
    // Several links to one neighbour are one witness.
    const witnesses = new Set(silent.detail.witnesses.flatMap(nodesOf)).size;
    return {
      resource: nodeResource(node),
      score: 5,
      // What lies behind a port with a carrier may be a switch, or the node with its own port shut.
      ...(carriers.length === 0 ? {} : { confidence: 'likely' as const }),
      explains: [shareOf(silent), ...links.map(shareOf), ...around, ...unsettledRoutes(file, ends)],
      evidence: silent.source,
      ...(witnesses >= WITNESSES
        ? {}
        : { withheld: `only one neighbour lost ${nodeRef(node)}: the device or the link may be down` }),
      detail: { what: silent.text, node, witnesses, ...(carriers.length === 0 ? {} : { carriers: true as const }) },
    };
  });
}

/** All links of a node lost their carriers together, and have them again, and everything that runs on it has begun since. */
function deadBefore(file: CaseFile): readonly Explanation<Detail>[] {
  return [...file.world.views.values()].flatMap((view) => {
    const { node } = view;
    const links = linksAt(file.world, node);
    const past = recoveredLinkSymptom.of(file).filter((symptom) => symptom.nodes.includes(node));
    const ages = past.map(({ detail }) => detail.agoMs);
    if (links.length < WITNESSES || past.length < links.length || Math.max(...ages) - Math.min(...ages) > TOGETHER_MS)
      return [];
    if (ranSince(view, Math.max(...past.map(({ detail }) => detail.fellAgoMs)))) return [];
    const what = `all links of ${nodeRef(node)} were down together, and it remembers nothing of the time before`;
    return [
      {
        resource: nodeResource(node),
        score: 4,
        confidence: 'likely' as const,
        explains: past.map(shareOf),
        evidence: past.flatMap((symptom) => symptom.source),
        detail: { what, node, over: true as const, agoMs: Math.min(...ages) },
      },
    ];
  });
}

/** Its agent, or a routing daemon, is older than that: the device had not lost its power. */
function ranSince({ state }: View, agoMs: number): boolean {
  const ages = [state.history?.spanMs, ...(state.daemons ?? []).map(({ upMs }) => upMs)];
  return ages.some((age) => age !== undefined && age > agoMs);
}
