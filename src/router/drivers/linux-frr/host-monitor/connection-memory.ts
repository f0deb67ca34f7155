// Which hosts were given connections by which services, and ask for them in vain now. Bounded in pairs and age; only those pairs leave the node
// that were answered before and are not any more.
import { LIMITS } from '#base/limits.ts';
import type { HeardConnections, UnansweredRequests } from '#model/router/host-history.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type ConnectionMemory = {
  heard(rows: readonly HeardConnections[], atMs: number): void;
  told(nowMs: number): readonly UnansweredRequests[];
  forget(nowMs: number): void;
};

type Run = { readonly times: number; readonly firstMs: number; readonly lastMs: number };
type Kept = Pick<HeardConnections, 'ifname' | 'client' | 'server' | 'port'> & {
  readonly ok?: { readonly ifname: string; readonly times: number; readonly lastMs: number };
  /** Since the last one that was answered. */
  readonly run?: Run;
};

export function createConnectionMemory(): ConnectionMemory {
  /** The pair that was heard last stands last. */
  const kept = new Map<string, Kept>();
  return {
    heard(rows, atMs) {
      for (const row of rows) {
        const { ifname, client, server, port } = row;
        const key = `${client} ${server} ${port}`;
        const known = kept.get(key);
        kept.delete(key);
        const [oldest] = kept.keys();
        if (kept.size >= DRIVER_LIMITS.rememberedConnections && oldest !== undefined) kept.delete(oldest);
        const ok = row.answered === 0 ? known?.ok : answered(row, known, atMs);
        const run = row.answered > 0 ? undefined : lengthened(row, known?.run, atMs);
        kept.set(key, {
          ...{ ifname, client, server, port },
          ...(ok === undefined ? {} : { ok }),
          ...(run === undefined ? {} : { run }),
        });
      }
    },
    told: (nowMs) =>
      [...kept.values()]
        .flatMap(({ ok, run, ...pair }): UnansweredRequests[] =>
          ok === undefined || run === undefined ? [] : [toldOf(pair, ok, run, nowMs)],
        )
        .sort((one, other) => one.lastAgoMs - other.lastAgoMs)
        .slice(0, LIMITS.unansweredRequests),
    forget(nowMs) {
      for (const [key, { ok, run }] of kept)
        if (nowMs - Math.max(ok?.lastMs ?? 0, run?.lastMs ?? 0) > DRIVER_LIMITS.historyMs) kept.delete(key);
    },
  };
}

function answered({ ifname, answered: times }: HeardConnections, known: Kept | undefined, atMs: number) {
  return { ifname, times: (known?.ok?.times ?? 0) + times, lastMs: atMs };
}

function lengthened({ unanswered, repeats }: HeardConnections, run: Run | undefined, atMs: number): Run | undefined {
  if (repeats === 0) return run;
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
