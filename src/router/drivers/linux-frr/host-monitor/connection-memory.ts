// Which hosts used connections to which services, and ask for them again and again now. Bounded in pairs, of one host and in all, and in age: a pair is
// forgotten when the host has used none for so long, also where it still asks. Only those pairs leave the node of which the latest requests were sent again.

import { LIMITS } from '#base/limits.ts';
import type { HeardConnections, UnansweredRequests } from '#model/router/host-history.ts';
import { createSharedMap } from '../../../bounded-maps.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type ConnectionMemory = {
  heard(rows: readonly HeardConnections[], atMs: number): void;
  told(nowMs: number): readonly UnansweredRequests[];
  forget(nowMs: number): void;
};

/** Since the last connection that was used, or asked for once. */
type Run = { readonly times: number; readonly firstMs: number; readonly lastMs: number };
type Kept = Pick<HeardConnections, 'ifname' | 'client' | 'server' | 'port'> & {
  readonly ok: { readonly ifname: string; readonly times: number; readonly lastMs: number };
  readonly run?: Run;
};

export function createConnectionMemory(): ConnectionMemory {
  const kept = createSharedMap<Kept>({
    most: DRIVER_LIMITS.rememberedConnections,
    mostOfOne: DRIVER_LIMITS.rememberedConnectionsOfHost,
  });
  return {
    heard(rows, atMs) {
      for (const row of rows) {
        const { ifname, client, server, port, used, once } = row;
        const key = keyOf(row);
        const known = kept.get(client, key);
        const ok = used === 0 ? known?.ok : { ifname, times: (known?.ok.times ?? 0) + used, lastMs: atMs };
        // What was never seen to be answered is not remembered: a host that only asks, as in a scan, takes no room.
        if (ok === undefined) continue;
        const run = used + once > 0 ? undefined : lengthened(row, known?.run, atMs);
        kept.set(client, key, { ...{ ifname, client, server, port, ok }, ...(run === undefined ? {} : { run }) });
      }
    },
    told(nowMs) {
      const all = [...kept.values()]
        .flatMap(({ ok, run, ...pair }): UnansweredRequests[] =>
          run === undefined || run.times === 0 ? [] : [toldOf(pair, ok, run, nowMs)],
        )
        .sort((one, other) => one.lastAgoMs - other.lastAgoMs);
      const ofHosts = [...Map.groupBy(all, ({ client }) => client).values()];
      const few = new Set(ofHosts.flatMap((rows) => rows.slice(0, DRIVER_LIMITS.toldConnectionsOfHost)));
      return all.filter((row) => few.has(row)).slice(0, LIMITS.unansweredRequests);
    },
    forget(nowMs) {
      for (const each of [...kept.values()])
        if (nowMs - each.ok.lastMs > DRIVER_LIMITS.historyMs) kept.delete(each.client, keyOf(each));
    },
  };
}

function keyOf({ server, port }: Pick<Kept, 'server' | 'port'>): string {
  return `${server} ${port}`;
}

function lengthened({ unanswered, repeats }: HeardConnections, run: Run | undefined, atMs: number): Run | undefined {
  if (unanswered + repeats === 0) return run;
  return { times: (run?.times ?? 0) + unanswered, firstMs: run?.firstMs ?? atMs, lastMs: atMs };
}

function toldOf(
  { ifname, client, server, port }: Pick<Kept, 'ifname' | 'client' | 'server' | 'port'>,
  ok: NonNullable<Kept['ok']>,
  run: Run,
  nowMs: number,
): UnansweredRequests {
  const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
  return {
    ...{ ifname, okIfname: ok.ifname, client, server, port },
    ...{ okTimes: ok.times, okAgoMs: ago(ok.lastMs) },
    ...{ times: run.times, sinceAgoMs: ago(run.firstMs), lastAgoMs: ago(run.lastMs) },
  };
}
