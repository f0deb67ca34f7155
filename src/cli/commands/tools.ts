// `parley tools`: what `parley call` can call on an agent, with what each does and takes.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, entry, printable, table } from '../terminal/output.ts';
import { unknownTool } from '../terminal/unknown-tool.ts';

/** One tool with its arguments where it is named, else all of them. */
export async function toolsCommand(options: AgentOptions, [name]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const tools = await withClient(options, (client) => client.listTools('all')).catch((error) => {
    throw asLocalError(error);
  });
  const shown = tools.filter((tool) => name === undefined || tool.name === name);
  if (name !== undefined && shown.length === 0)
    throw unknownTool(
      name,
      tools.map((tool) => tool.name),
    );
  output.result({ tools: shown });
  if (name !== undefined) {
    const tool = shown[0]!;
    entry(output, 'tool', name, 'strong');
    entry(output, 'does', tool.description);
    for (const [index, line] of argumentsOf(tool).entries()) entry(output, index === 0 ? 'takes' : '', line);
    entry(output, 'call it', `parley call ${name} '{…}'`);
    return EXIT.ok;
  }
  const rows = shown.map((tool) => [tool.name, firstSentence(tool.description)].map(printable));
  output.line(table(['tool', 'does'], rows));
  output.line();
  output.line('parley tools NAME shows what a tool takes');
  return EXIT.ok;
}

function argumentsOf({ inputSchema }: { readonly inputSchema: JsonObject }): readonly string[] {
  const schema = inputSchema;
  const needed = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const lines = Object.entries(properties).map(([name, value]) => {
    const { type, description, enum: words } = isJsonObject(value) ? value : {};
    const values = Array.isArray(words) ? words.join(' | ') : String(type ?? 'value');
    return `${name}: ${values}${needed.has(name) ? '' : ', optional'}${description === undefined ? '' : `; ${String(description)}`}`;
  });
  return lines.length === 0 ? ['nothing'] : lines;
}

function firstSentence(text: string): string {
  return /^[^.]*\.?/.exec(text)![0];
}
