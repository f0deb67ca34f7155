// Ports that were put into another bridge, and hosts of the bridge before it that answered until about then and are silent now: what they send may
// arrive in another network. That they were behind this very port no node tells, so nothing is accused; but what users send may not get through.
import type { Host } from '#model/router/hosts.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { remembered, seenOn } from './hosts.ts';
import { nodeRef } from './node-ref.ts';
import { settingsBefore } from './remembered.ts';
import type { View, World } from './world.ts';

/** A host that was silent for longer may sleep or be gone, unless it is still heard with its old address. */
const SILENT_MS = 3_600_000;

/** Its last answer to the router, which looks every few seconds, is at most so much older than the move. */
const BEFORE_MS = 300_000;
/** A move is noticed so late at most: what answered after it is not behind the port. */
const NOTICED_MS = 60_000;

/** One line a port. */
export function movedPortLines(world: World): readonly string[] {
  return [...world.views.values()].flatMap((view) =>
    movesOf(world, view).flatMap(({ ifname, was, is, agoMs }) => {
      const asking = (host: Host) => asksIn(view, is, host, agoMs);
      const lost = remembered(world, { ...view, state: view.before ?? view.state }, was).filter(
        (host) =>
          isSilent(world, view, host) &&
          !isElsewhere(world, view, host) &&
          ((agoMs <= SILENT_MS && answeredUntil(host, agoMs)) || asking(host)),
      );
      if (lost.length === 0) return [];
      const where = is === undefined ? `out of ${was}` : `from ${was} to ${is}`;
      const hosts = lost.map((host) => `${host.address}${asking(host) ? ` (asks in ${is})` : ''}`).join(', ');
      return [
        `${nodeRef(view.node)} ${ifname} was moved ${where} ${ageWords(agoMs)} ago; silent in ${was} are hosts that were heard there before: ${hosts}`,
      ];
    }),
  );
}

type Move = { readonly ifname: string; readonly was: string; readonly is?: string; readonly agoMs: number };

/** The last move of each port that still holds. */
function movesOf(world: World, { node, state }: View): readonly Move[] {
  const { interfaces, mastersTold } = state.inventory;
  if (mastersTold !== true) return [];
  const changes = Map.groupBy(
    (state.history?.settings ?? []).filter(({ kind }) => kind === 'master'),
    ({ subject }) => subject,
  );
  return [...changes].flatMap(([ifname, rows]) => {
    const entry = interfaces.find(({ name }) => name === ifname);
    const is = entry?.master?.name;
    const [was] = settingsBefore(world, node, 'master', ifname);
    const change = rows.find((row: SettingChange) => row.was === was);
    if (entry === undefined || was === undefined || was === is || change === undefined) return [];
    return [{ ifname, was, ...(is === undefined ? {} : { is }), agoMs: change.agoMs }];
  });
}

/** A host that was switched off or away long before is silent for another reason; of one that never answered it is not known. */
function answeredUntil({ answeredAgoMs }: Host, agoMs: number): boolean {
  return answeredAgoMs !== undefined && answeredAgoMs <= agoMs + BEFORE_MS && answeredAgoMs >= agoMs - NOTICED_MS;
}

/** It was asked, and did not answer; a bridge that has no carrier cannot ask. */
function isSilent(world: World, { node, state }: View, { ifname, address }: Host): boolean {
  const scans = seenOn(world, node, ifname).filter(({ asked }) => asked.includes(address));
  const isUp = state.inventory.interfaces.find(({ name }) => name === ifname)?.operUp === true;
  return (
    (scans.length > 0 || !isUp) &&
    scans.every(({ answers }) => answers.every((each) => each.address !== address || each.macs.length === 0))
  );
}

/** It answers behind another port, maybe with an address of the network there. */
function isElsewhere(world: World, { node }: View, { ifname, mac }: Host): boolean {
  return world.hosts.some(
    (port) => port.node === node && port.ifname !== ifname && port.answers.some(({ macs }) => macs.includes(mac)),
  );
}

/** It is heard in the bridge that the port is in now, with the address that it had in the bridge before. */
function asksIn({ state }: View, is: string | undefined, { address, mac }: Host, agoMs: number): boolean {
  const asks = state.history?.watchedHosts?.asks ?? [];
  return asks.some(
    (ask) => ask.ifname === is && ask.mac === mac && ask.sender === address && ask.agoMs < Math.min(agoMs, SILENT_MS),
  );
}
