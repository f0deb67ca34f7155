// `network.file.pull` and `network.file.push` (MCP-NET, [NET-2, NET-18]): configuration texts, pulled without their secrets and marked so
// that they cannot be pushed back; a pushed text replaces the candidate and is validated, and runs only by network.commit.

import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ConfigurationPort, ConfigurationSource } from '#model/configuration.ts';
import type { ToolOffer } from '#model/offer.ts';
import { type Changes, incompatible } from './change.ts';
import { offer, shown } from './configure.ts';

const FILES: Readonly<Record<string, ConfigurationSource>> = {
  'running-config': 'running',
  'startup-config': 'startup',
  'candidate-config': 'candidate',
};

export function fileOffers(configuration: ConfigurationPort, changes: Changes): readonly ToolOffer[] {
  return [pull(configuration, changes), push(configuration, changes)];
}

function pull(configuration: ConfigurationPort, changes: Changes): ToolOffer {
  return {
    ...offer({
      name: 'network.file.pull',
      title: 'Read a configuration file',
      description: 'The running, start-up or candidate configuration, its secrets taken out.',
      properties: { file: { enum: Object.keys(FILES) } },
      required: ['file'],
      call: async (args, context): Promise<JsonObject> => {
        const holder = changes.holderOf(context);
        const content = await configuration.read(FILES[String(args['file'])]!, holder);
        return { file: String(args['file']), content, redacted: content.includes('redacted-by-parley') };
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
    call: async (args, context): Promise<JsonObject> => {
      const holder = changes.holderOf(context);
      try {
        await configuration.push!(holder, String(args['content']));
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
      return shown(pushed);
    },
  });
}
