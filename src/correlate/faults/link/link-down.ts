// link_down: a link has no carrier, or one of its interfaces is shut down. Explains everything that ran over the link. A link
// that comes and goes is link_flap; several links of a silent node are device_down.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, linkResource, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { carrierStood, seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import { brokenLink, facing } from '../../symptoms/consequences.ts';
import { doesHarm } from '../../symptoms/grounds.ts';
import { FLAP_CHANGES } from '../../symptoms/links/carrier-changes.ts';
import { cutOffLinks } from '../../symptoms/links/cut-off.ts';
import { type LinkDownDetail, linkDownSymptom } from '../../symptoms/links/link-down.ts';
import { recoveredLinkSymptom } from '../../symptoms/recovered.ts';

type Detail = {
  readonly what: string;
  /** The interface that is shut down, in words. */
  readonly shutAt?: string;
  readonly over?: true;
  readonly agoMs?: number;
};

export const linkDown = defineCause<Detail>({
  id: 'link_down',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_down', netOpsBench: 'link_down' },
  summary: 'a link has lost its carrier, or an interface of it is shut down',
  exact: '`no shutdown`, where the interface is shut',
  explain: (file, losses) => [
    ...linkDownSymptom
      .of(file)
      .filter(({ detail }) => detail.from !== 'gone' && detail.to !== 'gone')
      .map((symptom) => downAt(file, losses, symptom)),
    // Down and up again; more than that is flapping.
    ...recoveredLinkSymptom
      .of(file)
      .filter(({ detail }) => detail.changes < FLAP_CHANGES)
      .map((symptom) => ({
        ...{ resource: symptom.subject, explains: [shareOf(symptom)], evidence: symptom.source },
        detail: { what: symptom.text, over: true as const, agoMs: symptom.detail.agoMs },
      })),
  ],
});

function downAt(file: CaseFile, losses: readonly LossSymptom[], symptom: Symptom<LinkDownDetail>): Explanation<Detail> {
  const { link } = symptom;
  const [near] = endsOf(symptom);
  const shut = shutEndOf(symptom);
  const explains =
    link === undefined ? [shareOf(symptom), ...facing(file, near!.node, near!.ifname)] : brokenLink(file, losses, link);
  const found = { resource: resourceOf(file, symptom), explains, evidence: symptom.source };
  if (shut === undefined)
    return { ...found, detail: { what: symptom.text }, remedy: cableRemedy(near!.node, symptom.text) };
  const shutAt = `${nodeRef(shut.node)} ${shut.ifname}`;
  return {
    ...found,
    ...(endsOf(symptom).some((end) => wasInUse(file, end)) ||
    wasOpen(file, shut) ||
    isExpectedUp(file, shut) ||
    isWanted(file, link)
      ? { confidence: 'likely' as const }
      : doesHarm(file, explains)
        ? {}
        : { remark: `${symptom.text}; ${shutAt} has been shut down for as long as the agents remember` }),
    detail: { what: symptom.text, shutAt },
    remedy: upRemedy(shut),
  };
}

/** The agent of either end remembers a carrier there, or a neighbour that LLDP heard, for longer than nodes take to start. */
function wasInUse({ world }: CaseFile, { node, ifname }: LinkEnd): boolean {
  const { state } = world.views.get(node) ?? {};
  const isHeard = state?.history?.lastHeard.some((heard) => heard.ifname === ifname) === true;
  const forgotten = (state?.history?.settings ?? []).some(
    ({ kind, subject, setting }) => kind === 'neighbour' && subject === ifname && setting === 'lldp',
  );
  // LLDP may hear the neighbour still, as for several of its intervals after the last frame.
  const stood = !forgotten || settingsBefore(world, node, 'neighbour', ifname, 'lldp').length > 0;
  return carrierStood(world, node, ifname) || (isHeard && stood);
}

/** Shutting an interface is the operator's right: it is a change only where the agent, or LLDP before it, saw the interface in use. */
function wasOpen({ world }: CaseFile, { node, ifname }: LinkEnd): boolean {
  return (
    seenOtherwise(world, node, (state) => state.inventory.interfaces.find(({ name }) => name === ifname)?.adminUp)
      .length > 0 || settingsBefore(world, node, 'admin', ifname).includes('up')
  );
}

function isExpectedUp({ expected }: CaseFile, { node, ifname }: LinkEnd): boolean {
  return expected.some(({ profile }) =>
    profile.entries.some(
      ({ part, value, ends = [] }) =>
        part === 'link' && value === 'up' && ends.some((end) => end.node === node && end.ifname === ifname),
    ),
  );
}

/** Traffic is wanted between two nodes that are cut off from each other, and this is the one link that leads from side to side. */
function isWanted({ world, facts }: CaseFile, link: Symptom['link']): boolean {
  // A way may lead over a node that gave no state.
  const isWhole = world.nodes.every((node) => world.views.has(node)) && (world.agentless?.size ?? 0) === 0;
  if (link === undefined || world.between === undefined || !isWhole) return false;
  const [one, other] = world.between;
  const ways = cutOffLinks(world, facts).filter(({ sideOf }) => {
    const sides = [sideOf(one), sideOf(other)];
    return sides.includes('from') && sides.includes('to');
  });
  return ways.length === 1 && ways[0]!.link.key === link.key;
}

/** Where the other end is not known, or its port, the one interface is named. */
function resourceOf(file: CaseFile, symptom: Symptom<LinkDownDetail>): Explanation<Detail>['resource'] {
  if (symptom.link !== undefined) return symptom.link.key;
  const { peer, port } = symptom.detail;
  const [near] = endsOf(symptom);
  const far = peer === undefined ? undefined : file.world.nodes.find((each) => nodeKey(each) === nodeKey(peer));
  return far === undefined || port === undefined || port === ''
    ? interfaceResource(near!)
    : linkResource(near!, { node: far, ifname: port });
}

/** Of a link whose other end is not known only one. */
function endsOf({ link, detail: { node = '', ifname = '' } }: Symptom<LinkDownDetail>): readonly LinkEnd[] {
  return link === undefined ? [{ node, ifname }] : [link.from, link.to];
}

function shutEndOf(symptom: Symptom<LinkDownDetail>): LinkEnd | undefined {
  const { from, to } = symptom.detail;
  return endsOf(symptom).find((_, index) => (index === 0 ? from : to) === 'shut');
}

function cableRemedy(node: string, what: string): Remedy {
  return { node, summary: `check the cable and the optics of ${what}` };
}

function upRemedy({ node, ifname }: LinkEnd): Remedy {
  return {
    node,
    summary: `${nodeRef(node)} ${ifname} is shut down`,
    command: `ip link set ${ifname} up`,
    change: { lines: [`interface ${ifname}`, ' no shutdown'], live: [{ kind: 'link-up', ifname }] },
  };
}
