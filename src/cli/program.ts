// The commands an operator types. Each command's code is loaded only when it runs. Unknown words and options end with usage (2).
import { Command, CommanderError, Option } from 'commander';
import { ParleyError } from '#base/error.ts';
import { VERSION } from '#base/version.ts';
import { ROLES } from '#model/identity.ts';
import { EXIT, exitCodeOfError } from './terminal/exit-codes.ts';
import { complain } from './terminal/output.ts';

// biome-ignore lint/suspicious/noExplicitAny: commander hands over whatever its declarations above say
type Action = (options: any, args: readonly string[]) => Promise<number>;

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
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has written its text to standard error; a program that reads JSON gets it as JSON as well.
      if (error.exitCode !== 0 && json) complain(new ParleyError('caller/usage', usageOf(error)), json);
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
    complain(error, json);
    return exitCodeOfError(error);
  }
}

function usageOf(error: CommanderError): string {
  return error.message.replace(/^error: /, '').replace(/\n.*$/s, '');
}

type Act = (action: () => Promise<Action>) => (...given: unknown[]) => Promise<void>;

function buildProgram(act: Act): Command {
  const program = new Command('parley')
    .description(
      'Ask the network what is wrong: agents on every router compare both ends of every link and sign what they find.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(parley --help shows every command)');
  addAgentCommands(program, act);
  addLookCommands(program, act);
  addChangeCommands(program, act);
  addBackupCommands(program.command('backup').description('the configuration with its secrets, sealed'), act);
  addReportCommands(program.command('report').description('signed reports'), act);
  addAuthorityCommands(program.command('ca').description('certificates'), act);
  program
    .command('audit')
    .description('audit trail')
    .command('verify')
    .argument('[dir]', 'folder of the trail', '/var/lib/parley/audit')
    .option('--json', 'one JSON object')
    .description('checks the hash chain of the audit trail')
    .action(act(async () => (await import('./offline/audit.ts')).verifyAuditCommand));
  return program;
}

/** How a command reaches an agent: the Unix socket of this machine, or mutual TLS with an operator certificate. */
function withAgent(command: Command): Command {
  return command
    .addOption(
      new Option('--socket <path>', "the agent's Unix socket").env('PARLEY_SOCKET').default('/run/parley/control.sock'),
    )
    .option('--connect <host[:port]>', 'reach an agent over mutual TLS instead')
    .option('--node <name>', 'the node that must answer; without --connect its address is asked of the local agent')
    .addOption(new Option('--identity <dir>', 'operator identity for mutual TLS').env('PARLEY_IDENTITY'))
    .option('--json', 'one JSON object');
}

/** What a node, or the network around it, is like. */
function addLookCommands(program: Command, act: Act): void {
  withAgent(program.command('peers'))
    .description('agents that this node has heard of')
    .action(act(async () => (await import('./commands/peers.ts')).peersCommand));
  withAgent(program.command('topology'))
    .description('nodes and links as both ends tell them, how far each is to be believed, and what is missing')
    .option('--mermaid', 'a drawing as Mermaid text')
    .action(act(async () => (await import('./commands/topology.ts')).topologyCommand));
  withAgent(program.command('tech-support'))
    .description('has a node collect show outputs, state, counters and log, and fetches the file')
    .requiredOption('--out <file>', 'file to write')
    .action(act(async () => (await import('./commands/tech-support.ts')).techSupportCommand));
  withAgent(program.command('get'))
    .description('YANG data of a node, or what its command line says where it has none')
    .argument(
      '<path>',
      "such as /openconfig-interfaces:interfaces/interface[name='eth1'], or a resource such as network:///routing/ipv4/route-table",
    )
    .addOption(
      new Option('--datastore <name>', 'which datastore')
        .choices(['operational', 'running', 'candidate', 'startup'])
        .default('operational'),
    )
    .action(act(async () => (await import('./commands/get.ts')).getCommand));
}

function addAgentCommands(program: Command, act: Act): void {
  program
    .command('agent')
    .description('runs the agent of this node')
    .option('--config <file>', 'configuration file')
    .option('--json', 'one JSON object on errors')
    .action(act(async () => (await import('./commands/agent.ts')).agentCommand));
  withAgent(program.command('ask'))
    .description('asks a question, shows progress, prints the finding and where the report is')
    .argument('<intent...>', 'the question, in words or as YAML/JSON')
    .option('--save <file>', 'also writes the sealed report to this file')
    .option(
      '--explain',
      'shows how each finding was reached, with the values of its evidence, and what else was considered',
    )
    .option('--progress', 'shows progress on standard error, with --json too')
    .action(act(async () => (await import('./commands/ask.ts')).askCommand));
  withAgent(program.command('diff'))
    .description('compares two reports: what is new, gone, changed; ends with 0 when nothing is, with 1 otherwise')
    .argument(
      '[reports...]',
      'ids or files; one: with the one before of the same question; none: the latest two of one',
    )
    .option('--ca <file>', "the domain's CA certificate; that of --identity without it")
    .option('--unverified', 'compares without verifying any signature')
    .option('--since <duration>', "what the nodes' own histories tell from so long before the report (10m)")
    .option('--until <duration>', 'the end of that time, before the report; the report itself without it')
    .action(act(async () => (await import('./report/diff.ts')).diffCommand));
  addBaselineCommands(program.command('baseline').description('what is expected of the network'), act);
  const mcp = withAgent(program.command('mcp'))
    .description('an MCP server on standard input and output, for MCP hosts on this machine')
    .option('--all-tools', 'lists every tool, not only the short list')
    .action(act(async () => (await import('./commands/mcp.ts')).mcpCommand));
  withAgent(mcp.command('install'))
    .description('prints what to put into the settings of MCP hosts')
    .option('--name <name>', 'name of the server there', 'parley')
    .addOption(
      new Option('--host <host>', 'only this host').choices([
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
    .description('checks configuration, identity, helper and the running agent')
    .option('--config <file>', 'configuration file')
    .option('--json', 'one JSON object')
    .action(act(async () => (await import('./offline/doctor.ts')).doctorCommand));
}

/** Calling a tool, and deciding on changes that wait for consent (TS-28). */
function addChangeCommands(program: Command, act: Act): void {
  withAgent(program.command('call'))
    .description('calls one tool of an agent; exit code 4 when it is denied or waits for an approval')
    .argument('<tool>', 'name of the tool')
    .argument('[arguments]', 'a JSON object')
    .action(act(async () => (await import('./commands/call.ts')).callCommand));
  withAgent(program.command('remedy'))
    .description(
      'what the remedies of a report would change; with --apply makes it so, asks again, confirms or rolls back',
    )
    .argument('[report]', 'report id or URN; the newest of the node without it, or with "last"')
    .option('--finding <id>', 'only this finding: its number, or "FAULT RESOURCE"')
    .option('--apply', 'makes the change, with consent as its node demands, and keeps it only if it helps')
    .action(act(async () => (await import('./remedy/remedy.ts')).remedyCommand));
  withAgent(program.command('approvals'))
    .description('changes that wait for an admin')
    .action(act(async () => (await import('./commands/approve.ts')).approvalsCommand));
  withAgent(program.command('approve'))
    .description('agrees to a change, signed with the key of --identity')
    .argument('<id>', 'as parley approvals shows it')
    .option('--recipient <file>', 'of a backup: the P-256 key in PEM that it must be for')
    .action(act(async () => (await import('./commands/approve.ts')).approveCommand));
  withAgent(program.command('deny'))
    .description('denies a change, signed with the key of --identity')
    .argument('<id>', 'as parley approvals shows it')
    .action(act(async () => (await import('./commands/approve.ts')).denyCommand));
}

function addBackupCommands(backup: Command, act: Act): void {
  withAgent(backup.command('save'))
    .description('saves the running configuration with its secrets, sealed to one key, once an admin has agreed')
    .requiredOption('--out <file>', 'file to write')
    .requiredOption('--recipient <file>', 'P-256 public key in PEM that it is sealed to')
    .action(act(async () => (await import('./commands/backup.ts')).backupSaveCommand));
  withAgent(backup.command('restore'))
    .description('opens a backup and puts it into the candidate; network.commit makes it run')
    .argument('<file>', 'as parley backup save wrote it')
    .requiredOption('--key <file>', 'private P-256 key in PEM')
    .option('--other-node', 'takes the backup of another node')
    .action(act(async () => (await import('./commands/backup.ts')).backupRestoreCommand));
}

function addBaselineCommands(baseline: Command, act: Act): void {
  withAgent(baseline.command('save'))
    .description('saves a healthy report as what is expected: the named one, or the newest that will do')
    .argument('[id]', 'report id or URN')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineSaveCommand));
  withAgent(baseline.command('import'))
    .description('takes the links of a containerlab topology as expected')
    .argument('<file>', '*.clab.yml')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineImportCommand));
  withAgent(baseline.command('show'))
    .description('what is expected, since when, and from where')
    .option('--all', 'every entry')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineShowCommand));
  withAgent(baseline.command('clear'))
    .description('expects nothing any more')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineClearCommand));
}

function addReportCommands(report: Command, act: Act): void {
  withAgent(report.command('list'))
    .description('reports on a node')
    .action(act(async () => (await import('./report/report.ts')).listCommand));
  withAgent(report.command('show'))
    .description('one report, as parley ask showed it')
    .argument(
      '[report]',
      'id, URN or file (./NAME if called like one); the newest of the node without it, or with "last"',
    )
    .option('--explain', 'shows all of it: how each finding was reached, and what else was considered')
    .action(act(async () => (await import('./report/report.ts')).showCommand));
  withAgent(report.command('export'))
    .description('writes the sealed report file')
    .argument('<id>', 'report id or URN')
    .argument('<file>', 'file to write')
    .action(act(async () => (await import('./report/report.ts')).exportCommand));
  report
    .command('verify')
    .description('verifies a report file offline')
    .argument('<file>', 'sealed report')
    .requiredOption('--ca <file>', "the domain's CA certificate")
    .option('--json', 'one JSON object')
    .action(act(async () => (await import('./report/report.ts')).verifyCommand));
}

function addAuthorityCommands(authority: Command, act: Act): void {
  authority
    .command('init')
    .description('makes the CA of a domain')
    .requiredOption('--domain <name>', 'domain, such as lab.example')
    .option('--dir <dir>', 'folder of the CA', './parley-ca')
    .option('--days <days>', 'lifetime of the CA certificate in days')
    .option('--json', 'one JSON object')
    .action(act(async () => (await import('./offline/authority.ts')).initCommand));
  authority
    .command('issue')
    .description('issues the identity folder of a node, an operator or a controller')
    .argument('<name>', 'node, operator or controller name')
    .requiredOption('--out <dir>', 'identity folder to write')
    .option('--dir <dir>', 'folder of the CA', './parley-ca')
    .addOption(new Option('--kind <kind>', 'what it is').choices(['node', 'operator', 'controller']).default('node'))
    .addOption(
      new Option('--role <role>', "an operator's role: what nodes let it do (default: operator)").choices([...ROLES]),
    )
    .option('--dns <name...>', 'DNS names')
    .option('--address <ip...>', 'IP addresses')
    .option('--days <days>', 'lifetime in days')
    .option('--json', 'one JSON object')
    .action(act(async () => (await import('./offline/authority.ts')).issueCommand));
}
