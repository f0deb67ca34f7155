// Reads YANG data for our own client: by `network.yang.get`, or by the equivalent show command if the device lists that tool as not
// available (NET-3). The result says which of the two it is; command output is never taken for data.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { showCommandFor } from '#model/router/downgrade.ts';
import type { OperatorClient } from './operator-client.ts';

export type DataAnswer =
  | { readonly kind: 'data'; readonly data: JsonObject; readonly contentId: string }
  /** The device has no YANG: the output of its show command. */
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
    const message = 'expected a device with YANG or a show command for this path, got neither';
    throw new ParleyError('node/no-yang', message, { data: { path: path.slice(0, 200), retryPossible: false } });
  }
  return { kind: 'shown', command, text: String((await client.callTool(CLI, { cmd: command }))['stdout'] ?? '') };
}
