// The clients of one aggregator, of all revisions: sessions on whatever link comes, and requests of MCP 2026-07-28 that each stand for themselves.
import type { Clock } from '#base/clock.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { answerBothEras } from '../modern/both-eras.ts';
import { createModernFront, type ModernClient, type ModernFront } from '../modern/front.ts';
import type { Core } from '../tree/core.ts';
import type { ViewInit } from '../tree/view.ts';
import type { Link } from '../wire/link.ts';
import { createPeer, type Peer } from '../wire/peer.ts';
import { type MoreMethods, type Prover, serveSession } from './session.ts';

export type ClientsParts = {
  readonly core: Core;
  readonly clock: Clock;
  readonly random: Random;
  readonly view: ViewInit;
  /** The certificates that a party's session was opened with; undefined for users without one. */
  readonly chainOf: ((party: Party) => CertificateChain | undefined) | undefined;
  /** What a session with these proven names may say beside MCP. */
  readonly methods: ((prover: Prover) => MoreMethods) | undefined;
};

export type Clients = {
  /** `names`: what the certificate of the session proves, for authority claims. */
  serve(link: Link, party: Party, names?: readonly string[], view?: Partial<ViewInit>): void;
  /** Requests over HTTP. */
  readonly modern: ModernFront;
  /** Who sends them, as `modern` takes it. */
  modernClient(party: Party, view: Partial<ViewInit>): ModernClient;
  /** What a tool takes, in that view. */
  schemaOf(tool: string, view: Partial<ViewInit>): JsonObject | undefined;
  stop(): void;
};

export function createClients({ core, clock, random, view: given, chainOf, methods }: ClientsParts): Clients {
  const peers = new Set<Peer>();
  const modern = createModernFront({ clock, random });
  const begin = (link: Link, party: Party, names: readonly string[], view: Partial<ViewInit>) => {
    const peer = createPeer(link, clock);
    const init = { party, view: { ...given, ...view }, isParent: false, chain: chainOf?.(party) };
    const session = serveSession(core, peer, init, methods?.({ names, thumbprint: party.thumbprint }));
    peers.add(peer);
    const onEnd = peer.onEnd;
    peer.onEnd = (reason) => {
      peers.delete(peer);
      onEnd(reason);
    };
    return { peer, session };
  };
  const clientOf = (party: Party, view: Partial<ViewInit>, key: string): ModernClient => ({
    party,
    key,
    serve: (link) => void begin(link, party, [], view),
  });
  return {
    serve(link, party, names = [], view = {}) {
      const { peer, session } = begin(link, party, names, view);
      // A node comes to register, over frames, and speaks the older revisions.
      if (party.kind === 'node') return;
      const key = randomHex(random, 16);
      const client = clientOf(party, view, key);
      const onEnd = peer.onEnd;
      peer.onEnd = (reason) => {
        modern.forget(key);
        onEnd(reason);
      };
      answerBothEras(link, {
        request: (message, out) => modern.request(client, message, out),
        abandon: modern.abandon,
        decided: session.end,
      });
    },
    modern,
    modernClient: (party, view) => clientOf(party, view, JSON.stringify(view)),
    schemaOf(tool, view) {
      const schema = core.view({ ...given, ...view }).tool(tool)?.definition['inputSchema'];
      return schema !== undefined && isJsonObject(schema) ? schema : undefined;
    },
    stop() {
      modern.close();
      for (const peer of [...peers]) peer.close('stopped');
    },
  };
}
