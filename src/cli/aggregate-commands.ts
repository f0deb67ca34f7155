// The commands of an aggregator: it, its tree, and the list of tools that need approval.
import type { Command } from 'commander';
import type { Act } from './act.ts';

/** The role of its own: an agent loads none of it. `withAgent` adds the options of a command that asks a running agent. */
export function addAggregateCommands(aggregate: Command, act: Act, withAgent: (command: Command) => Command): void {
  aggregate
    .option('--config <file>', 'configuration file', '/etc/parley/aggregate.yaml')
    .option('--stdio', 'also serves MCP on standard input and output, and ends with its client')
    .option('--json', 'prints each error as one JSON object')
    .action(act(async () => (await import('./commands/aggregate.ts')).aggregateCommand));
  withAgent(aggregate.command('tree'))
    .description('shows the servers below a running aggregator: where, how late, degraded, budgets')
    .option('--watch', 'shows them again every two seconds, until it is interrupted')
    .action(act(async () => (await import('./commands/aggregate.ts')).treeCommand));
  aggregate
    .command('sign-tools')
    .description('signs which tools need approval and which do not, with the key of an admin')
    .argument('<file>', 'YAML: tools, each with tool (a name, or its beginning and *) and demand (gate or open)')
    .requiredOption('--identity <dir>', 'folder with the admin’s certificate and key')
    .requiredOption('--out <file>', 'file to write')
    .action(act(async () => (await import('./commands/aggregate.ts')).signToolsCommand));
}
