// `parley setup` in the command tree.
import type { Command } from 'commander';
import type { Act } from './act.ts';

export function addSetupCommand(program: Command, act: Act): void {
  program
    .command('setup')
    .description(
      'makes this machine a node: gets a certificate, writes the configuration, starts the services, runs doctor, asks a first question. Asks for what is not given; may be run again',
    )
    .option('--node <name>', "this node's name (default: the host name)")
    .option('--domain <name>', 'domain of a trial (default: that of the host name, else trial.internal)')
    .option('--trial', 'makes a CA and a registrar on this machine')
    .option('--registrar <host[:port]>', 'enrols at this registrar (default port 9517); needs --code or --code-file')
    .option('--code <code>', 'the code that the registrar made for this node')
    .option('--code-file <file>', 'file that holds the code')
    .option('--no-start', 'starts no service')
    .option('--no-ask', 'asks no question')
    .option('--question <text>', 'the first question', 'What is wrong?')
    .option('--json', 'prints one JSON object; asks for nothing')
    .action(act(async () => (await import('./setup/setup.ts')).setupCommand));
}
