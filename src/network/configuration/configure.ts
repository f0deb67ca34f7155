// The tools that write: `network.cli.configure`, `network.yang.edit`, `network.commit`, `network.rollback` (MCP-NET, [NET-2,
// NET-15]). They edit the one candidate and commit it; none sends a command to the router.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Touch } from '#model/access.ts';
import { type CallContext, type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import type { CandidateChanges, ConfigurationPort } from '#model/router/configuration.ts';
import { LIVE_SETTING_SCHEMA, type LiveSetting } from '#model/router/live-setting.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { holderOf } from './candidate-text.ts';
import { type Changes, type Committed, incompatible } from './change.ts';
import { touchesOfLines, touchesOfLive } from './config-paths.ts';
import { linesOfEdits } from './yang-edit.ts';

const CAPABILITY = 'network-configure';
const SECONDS: JsonObject = {
  type: 'integer',
  minimum: LIMITS.confirmLeastMs / 1_000,
  maximum: LIMITS.confirmMostMs / 1_000,
  description: 'Seconds until the commit undoes itself, unless it is confirmed',
};
const TOKEN: JsonObject = { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' };
const PERSIST: JsonObject = { ...TOKEN, description: 'A word of your own, by which another session may confirm' };
const PERSIST_ID: JsonObject = { ...TOKEN, description: 'The persist of the commit' };
export const CANDIDATE: JsonObject = {
  status: { enum: ['candidate', 'invalid'] },
  changes: {
    type: 'array',
    items: { type: 'object', properties: { context: { type: 'string' }, line: { type: 'string' } } },
  },
  wrong: {},
};
const COMMITTED: JsonObject = {
  status: { enum: ['committed', 'confirmed', 'rolled-back', 'discarded'] },
  'commit-id': { type: 'string' },
  rollbackTimeout: { type: 'number', description: 'Seconds' },
  warning: { type: 'string' },
};

export function configureTools(configuration: ConfigurationPort, changes: Changes): readonly ToolDefinition[] {
  const rollback = rollbackTool(configuration, changes);
  return [
    cliConfigure(configuration),
    yangEdit(configuration),
    commitTool(changes),
    rollback,
    // TS-3 calls it so; what is consented to, and what rules say, is about network.rollback.
    { ...rollback, name: 'rollback-config', aliasOf: rollback.name, listing: 'extended' },
  ];
}

function cliConfigure(configuration: ConfigurationPort): ToolDefinition {
  return describedTool({
    name: 'network.cli.configure',
    title: "Edit the candidate in the command line's words",
    description:
      'Applies configuration lines to the candidate and checks them; network.commit makes them run. live: settings that no configuration holds.',
    properties: {
      commands: {
        type: 'array',
        items: { type: 'string', maxLength: LIMITS.configLineChars },
        minItems: 1,
        maxItems: LIMITS.configEditLines,
        description: 'Lines as in configuration mode, without configure and end',
      },
      live: {
        type: 'array',
        items: LIVE_SETTING_SCHEMA,
        maxItems: LIMITS.liveSettings,
        description: 'Changes to the running kernel',
      },
    },
    required: [],
    results: CANDIDATE,
    touches: (args) => [...touchesOfLines(commandsOf(args)), ...touchesOfLive(liveOf(args) ?? [])],
    available: () => configuration.edit !== undefined,
    call: (args, context) =>
      edit(configuration, context, (holder) =>
        configuration.edit!(holder, commandsOf(args), liveOf(args, configuration)),
      ),
  });
}

function commandsOf(args: JsonObject): readonly string[] {
  return (args['commands'] ?? []) as readonly string[];
}

/** By the schema they are settings; the program that changes the device checks again. */
function liveOf(
  args: JsonObject,
  { live }: Pick<ConfigurationPort, 'live'> = { live: true },
): readonly LiveSetting[] | undefined {
  if (args['live'] !== undefined && live !== true)
    throw incompatible("expected a device whose live settings can be changed and undone, this one's cannot");
  return args['live'] as unknown as readonly LiveSetting[] | undefined;
}

function yangEdit(configuration: ConfigurationPort): ToolDefinition {
  return describedTool({
    name: 'network.yang.edit',
    title: 'Edit the candidate by YANG paths',
    description:
      'Interface description and enabled, addresses, static routes, IS-IS metric and password, as a list of path and value.',
    properties: {
      target: { enum: ['candidate'], default: 'candidate', description: 'The datastore' },
      edit: {
        type: 'array',
        minItems: 1,
        maxItems: LIMITS.configEditLines,
        description: 'Applied in order',
        items: {
          type: 'object',
          properties: {
            path: { type: 'string', maxLength: 1_024, description: 'As network.yang.get takes it' },
            value: { description: 'RFC 7951; none with delete' },
            operation: { enum: ['merge', 'delete'], default: 'merge', description: 'What happens at the path' },
          },
          required: ['path'],
        },
      },
    },
    required: ['edit'],
    results: { ...CANDIDATE, 'commit-id': { type: 'string' } },
    touches: (args) => (args['edit'] as readonly JsonValue[]).flatMap(touchesOfEdit),
    call: async (args, context) => {
      const edited = await edit(
        configuration,
        context,
        yangEditor(configuration, args['edit'] as readonly JsonValue[]),
        WIRE_CODES.yangSyntaxError,
      );
      return { 'commit-id': `candidate-${context.caller.name}`, ...edited };
    },
  });
}

/** What an edit would change: by the lines that it stands for, which have all their names, else by its own path. */
function touchesOfEdit(element: JsonValue): readonly Touch[] {
  const { path: given, operation } = isJsonObject(element) ? element : {};
  const path = String(given ?? '');
  const lines = linesOfEdits([element]);
  if (lines.ok) return touchesOfLines(lines.value).map((touch) => ({ ...touch, path }));
  const steps = parsePath(path);
  const operations = operation === 'delete' ? (['delete'] as const) : (['create', 'update'] as const);
  return [{ operations, names: steps.ok ? [steps.value] : [], path }];
}

async function edit(
  configuration: ConfigurationPort,
  context: CallContext,
  apply: (holder: string) => Promise<CandidateChanges>,
  /** Of what the device refuses, where it says no other. */
  wireCode: number = WIRE_CODES.configIncompatible,
): Promise<JsonObject> {
  const holder = holderOf(context.caller);
  try {
    const edited = await apply(holder);
    return shown({ ...edited, ...(await configuration.validate(holder)) });
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'caller/bad-config')
      throw incompatible(error.message, undefined, { wireCode, ...(error.data as JsonObject) });
    throw error;
  }
}

/** By the device itself where it has YANG of its own, else as lines of its command line. */
function yangEditor(
  configuration: ConfigurationPort,
  edits: readonly JsonValue[],
): (holder: string) => Promise<CandidateChanges> {
  const { editData } = configuration;
  if (editData !== undefined) {
    const typed = (edits as readonly JsonObject[]).map(({ path, operation, value }) => ({
      path: String(path),
      operation: operation === 'delete' ? ('delete' as const) : ('merge' as const),
      ...(value === undefined ? {} : { value }),
    }));
    return (holder) => editData(holder, typed);
  }
  const lines = linesOfEdits(edits);
  if (!lines.ok)
    throw incompatible(
      lines.reason,
      lines.path,
      lines.kind === 'payload' ? { wireCode: WIRE_CODES.yangSyntaxError } : {},
    );
  return (holder) => configuration.edit!(holder, lines.value);
}

function commitTool(changes: Changes): ToolDefinition {
  return describedTool({
    name: 'network.commit',
    title: 'Commit the candidate, or confirm a commit',
    description:
      '{confirmed: seconds} applies and undoes itself unless {confirm: true} follows; without either, applies and confirms if the network is as before.',
    properties: {
      confirmed: SECONDS,
      confirm: { const: true, description: 'Keeps the commit that waits' },
      persist: PERSIST,
      'persist-id': PERSIST_ID,
    },
    required: [],
    results: COMMITTED,
    settles: (args) => args['confirm'] === true,
    call: async (args, context) => {
      const persistId = textOf(args['persist-id']);
      if (args['confirm'] === true) {
        const confirmed = await changes.confirm(context, persistId);
        return { status: 'confirmed', 'commit-id': confirmed.id, ...warningOf(confirmed) };
      }
      const confirmed = args['confirmed'];
      const persist = textOf(args['persist']);
      const timeoutMs = typeof confirmed === 'number' ? confirmed * 1_000 : LIMITS.confirmMs;
      const atOnce = confirmed === undefined;
      const options = { timeoutMs, atOnce, ...(persist === undefined ? {} : { persist }) };
      const commit = await changes.commit(context, 'network.commit', args, options);
      if (atOnce) return { status: 'confirmed', 'commit-id': commit.id };
      return { status: 'committed', rollbackTimeout: timeoutMs / 1_000, 'commit-id': commit.id, ...warningOf(commit) };
    },
  });
}

function rollbackTool(configuration: ConfigurationPort, changes: Changes): ToolDefinition {
  return describedTool({
    unavailableCode: WIRE_CODES.rollbackNotSupported,
    name: 'network.rollback',
    title: 'Undo a commit',
    description:
      'Without arguments undoes the unconfirmed commit; with commit-id brings back, as a commit, what ran before it; discard drops the candidate.',
    properties: {
      'commit-id': { type: 'string', pattern: '^[0-9]{8}-[0-9a-f]{8}$', description: 'The commit to undo' },
      confirmed: SECONDS,
      'persist-id': PERSIST_ID,
      discard: { const: true, description: 'Drops the candidate' },
    },
    required: [],
    results: COMMITTED,
    settles: (args) => args['discard'] !== true && args['commit-id'] === undefined,
    call: async (args, context) => {
      const holder = holderOf(context.caller);
      if (args['discard'] === true) {
        await configuration.discard(holder);
        return { status: 'discarded' };
      }
      const target = textOf(args['commit-id']);
      if (target === undefined) {
        const undone = await changes.cancel(context, textOf(args['persist-id']));
        return { status: 'rolled-back', 'commit-id': undone.id };
      }
      await configuration.discard(holder);
      await configuration.restore(holder, target);
      const confirmed = args['confirmed'];
      const timeoutMs = typeof confirmed === 'number' ? confirmed * 1_000 : LIMITS.confirmMs;
      const commit = await changes.commit(context, 'network.rollback', args, {
        timeoutMs,
        atOnce: confirmed === undefined,
      });
      const status = confirmed === undefined ? 'rolled-back' : 'committed';
      return { status, 'commit-id': commit.id, ...warningOf(commit) };
    },
  });
}

function warningOf({ warning }: Committed): JsonObject {
  return warning === undefined ? {} : { warning };
}

type Described = Pick<
  ToolDefinition,
  'name' | 'title' | 'description' | 'call' | 'settles' | 'touches' | 'available' | 'unavailableCode'
> & {
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** Members of the result. */
  readonly results: JsonObject;
};

/** What every tool that writes has in common: operators only, each change by a path that the rules permit. */
export function describedTool({ properties, required, results, ...rest }: Described): ToolDefinition {
  return {
    ...rest,
    capability: CAPABILITY,
    mutability: 'write',
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    outputSchema: { type: 'object', properties: results },
    callers: ['operator'],
    // What is shown is the caller's own change, whose every path was permitted.
    honoursPaths: true,
  };
}

export function shown({ changes, wrong }: CandidateChanges): JsonObject {
  return {
    status: wrong === undefined ? 'candidate' : 'invalid',
    changes: changes.map((change) => ({ ...change })),
    ...(wrong === undefined ? {} : { wrong }),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
