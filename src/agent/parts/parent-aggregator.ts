// Registers this node's tools with the aggregator that its configuration names (MCP-AX §6), over the mutual TLS that the agent has. The parent
// counts as a controller here: it reads and measures, and changes nothing. Loads code of the aggregator role only where a parent is named.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import type { Parent, ParentTarget } from '#aggregate/registry/parent.ts';
import type { Clock } from '#base/clock.ts';
import { writeFileDurably } from '#base/files.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Config } from '#config/schema.ts';
import type { McpServer } from '#mcp/server.ts';
import type { Party } from '#model/identity.ts';
import type { Identity } from '#mtls/identity.ts';
import type { Trust } from '#mtls/trust.ts';
import { dialParent } from '../dial-parent.ts';
import type { Part } from '../lifecycle.ts';

export type ParentAggregatorInit = {
  readonly config: Pick<Config, 'parent' | 'state'>;
  /** As it is now: it is renewed while the agent runs. */
  readonly identity: () => Identity;
  readonly trust: Trust;
  readonly server: McpServer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

export function createParentAggregator(init: ParentAggregatorInit): Part {
  let parent: Parent | undefined;
  return {
    name: 'parent aggregator',
    async start() {
      const { config, clock, random, log, server } = init;
      if (config.parent === undefined) return;
      const { keepParent } = await import('#aggregate/registry/parent.ts');
      const { passOnTo } = await import('#aggregate/registry/pass-on.ts');
      const { createFrameLink } = await import('#aggregate/wire/frame-link.ts');
      const { createPeer } = await import('#aggregate/wire/peer.ts');
      let signingKey: string | undefined;
      const target: ParentTarget = {
        ...config.parent,
        async dial(signal) {
          const own = { identity: init.identity(), trust: init.trust, clock };
          const { socket, party } = await dialParent(own, config.parent!, signal);
          signingKey = party.signingKey;
          return createFrameLink(socket);
        },
      };
      parent = keepParent({
        targets: [target],
        subserverId: await ownId(config.state),
        subtreeIds: () => [],
        clock,
        random,
        log,
        serve(peer, name) {
          const [inner, outer] = duplexPair();
          const { domain } = init.identity().party;
          // With its key: its statements of who asked are verified by it.
          const key = signingKey === undefined ? {} : { signingKey };
          const party: Party = { kind: 'controller', domain, name, ...key };
          server.serveFrames(inner, party);
          passOnTo(peer, createPeer(createFrameLink(outer), clock));
        },
      });
    },
    stop: async () => parent?.stop(),
  };
}

/** The UUID by which aggregators know this node again, also after a restart. */
async function ownId(state: string): Promise<string> {
  const path = join(state, 'subserver-id');
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (known !== '') return known.trim();
  const id = randomUUID();
  await writeFileDurably(path, `${id}\n`);
  return id;
}
