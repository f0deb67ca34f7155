// Troubles that a node makes itself while it forwards: rules that write into packets what must not be written, and queues that
// overflow in the window.

import type { Qdisc } from '#model/control-plane.ts';
import { interfaceResource, nodeResource } from '#model/names.ts';
import type { FilterRule } from '#model/router-port.ts';
import { mark } from './spelling.ts';
import type { Trouble } from './trouble.ts';
import { counterDelta } from './wire.ts';
import { linkOn, otherEnd, type View, type World } from './world.ts';

/** A shaper drops a few packets of any burst; that many in one short window is a queue that cannot keep up. */
const OVERFLOW_PACKETS = 20;
/** Of what wanted to leave: less is the edge of a burst. */
const OVERFLOW_SHARE = 0.02;

export function insideTroubles(world: World): readonly Trouble[] {
  return [...world.views.values()].flatMap((view) => [
    ...spoilt(view),
    ...view.state.filters.flatMap((rule) => unmarked(world, view, rule)),
    ...overflowing(view),
  ]);
}

/** A checksum that is set to a constant is wrong for every packet but by accident: a router has no reason to write one. */
function spoilt({ node, state, sources }: View): readonly Trouble[] {
  const rules = state.filters.filter(
    ({ hook, rewrites }) =>
      hook !== 'input' && hook !== 'output' && rewrites?.some((text) => / checksum = \d+$/.test(text)),
  );
  if (rules.length === 0) return [];
  const what = [...new Set(rules.flatMap(({ rewrites }) => rewrites ?? []).map((text) => text.replace(/ = \S+$/, '')))];
  const packets = rules.reduce((sum, rule) => sum + Number(rule.packets ?? 0), 0);
  const text = `${mark(node)}: a rule of its packet filter overwrites ${what.join(' and ')} of what it forwards`;
  const detail = { what: 'checksum', fields: what, packets };
  return [
    {
      id: `rewrite:${node}`,
      kind: 'rewrite',
      subject: nodeResource(node),
      text,
      source: sources,
      nodes: [node],
      detail,
    },
  ];
}

/** A priority mark that is taken off between two routers; at the edge of a network that is everyday work. */
function unmarked(world: World, { node, sources }: View, rule: FilterRule): readonly Trouble[] {
  const cleared = rule.rewrites?.find((text) => /^ip6? dscp (?!cs0\b|0\b)\S+ = (?:cs0|0)$/.test(text));
  if (cleared === undefined) return [];
  return rule.outInterfaces
    .filter((ifname) => {
      const far = linkOn(world, { node, ifname }).map((link) => otherEnd(link, node).node);
      return far.some((each) => (world.views.get(each)?.state.daemons?.length ?? 0) > 0);
    })
    .map((ifname): Trouble => {
      const subject = interfaceResource({ node, ifname });
      const text = `${mark(node)} ${ifname}: a rule of its packet filter takes the priority mark off (${cleared})`;
      const detail = { what: 'dscp', node, ifname, rewrites: cleared };
      return { id: `rewrite:${subject}`, kind: 'rewrite', subject, text, source: sources, nodes: [node], detail };
    });
}

/** Queues that drop on purpose, so that senders slow down (RFC 7567): what they drop is how they work. */
const MANAGED = /^(?:fq|fq_codel|codel|cake|pie|fq_pie|red|gred|sfq|choke|sfb)$/;

function overflowing({ node, before, after, sources }: View): readonly Trouble[] {
  const found = (after?.qdiscs ?? []).flatMap((queue): readonly Trouble[] => {
    const was = before?.qdiscs?.find((each) => sameQueue(each, queue));
    const drops = was === undefined ? undefined : counterDelta(was.drops, queue.drops);
    if (drops === undefined || drops < OVERFLOW_PACKETS || MANAGED.test(queue.kind)) return [];
    const sent = counterDelta(was?.packets, queue.packets);
    if (sent !== undefined && drops < (sent + drops) * OVERFLOW_SHARE) return [];
    const subject = interfaceResource({ node, ifname: queue.ifname });
    const text = `${mark(node)} ${queue.ifname}: its queue (${queue.kind}) dropped ${drops} packets in the window${sent === undefined ? '' : ` and sent ${sent}`}`;
    const detail = { node, ifname: queue.ifname, queue: queue.kind, drops };
    return [{ id: `queue:${subject}`, kind: 'queue', subject, text, source: sources, nodes: [node], detail }];
  });
  return [...new Map(found.map((trouble) => [trouble.id, trouble])).values()];
}

/** `mq` and classes give an interface several queues of one kind. */
function sameQueue(one: Qdisc, other: Qdisc): boolean {
  return (
    one.ifname === other.ifname && one.kind === other.kind && one.handle === other.handle && one.parent === other.parent
  );
}
