// `parley trust-list`: hands a node the trust list of the domain, or shows which one it goes by.
import { readFile } from 'node:fs/promises';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, printable } from '../terminal/output.ts';

export async function trustListCommand(options: AgentOptions, [file]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const list = file === undefined ? undefined : await readFile(file, 'utf8');
  const { list: _list, ...answer } = await withClient(options, (client) =>
    client.callTool('parley-trust-list', list === undefined ? {} : { list }).catch((error: unknown) => {
      throw asLocalError(error);
    }),
  );
  output.result(answer);
  const { number, outcome, reason } = answer;
  const said = { taken: 'taken', same: 'known already', older: 'older than the one that the node has' };
  output.line(
    printable(
      outcome === undefined || typeof outcome !== 'string'
        ? `trust list ${number}${number === 0 ? ': none' : ''}`
        : `${said[outcome as keyof typeof said] ?? `${outcome}: ${reason}`}; the node goes by trust list ${number}`,
    ),
  );
  return outcome === 'refused' || outcome === 'forked' ? EXIT.signature : EXIT.ok;
}
