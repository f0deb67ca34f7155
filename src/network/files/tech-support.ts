// Tech-support (TS-6, TS-26): one text of everything that a remote support engineer asks for first, as tool and as resource. The answer
// names a file with its size and SHA-256; the file itself is fetched over HTTP/2. Secrets are redacted; what a device does not
// have is said in its place. No command that shows a whole table is part of it.
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Spool, SpooledFile } from '#base/spool.ts';
import type { CallContext, ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { redactConfiguration, redactData, redactText } from '#model/redaction.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { NETWORK_LIMITS } from '../limits.ts';
import { FILES } from './file-pages.ts';

export const TECH_SUPPORT = 'network.tech-support';

export type TechSupportParts = {
  readonly node: string;
  readonly router: RouterPort;
  readonly device: DevicePort;
  readonly spool: Spool;
  readonly clock: Clock;
  /** What the agent says of itself: version, sessions, peers. */
  readonly agentState: () => Promise<JsonObject>;
};

type Section = { readonly title: string; read(signal: AbortSignal): Promise<string> };

/** Commands without places that the device may have; `show running-config` has a section of its own. */
const LEFT_OUT = /\b(?:running-config|startup-config|json)\b|\b[A-Z]{3,}\b/;

export function techSupportTool(parts: TechSupportParts): ToolDefinition {
  return {
    name: TECH_SUPPORT,
    title: 'Tech-support',
    description:
      'Collects show outputs, state, counters and log into one file; says where to fetch it, its size and SHA-256.',
    capability: TECH_SUPPORT,
    mutability: 'read',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        bytes: { type: 'integer' },
        sha256: { type: 'string' },
        mediaType: { type: 'string' },
        expires: { type: 'string' },
      },
      required: ['path', 'bytes', 'sha256', 'mediaType', 'expires'],
    },
    callers: ['operator', 'controller'],
    listing: 'extended',
    call: (_args, context) => make(parts, context),
  };
}

/** Reading it makes a file as well: its content is where the file is. */
export function techSupportResource(parts: TechSupportParts): ResourceDefinition {
  return {
    name: 'tech-support',
    title: 'Tech-support',
    description: 'Where to fetch a tech-support file that is made now, with its size and SHA-256',
    uriTemplate: 'network:///tech-support',
    mimeType: 'application/json',
    capability: TECH_SUPPORT,
    callers: ['operator', 'controller'],
    serves: (uri) => uri === 'network:///tech-support',
    read: (_uri, context) => make(parts, context),
  };
}

async function make(parts: TechSupportParts, context: CallContext): Promise<JsonObject> {
  const file = await parts.spool.put(ownerOf(context.caller), textOf(parts, context));
  return { ...placeOf(file), mediaType: 'text/plain; charset=utf-8', expires: isoTime(file.endsMs) };
}

function placeOf({ id, bytes, sha256 }: SpooledFile): JsonObject {
  return { path: `${FILES}${id}`, bytes, sha256 };
}

export function ownerOf({ kind, domain, name }: Party): string {
  return `${kind}/${name}@${domain}`;
}

async function* textOf(parts: TechSupportParts, { signal, progress }: CallContext): AsyncIterable<string> {
  yield `tech-support of ${parts.node}, ${isoTime(parts.clock.nowMs())}\n`;
  const sections = await sectionsOf(parts, signal);
  for (const [index, section] of sections.entries()) {
    signal.throwIfAborted();
    progress(index, sections.length, section.title);
    let text: string;
    try {
      text = await section.read(signal);
    } catch (error) {
      text = `not available: ${messageOf(error)}`;
    }
    signal.throwIfAborted();
    const cut = text.length > NETWORK_LIMITS.cliTextChars;
    yield `\n===== ${section.title} =====\n`;
    yield cut
      ? `${text.slice(0, NETWORK_LIMITS.cliTextChars)}\n(cut after ${NETWORK_LIMITS.cliTextChars} characters)\n`
      : `${text}\n`;
  }
  yield '\n===== end =====\n';
}

async function sectionsOf(parts: TechSupportParts, signal: AbortSignal): Promise<readonly Section[]> {
  const { router, device } = parts;
  const json = (title: string, read: (signal: AbortSignal) => Promise<unknown>): Section => ({
    title,
    read: async (given) => JSON.stringify(redactData((await read(given)) as JsonValue), undefined, 1),
  });
  const commands = await device.facts(signal).then(
    (facts) => facts.commands.map((form) => form.replace(' [json]', '')).filter((form) => !LEFT_OUT.test(form)),
    () => [],
  );
  const shown = commands
    .filter((form) => form.startsWith('show '))
    .map(
      (command): Section => ({
        title: command,
        read: async (given) => redactText(await device.show!(command, given)),
      }),
    );
  return [
    json('agent', () => parts.agentState()),
    json('device', (given) => device.facts(given)),
    json('state', (given) => router.state(given)),
    json('counters', (given) => router.counters(given)),
    json('load', () => device.load()),
    json('memory', () => device.memory()),
    ...(device.show === undefined ? [] : shown),
    ...(['running', 'startup'] as const).map(
      (which): Section => ({
        title: `${which} configuration`,
        read: async (given) => redactConfiguration(await device.configuration(which, given)),
      }),
    ),
    json('crash files', (given) => device.crashes(given)),
    {
      title: 'log, newest lines',
      read: async (given) =>
        redactText((await device.log(LIMITS.logLines, given)).join('\n')).slice(-NETWORK_LIMITS.cliTextChars),
    },
  ];
}
