// `parley call TOOL [ARGUMENTS]`: calls one tool of an agent, for people and scripts without an MCP client. Exit code 4: denied, or
// waiting for approval. Refuses a confirmed commit without persist: the change would be undone when the command's session ends (NET-15).
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type AgentOptions, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';
import { unknownTool } from '../terminal/unknown-tool.ts';

const ROLLBACK = 'leave "confirmed" out, or keep a session open with "parley mcp"';
const INSTEAD: Readonly<Record<string, string>> = {
  'network.commit': 'add "persist": "WORD", and confirm with {"confirm": true, "persist-id": "WORD"}',
  'network.rollback': ROLLBACK,
  'rollback-config': ROLLBACK,
};

export async function callCommand(options: AgentOptions, [tool, text = '{}']: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const given = argumentsOf(text);
  demandPersist(tool!, given);
  const result = await withClient(options, (client) =>
    client.callTool(tool!, given, { timeoutMs: LIMITS.confirmMs }).catch((error) => {
      throw unknownIn(error, tool!) ?? error;
    }),
  );
  output.result(result);
  output.line(JSON.stringify(result, null, 2));
  return EXIT.ok;
}

/** The agent refused a name that it does not have: what was typed is wrong, and nothing was denied. */
function unknownIn(error: unknown, tool: string): ParleyError | undefined {
  const data = error instanceof ParleyError && error.code === 'peer/refused' ? error.data['data'] : undefined;
  if (!isJsonObject(data) || !Array.isArray(data['known']) || !String(data['detail']).startsWith('unknown tool'))
    return undefined;
  return unknownTool(tool, data['known'].map(String));
}

/** Without persist the change would be undone when this command ends, after it printed "committed". */
function demandPersist(tool: string, given: JsonObject): void {
  const instead = INSTEAD[tool];
  if (instead === undefined || given['confirmed'] === undefined || given['persist'] !== undefined) return;
  throw new ParleyError(
    'caller/bad-argument',
    `expected a change that outlives this command, got "confirmed" without "persist": it would be undone when the command ends; ${instead}`,
  );
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below, like any other value that is not an object.
  }
  throw new ParleyError('caller/bad-argument', `expected the arguments as a JSON object, got ${text.slice(0, 80)}`);
}
