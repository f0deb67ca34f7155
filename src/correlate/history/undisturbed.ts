// Whether a router's port was as it is now at a time that is over. A scan or an offer of that time says nothing of hosts where the port
// itself had fallen, was set otherwise, or had a filter before it.
import type { NodeState } from '#model/router/router-port.ts';
import { SAME_TIME_MS } from '../engine/fault-definition.ts';
import type { View } from '../network/world.ts';
import { mayDrop } from '../packet-filter/dropping-rules.ts';

export type Time = { readonly fromAgoMs: number; readonly untilAgoMs: number };

/** The node's states at about that time: those that it remembers, and the present one. */
export function statesNear({ state }: View, time: Time): readonly NodeState[] {
  const past = (state.past ?? []).filter(
    ({ fromAgoMs, untilAgoMs }) =>
      untilAgoMs <= time.fromAgoMs + SAME_TIME_MS && fromAgoMs >= time.untilAgoMs - SAME_TIME_MS,
  );
  return [...past.map((each) => each.state), state];
}

/** The port was up, and set as it is now, all the time; no filter took ARP. */
export function wasUndisturbed(view: View, time: Time, ifname: string): boolean {
  const states = statesNear(view, time);
  const events = (view.state.history?.events ?? []).filter(
    ({ kind, subject, agoMs }) =>
      kind === 'carrier' &&
      subject === ifname &&
      agoMs >= time.untilAgoMs - SAME_TIME_MS &&
      agoMs <= time.fromAgoMs + SAME_TIME_MS,
  );
  const settings = states.map(({ inventory }) => {
    const entry = inventory.interfaces.find(({ name }) => name === ifname);
    return JSON.stringify([entry?.adminUp, entry?.operUp, entry?.mac, [...(entry?.addresses ?? [])].sort()]);
  });
  return (
    events.length === 0 && new Set(settings).size === 1 && !states.some((state) => mayDrop(state, { network: 'arp' }))
  );
}
