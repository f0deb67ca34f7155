// `parley peers`: the agents that this node knows, and remarks about them (TS-13).
import type { JsonObject } from '#base/json.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, printable, table } from '../terminal/output.ts';

export async function peersCommand(options: AgentOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const answer = await client.callTool('parley-peers', {}).catch((error) => {
      throw asLocalError(error);
    });
    output.result(answer);
    const peers = (answer['peers'] ?? []) as readonly JsonObject[];
    const rows = peers.map((peer) => [
      String(peer['node']),
      peer['verified'] ? 'verified' : 'hint',
      String(peer['hops']),
      versionWords(peer),
      ((peer['sources'] ?? []) as readonly string[]).join(', '),
      `${(peer['addresses'] as readonly string[]).join(', ')} port ${peer['port']}`,
      String(peer['thumbprint'] ?? '').slice(0, 16),
    ]);
    output.line(table(['node', 'state', 'hops', 'version', 'heard by', 'where', 'certificate'], rows));
    if (answer['version'] !== undefined) output.line(`this node runs version ${answer['version']}`);
    if (rows.some((row) => row[3] === NOT_GIVEN))
      output.line(`${NOT_GIVEN}: its agent does not say which version it is`);
    const remarks = (answer['remarks'] ?? []) as readonly JsonObject[];
    if (remarks.length > 0) output.line();
    for (const remark of remarks) output.line(`${remark['kind']}  ${remark['node']}: ${remark['detail']}`);
    return EXIT.ok;
  });
}

const NOT_GIVEN = 'not given';

/** Blank for a hint: no session has been opened, so that its agent had no occasion to say anything. */
export function versionWords({ verified, version }: JsonObject): string {
  if (typeof version === 'string') return printable(version);
  return verified === true ? NOT_GIVEN : '';
}
