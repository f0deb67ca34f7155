// acl_misconfig: a packet filter on the path drops what the path should carry: probes along a path (acl-on-probes.ts), attempts to reach an
// address (acl-on-attempts.ts), all that hosts of a network send or are sent, or, of a rule that is gone, SRv6 packets or all that is sent to a network
// of the scope.
import { nodeResource } from '#model/names.ts';
import { wordsOf } from '#model/router/packet-match.ts';
import { type Detection, defineCause, type Slice } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { cutOffNetworks } from '../../packet-filter/cut-off-networks.ts';
import { aimOf, goneRules } from '../../packet-filter/gone-rules.ts';
import { type AclDetail, aclLabel } from './acl-detail.ts';
import { explainedOnAttempts } from './acl-on-attempts.ts';
import { explainedByAcl } from './acl-on-probes.ts';

export const aclMisconfig = defineCause<AclDetail>({
  id: 'acl_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'acl_misconfig' },
  summary:
    'a packet filter rule on the path drops traffic that the path should carry; the resource is the filtering node',
  memories: ['filters'],
  explain: (file, losses) => [...explainedByAcl(file, losses), ...explainedOnAttempts(file)],
  detect: (slice) => [...gone(slice), ...cutOff(slice)],
  describe: ({ node, acl, direction, droppedPackets, selects, hosts }) => {
    const rule = `${acl} (${direction}) of ${nodeRef(node)}`;
    if (hosts !== undefined) return `${rule} drops all ${hosts}, which it let through before: ${selects}`;
    const did = droppedPackets === undefined ? 'was there' : `dropped ${droppedPackets} packets`;
    return `${rule} ${did}${selects === undefined ? '' : `: ${selects}`}`;
  },
  headline: ({ node, acl, direction, interface: ifname }) =>
    `${nodeRef(node)} ${direction} ${aclLabel(acl)}${ifname === undefined ? '' : ` on ${ifname}`}`,
  remedy: ({ node, acl, direction, interface: ifname, droppedPackets, hosts }) => {
    if (hosts !== undefined)
      return { node, summary: `review ${acl} on ${nodeRef(node)} (${direction}): it drops all ${hosts}` };
    if (ifname === undefined) return { node, summary: `${acl} of ${nodeRef(node)} drops what it should forward` };
    const did = `it dropped ${droppedPackets} packets while the probes ran`;
    return { node, summary: `review ${acl} on ${nodeRef(node)} ${ifname} (${direction}): ${did}` };
  },
});

/** A rule that was not there before; that no packet of a host was seen to meet it makes it likely and no more. */
function cutOff({ world, past }: Slice): readonly Detection<AclDetail>[] {
  if (past !== undefined) return [];
  return cutOffNetworks(world).map(({ view: { node, sources }, rule, network, towards }) => ({
    resource: nodeResource(node),
    key: JSON.stringify([rule.table, rule.chain, rule.handle, network, towards]),
    confidence: 'likely',
    evidence: sources,
    nodes: [node],
    detail: {
      ...{ node, acl: rule.acl ?? rule.chain, direction: rule.hook, selects: wordsOf(rule) },
      hosts: `${towards ? 'for' : 'of'} ${network}`,
    },
  }));
}

/** Whether it met a packet is not remembered: never more than likely. */
function gone(slice: Slice): readonly Detection<AclDetail>[] {
  return goneRules(slice)
    .filter((each) => ['srv6', 'network'].includes(aimOf(each) ?? ''))
    .map(({ view: { node, sources }, rule }) => ({
      resource: nodeResource(node),
      key: JSON.stringify([rule.table, rule.chain, rule.handle]),
      confidence: 'likely',
      evidence: sources,
      nodes: [node],
      detail: { node, acl: rule.acl ?? rule.chain, direction: rule.hook, selects: wordsOf(rule) },
    }));
}
