// `parley mcp`: an MCP server on standard input and output for desktop hosts, which cannot do mutual TLS. It does mutual TLS for them,
// with any node. `parley mcp install` prints the settings for the common hosts.
import { messageOf } from '#base/error.ts';
import { bridgeStdio } from '#mcp/client/stdio-bridge.ts';
import { type AgentOptions, openStream } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';

export async function mcpCommand(options: AgentOptions & { readonly allTools?: boolean }): Promise<number> {
  const duplex = await openStream(options);
  const reason = await bridgeStdio({
    duplex,
    input: process.stdin,
    output: process.stdout,
    allTools: options.allTools ?? false,
  });
  if (reason === undefined) return EXIT.ok;
  createOutput(false).progress(`parley mcp: ${messageOf(new Error(reason))}`);
  return EXIT.incomplete;
}

const HOSTS = ['claude-code', 'claude-desktop', 'vscode', 'codex', 'cursor'] as const;
type Host = (typeof HOSTS)[number];

/** Only prints: it never edits another program's settings. */
export async function installCommand(
  options: AgentOptions & { readonly name: string; readonly host?: Host },
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const args = ['mcp', ...reachOf(options)];
  const hosts = options.host === undefined ? HOSTS : [options.host];
  const snippets = hosts.map((host) => ({ host, ...snippetOf(host, options.name, args) }));
  output.result({ snippets });
  for (const { host, where, text } of snippets) output.line(`# ${host}: ${where}\n${text}\n`);
  return EXIT.ok;
}

function reachOf(options: AgentOptions): string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--connect', options.connect],
    ['--node', options.node],
    ['--identity', options.identity],
    ['--socket', options.connect === undefined ? options.socket : undefined],
  ];
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

function snippetOf(
  host: Host,
  name: string,
  args: readonly string[],
): { readonly where: string; readonly text: string } {
  const entry = { command: 'parley', args: [...args] };
  const json = (value: unknown) => JSON.stringify(value, undefined, 2);
  switch (host) {
    case 'claude-code':
      return { where: 'run once', text: `claude mcp add ${name} -- parley ${args.join(' ')}` };
    case 'claude-desktop':
      return { where: 'claude_desktop_config.json', text: json({ mcpServers: { [name]: entry } }) };
    case 'cursor':
      return { where: '.cursor/mcp.json', text: json({ mcpServers: { [name]: entry } }) };
    case 'vscode':
      return { where: '.vscode/mcp.json', text: json({ servers: { [name]: { type: 'stdio', ...entry } } }) };
    case 'codex':
      return {
        where: '~/.codex/config.toml',
        text: `[mcp_servers.${name}]\ncommand = "parley"\nargs = ${JSON.stringify(args)}`,
      };
  }
}
