// `network.file.pull` and `network.file.push` (MCP-NET, [NET-2, NET-18]): configuration texts, pulled without their secrets and marked so
// that they cannot be pushed back; a pushed text replaces the candidate and is validated, and runs only by network.commit.

import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ConfigurationPort, ConfigurationSource } from '#model/configuration.ts';
import type { ToolOffer } from '#model/offer.ts';
import { REDACTED } from '#model/redaction.ts';
import { holderOf } from './candidate-text.ts';
import type { Changes } from './change.ts';
import { pushText } from './config-resources.ts';
import { offer, shown } from './configure.ts';

const FILES: Readonly<Record<string, ConfigurationSource>> = {
  'running-config': 'running',
  'startup-config': 'startup',
  'candidate-config': 'candidate',
};

export function fileOffers(configuration: ConfigurationPort, changes: Changes): readonly ToolOffer[] {
  return [pull(configuration), push(configuration, changes)];
}

function pull(configuration: ConfigurationPort): ToolOffer {
  return {
    ...offer({
      name: 'network.file.pull',
      title: 'Read a configuration file',
      description: 'The running, start-up or candidate configuration, its secrets taken out.',
      properties: { file: { enum: Object.keys(FILES) } },
      required: ['file'],
      call: async (args, context): Promise<JsonObject> => {
        const holder = holderOf(context.caller);
        const content = await configuration.read(FILES[String(args['file'])]!, holder);
        return { file: String(args['file']), content, redacted: content.includes(REDACTED) };
      },
    }),
    mutability: 'read',
    honoursPaths: false,
  };
}

function push(configuration: ConfigurationPort, changes: Changes): ToolOffer {
  return offer({
    name: 'network.file.push',
    title: 'Put a configuration file into the candidate',
    description: 'Replaces the candidate by a whole configuration text and validates it; redacted text is refused.',
    properties: {
      file: { enum: ['candidate-config'], default: 'candidate-config' },
      content: { type: 'string', minLength: 1, maxLength: LIMITS.configBytes },
    },
    required: ['content'],
    available: () => configuration.push !== undefined,
    call: async (args, context): Promise<JsonObject> =>
      shown(await pushText(configuration, changes, context, String(args['content']))),
  });
}
