// `parley get PATH`: YANG data of a node; of a device that has none, what its command line says about the same thing (NET-3).
import { readData } from '#mcp/read-data.ts';
import { type AgentOptions, asLocalError, withClient } from './connect.ts';
import { EXIT } from './exit-codes.ts';
import { createOutput } from './output.ts';

export type GetOptions = AgentOptions & { readonly datastore?: string };

export async function getCommand(options: GetOptions, [path = '']: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const datastore = options.datastore ?? 'operational';
  return withClient(options, async (client) => {
    const answer = await readData(client, path, datastore).catch((error) => {
      throw asLocalError(error);
    });
    output.result({ path, datastore, ...answer });
    if (answer.kind === 'shown') {
      output.progress(`this device has no YANG; its command "${answer.command}" says:`);
      output.line(answer.text.trimEnd());
    } else output.line(JSON.stringify(answer.data, undefined, 2));
    return EXIT.ok;
  });
}
