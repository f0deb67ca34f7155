// Queues that overflowed in the window: more packets were to leave than they may send. Old drops, however many, say nothing, and
// queues that drop on purpose do their work. The hooks of filters queue nothing: what they count, a filter dropped.
import { interfaceResource } from '#model/names.ts';
import type { Qdisc } from '#model/router/control-plane.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { View, World } from '../../network/world.ts';
import { counterDelta } from '../../observe/wire.ts';

export type QueueDetail = {
  readonly node: string;
  readonly ifname: string;
  readonly queue: string;
  readonly drops: number;
};

export const queueSymptom = defineSymptom<QueueDetail>('queue');

/** A shaper drops a few packets of any burst; that many in one short window is a queue that cannot keep up. */
const OVERFLOW_PACKETS = 20;
/** Of what wanted to leave: less is the edge of a burst. */
const OVERFLOW_SHARE = 0.02;
/** Queues that drop on purpose, so that senders slow down (RFC 7567): what they drop is how they work. */
const MANAGED = /^(?:fq|fq_codel|codel|cake|pie|fq_pie|red|gred|sfq|choke|sfb)$/;

export function queueSymptoms({ views }: World): readonly Symptom[] {
  return [...views.values()].flatMap(overflowing);
}

export type QueueCounts = { readonly queue: Qdisc; readonly drops: number; readonly sent: number | undefined };

/** What each queue of a node dropped and sent in the window; `sent` undefined where it does not count that. */
export function queueCounts({ before, after }: Pick<View, 'before' | 'after'>): readonly QueueCounts[] {
  return (after?.qdiscs ?? [])
    .filter(({ kind }) => !isFilterHook(kind))
    .flatMap((queue) => {
      const was = before?.qdiscs?.find((each) => sameQueue(each, queue));
      const drops = counterDelta(was?.drops, queue.drops);
      return drops === undefined ? [] : [{ queue, drops, sent: counterDelta(was?.packets, queue.packets) }];
    });
}

/** Where filters of traffic control are hooked in: no queue. */
export function isFilterHook(kind: string): boolean {
  return kind === 'clsact' || kind === 'ingress';
}

function overflowing(view: View): readonly Symptom[] {
  const { node, sources } = view;
  const found = queueCounts(view).flatMap(({ queue, drops, sent }): readonly Symptom[] => {
    if (drops < OVERFLOW_PACKETS || MANAGED.test(queue.kind)) return [];
    if (sent !== undefined && drops < (sent + drops) * OVERFLOW_SHARE) return [];
    const subject = interfaceResource({ node, ifname: queue.ifname });
    const text = `${nodeRef(node)} ${queue.ifname}: its queue (${queue.kind}) dropped ${drops} packets in the window${sent === undefined ? '' : ` and sent ${sent}`}`;
    const detail = { node, ifname: queue.ifname, queue: queue.kind, drops };
    return [queueSymptom.raise({ id: `queue:${subject}`, subject, text, source: sources, nodes: [node], detail })];
  });
  return [...new Map(found.map((symptom) => [symptom.id, symptom])).values()];
}

/** `mq` and classes give an interface several queues of one kind. */
function sameQueue(one: Qdisc, other: Qdisc): boolean {
  return (
    one.ifname === other.ifname && one.kind === other.kind && one.handle === other.handle && one.parent === other.parent
  );
}
