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
      // Commander has already written to standard error; a program that reads JSON gets the error as JSON as well.
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
  addBackupCommands(program.command('backup').description('the configuration with its secrets, encrypted'), act);
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
    .option('--node <name>', 'the node to reach; without --connect the local agent gives its address')
    .addOption(new Option('--identity <dir>', 'operator identity for mutual TLS').env('PARLEY_IDENTITY'))
    .option('--json', 'one JSON object');
}

/** Readings of a node and of the network around it. */
function addLookCommands(program: Command, act: Act): void {
  withAgent(program.command('peers'))
    .description('lists the agents that this node knows')
    .action(act(async () => (await import('./commands/peers.ts')).peersCommand));
  withAgent(program.command('topology'))
    .description('shows nodes and links as both ends report them, the confidence in each, and what is missing')
    .option('--mermaid', 'a drawing as Mermaid text')
    .action(act(async () => (await import('./commands/topology.ts')).topologyCommand));
  withAgent(program.command('tech-support'))
    .description('collects show outputs, state, counters and log of a node into a file')
    .requiredOption('--out <file>', 'file to write')
    .action(act(async () => (await import('./commands/tech-support.ts')).techSupportCommand));
  withAgent(program.command('get'))
    .description('shows YANG data of a node, or the output of a show command if it has none')
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
    .option('--json', 'one JSON object for each error')
    .action(act(async () => (await import('./commands/agent.ts')).agentCommand));
  withAgent(program.command('ask'))
    .description('asks a question, shows progress, prints the findings and the id of the report')
    .argument('<intent...>', 'the question, in plain words or as YAML/JSON')
    .option('--save <file>', 'also writes the sealed report to this file')
    .option(
      '--explain',
      'shows how each finding was reached, the values of its evidence, and which other causes were considered',
    )
    .option('--progress', 'shows progress on standard error, with --json too')
    .action(act(async () => (await import('./commands/ask.ts')).askCommand));
  withAgent(program.command('diff'))
    .description('compares two reports: what is new, gone or changed; exit code 0 if nothing differs, else 1')
    .argument(
      '[reports...]',
      'ids or files; with one, the report before it of the same question; with none, the latest two of one question',
    )
    .option('--ca <file>', "the domain's CA certificate; that of --identity without it")
    .option('--unverified', 'compares without verifying any signature')
    .option('--since <duration>', "what the nodes' own histories tell from so long before the report (10m)")
    .option('--until <duration>', 'the end of that time, before the report; the report itself without it')
    .action(act(async () => (await import('./report/diff.ts')).diffCommand));
  addBaselineCommands(program.command('baseline').description('the expected state of the network'), act);
  const mcp = withAgent(program.command('mcp'))
    .description('an MCP server on standard input and output, for MCP hosts on this machine')
    .option('--all-tools', 'lists every tool, not only the short list')
    .action(act(async () => (await import('./commands/mcp.ts')).mcpCommand));
  withAgent(mcp.command('install'))
    .description('prints the settings for MCP hosts')
    .option('--name <name>', 'name of the server in those settings', 'parley')
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
      'shows what the remedies of a report would change; --apply makes one change, asks again, confirms or rolls back',
    )
    .argument('[report]', 'report id or URN; default or "last": the newest of the node')
    .option('--finding <id>', 'only this finding: its number, or "FAULT RESOURCE"')
    .option('--apply', 'makes the change, with consent if the node requires it, and keeps it only if it helps')
    .action(act(async () => (await import('./remedy/remedy.ts')).remedyCommand));
  withAgent(program.command('approvals'))
    .description('lists changes that wait for an admin')
    .action(act(async () => (await import('./commands/approve.ts')).approvalsCommand));
  withAgent(program.command('approve'))
    .description('approves a change, signed with the key of --identity')
    .argument('<id>', 'as parley approvals shows it')
    .option('--recipient <file>', 'for a backup: the P-256 public key in PEM that may open it')
    .action(act(async () => (await import('./commands/approve.ts')).approveCommand));
  withAgent(program.command('deny'))
    .description('denies a change, signed with the key of --identity')
    .argument('<id>', 'as parley approvals shows it')
    .action(act(async () => (await import('./commands/approve.ts')).denyCommand));
}

function addBackupCommands(backup: Command, act: Act): void {
  withAgent(backup.command('save'))
    .description('saves the running configuration with its secrets, encrypted to one key, after an admin has approved')
    .requiredOption('--out <file>', 'file to write')
    .requiredOption('--recipient <file>', 'P-256 public key in PEM to encrypt to')
    .action(act(async () => (await import('./commands/backup.ts')).backupSaveCommand));
  withAgent(backup.command('restore'))
    .description('decrypts a backup into the candidate; network.commit applies it')
    .argument('<file>', 'as parley backup save wrote it')
    .requiredOption('--key <file>', 'private P-256 key in PEM')
    .option('--other-node', 'accepts the backup of another node')
    .action(act(async () => (await import('./commands/backup.ts')).backupRestoreCommand));
}

function addBaselineCommands(baseline: Command, act: Act): void {
  withAgent(baseline.command('save'))
    .description('saves a healthy report as the baseline: the named one, or the newest that is suitable')
    .argument('[id]', 'report id or URN')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineSaveCommand));
  withAgent(baseline.command('import'))
    .description('makes the links of a containerlab topology the expected links')
    .argument('<file>', '*.clab.yml')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineImportCommand));
  withAgent(baseline.command('show'))
    .description('shows the baseline, since when it holds, and its source')
    .option('--all', 'every entry')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineShowCommand));
  withAgent(baseline.command('clear'))
    .description('removes the baseline')
    .action(act(async () => (await import('./commands/baseline.ts')).baselineClearCommand));
}

function addReportCommands(report: Command, act: Act): void {
  withAgent(report.command('list'))
    .description('lists the reports of a node')
    .action(act(async () => (await import('./report/report.ts')).listCommand));
  withAgent(report.command('show'))
    .description('shows one report as parley ask did')
    .argument('[report]', 'id, URN or file (./NAME if ambiguous); default or "last": the newest of the node')
    .option('--explain', 'shows how each finding was reached and which other causes were considered')
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
    .description('creates the CA of a domain')
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
    .addOption(
      new Option('--kind <kind>', 'kind of the party').choices(['node', 'operator', 'controller']).default('node'),
    )
    .addOption(
      new Option('--role <role>', "an operator's role: what nodes let it do (default: operator)").choices([...ROLES]),
    )
    .option('--dns <name...>', 'DNS names')
    .option('--address <ip...>', 'IP addresses')
    .option('--days <days>', 'lifetime in days')
    .option('--json', 'one JSON object')
    .action(act(async () => (await import('./offline/authority.ts')).issueCommand));
}
