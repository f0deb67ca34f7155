// The tools behind `parley allow` and `parley expectations`: what operators say of the network is read, checked as a whole, signed by this
// node and kept. An admin changes it: it silences accusations. Every change is in the audit trail with its content.
import { join } from 'node:path';
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { readExpectations } from '#config/expectations.ts';
import { endText, withAllow, withoutAllow } from '#config/expectations-edit.ts';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import { EXPECTATIONS_SCHEMA_VERSION, type ExpectationsStore, type ToldExpectations } from '#model/expectations.ts';
import type { AuditRecord, Signer } from '#model/ports.ts';
import type { Identity } from '#mtls/identity.ts';
import { boundKeyOf } from '#report/countersign.ts';
import { createExpectationsStore } from '#report/expectations-store.ts';

const TOOL = 'parley-expectations';
const CHANGE_TOOL = 'parley-expectations-change';
const FILE = 'expectations.yaml';

export type ExpectationsInit = {
  /** Folder of the file: the baseline's. */
  readonly dir: string;
  readonly identity: Pick<Identity, 'party'>;
  readonly signer: Signer;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly record: (record: AuditRecord) => void;
};

type Parts = Pick<ExpectationsInit, 'clock' | 'record'> & { readonly node: string; readonly store: ExpectationsStore };

/** The file, the tools that show and change it, and what it says now. */
export function createExpectationsPart({ dir, identity, signer, clock, record }: ExpectationsInit) {
  const key = boundKeyOf(identity.party);
  if (!key.ok) throw new ParleyError('caller/wrong-identity', `expected an identity that binds a key: ${key.reason}`);
  const { node } = signer;
  const store = createExpectationsStore({ path: join(dir, FILE), node, signer, publicKey: key.value });
  const parts = { node, store, clock, record };
  return { own: ownOf(parts), tools: [showTool(parts), changeTool(parts)], resources: [] };
}

function ownOf({ store, node }: Parts): () => Promise<ToldExpectations> {
  let known: { readonly text: string; readonly said: ToldExpectations } | undefined;
  return async () => {
    const { file, refused } = await store.load();
    if (file === undefined) return { lines: [], ...(refused === undefined ? {} : { refused }) };
    if (known?.text === file.text) return known.said;
    const read = readExpectations(file.text, { faults: await faultIds() });
    const said =
      'lines' in read
        ? { lines: read.lines }
        : { lines: [], refused: `the expectations of ${node} are not used: ${read.problems[0]}` };
    known = { text: file.text, said };
    return said;
  };
}

const COMMON = {
  capability: TOOL,
  outputSchema: {
    type: 'object',
    properties: {
      node: { type: 'string' },
      lines: { type: 'array', items: { type: 'object' } },
      text: { type: 'string', description: 'expectations.yaml' },
    },
    required: ['node', 'lines'],
  },
  callers: ['operator'],
  listing: 'extended',
} as const;

function showTool(parts: Parts): ToolDefinition {
  return {
    ...COMMON,
    name: TOOL,
    title: 'Show the expectations',
    description:
      'What operators said of the network on this node: what must hold, what is allowed, what is under maintenance.',
    mutability: 'read',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    call: () => shown(parts),
  };
}

function changeTool(parts: Parts): ToolDefinition {
  const word = { type: 'string', minLength: 1, maxLength: LIMITS.expectationChars };
  return {
    ...COMMON,
    name: CHANGE_TOOL,
    title: 'Change the expectations',
    description: 'Saves or clears expectations.yaml, or adds or removes one line that allows a finding.',
    // Leaves the device alone, but decides what this node accuses: an admin's.
    mutability: 'write',
    honoursPaths: true,
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        action: { enum: ['save', 'clear', 'allow', 'remove'], description: 'What is to be done' },
        text: { type: 'string', maxLength: LIMITS.expectationsChars * 2, description: 'YAML, with action save.' },
        fault: { ...word, description: 'Id of the fault that is allowed.' },
        resource: { ...word, description: 'Where it is allowed, such as link/a:e1--b:e2.' },
        reason: { ...word, description: 'Why it is allowed.' },
        owner: { ...word, description: 'The caller without it.' },
        until: { ...word, description: 'A date, an RFC 3339 time, or a span from now such as 14d.' },
      },
      required: ['action'],
      additionalProperties: false,
    },
    call: async (args, { caller }) => {
      const { file, refused } = await parts.store.load();
      const { action } = args;
      // What has no valid signature is neither changed nor taken over: only a whole new file or none replaces it.
      if (refused !== undefined && (action === 'allow' || action === 'remove')) throw badFile([refused]);
      const given = {
        text: file?.text ?? '',
        caller: caller.name,
        nowMs: parts.clock.nowMs(),
        faults: await faultIds(),
      };
      const change = changeOf(args, given);
      if (change.text === undefined) await parts.store.clear();
      else if (change.text !== file?.text || refused !== undefined)
        await parts.store.save({
          schemaVersion: EXPECTATIONS_SCHEMA_VERSION,
          ...{ node: parts.node, saved: isoTime(parts.clock.nowMs()), by: caller.name, text: change.text },
        });
      parts.record({ event: 'expectations-changed', party: partyOf(caller), detail: change.detail });
      return shown(parts);
    },
  };
}

/** All fault definitions stand behind them: loaded where there is something to check. */
async function faultIds(): Promise<readonly string[]> {
  const { FAULT_FORMS } = await import('#correlate/text/clues.ts');
  return FAULT_FORMS.map(({ fault }) => fault);
}

function partyOf({ kind, name }: CallContext['caller']): string {
  return `${kind}/${name}`;
}

type Change = { readonly text: string | undefined; readonly detail: JsonObject };

type Given = {
  readonly text: string;
  readonly caller: string;
  readonly nowMs: number;
  readonly faults: readonly string[];
};

/** The text as it is to be, and what the audit trail keeps of the change. */
function changeOf(args: JsonObject, { text, caller, nowMs, faults }: Given): Change {
  const { action, fault, resource } = args;
  switch (action) {
    case 'save': {
      const given = args['text'];
      if (typeof given !== 'string') throw badFile(['expected the text of the file, got none']);
      return { text: checked(given, faults, nowMs), detail: { action, chars: given.length } };
    }
    case 'allow': {
      const form = allowForm(args, caller, nowMs);
      // The rest of the file was checked when it was written: lines that ended since may stay.
      checked(withAllow('', form), faults, nowMs, 1);
      return { text: checked(withAllow(text, form), faults), detail: { action, ...form } };
    }
    case 'remove': {
      const rest = withoutAllow(text, String(fault), String(resource));
      if (rest === undefined)
        throw new ParleyError(
          'caller/no-such-expectation',
          `expected a line that allows ${String(fault)} at ${String(resource)}, got none: "parley allow --list" shows all`,
        );
      return {
        text: rest === '' ? undefined : rest,
        detail: { action, fault: String(fault), resource: String(resource) },
      };
    }
    default:
      return { text: undefined, detail: { action: 'clear' } };
  }
}

function allowForm(args: JsonObject, caller: string, nowMs: number) {
  const { fault, resource, reason, owner = caller, until } = args;
  for (const [name, value] of Object.entries({ fault, resource, reason, until }))
    if (typeof value !== 'string') throw badFile([`expected --${name}, got none`]);
  const end = endText(String(until), nowMs);
  if (!end.ok) throw badFile([end.reason]);
  const [first, second, third] = [fault, resource, reason].map(String) as [string, string, string];
  return { fault: first, resource: second, reason: third, owner: String(owner), until: end.value };
}

/** The text, when all of it is right. `nowMs` refuses what has ended by then; one entry alone needs no line numbers. */
function checked(text: string, faults: readonly string[], nowMs?: number, only?: 1): string {
  const read = readExpectations(text, { faults, ...(nowMs === undefined ? {} : { nowMs }) });
  if ('lines' in read) return text;
  throw badFile(
    only === undefined ? read.problems : read.problems.map((line) => line.replace(/^line \d+: allow, entry 1,? ?/, '')),
  );
}

function badFile(problems: readonly string[]): ParleyError {
  const [first = ''] = problems;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  return new ParleyError('caller/bad-expectations', `${first}${more}`, { data: { problems } });
}

async function shown({ store, node, clock }: Parts): Promise<JsonObject> {
  const { file, refused } = await store.load();
  if (file === undefined) return { node, lines: [], ...(refused === undefined ? {} : { refused }) };
  const read = readExpectations(file.text, { faults: await faultIds() });
  const { text, saved, by } = file;
  const at = isoTime(clock.nowMs());
  if (!('lines' in read)) return { node, lines: [], refused: read.problems[0] ?? '', text, saved, by, at };
  return { node, lines: read.lines as unknown as JsonObject[], text, saved, by, at };
}
