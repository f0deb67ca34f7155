// The routes that routing programs have put into each router's kernel, as they were when the lab was first healthy. Sessions that are up and
// addresses that answer do not show a next hop that the kernel kept and its routing program has forgotten: flows that hash there go in circles.
import { ParleyError } from '#base/error.ts';
import { runInNetwork } from './node-processes.ts';
import type { LabRecord } from './registry.ts';
import { waitUntil } from './wait.ts';

/** Router → its routes, sorted lines. */
export type SettledRoutes = ReadonlyMap<string, readonly string[]>;

/** What programs have learned; what a person set is a snapshot's matter, what the kernel makes follows from interfaces. */
const LEARNED = new Set(['bgp', 'isis', 'ospf']);
/** From sessions up to routes as before: announcements wait for each other. */
const SETTLE_MS = { fast: 20_000, default: 60_000 } as const;
/** A busy machine reads the routes of many routers slowly. */
const READ_NODE_MS = 1_000;
/** For so long nothing may change: a router of OSPF announces a change only five seconds after the one before. */
const STEADY_MS = 6_000;
const BETWEEN_MS = 500;
const READ = "ip -j -4 route show table all; printf '\\n#\\n'; ip -j -6 route show table all";

type Hop = { readonly dev?: string };
type Row = Hop & {
  readonly dst?: string;
  readonly protocol?: string;
  readonly metric?: number;
  readonly nhid?: number;
  readonly nexthops?: readonly Hop[];
};

/** Resolves once nothing has changed for a while. */
export async function settledRoutes(lab: LabRecord, signal?: AbortSignal): Promise<SettledRoutes> {
  let last = await readRoutes(lab);
  let sinceMs = performance.now();
  const steady = async () => {
    const now = await readRoutes(lab);
    const readMs = performance.now();
    const strange = strayRoutes(last, now);
    last = now;
    if (strange !== undefined) sinceMs = readMs;
    const leftMs = Math.max(0, STEADY_MS - (readMs - sinceMs));
    return strange ?? (leftMs > 0 ? `${Math.ceil(leftMs)} ms without a change` : undefined);
  };
  await waitUntil('steady routes', steady, { ...waiting(lab, signal), intervalMs: BETWEEN_MS });
  return last;
}

/** Rejects when a router has other routes than it had, or has lost some, for longer than announcements take. */
export async function waitForRoutes(lab: LabRecord, before: SettledRoutes, signal?: AbortSignal): Promise<void> {
  const missing = async () => strayRoutes(before, await readRoutes(lab));
  await waitUntil('routes as before', missing, { ...waiting(lab, signal), intervalMs: 200 });
}

/** The first difference, `leaf1: + fd00::1/128 20 eth1 eth2`; nothing when all is as before. */
export function strayRoutes(before: SettledRoutes, now: SettledRoutes): string | undefined {
  for (const [node, lines] of before) {
    const others = now.get(node) ?? [];
    const gone = lines.find((line) => !others.includes(line));
    const strange = others.find((line) => !lines.includes(line));
    if (strange !== undefined) return `${node}: + ${strange}`;
    if (gone !== undefined) return `${node}: - ${gone}`;
    if (lines.length !== others.length) return `${node}: ${others.length} routes, ${lines.length} before`;
  }
  return undefined;
}

/** Destination, metric, the interfaces of all next hops (two of one interface show twice), and whether they are an object's. */
export function learnedRoutes(rows: readonly Row[]): readonly string[] {
  return rows
    .filter(({ protocol }) => LEARNED.has(protocol ?? ''))
    .map(({ dst, metric, dev, nexthops, nhid }) => {
      const hops = (nexthops ?? [{ dev }]).map((hop) => hop.dev ?? '-').sort();
      return [dst, metric ?? '-', ...hops, ...(nhid === undefined ? [] : ['object'])].join(' ');
    })
    .sort();
}

async function readRoutes(lab: LabRecord): Promise<SettledRoutes> {
  const routers = lab.nodes.filter(({ role }) => role === 'router');
  const read = routers.map(async ({ name, namespace }): Promise<[string, readonly string[]]> => {
    const { stdout, stderr } = await runInNetwork(namespace, ['bash', '--norc', '-c', READ]);
    const parts = stdout.split('\n#\n');
    if (parts.length !== 2)
      throw new ParleyError('node/lab-command', `expected the routes of ${name}: ${stderr.trim()}`);
    return [name, parts.flatMap((part) => learnedRoutes(part.trim() === '' ? [] : (JSON.parse(part) as Row[])))];
  });
  return new Map(await Promise.all(read));
}

function waiting(lab: LabRecord, signal: AbortSignal | undefined) {
  return { timeoutMs: SETTLE_MS[lab.timers] + lab.nodes.length * READ_NODE_MS, ...(signal ? { signal } : {}) };
}
