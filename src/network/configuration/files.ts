// `network.file.pull` and `network.file.push` (MCP-NET, [NET-2, NET-18]): configuration texts, pulled without their secrets and marked so
// that they cannot be pushed back, or sealed as a backup that an admin has agreed to (TS-32); a pushed text replaces the candidate and is
// validated, and runs only by network.commit.

import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Access } from '#model/access.ts';
import { type ConsentGate, REFUSED_FOR_GOOD } from '#model/consent.ts';
import { type CallContext, type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import { BACKUP_FILE, BACKUP_TOOL, RECIPIENT } from '#model/router/backup.ts';
import type { ConfigurationPort, ConfigurationSource } from '#model/router/configuration.ts';
import { REDACTED } from '#model/secrets/secret-forms.ts';
import { askAdmin } from './ask-admin.ts';
import { holderOf } from './candidate-text.ts';
import { type Changes, noConsent } from './change.ts';
import { pushText } from './config-resources.ts';
import { CANDIDATE, describedTool, shown } from './configure.ts';

const FILES: Readonly<Record<string, ConfigurationSource>> = {
  'running-config': 'running',
  'startup-config': 'startup',
  'candidate-config': 'candidate',
};

export type BackupAuthorities = { readonly access: Access; readonly consent: ConsentGate };

export function fileTools(
  configuration: ConfigurationPort,
  changes: Changes,
  authorities: BackupAuthorities,
): readonly ToolDefinition[] {
  return [pull(configuration, authorities), push(configuration, changes)];
}

function pull(configuration: ConfigurationPort, authorities: BackupAuthorities): ToolDefinition {
  const sources = Object.keys(FILES);
  const backups = configuration.backup === undefined ? [] : [BACKUP_FILE];
  return {
    ...describedTool({
      name: BACKUP_TOOL,
      title: 'Read a configuration file',
      description:
        'The running, start-up or candidate configuration, its secrets taken out; backup: with them, sealed to a P-256 key (parley backup).',
      properties: {
        file: { enum: [...sources, ...backups], description: 'Which of them' },
        recipient: { type: 'string', pattern: RECIPIENT, description: 'With backup: the public key it is sealed to' },
      },
      required: ['file'],
      results: {
        file: { type: 'string' },
        content: { type: 'string' },
        sealed: { type: 'string', description: 'The backup' },
        redacted: { type: 'boolean', description: 'Secrets were taken out' },
      },
      call: async (args, context): Promise<JsonObject> => {
        if (args['file'] === BACKUP_FILE) return backup(configuration, authorities, args, context);
        const holder = holderOf(context.caller);
        const content = await configuration.read(FILES[String(args['file'])]!, holder);
        return { file: String(args['file']), content, redacted: content.includes(REDACTED) };
      },
    }),
    mutability: 'read',
    honoursPaths: false,
  };
}

/** The sealed text is for whom the admin signed; neither this process nor its trail ever has it open. */
async function backup(
  configuration: ConfigurationPort,
  { access, consent }: BackupAuthorities,
  args: JsonObject,
  context: CallContext,
): Promise<JsonObject> {
  const { caller } = context;
  if (access.roleOf(caller) !== 'admin')
    throw denied('caller/not-permitted', 'expected an admin: a backup has the secrets of the configuration');
  if (args['recipient'] === undefined)
    throw denied(
      'caller/bad-argument',
      'expected "recipient", the key that the backup is sealed to: parley backup save',
    );
  const summary = 'the running configuration with its secrets, for the holder of the key in "recipient" only';
  const request = { caller, tool: BACKUP_TOOL, arguments: args, summary, rollbackMs: 0, signed: true } as const;
  const { answer } = await askAdmin(consent, context, request);
  if (!answer.granted) throw noConsent(answer);
  if (answer.decision === undefined)
    throw denied('caller/bad-consent', 'expected a signed decision, got an agreement without one');
  try {
    return { file: BACKUP_FILE, sealed: await configuration.backup!(answer.decision), redacted: false };
  } catch (error) {
    // The helper takes each signature once, whatever is asked of it again: nothing leaves twice. One that it has used is of no more use here.
    if (!(error instanceof ParleyError && REFUSED_FOR_GOOD.includes(error.code))) await answer.giveBack?.();
    throw error;
  }
}

function denied(code: `caller/${string}`, message: string): ParleyError {
  const data = { wireCode: WIRE_CODES.accessDenied, wireMessage: 'Network.AccessDenied', retryPossible: false };
  return new ParleyError(code, message, { data });
}

function push(configuration: ConfigurationPort, changes: Changes): ToolDefinition {
  return describedTool({
    name: 'network.file.push',
    title: 'Put a configuration file into the candidate',
    description: 'Replaces the candidate by a whole configuration text and validates it; redacted text is refused.',
    properties: {
      file: { enum: ['candidate-config'], default: 'candidate-config', description: 'Where it goes' },
      content: { type: 'string', minLength: 1, maxLength: LIMITS.configBytes, description: 'The whole text' },
    },
    required: ['content'],
    results: CANDIDATE,
    available: () => configuration.push !== undefined,
    call: async (args, context): Promise<JsonObject> =>
      shown(await pushText(configuration, changes, context, String(args['content']))),
  });
}
