// Whether a router's port was as it is now at a time that is over. A scan or an offer of that time says nothing of hosts where the port
// itself had fallen, was set otherwise, or had a filter before it; nor where it is not known what the port was.
import type { NodeState } from '#model/router/router-port.ts';
import { SAME_TIME_MS } from '../engine/fault-definition.ts';
import type { View } from '../network/world.ts';
import { mayDrop } from '../packet-filter/dropping-rules.ts';
import { statesWithin, type Time, widened } from './states-then.ts';

/** States that the node may have been in at about that time, and the present one; undefined where that is not known. */
export function statesNear({ state }: View, time: Time): readonly NodeState[] | undefined {
  const states = statesWithin(state, widened(time, SAME_TIME_MS));
  const known = states.filter((each) => each !== undefined);
  return known.length < states.length ? undefined : [...new Set([...known, state])];
}

/** The port was up, and set as it is now, all the time; no filter took ARP. */
export function wasUndisturbed(view: View, time: Time, ifname: string): boolean {
  const states = statesNear(view, time);
  if (states === undefined) return false;
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
