// The commands an operator types. Each command's code is loaded only when it runs. Unknown words and options end with usage (2).
import { Argument, Command, CommanderError, Option } from 'commander';
import { ParleyError } from '#base/error.ts';
import { VERSION } from '#base/version.ts';
import type { Act, Action } from './act.ts';
import { addAggregateCommands } from './aggregate-commands.ts';
import { describe } from './help/command-tree.ts';
import { SHELLS } from './help/completion.ts';
import { exampleText } from './help/examples.ts';
import {
  addAuthorityCommands,
  addEnrolCommands,
  addIdentityCommands,
  addRegistrarCommands,
  addTrustListCommands,
} from './identity-commands.ts';
import { addAuditCommands, addReportCommands } from './report-commands.ts';
import { addSetupCommand } from './setup-command.ts';
import { withRemedy } from './terminal/denied.ts';
import { EXIT, exitCodeOfError } from './terminal/exit-codes.ts';
import { complain } from './terminal/output.ts';
import { withAgent } from './terminal/with-agent.ts';

/** Runs one command line and resolves with its exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const json = argv.includes('--json');
  const act =
    (action: () => Promise<Action>) =>
    async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const run = await action();
      exitCode = await run(
        command.optsWithGlobals(),
        command.processedArgs.flat().filter((arg) => arg !== undefined) as string[],
      );
    };
  const program = buildProgram(act);
  try {
    await program.parseAsync(argv.map(explained), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already written to standard error; a program that reads JSON gets the error as JSON as well.
      if (error.exitCode !== 0 && json) complain(new ParleyError('caller/usage', usageOf(error)), json);
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
    const told = await withRemedy(error);
    complain(told, json);
    return exitCodeOfError(told);
  }
}

/** The depth stands behind the sign: the word after `--explain` is the question. */
function explained(word: string): string {
  return word === '--explain' ? '--explain=tree' : word;
}

function usageOf(error: CommanderError): string {
  return error.message.replace(/^error: /, '').replace(/\n.*$/s, '');
}

/** The commands without what they do, for help, completion and man pages. */
export function commandTree(): Command {
  return buildProgram(() => async () => {});
}

function buildProgram(act: Act): Command {
  const program = new Command('parley')
    .description(
      'Asks the agents on the routers of a network what is wrong: they compare both ends of every link and sign what they find. Exit codes: 0 fine or healthy, 1 findings, 2 usage, 3 evidence incomplete, 4 denied or waiting for approval, 5 signature invalid.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(parley --help shows every command)');
  addSetupCommand(program, act);
  addAgentCommands(program, act);
  addLookCommands(program, act);
  addChangeCommands(program, act);
  addBackupCommands(
    program.command('backup').description('saves or restores a configuration with its secrets, encrypted'),
    act,
  );
  addReportCommands(
    program.command('report').description('lists, shows, exports, deletes and verifies signed reports'),
    act,
  );
  const authority = program
    .command('ca')
    .description('makes the CA of a domain, issues its certificates, revokes them');
  addAuthorityCommands(authority, act);
  addTrustListCommands(authority, act);
  addIdentityCommands(program, act, withAgent);
  addEnrolCommands(program, act);
  addRegistrarCommands(
    program
      .command('registrar')
      .description('makes and lists enrolment codes, and signs requests that were carried by hand'),
    act,
  );
  addAggregateCommands(
    program
      .command('aggregate')
      .description('runs an aggregator: many MCP servers under one namespace, with gates before what cannot be undone'),
    act,
    withAgent,
  );
  addAuditCommands(program.command('audit').description('verifies, shows and exports the audit trail'), act);
  addHelpCommands(program, act);
  withExamples(program, []);
  return program;
}

/** Examples stand below the help of each command. */
function withExamples(command: Command, before: readonly string[]): void {
  const words = [...before, command.name()];
  command.addHelpText('after', exampleText(words));
  for (const below of command.commands) withExamples(below, words);
}

/** Made of the command tree itself. */
function addHelpCommands(program: Command, act: Act): void {
  const tree = () => describe(program);
  program
    .command('completion')
    .description('prints a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(
      act(async () => {
        const { printCompletion } = await import('./help/help-commands.ts');
        return (_options: unknown, [shell]: readonly string[]) => printCompletion(tree(), shell!);
      }),
    );
  program
    .command('man')
    .description('prints the man page of a command, or writes all of them into a folder')
    .argument('[command...]', 'a command, such as report show')
    .option('--out <dir>', 'folder to write all pages to')
    .option('--json', 'prints one JSON object')
    .action(
      act(async () => {
        const { writeManPages } = await import('./help/help-commands.ts');
        return (options: { out?: string; json?: boolean }, words: readonly string[]) =>
          writeManPages(tree(), options, words);
      }),
    );
}

/** Readings of a node and of the network around it. */
function addLookCommands(program: Command, act: Act): void {
  withAgent(program.command('peers'))
    .description('lists the agents that this node knows')
    .action(act(async () => (await import('./commands/peers.ts')).peersCommand));
  withAgent(program.command('topology'))
    .description('shows nodes and links as both ends report them, how far each link is confirmed, and what is missing')
    .option('--mermaid', 'prints a drawing as Mermaid text')
    .action(act(async () => (await import('./commands/topology.ts')).topologyCommand));
  withAgent(program.command('tech-support'))
    .description('collects show outputs, state, counters and log of a node into a file')
    .requiredOption('--out <file>', 'file to write')
    .action(act(async () => (await import('./commands/tech-support.ts')).techSupportCommand));
  withAgent(program.command('get'))
    .description(
      'shows YANG data or another resource of a node; where the node has no YANG data, the output of a show command',
    )
    .argument(
      '<path>',
      "such as /openconfig-interfaces:interfaces/interface[name='eth1'], or a resource such as network:///routing/ipv4/route-table",
    )
    .addOption(
      new Option('--datastore <name>', 'datastore to read')
        .choices(['operational', 'running', 'candidate', 'startup'])
        .default('operational'),
    )
    .action(act(async () => (await import('./commands/get.ts')).getCommand));
}

const PAGER_HELP =
  '\nOn a terminal a long answer goes through PARLEY_PAGER, PAGER or less; PARLEY_PAGER=cat turns that off.';

function addAgentCommands(program: Command, act: Act): void {
  program
    .command('agent')
    .description('runs the agent of this node')
    .option('--config <file>', 'configuration file (default: PARLEY_CONFIG, or /etc/parley/parley.yaml)')
    .option('--json', 'prints each error as one JSON object')
    .action(act(async () => (await import('./commands/agent.ts')).agentCommand));
  withAgent(program.command('ask'))
    .description('asks a question, shows progress, prints the findings and the id of the report')
    .argument('<intent...>', 'the question, in plain words or as YAML/JSON')
    .option('--save <file>', 'also writes the sealed report to this file')
    .option(
      '--explain [depth]',
      'shows how each finding was reached, the values of its evidence, and which other causes were considered; raw: every value',
    )
    .option('--progress', 'shows progress on standard error, with --json too')
    .addHelpText('after', PAGER_HELP)
    .action(act(async () => (await import('./commands/ask.ts')).askCommand));
  withAgent(program.command('history'))
    .description(
      'shows what happened to nodes, an interface, a link, a session or a prefix, with times, and who did it',
    )
    .argument('[what...]', 'a node, "p2 eth1", eth1@p2, a link as pe1--p2, the address of a BGP peer, a prefix')
    .option('--since <time>', 'how long ago it begins, as 12h or 7d, or a time as "last night" (default: 1 day)')
    .option('--until <duration>', 'how long ago it ends, as 6h (default: now)')
    .action(act(async () => (await import('./commands/history.ts')).historyCommand));
  withAgent(program.command('diff'))
    .description('compares two reports: what is new, gone or changed; exit code 0 if nothing differs, else 1')
    .argument(
      '[reports...]',
      'report ids or their first characters, "last", or files; with one, it is compared with the report before it of the same question; with none, the latest two of one question',
    )
    .option('--ca <file>', "the domain's CA certificate (default: that of --identity)")
    .option('--unverified', 'compares without verifying any signature')
    .option(
      '--since <duration>',
      "compares two times of one report from the nodes' own histories: starts so long before the report, such as 10m",
    )
    .option('--until <duration>', 'with --since: ends so long before the report (default: at the report)')
    .action(act(async () => (await import('./report/diff.ts')).diffCommand));
  addBaselineCommands(
    program.command('baseline').description('saves, imports, shows or clears the expected state of the network'),
    act,
  );
  addExpectationCommands(program, act);
  const mcp = withAgent(program.command('mcp'))
    .description('runs an MCP server on standard input and output, for MCP hosts on this machine')
    .option('--all-tools', 'lists every tool, not only the short list')
    .action(act(async () => (await import('./commands/mcp.ts')).mcpCommand));
  withAgent(mcp.command('install'))
    .description('prints the settings with which MCP hosts start parley mcp')
    .option('--name <name>', 'name of the server in those settings', 'parley')
    .addOption(
      new Option('--host <host>', 'only for this MCP host').choices([
        'claude-code',
        'claude-desktop',
        'vscode',
        'codex',
        'cursor',
      ]),
    )
    .action(act(async () => (await import('./commands/mcp.ts')).installCommand));
  program
    .command('doctor')
    .description('checks configuration, identity, privileged helper and the running agent')
    .option('--config <file>', 'configuration file (default: PARLEY_CONFIG, or /etc/parley/parley.yaml)')
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./doctor/doctor.ts')).doctorCommand));
}

/** Calling a tool, and deciding on changes that wait for consent (TS-28). */
function addChangeCommands(program: Command, act: Act): void {
  withAgent(program.command('tools'))
    .description('lists the tools of an agent that parley call can call, or shows what one of them takes')
    .argument('[tool]', 'name of the tool')
    .action(act(async () => (await import('./commands/tools.ts')).toolsCommand));
  withAgent(program.command('call'))
    .description('calls one tool of an agent; exit code 4 when it is denied or waits for an approval')
    .argument('<tool>', 'name of the tool, such as network.yang.get')
    .argument('[arguments]', 'the tool’s arguments as one JSON object')
    .action(act(async () => (await import('./commands/call.ts')).callCommand));
  withAgent(program.command('remedy'))
    .description(
      'shows what the remedies of a report would change; --apply makes one change, asks again, confirms or rolls back',
    )
    .argument(
      '[report]',
      'report id or its first characters, or URN; without it or with "last", the newest report of the node',
    )
    .option('--finding <id>', 'only this finding: its number in the report, or "FAULT RESOURCE"')
    .option('--apply', 'makes the change, with consent if the node requires it, and keeps it only if it helps')
    .action(act(async () => (await import('./remedy/remedy.ts')).remedyCommand));
  withAgent(program.command('halt'))
    .description('stops a node, or the whole domain: agents refuse all but reads of admins and at the router itself')
    .option('--domain', 'every node of the domain: agents carry the order to each other')
    .option('--all', 'refuses those reads as well')
    .option('--reason <text>', 'why, for those whose calls are refused and for the audit trail')
    .action(act(async () => (await import('./commands/halt.ts')).haltCommand));
  withAgent(program.command('resume'))
    .description('lets a node, or the whole domain, go on after parley halt')
    .option('--domain', 'every node of the domain')
    .option('--reason <text>', 'why, for the audit trail')
    .action(act(async () => (await import('./commands/halt.ts')).resumeCommand));
  withAgent(program.command('approvals'))
    .description('lists changes that wait for the approval of an admin')
    .action(act(async () => (await import('./commands/approve.ts')).approvalsCommand));
  withAgent(program.command('approve'))
    .description('approves a change, signed with the key of --identity')
    .argument('<id>', 'id of the change, as parley approvals shows it')
    .option('--recipient <file>', 'for a backup: file with the P-256 public key (PEM) that the backup is encrypted to')
    .action(act(async () => (await import('./commands/approve.ts')).approveCommand));
  withAgent(program.command('deny'))
    .description('denies a change, signed with the key of --identity')
    .argument('<id>', 'id of the change, as parley approvals shows it')
    .action(act(async () => (await import('./commands/approve.ts')).denyCommand));
}

function addBackupCommands(backup: Command, act: Act): void {
  withAgent(backup.command('save'))
    .description('saves the running configuration with its secrets, encrypted to one key, after an admin has approved')
    .requiredOption('--out <file>', 'file to write')
    .requiredOption('--recipient <file>', 'file with the P-256 public key (PEM) that the backup is encrypted to')
    .action(act(async () => (await import('./commands/backup.ts')).backupSaveCommand));
  withAgent(backup.command('restore'))
    .description('decrypts a backup into the candidate configuration; the tool network.commit applies it')
    .argument('<file>', 'backup file of parley backup save')
    .requiredOption('--key <file>', 'file with the P-256 private key (PEM)')
    .option('--other-node', 'also accepts the backup of another node')
    .action(act(async () => (await import('./commands/backup.ts')).backupRestoreCommand));
}

function addBaselineCommands(baseline: Command, act: Act): void {
  withAgent(baseline.command('save'))
    .description(
      'says what is odd of the network, asks, and saves a healthy report as the baseline: the named one, or the newest that is suitable',
    )
    .argument('[id]', 'report id or its first characters, "last", or URN')
    .option('--yes', 'saves without asking; what is odd of the network is said all the same')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineSaveCommand));
  withAgent(baseline.command('import'))
    .description('makes the links of a containerlab topology the expected links')
    .argument('<file>', 'containerlab topology file (*.clab.yml)')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineImportCommand));
  withAgent(baseline.command('show'))
    .description('shows the baseline, since when it holds, and its source')
    .option('--all', 'shows every entry')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineShowCommand));
  withAgent(baseline.command('clear'))
    .description('removes the baseline')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineClearCommand));
}

/** What operators say of the network, so that answers accuse no node of what is meant, and name what must hold and does not. */
function addExpectationCommands(program: Command, act: Act): void {
  withAgent(program.command('allow'))
    .description('says that a finding is meant: later answers name it, and accuse no node of it, until the end date')
    .argument(
      '[finding]',
      'number of a finding of the last report, or FAULT@RESOURCE; with --remove also the number of a line',
    )
    .option('--report <id>', 'the report that the finding is of (default: the newest report of the node)')
    .option('--fault <id>', 'fault of docs/faults.md, or "*"; with --resource instead of a finding')
    .option('--resource <pattern>', 'resource such as node/r1 or link/r1:*--r3:*, in which * stands for any text')
    .option('--reason <text>', 'why it is meant')
    .option('--owner <name>', 'whose decision it is (default: the caller)')
    .option('--until <end>', 'its end: a date, a time, or a span from now such as 14d')
    .option('--list', 'lists what is allowed')
    .option('--remove', 'removes a line instead')
    .action(act(async () => (await import('./commands/allow.ts')).allowCommand));
  const expectations = program
    .command('expectations')
    .description(
      'saves, shows or clears expectations.yaml: what must hold, what is allowed, what is under maintenance',
    );
  withAgent(expectations.command('save'))
    .description('checks the file, and has the node sign and keep it')
    .argument('<file>', 'YAML file, or - for standard input')
    .action(act(async () => (await import('./commands/expectations.ts')).expectationsSaveCommand));
  withAgent(expectations.command('import'))
    .description('adds what labels of containerlab topologies and exports of NetBox say; the other entries stay')
    .argument('<files...>', '*.clab.yml, or JSON of the NetBox API: /api/dcim/cables/, /api/dcim/devices/')
    .option('--until <end>', 'end of what NetBox allows: a date, a time, or a span from now such as 90d')
    .option('--print', 'prints the entries and changes nothing')
    .action(act(async () => (await import('./commands/expectations.ts')).expectationsImportCommand));
  withAgent(expectations.command('show'))
    .description('shows what was said on this node, since when and by whom')
    .option('--text', 'prints the file itself')
    .action(act(async () => (await import('./commands/expectations.ts')).expectationsShowCommand));
  withAgent(expectations.command('clear'))
    .description('removes the file')
    .action(act(async () => (await import('./commands/expectations.ts')).expectationsClearCommand));
}
