// Peers with which sessions were open, kept on disk: after a restart of this agent, a node that has died since is lacking, and not taken for one
// that never had an agent. What is kept is a name and where it was, no proof of who is there: that is its certificate. Forgets in time.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { isNodeName } from '#model/names.ts';
import type { PeerTable, RememberedPeer } from '#model/peer.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Sessions } from './sessions.ts';

const knownPeer = z.strictObject({
  node: z.string().refine(isNodeName),
  address: z.string(),
  port: z.int().min(1).max(65_535),
  atMs: z.int().min(0),
});
const knownPeers = z.strictObject({ schemaVersion: z.literal(1), peers: z.array(knownPeer).max(LIMITS.peers) });

/** Name of the file in the state folder. */
export const KNOWN_PEERS_FILE = 'known-peers.json';

/** Writes between which the times on disk may grow old. */
const TIMES_EACH = 60;

/** Must start before anything opens sessions; a file that cannot be read is logged and replaced. */
export function createKnownPeers(parts: {
  readonly config: { readonly state: string };
  readonly peers: PeerTable;
  readonly sessions: Pick<Sessions, 'isOpen'>;
  readonly clock: Clock;
  readonly log: Log;
}): Part {
  const { peers, sessions, clock, log } = parts;
  const path = join(parts.config.state, KNOWN_PEERS_FILE);
  const ended = new AbortController();
  const seen = new Map<string, RememberedPeer>();
  let written = '';
  let turns = 0;
  let loop: Promise<void> = Promise.resolve();

  const look = () => {
    const nowMs = clock.nowMs();
    const oldestMs = nowMs - AGENT_LIMITS.knownPeerMs;
    peers.forgetBefore(oldestMs);
    for (const { node, verified } of peers.list()) {
      if (verified === undefined) continue;
      const { address, port } = verified;
      const lastMs = Math.max(verified.atMs, seen.get(node)?.atMs ?? 0);
      seen.set(node, { address, port, atMs: sessions.isOpen(node) ? nowMs : Math.min(nowMs, lastMs) });
    }
    for (const [node, { atMs }] of seen) if (atMs < oldestMs) seen.delete(node);
  };
  const keep = async () => {
    look();
    const places = JSON.stringify([...seen].map(([node, { address, port }]) => [node, address, port]).sort());
    turns += 1;
    if (places === written && turns % TIMES_EACH !== 0) return;
    const latest = [...seen].sort(([, one], [, other]) => other.atMs - one.atMs).slice(0, LIMITS.peers);
    const rows = latest.map(([node, peer]) => ({ node, ...peer }));
    await writeFileDurably(path, `${JSON.stringify({ schemaVersion: 1, peers: rows })}\n`);
    written = places;
  };
  const keepOrWarn = () =>
    keep().catch((error) => log.warn('the known peers could not be kept on disk', { reason: messageOf(error) }));
  const run = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(AGENT_LIMITS.knownPeersFlushMs, ended.signal).catch(() => {});
      if (!ended.signal.aborted) await keepOrWarn();
    }
  };
  return {
    name: 'known peers',
    async start() {
      const nowMs = clock.nowMs();
      for (const { node, ...peer } of await load(path, log)) {
        // A clock that was ahead must not make a peer stay for longer.
        const atMs = Math.min(peer.atMs, nowMs);
        if (atMs < nowMs - AGENT_LIMITS.knownPeerMs) continue;
        seen.set(node, { ...peer, atMs });
        peers.remember(node, { ...peer, atMs });
      }
      loop = run();
    },
    async stop() {
      ended.abort();
      await loop;
      turns = -1;
      await keepOrWarn();
    },
  };
}

/** Names in the file of a state folder; none where there is no such file, or none that can be read. */
export async function knownPeerNames(state: string): Promise<readonly string[]> {
  const text = await readFile(join(state, KNOWN_PEERS_FILE), 'utf8').catch(() => '{}');
  const read = knownPeers.safeParse(jsonOf(text));
  return read.success ? read.data.peers.map(({ node }) => node) : [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function load(path: string, log: Log): Promise<z.infer<typeof knownPeers>['peers']> {
  try {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? [] : knownPeers.parse(JSON.parse(text)).peers;
  } catch (error) {
    log.warn('the known peers cannot be read, and are learned anew', { path, reason: messageOf(error) });
    return [];
  }
}
