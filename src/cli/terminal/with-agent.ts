// The options by which a command reaches an agent.
import { type Command, Option } from 'commander';

/** How a command reaches an agent: the Unix socket of this machine, or mutual TLS with an operator certificate. */
export function withAgent(command: Command): Command {
  return command
    .addOption(
      new Option('--socket <path>', "the agent's Unix socket").env('PARLEY_SOCKET').default('/run/parley/control.sock'),
    )
    .option('--connect <host[:port]>', 'reaches an agent over mutual TLS instead; needs --identity')
    .option(
      '--node <name>',
      'the node whose agent to reach over mutual TLS; without --connect the local agent gives its address',
    )
    .addOption(
      new Option('--identity <dir>', 'folder with the operator’s certificate and key for mutual TLS').env(
        'PARLEY_IDENTITY',
      ),
    )
    .option('--json', 'prints one JSON object');
}
