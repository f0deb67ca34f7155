// Standing probes over this node's own links, in the manner of TWAMP-light (RFC 8762): one call is one round of a few small probes a
// link, spread over two seconds and over several flows, each with a hop limit of 1, so that none ever leaves its link. Sends nothing
// over a link that is down and next to nothing where no node reflects; stops when its caller does. Changes nothing on the node (TS-22).
import { createSocket } from 'node:dgram';
import { ParleyError } from '#base/error.ts';
import { isLinkLocal, parsePrefix } from '#base/ip.ts';
import { kernelValue } from '#base/kernel-file.ts';
import { LIMITS } from '#base/limits.ts';
import { randomHex } from '#base/random.ts';
import type { WatchTarget } from '#model/router/link-monitor.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { createDestinations } from '../../native/destinations.ts';
import { loadLibc } from '../../native/libc.ts';
import { decodeProbeMessage, encodeProbeMessage } from '../../protocol/probe-message.ts';
import type { MonitorRound } from '../../protocol/read-operations.ts';
import { HELPER_LIMITS } from '../limits.ts';
import type { ProberParts } from '../probe/prober.ts';
import { createMonitorLedger, type MonitorLedger, type ProbeFamily } from './monitor-ledger.ts';

export type LinkMonitor = (targets: readonly WatchTarget[], signal: AbortSignal) => Promise<readonly MonitorRound[]>;

/** Turns of one round; in each, every link gets its share of the round's probes. */
const TURNS = 10;
/** Flows of each family; every flow has a source port of its own. */
const FLOWS = 20;
/** A turn that began so late that this node itself was too busy to measure anything. */
const LATE_MS = 500;
/** After so many rounds without an answer a link is probed every n-th round only. */
const SILENT_ROUNDS = 3;
const SILENT_EVERY = 15;
/** Hop limit of what must not leave its link. */
const OWN_LINK = 1;
const NO_COUNTS = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 } as const;

type Watched = {
  readonly target: WatchTarget;
  readonly ledger: MonitorLedger;
  readonly sessions: Map<ProbeFamily, string>;
  turn: number;
};
/** Sends one probe, and says whether the kernel took it. */
type Flow = (probe: Uint8Array, far: string, port: number, scope: number) => boolean;
type Flows = Readonly<Record<ProbeFamily, readonly Flow[]>>;

export function createLinkMonitor(parts: ProberParts): LinkMonitor {
  const links = new Map<string, Watched>();
  const bySession = new Map<string, { readonly link: Watched; readonly family: ProbeFamily }>();
  let flows: Promise<Flows> | undefined;

  const hear = (bytes: Uint8Array) => {
    const decoded = decodeProbeMessage(bytes);
    if (!decoded.ok) return;
    // A stranger does not know the 64-bit session: what is not ours is not counted.
    const ours = bySession.get(decoded.value.session);
    ours?.link.ledger.hear(ours.family, decoded.value, parts.clock.monotonicMs());
  };
  const begin = (link: Watched) => {
    if (!link.ledger.begin()) return;
    for (const family of familiesOf(link.target)) {
      bySession.delete(link.sessions.get(family) ?? '');
      const session = randomHex(parts.random, 8);
      link.sessions.set(family, session);
      bySession.set(session, { link, family });
    }
  };
  const keepOnly = (targets: readonly WatchTarget[]) => {
    const wanted = new Map(targets.map((target) => [JSON.stringify(target), target]));
    for (const [key, link] of links) {
      if (wanted.has(key)) continue;
      for (const session of link.sessions.values()) bySession.delete(session);
      links.delete(key);
    }
    for (const [key, target] of wanted)
      if (!links.has(key)) links.set(key, { target, ledger: createMonitorLedger(), sessions: new Map(), turn: 0 });
  };
  return async (targets, signal) => {
    keepOnly(targets.slice(0, LIMITS.monitoredLinks));
    flows ??= openAll(hear);
    const open = await flows;
    const due = linksDue([...links.values()]);
    for (const link of due) begin(link);
    const send = (link: Watched, family: ProbeFamily) => {
      const sequence = link.ledger.send(family, parts.clock.monotonicMs());
      const message = {
        kind: 'probe',
        session: link.sessions.get(family)!,
        timed: true,
        sequence,
        ...NO_COUNTS,
      } as const;
      const far = family === 6 ? link.target.far6! : link.target.far4!;
      const scope = scopeOf(link.target.ifname, far);
      if (!open[family][sequence % FLOWS]!(encodeProbeMessage(message), far, parts.reflectPort, scope))
        link.ledger.spoil();
    };
    await runTurns(due, send, parts, signal);
    const nowMs = parts.clock.monotonicMs();
    return due.flatMap(({ target, ledger }) => ledger.tell(nowMs).map((told) => ({ ifname: target.ifname, ...told })));
  };
}

async function runTurns(
  due: readonly Watched[],
  send: (link: Watched, family: ProbeFamily) => void,
  { clock }: ProberParts,
  signal: AbortSignal,
): Promise<void> {
  const restMs = ROUTER_LIMITS.monitorRoundMs / TURNS;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const link of due) {
      const families = familiesOf(link.target);
      for (let probe = 0; probe < HELPER_LIMITS.monitorRoundProbes / TURNS; probe++)
        send(link, families[probe % families.length]!);
    }
    const beforeMs = clock.monotonicMs();
    await clock.sleep(restMs, signal);
    const lateMs = clock.monotonicMs() - beforeMs - restMs;
    for (const { ledger } of due) {
      ledger.late(lateMs);
      if (lateMs > LATE_MS) ledger.spoil();
    }
  }
}

/** Links that are up and answer, and now and then those that do not answer. */
function linksDue(links: readonly Watched[]): readonly Watched[] {
  return links.filter(
    (link) =>
      isUp(link.target.ifname) && (link.ledger.silentRounds < SILENT_ROUNDS || link.turn++ % SILENT_EVERY === 0),
  );
}

function isUp(ifname: string): boolean {
  const state = kernelValue(`/sys/class/net/${ifname}/operstate`);
  return state === 'up' || state === 'unknown';
}

/** Read each time: a port that was made anew has another index. */
function scopeOf(ifname: string, far: string): number {
  const prefix = parsePrefix(far);
  return prefix !== undefined && isLinkLocal(prefix) ? Number(kernelValue(`/sys/class/net/${ifname}/ifindex`) ?? 0) : 0;
}

function familiesOf({ far4, far6 }: WatchTarget): readonly ProbeFamily[] {
  return [...(far6 === undefined ? [] : [6 as const]), ...(far4 === undefined ? [] : [4 as const])];
}

async function openAll(hear: (bytes: Uint8Array) => void): Promise<Flows> {
  const libc = await loadLibc();
  const destinationOf = createDestinations();
  const open = (type: 'udp4' | 'udp6'): Flow => {
    // A probe that finds its link gone must not be routed over others.
    const opened = libc.openUdp(new Uint8Array(type === 'udp4' ? 4 : 16), 0, OWN_LINK);
    if ('refused' in opened)
      throw new ParleyError('node/probe-not-permitted', `expected a socket, got ${opened.refused}`);
    const socket = createSocket(type);
    socket.on('error', () => {});
    socket.on('message', hear);
    socket.bind({ fd: opened.fd });
    socket.unref();
    return (probe, far, port, scope) => {
      const to = destinationOf(far, port, scope);
      return to !== undefined && libc.sendUdp(opened.fd, probe, to).kind === 'sent';
    };
  };
  const all = (type: 'udp4' | 'udp6') => Array.from({ length: FLOWS }, () => open(type));
  return { 4: all('udp4'), 6: all('udp6') };
}
