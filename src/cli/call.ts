// `parley call TOOL [ARGUMENTS]`: one tool of an agent, for people and scripts without an MCP client. Exit code 4 when it is denied or
// waits for an approval.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type AgentOptions, withClient } from './connect.ts';
import { EXIT } from './exit-codes.ts';
import { createOutput } from './output.ts';

export async function callCommand(options: AgentOptions, [tool, text = '{}']: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const result = await withClient(options, (client) =>
    client.callTool(tool!, argumentsOf(text), { timeoutMs: LIMITS.confirmMs }),
  );
  output.result(result);
  output.line(JSON.stringify(result, null, 2));
  return EXIT.ok;
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below, as for everything else that is no object.
  }
  throw new ParleyError('caller/bad-argument', `expected the arguments as a JSON object, came ${text.slice(0, 80)}`);
}
