// The follow-up flow of a prompt (NET-9): each `prompts/get` gives the next step with its tool call, and a context id; results of the
// step before come back by the client, or are read here when it sends none. Ends with "Diagnosis complete". A call that
// changes something is never made here and always asked for (NET-12).
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type {
  CallContext,
  PromptContext,
  PromptDefinition,
  PromptRequest,
  PromptStep,
  ToolDefinition,
} from '#model/definition.ts';
import { showCommandFor } from '#model/router/downgrade.ts';
import { NETWORK_LIMITS } from '../limits.ts';
import { argumentJson, checkArguments } from './arguments.ts';
import { render, renderArguments, type Template, type TemplateStep, type Values } from './template.ts';

export type FlowParts = {
  readonly clock: Clock;
  /** New random names of contexts. */
  readonly newId: () => string;
  readonly findTool: (name: string) => ToolDefinition | undefined;
  /** The dialect of the device's command line, once it is known. */
  readonly cliDialect: () => string | undefined;
  readonly completeInterface: (value: string, context: CallContext) => Promise<readonly string[]>;
};

/** Where one diagnosis is: `index` is the step whose result is awaited. */
type Progress = {
  readonly values: Values;
  readonly index: number;
  readonly said: readonly string[];
  readonly owner: string;
  readonly atMs: number;
};

const COMPLETE = 'Diagnosis complete';

export function promptDefinition(template: Template, parts: FlowParts): PromptDefinition {
  const contexts = new Map<string, Progress>();
  const keep = (progress: Progress): string => {
    for (const [id, { atMs }] of contexts)
      if (parts.clock.monotonicMs() - atMs > NETWORK_LIMITS.promptContextMs) contexts.delete(id);
    if (contexts.size >= NETWORK_LIMITS.promptContexts) contexts.delete(contexts.keys().next().value!);
    const id = parts.newId();
    contexts.set(id, progress);
    return id;
  };
  const show = (progress: Progress): PromptStep => stepOf(template, progress, parts, () => keep(progress));
  return {
    name: template.name,
    title: template.title,
    description: template.description,
    capability: 'network.prompts',
    callers: ['operator', 'controller'],
    arguments: template.arguments.map(argumentJson),
    stream: template.stream,
    complete: async (name, value, context) => {
      const argument = template.arguments.find((one) => one.name === name);
      if (argument?.format === 'interface') return parts.completeInterface(value, context);
      return (argument?.enum ?? []).filter((one) => one.startsWith(value));
    },
    async get(request, context) {
      const owner = `${context.caller.kind}/${context.caller.name}`;
      const atMs = parts.clock.monotonicMs();
      if (request.previousContextId === undefined) {
        const values = checkArguments(template.arguments, request.arguments);
        return show(skipped(template, { values, index: 0, said: [], owner, atMs }));
      }
      const before = contexts.get(request.previousContextId);
      // A context belongs to the caller that began it; to other callers it does not exist.
      if (before === undefined || before.owner !== owner) {
        throw new ParleyError('caller/unknown-context', 'expected a context of this prompt, got another', {
          data: { path: 'previousContextId' },
        });
      }
      const next = await advance(template, before, request, context, parts);
      return show(skipped(template, { ...next, atMs }));
    },
  };
}

/** Takes in the result of the awaited step. */
async function advance(
  template: Template,
  before: Progress,
  request: PromptRequest,
  context: PromptContext,
  parts: FlowParts,
): Promise<Progress> {
  const step = template.steps[before.index]!;
  const given = request.toolResults?.[0];
  const result = given === undefined ? await runStep(step, before.values, context, parts) : textOf(given);
  const values: Record<string, string> = { ...before.values };
  const failed = FAILED.test(result);
  const outcome = step.outcomes.find(({ match }) => {
    const found = new RegExp(match, 'm').exec(result);
    // The text of a failure says nothing of the device: only an outcome that stands for the failure itself applies.
    if (failed && found?.index !== 0) return false;
    for (const [place, value] of Object.entries(found?.groups ?? {}))
      if (value !== undefined) values[place] = value.slice(0, 256);
    return found !== null;
  });
  const sentence = outcome?.say ?? step.otherwise;
  const nothing = outcome === undefined ? noConclusion(result) : undefined;
  const found = nothing === undefined ? sentence : `${step.title}: ${nothing}`;
  const said = found === undefined ? before.said : [...before.said, render(found, values)];
  const index = outcome?.end ? template.steps.length : before.index + 1;
  return { ...before, values, said, index };
}

const FAILED = /^(?:error|unavailable): /;
const CUT = '\n(cut here)';

/** Why \`otherwise\` may not be said: what could not be read, or not to its end, shows the absence of nothing. */
function noConclusion(result: string): string | undefined {
  if (FAILED.test(result)) return 'there is no result, and nothing is concluded from it.';
  return result.endsWith(CUT) ? 'the result was cut, and nothing is concluded from what it does not show.' : undefined;
}

/** Reads and probes are made here for a client that sent no result, by its own rights; what changes something waits for the user. */
async function runStep(step: TemplateStep, values: Values, context: PromptContext, parts: FlowParts): Promise<string> {
  const made = callOf(step, values, parts);
  const tool = parts.findTool(made.tool);
  if (tool === undefined || tool.available?.() === false) return `unavailable: ${made.tool}`;
  if (tool.mutability === 'write') {
    throw new ParleyError(
      'caller/approval-needed',
      `expected the result of ${step.tool}, which only the user may start, got none`,
      { data: { path: step.tool } },
    );
  }
  try {
    return textOf(await context.callTool(made.tool, made.arguments));
  } catch (error) {
    context.signal.throwIfAborted();
    return `error: ${messageOf(error)}`;
  }
}

/** Passes over steps whose condition renders to nothing. */
function skipped(template: Template, progress: Progress): Progress {
  let { index } = progress;
  while (index < template.steps.length) {
    const { only } = template.steps[index]!;
    if (only === undefined || render(only, progress.values).trim() !== '') break;
    index++;
  }
  return { ...progress, index };
}

type MadeCall = { readonly tool: string; readonly arguments: JsonObject; readonly instead: boolean };

/** The step's call; on a device without YANG the show command that tells of the same thing, where there is one (NET-3). */
function callOf(step: TemplateStep, values: Values, { findTool, cliDialect }: FlowParts): MadeCall {
  const args = renderArguments(step.arguments, values) as JsonObject;
  const made = { tool: step.tool, arguments: args, instead: false };
  if (step.tool !== 'network.yang.get' || findTool(step.tool)?.available?.() !== false) return made;
  if (findTool('network.cli.exec')?.available?.() === false) return made;
  const cmd = showCommandFor(cliDialect(), String(args['path'] ?? ''), String(args['datastore'] ?? 'operational'));
  return cmd === undefined ? made : { tool: 'network.cli.exec', arguments: { cmd }, instead: true };
}

function stepOf(template: Template, progress: Progress, parts: FlowParts, keep: () => string): PromptStep {
  const { values, index, said } = progress;
  const found = said.length === 0 ? '' : `\n\n${said.map((sentence) => `- ${sentence}`).join('\n')}`;
  const heading = `## ${render(template.heading, values)}`;
  const step = template.steps[index];
  if (step === undefined) {
    const markdown = `${heading}${found}\n\n${render(template.conclusion, values)}\n\n**${COMPLETE}**`;
    return { description: template.description, markdown, toolCalls: [] };
  }
  const { tool, arguments: args, instead } = callOf(step, values, parts);
  const why = instead ? '\n   This device has no YANG: its command line is asked instead.' : '';
  const ask =
    step.confirm === undefined
      ? ''
      : `\n   **Confirm first:** ${render(step.confirm, values)} The call is not made before you approve it.`;
  const line = `${index + 1}. ${render(step.title, values)}:\n   \`${tool} ${JSON.stringify(args)}\`${why}${ask}`;
  const later = template.steps
    .slice(index + 1)
    .map(({ title }, place) => `${index + place + 2}. ${render(title, values)}`);
  // NET-9: the steps that are to be expected.
  const expected = later.length === 0 || index > 0 ? '' : `\n\nExpected steps after this:\n${later.join('\n')}`;
  return {
    description: template.description,
    markdown: `${heading}${found}\n\n${line}${expected}`,
    toolCalls: [{ tool, arguments: args }],
    contextId: keep(),
  };
}

/** What a template looks at: the command's text where there is one, or the whole result as JSON; a refusal as `error: …`. */
function textOf(result: JsonValue): string {
  const inner = isJsonObject(result) ? result['result'] : undefined;
  const body = inner !== undefined && isJsonObject(inner) ? inner : result;
  const text = textOfBody(body);
  const cut = text.length > NETWORK_LIMITS.promptResultChars || (isJsonObject(body) && body['truncated'] === true);
  return `${text.slice(0, NETWORK_LIMITS.promptResultChars)}${cut ? CUT : ''}`;
}

function textOfBody(body: JsonValue): string {
  if (typeof body === 'string') return body;
  if (!isJsonObject(body)) return JSON.stringify(body);
  if (typeof body['stdout'] === 'string') return body['stdout'];
  const failed = typeof body['code'] === 'number' || body['isError'] === true || isJsonObject(body['error'] ?? null);
  return failed ? `error: ${JSON.stringify(body)}` : JSON.stringify(body);
}
