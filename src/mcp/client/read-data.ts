// YANG data as our own client asks for it: by `network.yang.get`, and of a device that lists it as not available by the show command that
// tells of the same thing (NET-3). What came back says which of the two it is; the text of a command is never taken for data.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { showCommandFor } from '#model/router/downgrade.ts';
import type { OperatorClient } from './operator-client.ts';

export type DataAnswer =
  | { readonly kind: 'data'; readonly data: JsonObject; readonly contentId: string }
  /** The device has no YANG: what its command line says instead. */
  | { readonly kind: 'shown'; readonly command: string; readonly text: string };

const YANG = 'network.yang.get';
const CLI = 'network.cli.exec';

/** Rejects as `callTool` does, and with `node/no-yang` where the device has neither the data nor a command for it. */
export async function readData(
  client: Pick<OperatorClient, 'listTools' | 'callTool' | 'cliDialect'>,
  path: string,
  datastore: string,
): Promise<DataAnswer> {
  const tools = await client.listTools();
  const isThere = (name: string) => tools.some((tool) => tool.name === name && tool.available !== false);
  if (isThere(YANG) || !tools.some(({ name }) => name === YANG)) {
    const answer = await client.callTool(YANG, { path, datastore });
    const { data } = answer;
    if (data === undefined || !isJsonObject(data))
      throw new ParleyError('peer/protocol', 'expected YANG data, got something else');
    return { kind: 'data', data, contentId: String(answer['content-id'] ?? '') };
  }
  const command = isThere(CLI) ? showCommandFor(client.cliDialect, path, datastore) : undefined;
  if (command === undefined) {
    const message = 'expected a device with YANG or a command that tells of this path, it has neither';
    throw new ParleyError('node/no-yang', message, { data: { path: path.slice(0, 200), retryPossible: false } });
  }
  return { kind: 'shown', command, text: String((await client.callTool(CLI, { cmd: command }))['stdout'] ?? '') };
}
