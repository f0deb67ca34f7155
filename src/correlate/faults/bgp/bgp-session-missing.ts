// bgp_session_missing: one end no longer has the neighbour statement: a baseline shows it, or that end's memory does while the other end still has it.
// Explains that the other end cannot set the session up. Without either it is not known, and no node is accused.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { settingsBefore } from '../../network/remembered.ts';
import { peerEnd, sourcesOf } from '../../network/world.ts';
import { type ExpectedDetail, expectedSymptom } from '../../symptoms/expectations.ts';
import { bfdSymptom, bgpSymptom, sessionsOf } from '../../symptoms/sessions.ts';

type Detail = {
  readonly what: string;
  readonly node: string;
  readonly peer: string;
  /** What knows of it. */
  readonly by: 'a baseline' | 'memory';
};

export const bgpSessionMissing = defineCause<Detail>({
  id: 'bgp_session_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a node is not configured for a BGP session that it remembers and its peer still has, or that is expected of it (`parley baseline save`, `parley expectations save`)',
  explain: (file) => [...expected(file), ...removed(file)],
  describe: ({ what }) => what,
  remedy: ({ node, peer, by }) => ({
    node,
    summary: `configure the BGP session with ${peer} again on ${nodeRef(node)}`,
    decide: `${by} knows the neighbour and not its password, policies and families: the configuration of then is needed`,
  }),
});

function expected(file: CaseFile): readonly Explanation<Detail>[] {
  const lost = expectedSymptom.of(file).filter(({ detail }) => detail.part === 'session');
  return lost.map((symptom) => {
    const { node = '', peer = '' } = symptom.detail;
    const between = symptom.nodes.length === 2 ? sessionsBetween(file, symptom.nodes) : [];
    return {
      resource: nodeResource(node),
      explains: [symptom, ...between].map(shareOf),
      evidence: symptom.source,
      // The end that still has the session configured lacks nothing.
      ...(lost.some((other) => isMirrored(other, symptom)) ? { together: pairOf(symptom) } : {}),
      detail: { what: symptom.text, node, peer, by: 'a baseline' },
    };
  });
}

/** The peer has the session and cannot set it up, and the node was configured for it by an address of that peer and is for none now. */
function removed(file: CaseFile): readonly Explanation<Detail>[] {
  const { world } = file;
  return sessionsOf(world).flatMap(({ near, far }): readonly Explanation<Detail>[] => {
    const state = far === undefined ? undefined : world.views.get(far.node)?.state;
    if (far === undefined || state?.bgp === undefined || state.bgp.unlisted === true) return [];
    const isTheirs = (peer: string) =>
      peerEnd(world, far.node, peer)?.node === near.node && peer.includes(':') === near.row.peer.includes(':');
    const isDown = bgpSymptom.of(file).some(({ detail }) => detail.node === near.node && detail.peer === near.row.peer);
    if (!isDown || state.bgp.sessions.some(({ peer }) => isTheirs(peer))) return [];
    const peer = (state.history?.settings ?? []).find(
      ({ kind, subject }) =>
        kind === 'session' && isTheirs(subject) && settingsBefore(world, far.node, kind, subject, AS).length > 0,
    )?.subject;
    if (peer === undefined) return [];
    const [node, other] = [nodeRef(far.node), nodeRef(near.node)];
    return [
      {
        resource: nodeResource(far.node),
        confidence: 'likely',
        explains: sessionsBetween(file, [near.node, far.node]).map(shareOf),
        evidence: sourcesOf(world, near.node, far.node),
        detail: {
          what: `${node} was configured for a BGP session with ${other} (${peer}) and is no longer; ${other} still is`,
          ...{ node: far.node, peer, by: 'memory' },
        },
      },
    ];
  });
}

/** The setting without which there is no session. */
const AS = 'remote-as';

function sessionsBetween(file: CaseFile, pair: readonly string[]): readonly Symptom[] {
  return [...bgpSymptom.of(file), ...bfdSymptom.of(file)].filter(({ nodes }) =>
    pair.every((name) => nodes.includes(name)),
  );
}

/** The same session, missing at both ends: both are named. */
function isMirrored(one: Symptom<ExpectedDetail>, other: Symptom<ExpectedDetail>): boolean {
  return one.nodes.length === 2 && pairOf(one) === pairOf(other) && one.detail.node !== other.detail.node;
}

function pairOf({ nodes }: Symptom): string {
  return [...nodes].sort().join('+');
}
