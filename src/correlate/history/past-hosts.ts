// Slices of what routers kept of their hosts: scans that found something unusual, ARP requests for addresses off the link, and names that a
// server had lost. What a fallen port or a filter of the router itself explains is left out. Judges nothing.
import type { HostLook } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { networkOf } from '#model/router/packet-match.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { attachedTo } from '../network/hosts.ts';
import type { View, World } from '../network/world.ts';
import { mayDrop } from '../packet-filter/dropping-rules.ts';
import { type KeptSlice, keptSlice, withView } from './kept-slices.ts';
import { statesNear, wasUndisturbed } from './undisturbed.ts';

export function hostSlices(now: World): readonly KeptSlice[] {
  const { sinceMs } = now;
  if (sinceMs === undefined) return [];
  return [...now.views.values()].flatMap((view) => [
    ...looksOf(view, sinceMs).map((look) => scanSlice(now, view, look)),
    ...requestSlices(now, view, sinceMs),
    ...nameSlices(now, view, sinceMs),
  ]);
}

export function looksOf({ before, state }: View, sinceMs: number): readonly HostLook[] {
  const looks = before?.history?.watchedHosts?.looks ?? state.history?.watchedHosts?.looks ?? [];
  return looks.filter(({ untilAgoMs }) => untilAgoMs <= sinceMs);
}

/** One router's scan in place of all that is seen now; a service that the operator asks about is one of now. */
function scanSlice(now: World, view: View, look: HostLook): KeptSlice {
  const { node, state, sources } = view;
  const { service: _asked, ...rest } = now;
  const source = sources[0] ?? '';
  const isClear = (ifname: string) => wasUndisturbed(view, look, ifname);
  const slice = keptSlice(rest, view, 'host-scans', look.untilAgoMs, {
    views: withView(now, { node, state, sources }),
    hosts: look.ports.filter(({ ifname }) => isClear(ifname)).map((port) => ({ ...port, node, evidence: source })),
    serviceProbes: look.tries
      .filter(
        (attempt) =>
          isClear(attachedTo(now, attempt.destination)?.ifname ?? '') && !isFiltered(statesNear(view, look), attempt),
      )
      .map((attempt) => ({ ...attempt, from: node, source })),
  });
  return { ...slice, past: { ...slice.past, now } };
}

/** A filter of the router itself may have refused what the host seemed to refuse. */
function isFiltered(
  states: readonly NodeState[] = [],
  { service, destination, port, open }: ServiceProbeResult,
): boolean {
  if (open || service === 'echo' || port === undefined) return false;
  const network = networkOf(destination);
  const packet = { network, protocol: service, destinationPort: port, destinations: [destination] } as const;
  return states.some((state) => mayDrop(state, packet));
}

/** Each request that was heard, alone: findings are as old as it. */
function requestSlices(now: World, view: View, sinceMs: number): readonly KeptSlice[] {
  const { before, state } = view;
  const asks = (before?.history ?? state.history)?.watchedHosts?.asks ?? [];
  return asks
    .filter(({ agoMs }) => agoMs <= sinceMs)
    .map((ask) =>
      keptSlice(now, view, 'off-link-arp', ask.agoMs, { views: withView(now, remembering(view, { asks: [ask] })) }),
    );
}

function nameSlices(now: World, view: View, sinceMs: number): readonly KeptSlice[] {
  const { before, state } = view;
  const names = (before?.history ?? state.history)?.watchedHosts?.names ?? [];
  return names
    .filter(({ lostAgoMs }) => lostAgoMs <= sinceMs)
    .map((row) =>
      keptSlice(now, view, 'dns-records', row.lostAgoMs, { views: withView(now, remembering(view, { names: [row] })) }),
    );
}

/** The router with these rows alone in its memory of hosts. */
function remembering(view: View, rows: Partial<NonNullable<NonNullable<NodeState['history']>['watchedHosts']>>): View {
  const history = view.state.history!;
  const watchedHosts = { asks: [], names: [], ...rows };
  return { ...view, state: { ...view.state, history: { ...history, watchedHosts } } };
}
