// Symptoms that a node makes itself while it forwards: packets that it spoils or remarks, as probes through it met it.
// What a rule says is no evidence of what it does.

import { interfaceResource, nodeResource } from '#model/names.ts';
import { dscpOf, remarkOf, spoilsChecksums } from '#model/router/filter-rewrites.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { Fact, FactWith } from '../../engine/facts.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { linkOn, otherEnd, type View, type World } from '../../network/world.ts';
import { counterDelta } from '../../observe/wire.ts';

export function insideSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  return [...world.views.values()].flatMap((view) => [
    ...spoilt(view, facts),
    ...view.state.filters.flatMap((rule) => remarked(world, view, rule, facts)),
  ]);
}

/** Checksums of the probes that are sent through a node. */
const PROBE_CHECKSUMS = ['Udp6InCsumErrors'];

/**
 * Packets that a node forwards arrive damaged: probes from one of its neighbours to another are lost, the checksum counters of those two
 * rise by as much, and over the links on the way nothing is lost.
 */
function spoilt({ node, state, before, sources }: View, facts: readonly Fact[]): readonly Symptom[] {
  const crossings = facts.filter(
    (fact): fact is FactWith<'crossing'> => fact.predicate === 'crossing' && fact.value.through === node,
  );
  const around = new Set(crossings.flatMap(({ value }) => [value.from, value.to]));
  const [sent, lost] = [sum(crossings.map(({ value }) => value.sent)), sum(crossings.map(({ value }) => value.lost))];
  const damaged = facts.filter(
    (fact): fact is FactWith<'node-errors'> =>
      fact.predicate === 'node-errors' && around.has(fact.value.node) && PROBE_CHECKSUMS.includes(fact.value.counter),
  );
  const errors = sum(damaged.map(({ value }) => value.packets));
  const isLossy = facts.some(
    (fact) =>
      fact.predicate === 'probe-loss' &&
      [fact.value.from, fact.value.to].includes(node) &&
      [fact.value.from, fact.value.to].some((each) => around.has(each)) &&
      isLoss(fact.value.sent, fact.value.lost),
  );
  if (!isLoss(sent, lost) || errors < lost / 2 || isLossy) return [];
  const moving = state.filters.filter((rule) => spoilsChecksums(rule) && moved(before, rule) > 0);
  const fields = [...new Set(moving.flatMap(({ rewrites }) => rewrites ?? []))].map((each) =>
    each.replace(/ = \S+$/, ''),
  );
  const text = `${mark(node)}: of ${sent} probes that it forwarded ${lost} were lost, and those for whom they were counted ${errors} wrong checksums`;
  const detail = {
    what: 'checksum',
    fields,
    packets: sum(moving.map((rule) => moved(before, rule))),
    sent,
    lost,
    errors,
  };
  return [
    {
      id: `rewrite:${node}`,
      kind: 'rewrite',
      subject: nodeResource(node),
      text,
      source: [...sources, ...crossings.flatMap((fact) => fact.source), ...damaged.flatMap((fact) => fact.source)],
      nodes: [node],
      detail,
    },
  ];
}

/** Packets that a rule took since the first reading. */
function moved(before: View['before'], rule: FilterRule): number {
  const was = before?.filters.find(
    (each) =>
      each.family === rule.family &&
      each.table === rule.table &&
      each.chain === rule.chain &&
      each.handle === rule.handle,
  );
  return rule.packets === undefined ? 0 : (counterDelta(was?.packets ?? '0', rule.packets) ?? 0);
}

/** Of marked probes, a rule's counter must show this share. */
const SEEN_SHARE = 0.5;

/** A priority mark that is changed between two routers, as marked probes met it; at the edge of a network that is everyday work. */
function remarked(world: World, view: View, rule: FilterRule, facts: readonly Fact[]): readonly Symptom[] {
  const { node, before, sources } = view;
  const texts = rule.rewrites ?? [];
  const text = texts.find((each) => remarkOf(each) !== undefined);
  if (text === undefined) return [];
  const dscp = dscpOf(remarkOf(text)!.was);
  return rule.outInterfaces.flatMap((ifname): readonly Symptom[] => {
    const far = linkOn(world, { node, ifname }).map((link) => otherEnd(link, node).node);
    const routes = far.some((each) => (world.views.get(each)?.state.daemons?.length ?? 0) > 0);
    if (!routes && !leadsToRouter(view, ifname)) return [];
    const sent = facts.filter(
      (fact): fact is FactWith<'marked'> =>
        fact.predicate === 'marked' &&
        fact.value.node === node &&
        fact.value.ifname === ifname &&
        fact.value.dscp === dscp,
    );
    const marked = sum(sent.map(({ value }) => value.sent));
    if (marked === 0 || moved(before, rule) < marked * SEEN_SHARE) return [];
    const subject = interfaceResource({ node, ifname });
    const words = `${mark(node)} ${ifname}: a rule of its packet filter changed the priority mark (${text}) of ${moved(before, rule)} packets, ${marked} probes among them`;
    const detail = { what: 'dscp', node, ifname, rewrites: text };
    const source = [...sources, ...sent.flatMap((fact) => fact.source)];
    return [{ id: `rewrite:${subject}`, kind: 'rewrite', subject, text: words, source, nodes: [node], detail }];
  });
}

/** A router that gave no state is one all the same where this node is adjacent to it. */
function leadsToRouter({ state }: View, ifname: string): boolean {
  return (state.adjacencies ?? []).some((entry) => entry.ifname === ifname && entry.state === 'up');
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
