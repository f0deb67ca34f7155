// A server below, of whatever era: it is offered the older revisions first, since a session serves an aggregator best and old servers may end at a
// request that comes before initialize; one that refuses them is asked with `server/discover`, and spoken to in 2026-07-28. One that is configured
// for 2026-07-28 is offered nothing else.
import type { Clock } from '#base/clock.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { memberText } from '#codec/json-members.ts';
import { ERA_CODES, MODERN_REVISION } from '#mcp/modern/era.ts';
import { objectOf } from '../names/capability.ts';
import { type Link, UNSET } from '../wire/link.ts';
import { answerOf, type Incoming, requestText, responseText, resultAnswer } from '../wire/message.ts';
import { ENVELOPE, withEnvelope } from './envelope.ts';
import { createLeafSession, type LeafSession, type LeafTransport } from './leaf-session.ts';

export type LeafLink = Link & {
  /** The older revision that was agreed, for a transport that names it in later messages. */
  agreed(version: string): void;
};

export type LeafLinkInit = {
  readonly clock: Clock;
  readonly below: LeafTransport & { readonly agreed?: (version: string) => void };
  /** The only revision that the server is offered; absent: what it speaks. */
  readonly revision?: typeof MODERN_REVISION | undefined;
  /** Hears of tools that are left out. */
  readonly onOdd?: (tool: string, reason: string) => void;
};

/** As initialize is answered for the peer above; the newest that it knows. */
const SPOKEN_ABOVE = '2025-11-25';
const PROBE_ID = -1;

type Opening = {
  /** Of the initialize that is open. */
  id: number | undefined;
  capabilities: JsonObject;
  /** Why the older revisions were refused. */
  refused: ((toPeer: Link) => void) | undefined;
  /** Whether `server/discover` was sent again to a server that had refused it and then named the revision. */
  isAskedAgain: boolean;
};

export function createLeafLink({ clock, below, revision, onOdd }: LeafLinkInit): LeafLink {
  const opening: Opening = { id: undefined, capabilities: {}, refused: undefined, isAskedAgain: false };
  let session: LeafSession | undefined;
  let isOlder = false;
  const probe = (refused: (toPeer: Link) => void) => {
    opening.refused = refused;
    const headers = { 'mcp-protocol-version': MODERN_REVISION, 'mcp-method': 'server/discover' };
    const text = requestText(PROBE_ID, 'server/discover', withEnvelope('{}', opening.capabilities, undefined));
    below.send(text, { kind: 'request', id: PROBE_ID, headers });
  };
  const receive = (message: Incoming, related?: Parameters<Link['receive']>[1]) => {
    if (session !== undefined) return session.receive(message, related);
    if (isOlder || message.kind !== 'response') return link.receive(message, related);
    const id = message.raw['id'];
    if (id === opening.id && isNoOlder(message)) return probe((to) => to.receive(message));
    if (id === opening.id) isOlder = true;
    if (id !== PROBE_ID) return link.receive(message, related);
    const greeting = greetingIn(message);
    if (greeting === undefined) {
      if (opening.isAskedAgain || !namesRevision(message)) return opening.refused?.(link);
      opening.isAskedAgain = true;
      return probe(opening.refused!);
    }
    session = createLeafSession({ clock, below, above: link, capabilities: opening.capabilities, onOdd });
    link.receive({
      kind: 'response',
      raw: { id: opening.id! },
      text: responseText(opening.id!, resultAnswer(greeting)),
    });
  };
  below.failed = (id, reason) => {
    if (session !== undefined) return session.failed(id, reason);
    if (id === PROBE_ID) return opening.refused?.(link);
    if (!isOlder && id === opening.id && !below.closed) return probe((to) => to.failed(id, reason));
    link.failed(id, reason);
  };
  below.doubted = () => link.doubted();
  below.ended = (reason) => {
    session?.stop();
    link.ended(reason);
  };
  const link: LeafLink = {
    ...UNSET,
    send(text, about) {
      if (session !== undefined) return session.send(text, about);
      if (!isOlder && about.kind === 'request' && opening.id === undefined) {
        const { id } = about;
        opening.id = id;
        opening.capabilities = capabilitiesIn(text);
        if (revision !== undefined)
          return probe((to) => to.failed(id, `expected a server of MCP ${revision}, got one that refuses it`));
      }
      below.send(text, about);
    },
    start() {
      below.receive = receive;
      below.start();
    },
    agreed(version) {
      if (session === undefined) below.agreed?.(version);
    },
    close: (reason) => below.close(reason),
    get closed() {
      return below.closed;
    },
  };
  return link;
}

function capabilitiesIn(text: string): JsonObject {
  const { params } = JSON.parse(text) as { params?: JsonObject };
  const { roots: _, ...rest } = objectOf(params?.['capabilities']);
  return { ...rest, roots: {} };
}

/** `initialize` was refused, or answered with a revision that has none. */
function isNoOlder(message: Incoming): boolean {
  if ('error' in message.raw) return true;
  const answer = answerOf(message.text);
  return answer.ok && memberText(answer.value.text, 'protocolVersion') === JSON.stringify(MODERN_REVISION);
}

/** True for the refusal of one revision that names this one among those that are spoken. */
function namesRevision(message: Incoming): boolean {
  const error = objectOf(message.raw['error']);
  const supported = objectOf(error['data'])['supported'];
  return (
    error['code'] === ERA_CODES.unsupportedVersion && Array.isArray(supported) && supported.includes(MODERN_REVISION)
  );
}

/** The result of `server/discover` as that of initialize; undefined where the server does not speak the revision. */
function greetingIn(message: Incoming): JsonObject | undefined {
  const answer = answerOf(message.text);
  if (!answer.ok || answer.value.kind === 'error') return undefined;
  const result = objectOf(JSON.parse(answer.value.text) as JsonValue);
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(MODERN_REVISION)) return undefined;
  const { capabilities = {}, instructions } = result;
  return {
    protocolVersion: SPOKEN_ABOVE,
    capabilities,
    serverInfo: objectOf(objectOf(result['_meta'])[ENVELOPE.serverInfo] ?? result['serverInfo']),
    ...(instructions === undefined ? {} : { instructions }),
  };
}
