// Rules that wrote into packets which a node forwarded, and are gone: a checksum of their own, or another priority mark on a link between
// routers. What such a rule would do is no evidence; that it did so is told by its own counter, in the states that its node remembers.
// Probes of now cannot meet it any more, so it is never more than likely.

import { interfaceResource, nodeResource } from '#model/names.ts';
import { remarkOf, spoilsChecksums } from '#model/router/filter-rewrites.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { newProposal } from '../engine/proposal.ts';
import { mark } from '../network/node-ref.ts';
import { linkOn, otherEnd, type View, type World } from '../network/world.ts';
import type { PastFinding } from './past.ts';

/** Without a checksum a datagram is whole all the same (RFC 768, RFC 6935). */
const NO_CHECKSUM = /^udp checksum\b.* = (?:0|0x0+)$/;

export function rewritesOver(world: World): readonly PastFinding[] {
  const { sinceMs } = world;
  if (sinceMs === undefined) return [];
  return [...world.views.values()].flatMap((view) =>
    (view.before?.past ?? view.state.past ?? [])
      .filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
      .flatMap(({ state, untilAgoMs }) => {
        const gone = state.filters.filter((rule) => Number(rule.packets ?? 0) > 0 && !stillThere(view, rule));
        return [...spoilt(view, gone), ...remarked(world, view, gone)].map((proposal) => ({
          proposal,
          agoMs: untilAgoMs,
        }));
      }),
  );
}

function spoilt({ node, sources }: View, gone: readonly FilterRule[]) {
  const rules = gone.flatMap((rule) => {
    const rewrites = (rule.rewrites ?? []).filter((text) => !NO_CHECKSUM.test(text));
    return spoilsChecksums({ hook: rule.hook, rewrites }) ? [{ ...rule, rewrites }] : [];
  });
  if (rules.length === 0) return [];
  const fields = [...new Set(rules.flatMap(({ rewrites }) => rewrites))].map((text) => text.replace(/ = \S+$/, ''));
  const packets = rules.reduce((total, rule) => total + Number(rule.packets), 0);
  const what = `${mark(node)}: a rule of its packet filter wrote checksums of its own into ${packets} packets`;
  return [
    newProposal({ id: 'device_forwarding_packet_corruption' }, nodeResource(node), [], sources, {
      confidence: 'likely',
      details: { what, fields, packets },
    }),
  ];
}

function remarked(world: World, { node, sources }: View, gone: readonly FilterRule[]) {
  return gone.flatMap((rule) => {
    const text = (rule.rewrites ?? []).find((each) => remarkOf(each) !== undefined);
    if (text === undefined) return [];
    return rule.outInterfaces
      .filter((ifname) => linkOn(world, { node, ifname }).some((link) => isRouter(world, otherEnd(link, node).node)))
      .map((ifname) =>
        newProposal({ id: 'dscp_remarking' }, interfaceResource({ node, ifname }), [], sources, {
          confidence: 'likely',
          details: {
            what: `${mark(node)} ${ifname}: a rule of its packet filter changed the priority mark (${text}) of ${rule.packets} packets`,
            rewrites: text,
          },
        }),
      );
  });
}

function isRouter(world: World, node: string): boolean {
  return (world.views.get(node)?.state.daemons?.length ?? 0) > 0;
}

function stillThere({ state }: View, rule: FilterRule): boolean {
  const text = ({ family, hook, matches, rewrites, outInterfaces }: FilterRule) =>
    JSON.stringify([family, hook, matches, rewrites, outInterfaces]);
  return state.filters.some((each) => text(each) === text(rule));
}
