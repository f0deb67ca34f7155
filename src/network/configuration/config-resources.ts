// The configuration as writable resources [NET-7]: `network:///file/candidate-config` takes a whole text into the candidate, validated, and
// `network:///file/startup-config` takes one that runs, passes the health gate and is confirmed before the start-up file has it. Redacted
// text is refused, and nothing is written to the start-up configuration beside a commit.
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { CallContext, ResourceDefinition } from '#model/definition.ts';
import type { CandidateChanges, ConfigurationPort } from '#model/router/configuration.ts';
import { holderOf, readCandidate } from './candidate-text.ts';
import { type Changes, incompatible } from './change.ts';
import { shown } from './configure.ts';

const CANDIDATE = 'network:///file/candidate-config';
const STARTUP = 'network:///file/startup-config';

/** The device's resources, with the candidate among them and the start-up configuration writable. */
export function withConfigResources(
  resources: readonly ResourceDefinition[],
  configuration: ConfigurationPort,
  changes: Changes,
): readonly ResourceDefinition[] {
  // A device without a command line takes edits by path, and no text.
  const takesText = configuration.push !== undefined;
  const writable = resources.map((definition) =>
    takesText && definition.uriTemplate === STARTUP
      ? { ...definition, write: startupWriter(configuration, changes) }
      : definition,
  );
  return [...writable, candidateResource(configuration, changes)];
}

/** A whole text in the candidate's place; refused as a whole when one changed line may not be changed. */
export async function pushText(
  configuration: ConfigurationPort,
  changes: Changes,
  context: CallContext,
  text: string,
): Promise<CandidateChanges> {
  const holder = holderOf(context.caller);
  try {
    if (configuration.push === undefined) throw incompatible('this device takes no whole configuration text');
    await configuration.push(holder, text);
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'caller/bad-config') throw incompatible(error.message);
    throw error;
  }
  const pushed = await configuration.validate(holder);
  try {
    changes.checkPaths(context, pushed.changes);
  } catch (error) {
    await configuration.discard(holder);
    throw error;
  }
  return pushed;
}

function candidateResource(configuration: ConfigurationPort, changes: Changes): ResourceDefinition {
  return {
    name: 'candidate-config',
    title: 'Candidate configuration',
    description: 'The candidate of the caller, without its secrets; it begins as the running configuration',
    uriTemplate: CANDIDATE,
    mimeType: 'text/plain',
    capability: 'network.resources',
    callers: ['operator'],
    serves: (uri) => uri === CANDIDATE,
    read: async () => undefined,
    page: async (_uri, _request, context) => ({ data: await readCandidate(configuration, context.caller) }),
    ...(configuration.push === undefined
      ? {}
      : {
          write: async (uri, content, context): Promise<JsonObject> => ({
            uri,
            ...shown(await pushText(configuration, changes, context, textOf(content, uri))),
          }),
        }),
  };
}

function startupWriter(configuration: ConfigurationPort, changes: Changes): NonNullable<ResourceDefinition['write']> {
  return async (uri, content, context) => {
    if ((await configuration.open()) !== undefined)
      throw new ParleyError(
        'caller/commit-open',
        'expected no unconfirmed change, there is one: confirm it or roll it back',
      );
    const pushed = await pushText(configuration, changes, context, textOf(content, uri));
    const options = { timeoutMs: LIMITS.confirmMs, atOnce: true };
    const commit = await changes.commit(context, 'resources/write', { uri, data: content }, options);
    return { uri, ...shown(pushed), status: 'confirmed', 'commit-id': commit.id };
  };
}

function textOf(content: JsonValue, uri: string): string {
  if (typeof content === 'string' && content !== '' && Buffer.byteLength(content) <= LIMITS.configBytes) return content;
  throw incompatible(`expected a text of at most ${LIMITS.configBytes} bytes, got something else`, uri);
}
