// The prompts of this node: the built-in templates and the operator's own files; a file replaces a built-in template of the same name
// (TS-4). The log names a file that cannot be read; it is left out and never keeps the agent from starting.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { bad, type Result } from '#base/result.ts';
import type { PromptDefinition } from '#model/definition.ts';
import { BUILTIN_TEMPLATES } from '#network/prompts/builtin.ts';
import { type FlowParts, promptDefinition } from '#network/prompts/flow.ts';
import { parseTemplate, type Template } from '#network/prompts/template.ts';
import { AGENT_LIMITS } from '../limits.ts';

const TEMPLATE_FILE = /^[^.].*\.ya?ml$/;

export async function loadPrompts(dir: string, parts: FlowParts, log: Log): Promise<readonly PromptDefinition[]> {
  const templates = new Map<string, Template>();
  for (const source of BUILTIN_TEMPLATES) {
    const read = parseTemplate(source);
    if (!read.ok) throw new Error(`a built-in prompt cannot be read: ${read.reason}`);
    templates.set(read.value.name, read.value);
  }
  // Most nodes have no such folder, and no templates of their own.
  const names = (await readdir(dir).catch(() => [])).filter((name) => TEMPLATE_FILE.test(name)).toSorted();
  for (const name of names.slice(0, AGENT_LIMITS.promptFiles)) {
    const read = await readTemplate(join(dir, name));
    if (read.ok) templates.set(read.value.name, read.value);
    else log.warn('a prompt template was left out', { file: name, reason: read.reason });
  }
  return [...templates.values()].map((template) => promptDefinition(template, parts));
}

async function readTemplate(path: string): Promise<Result<Template>> {
  try {
    return parseTemplate(await readFile(path, 'utf8'));
  } catch (error) {
    return bad(messageOf(error));
  }
}
